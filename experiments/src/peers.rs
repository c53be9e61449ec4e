//! Published crates as contenders, a line each: `contender!(...)` with the crate, its version and the variants it stands beside.

use peers::{
    AutoscaleCuckooFilter, Bloomfilter, CuckoofilterAhash, Fastbloom, FastbloomFoldhash, FastbloomRs,
    FastbloomRsCounting, GrowableBloomFilter, JdbXorfBf8, Peer, PleatRibbon7, Qfilter, SbbfRsSafe, SuxVFilter,
    XorfBinaryFuse8, XorfBinaryFuse16, XorfXor8, XorfilterRsFuse8,
};

use crate::contender;
use crate::registry::Contender;

const BLOOM: &[&str] = &["standard", "partitioned"];
const COUNTING: &[&str] = &["counting-2", "counting-3", "counting-4", "counting-8", "counting-16", "deletable"];
const BLOCKED: &[&str] = &["blocked", "blocked-64", "split-block", "split-block-64"];
const CUCKOO: &[&str] = &["cuckoo-1", "cuckoo-2", "cuckoo", "cuckoo-8", "cuckoo-pow2", "cuckoo-semisorted"];
const XOR_8: &[&str] = &["xor-8", "fuse-8", "fuse4-8"];
const XOR_16: &[&str] = &["xor-16", "fuse-16", "fuse4-16"];

/// The published crates.
pub const CONTENDERS: &[Contender] = &[
    contender!(incremental::<Peer<Fastbloom>>("peer-fastbloom")).published("fastbloom 0.17.0", BLOOM).hashing_itself(),
    contender!(incremental::<Peer<FastbloomFoldhash>>("peer-fastbloom-foldhash"))
        .published("fastbloom 0.17.0, foldhash 0.2.0", BLOOM)
        .hashing_itself(),
    contender!(incremental::<Peer<FastbloomRs>>("peer-fastbloom-rs"))
        .published("fastbloom-rs 0.5.10", BLOOM)
        .hashing_itself(),
    contender!(incremental::<Peer<FastbloomRsCounting>>("peer-fastbloom-rs-counting"))
        .published("fastbloom-rs 0.5.10", COUNTING)
        .hashing_itself(),
    // Takes finished hashes.
    contender!(incremental::<Peer<SbbfRsSafe>>("peer-sbbf-rs-safe")).published("sbbf-rs-safe 0.3.2", BLOCKED),
    contender!(incremental::<Peer<CuckoofilterAhash>>("peer-cuckoofilter-ahash"))
        .published("cuckoofilter 0.5.0, ahash 0.8", CUCKOO)
        .hashing_itself(),
    contender!(fixed::<Peer<XorfBinaryFuse8>>("peer-xorf-binary-fuse-8"))
        .published("xorf 0.13.0", XOR_8)
        .hashing_itself(),
    contender!(fixed::<Peer<JdbXorfBf8>>("peer-jdb-xorf-bf-8")).published("jdb_xorf 0.13.16", XOR_8).hashing_itself(),
    contender!(incremental::<Peer<Bloomfilter>>("peer-bloomfilter"))
        .published("bloomfilter 3.0.2", BLOOM)
        .hashing_itself(),
    contender!(incremental::<Peer<GrowableBloomFilter>>("peer-growable-bloom-filter"))
        .published("growable-bloom-filter 2.1.1", BLOOM)
        .hashing_itself(),
    contender!(incremental::<Peer<AutoscaleCuckooFilter>>("peer-autoscale-cuckoo-filter"))
        .published("autoscale_cuckoo_filter 0.5.27, ahash 0.8", CUCKOO)
        .hashing_itself(),
    contender!(incremental::<Peer<Qfilter>>("peer-qfilter")).published("qfilter 0.3.1", CUCKOO).hashing_itself(),
    contender!(fixed::<Peer<XorfXor8>>("peer-xorf-xor-8")).published("xorf 0.13.0", XOR_8).hashing_itself(),
    contender!(fixed::<Peer<XorfBinaryFuse16>>("peer-xorf-binary-fuse-16"))
        .published("xorf 0.13.0", XOR_16)
        .hashing_itself(),
    contender!(fixed::<Peer<XorfilterRsFuse8>>("peer-xorfilter-rs-fuse-8"))
        .published("xorfilter-rs 0.5.1", XOR_8)
        .hashing_itself(),
    contender!(fixed::<Peer<SuxVFilter>>("peer-sux-vfilter")).published("sux 0.15.3", XOR_8).hashing_itself(),
    contender!(fixed::<Peer<PleatRibbon7>>("peer-pleat-ribbon-7")).published("pleat 0.1.0", XOR_8).hashing_itself(),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::figure::StyleBook;
    use crate::registry::{Registry, Role};

    /// Each has an id and a look of its own, an open mark, a version, and stands beside variants that there are.
    #[test]
    fn published_crates_are_styled_and_stand_beside_variants() {
        let (registry, book) = (Registry::workspace().with_peers(), StyleBook::committed().unwrap());
        let ids: BTreeSet<&str> = CONTENDERS.iter().map(|peer| peer.id).collect();
        assert_eq!((ids.len(), registry.published().count()), (CONTENDERS.len(), CONTENDERS.len()));
        for peer in CONTENDERS {
            assert!(peer.id.starts_with("peer-") && peer.role == Role::Published, "{}", peer.id);
            assert!(peer.published.is_some_and(|version| version.contains(' ')), "{}", peer.id);
            let style = book.get(peer.id).unwrap();
            assert!(style.mark.is_open() && style.label.ends_with("(published)"), "{}: {style:?}", peer.id);
            let variant = |id: &&str| registry.get(id).is_some_and(|one| one.role == Role::Variant);
            assert!(!peer.beside.is_empty() && peer.beside.iter().all(variant), "{}", peer.id);
        }
    }
}
