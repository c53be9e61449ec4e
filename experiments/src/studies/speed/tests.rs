//! Rounds of small filters. Times are asked of builds that have them; answers of all.

use crate::keep::Keep;
use crate::model::Point;
use crate::record::Record;
use crate::registry::Registry;
use crate::spec::{Definition, Scale, expand};
use crate::studies::{Case, Observations, Study};

/// The only point of a definition of one measure.
fn point(study: &str, contender: &str, factors: &str) -> Point {
    let text = format!(
        "id = 't'\ntitle = 't'\nquestion = 't'\nreading = 't'\npanel = []\n[[measure]]\nname = 'main'\nmodel = 'study'\n\
         study = '{study}'\ncontenders = [{contender}]\ncases = [{{ {factors} }}]\n\
         scale.smoke = {{ filters = 2, most-probes = 0 }}\n\
         scale.quick = {{ filters = 1, most-probes = 0 }}\nscale.full = {{ filters = 1, most-probes = 0 }}\n"
    );
    let definition = Definition::parse("t.toml", &text).unwrap();
    Point::new(expand(&definition, &Registry::workspace(), Scale::Smoke, None).unwrap().remove(0), 1)
}

fn rows(study: &str, contender: &str, factors: &str) -> Vec<Record> {
    let (point, keep) = (point(study, &format!("'{contender}'"), factors), Keep::new());
    (0..2).map(|row| point.measure(row, &keep).unwrap()).collect()
}

/// Sum and trials of a quantity at a position of a row.
fn seen(row: &Record, study: &str, positions: usize, position: usize, quantity: &str) -> (u64, u64) {
    let study = Study::find(study).unwrap();
    let all = Observations::from_text(row.observed.as_ref().unwrap(), study, positions).unwrap();
    all.get(position, study.quantities.iter().position(|of| of.name == quantity).unwrap())
}

#[test]
fn all_times_of_a_lookup_are_there_or_none_is() {
    let rows = rows("speed-lookup", "standard", "keys = 5000, fpr = 0.01");
    let study = Study::find("speed-lookup").unwrap();
    for row in &rows {
        assert_eq!(row.outcome, "ok");
        for quantity in study.quantities.iter().filter(|of| of.name.ends_with("_ns")) {
            let (ps, count) = seen(row, "speed-lookup", 1, 0, quantity.name);
            assert_eq!(count > 0, !cfg!(debug_assertions), "{}", quantity.name);
            assert!(count == 0 || ps / count >= crate::model::CREDIBLE_PS, "{}", quantity.name);
        }
    }
    // What no round changes is noted in the first one.
    let (positives, asked) = seen(&rows[0], "speed-lookup", 1, 0, "positives");
    assert!((300..=1000).contains(&positives) && asked == 65_536, "{positives} of {asked}");
    assert_eq!(seen(&rows[1], "speed-lookup", 1, 0, "positives"), (0, 0));
    assert_eq!(seen(&rows[0], "speed-lookup", 1, 0, "memory_bits_per_key").1, 5000);
}

/// What hashes itself gets keys: its answers and times are there, but none without the hash.
#[test]
fn what_hashes_itself_has_no_time_without_the_hash() {
    let mut point = point("speed-lookup", "'standard'", "keys = 5000, fpr = 0.01");
    point.spec.contender = point.spec.contender.map(crate::Contender::hashing_itself);
    let row = point.measure(0, &Keep::new()).unwrap();
    assert_eq!(row.outcome, "ok");
    let trials = |quantity: &str| seen(&row, "speed-lookup", 1, 0, quantity).1;
    assert_eq!(trials("hit_ns") > 0, !cfg!(debug_assertions));
    assert_eq!(["filter_hit_ns", "filter_batch_miss_ns", "dry_ns"].map(trials), [0; 3]);
}

/// A filter that loses a key in 10,000 has no time: the row is the broken law.
#[test]
fn a_member_denied_is_no_time_but_a_broken_law() {
    for study in ["speed-lookup", "speed-mix", "speed-latency", "speed-build"] {
        for row in rows(study, "leaky", "keys = 60_000, bits_per_key = 12") {
            assert_eq!((row.outcome.as_str(), row.observed), ("law-violated", None), "{study}");
        }
    }
}

#[test]
fn keys_of_40_bytes_and_filters_that_are_built_at_once_are_timed_too() {
    for (study, contender, factors) in [
        ("speed-lookup", "xor-8", "keys = 3000, fpr = 0.01, workload = 'bytes-40'"),
        ("speed-build", "fuse-8", "keys = 3000, fpr = 0.01, workload = 'bytes-40'"),
        ("speed-mix", "cuckoo", "keys = 3000, fpr = 0.01"),
        ("speed-insert", "cuckoo", "keys = 3000, fpr = 0.01"),
        ("speed-latency", "fuse-8", "keys = 3000, fpr = 0.01"),
    ] {
        assert!(rows(study, contender, factors).iter().all(|row| row.outcome == "ok"), "{study}");
    }
}

#[test]
fn removal_is_timed_where_the_type_can() {
    let with = |contender: &str| {
        seen(&rows("speed-build", contender, "keys = 3000, fpr = 0.01")[0], "speed-build", 1, 0, "remove_ns").1
    };
    assert_eq!((with("cuckoo") > 0, with("standard")), (!cfg!(debug_assertions), 0));
}

/// Full at once: twice as many keys as there is room for.
#[test]
fn a_filter_that_fills_up_is_a_row_of_its_own() {
    for study in ["speed-lookup", "speed-build", "speed-insert"] {
        assert_eq!(rows(study, "cuckoo", "keys = 3000, fpr = 0.01, load = 2")[0].outcome, "full", "{study}");
    }
}

#[test]
fn what_cannot_be_timed_is_refused_with_the_next_step() {
    for (study, contender, factors, words) in [
        ("speed-lookup", "'standard'", "m = 100, k = 3, keys = 0", "give at least 1"),
        ("speed-insert", "'xor-8'", "keys = 100, fpr = 0.01", "a filter that takes them later is needed"),
        ("speed-insert", "'standard'", "keys = 10, fpr = 0.01", "at least 20 are needed"),
        ("memory-limit", "", "bytes = 4096, lines = 17", "lines = 17 is out of range: 1 to 16"),
        ("speed-lookup", "'standard'", "keys = 100, fpr = 0.01, workload = 'text'", "no keys of 8 or 40 bytes"),
    ] {
        let point = point(study, contender, factors);
        let error = (point.spec.study.unwrap().observe)(&Case::new(&point, point.spec.study.unwrap(), 0)).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

/// Lines that a lookup reads, by what the variants are.
#[test]
fn lines_are_those_of_the_structure() {
    let lines = |contender: &str, fpr: f64| {
        let registry = Registry::workspace();
        let contender = registry.get(contender).unwrap();
        let params = contender.size_for_fpr(10_000, fpr).unwrap();
        contender.lines_touched(&params, 10_000).unwrap().unwrap()
    };
    for (contender, fpr, hit, miss) in [
        ("standard", 0.01, 7.0, 1.98),
        ("partitioned", 0.01, 7.0, 1.98),
        ("counting-4", 0.01, 7.0, 1.98),
        ("deletable", 0.01, 7.0, 1.98),
        ("blocked", 0.01, 1.0, 1.0),
        ("split-block", 0.01, 1.0, 1.0),
        ("cuckoo", 0.01, 2.0, 2.0),
        ("xor-8", 0.01, 3.0, 3.0),
        ("fuse4-8", 0.01, 4.0, 4.0),
    ] {
        let lines = lines(contender, fpr);
        assert!((lines.hit - hit).abs() < 1e-9 && (lines.miss / miss - 1.0).abs() < 0.04, "{contender}: {lines:?}");
    }
    // Every variant says.
    for contender in Registry::workspace().variants() {
        let params = contender.size_for_fpr(10_000, 0.01).unwrap();
        let lines = contender.lines_touched(&params, 10_000).unwrap().unwrap();
        assert!(lines.miss >= 1.0 && lines.hit >= 1.0, "{}: {lines:?}", contender.id);
    }
}
