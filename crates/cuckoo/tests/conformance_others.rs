//! The laws of `amq`, held by the other cuckoo filters.
mod one_slot {
    use cuckoo::{CuckooFilter, Params};

    // The laws of `theory` one by one, because one of them asks for 1,000 keys at 8 bits each, which one slot cannot have:
    // at 3 bits and a load of 3/8 two classes of three keys are expected, and a class has room for two.
    #[test]
    fn all_laws_of_theory_but_one() {
        for (params, keys) in
            [(Params { buckets: 4000, fingerprint_bits: 9 }, 300), (Params { buckets: 64, fingerprint_bits: 8 }, 6)]
        {
            let case = conformance::Case::<CuckooFilter<1>>::incremental(params, keys).no_false_negatives();
            let laws = conformance::Checklist::new().theory();
            let broken: Vec<_> = laws.run(&case).filter(|finding| finding.result.is_err()).collect();
            assert_eq!(
                broken.iter().map(|finding| finding.law).collect::<Vec<_>>(),
                ["a_budget_is_a_ceiling"],
                "{broken:?}"
            );
        }
    }

    conformance::suite! {
        filter: CuckooFilter<1>,
        cases: [
            Params { buckets: 4000, fingerprint_bits: 12 } => 400, Params { buckets: 200, fingerprint_bits: 10 } => 5,
            Params { buckets: 1000, fingerprint_bits: 9 } => 100,
        ],
        capabilities: [incremental, no_false_negatives, deletable, saved],
    }
}

mod two_slots {
    use cuckoo::{CuckooFilter, Params};

    conformance::suite! {
        filter: CuckooFilter<2>,
        cases: [
            Params { buckets: 500, fingerprint_bits: 8 } => 500, Params { buckets: 2000, fingerprint_bits: 11 } => 3000,
            Params { buckets: 2, fingerprint_bits: 7 } => 4, Params { buckets: 1001, fingerprint_bits: 9 } => 1300,
        ],
        capabilities: [incremental, no_false_negatives, deletable, saved, theory],
    }
}

mod eight_slots {
    use cuckoo::{CuckooFilter, Params};

    conformance::suite! {
        filter: CuckooFilter<8>,
        cases: [
            Params { buckets: 256, fingerprint_bits: 8 } => 1900, Params { buckets: 101, fingerprint_bits: 12 } => 700,
            Params { buckets: 6, fingerprint_bits: 4 } => 25, Params { buckets: 512, fingerprint_bits: 6 } => 4000,
        ],
        capabilities: [incremental, no_false_negatives, deletable, saved, theory],
    }
}

mod sixteen_slots {
    use cuckoo::{CuckooFilter, Params};

    conformance::suite! {
        filter: CuckooFilter<16>,
        cases: [
            Params { buckets: 256, fingerprint_bits: 8 } => 4000, Params { buckets: 31, fingerprint_bits: 13 } => 470,
            Params { buckets: 64, fingerprint_bits: 5 } => 990,
        ],
        capabilities: [incremental, no_false_negatives, deletable, saved, theory],
    }
}

mod semi_sorted {
    use cuckoo::{Params, SemiSortedCuckoo};

    conformance::suite! {
        filter: SemiSortedCuckoo,
        cases: [
            Params { buckets: 300, fingerprint_bits: 8 } => 1000, Params { buckets: 1000, fingerprint_bits: 12 } => 3700,
            Params { buckets: 2, fingerprint_bits: 8 } => 8, Params { buckets: 33, fingerprint_bits: 5 } => 60,
            Params { buckets: 65, fingerprint_bits: 4 } => 100,
        ],
        capabilities: [incremental, no_false_negatives, deletable, saved, theory],
    }
}

mod powers_of_two {
    use cuckoo::{CuckooFilter, Params, Xor};

    conformance::suite! {
        filter: CuckooFilter<4, Xor>,
        cases: [
            Params { buckets: 256, fingerprint_bits: 8 } => 900, Params { buckets: 1024, fingerprint_bits: 12 } => 3700,
            Params { buckets: 1, fingerprint_bits: 4 } => 3, Params { buckets: 32, fingerprint_bits: 5 } => 60,
        ],
        capabilities: [incremental, no_false_negatives, deletable, saved, theory],
    }
}
