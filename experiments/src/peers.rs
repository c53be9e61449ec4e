//! Published crates as contenders, a line each: `contender!(...)` with the crate, its version and the variants it stands beside.

use peers::{
    CuckoofilterAhash, Fastbloom, FastbloomFoldhash, FastbloomRs, FastbloomRsCounting, JdbXorfBf8, Peer, SbbfRsSafe,
    XorfBinaryFuse8,
};

use crate::contender;
use crate::registry::Contender;

const BLOOM: &[&str] = &["standard", "partitioned"];
const COUNTING: &[&str] = &["counting-2", "counting-3", "counting-4", "counting-8", "counting-16", "deletable"];
const BLOCKED: &[&str] = &["blocked", "blocked-64", "split-block", "split-block-64"];
const CUCKOO: &[&str] = &["cuckoo-1", "cuckoo-2", "cuckoo", "cuckoo-8", "cuckoo-pow2", "cuckoo-semisorted"];
const XOR_8: &[&str] = &["xor-8", "fuse-8", "fuse4-8"];

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
];
