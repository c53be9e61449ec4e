//! `save`, `query` and `inspect`: what one process writes another one reads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::{Ran, folder, run_args};
use experiments::Registry;

fn keys(folder: &Path, name: &str, keys: impl Iterator<Item = String>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, keys.map(|key| key + "\n").collect::<String>()).unwrap();
    path
}

fn saved(contender: &str, members: &Path, out: &Path, more: &[&str]) -> Ran {
    let args = ["save", contender, "--key-file", members.to_str().unwrap(), "--out", out.to_str().unwrap()];
    run_args(&[&args[..], more].concat())
}

fn inspected(file: &Path) -> BTreeMap<String, String> {
    let ran = run_args(&["inspect", file.to_str().unwrap(), "--format", "csv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.rows().into_iter().map(|row| (row["name"].clone(), row["value"].clone())).collect()
}

/// HAND-29 for every variant: saved twice in two processes the bytes are equal; a third one finds all members in them, and a
/// fourth one tells what they are.
#[test]
fn hand_29_hand_30_one_process_writes_and_another_reads() {
    let here = folder("saved");
    let members = keys(&here, "members.txt", (0..300).map(|key| format!("key {key}")));
    let absent = keys(&here, "absent.txt", (0..2000).map(|key| format!("no key {key}")));
    for contender in Registry::workspace().variants() {
        let files = ["a", "b"].map(|name| here.join(format!("{}-{name}.amq", contender.id)));
        for file in &files {
            let ran = saved(contender.id, &members, file, &["--fpr", "0.05", "--seed", "42"]);
            assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}: {}", contender.id, ran.stderr);
        }
        let [bytes, again] = files.each_ref().map(|file| std::fs::read(file).unwrap());
        assert_eq!(bytes, again, "{}", contender.id);
        let ask = |keys: &Path| {
            let args = ["query", files[0].to_str().unwrap(), "--key-file", keys.to_str().unwrap(), "--format", "csv"];
            run_args(&args).row()["yes"].parse::<u64>().unwrap()
        };
        assert!(contender.id == "stable" || ask(&members) == 300, "{}", contender.id);
        // 5 % of 2,000 and less; 200 are ten deviations away.
        assert!(ask(&absent) <= 200, "{}", contender.id);
        let told = inspected(&files[0]);
        assert_eq!((told["contender"].as_str(), told["checksum"].as_str()), (contender.id, "ok"));
        assert_eq!((told["inserted"].as_str(), told["seed"].as_str()), ("300", "42"));
        assert_eq!((told["hash of other keys"].as_str(), told["contents"].as_str()), ("xxh3", "ok"));
        let real = |name: &str| told[name].parse::<f64>().unwrap();
        assert!((0.0..=1.0).contains(&real("fill")) && (0.0..0.06).contains(&real("rate predicted")), "{told:?}");
    }
}

#[test]
fn integers_parameters_and_families() {
    let here = folder("saved-integers");
    let members = here.join("members.u64");
    std::fs::write(&members, (0..100u64).flat_map(|key| (key * key).to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    let file = here.join("deep/er/filter.amq");
    let ran = saved("standard", &members, &file, &["--param", "m=1000", "--param", "k=3", "--family", "tabulation"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let told = inspected(&file);
    assert_eq!(
        (told["m"].as_str(), told["k"].as_str(), told["hash of u64 keys"].as_str()),
        ("1000", "3", "tabulation")
    );
    assert_eq!(told["derivation"], "multiplicative, multiply-shift");
    let each = run_args(&["query", file.to_str().unwrap(), "--key-file", members.to_str().unwrap(), "--each"]);
    assert_eq!((each.code, each.stdout), (0, "yes\n".repeat(100)));
    let readable = run_args(&["inspect", file.to_str().unwrap()]);
    assert!(readable.stdout.contains("rate predicted") && readable.stdout.contains("1 (standard)"), "{readable:?}");
}

#[test]
fn hand_31_damaged_files_are_an_error_with_exit_code_1() {
    let here = folder("saved-damage");
    let members = keys(&here, "members.txt", (0..50).map(|key| key.to_string()));
    let file = here.join("filter.amq");
    assert_eq!(saved("cuckoo", &members, &file, &["--fpr", "0.01"]).code, 0);
    let bytes = std::fs::read(&file).unwrap();
    let mut changed = bytes.clone();
    changed[70] ^= 1;
    for (damaged, words) in [
        (&b"not a filter"[..], "no saved filter: the first bytes are"),
        (&[], "cut off: 68 bytes are needed, 0 are there"),
        (&bytes[..80], "cut off: "),
        (&[&bytes[..], b"more"].concat(), "4 bytes follow the end of the filter"),
        (&changed, "damaged: checksum"),
    ] {
        std::fs::write(&file, damaged).unwrap();
        let file = file.to_str().unwrap();
        run_args(&["inspect", file]).is_refused(1, &[words, "filter.amq"]);
        run_args(&["query", file, "--key-file", members.to_str().unwrap()]).is_refused(1, &[words]);
    }
    run_args(&["inspect", here.join("none.amq").to_str().unwrap()]).is_refused(1, &["none.amq: cannot read"]);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let here = folder("saved-usage");
    let members = keys(&here, "members.txt", (0..50).map(|key| key.to_string()));
    let out = here.join("filter.amq");
    let refused = |contender: &str, more: &[&str], words: &[&str]| {
        saved(contender, &members, &out, more).is_refused(2, words);
        assert!(!out.exists(), "{contender}");
    };
    refused("standart", &["--fpr", "0.01"], &["nearest is `standard`"]);
    refused("standard", &[], &["its size is open"]);
    refused("coin", &[], &["coin: it has no saved form"]);
    refused("standard", &["--fpr", "0.01", "--family", "mixer"], &["`mixer` takes u64 keys only"]);
    refused("standard", &["--fpr", "0.01", "--family", "ahash"], &["`ahash` gives other digests in other builds"]);
    // Without room for all keys nothing is written.
    let ran = saved("cuckoo", &members, &out, &["--param", "buckets=2", "--param", "fingerprint_bits=8"]);
    ran.is_refused(1, &["cuckoo: the filter is full after "]);
    assert!(!out.exists());
    // A filter of digests, of a type that no contender has: known by its header alone.
    let filter: counting::CountingBloom<5> =
        amq::IncrementalFilter::empty(&counting::Params { m: 100, k: 3 }, 7).unwrap();
    std::fs::write(&out, saved::save(&filter).unwrap()).unwrap();
    let told = inspected(&out);
    assert_eq!(
        (told["variant"].as_str(), told["hash of keys"].as_str()),
        ("3 (of no contender here)", "not stated: a filter of digests")
    );
    assert_eq!(told["contents"], "not checked: no contender has this type");
    let ask = |file: &Path| run_args(&["query", file.to_str().unwrap(), "--key-file", members.to_str().unwrap()]);
    ask(&out).is_refused(2, &["no contender has its type"]);
    let filter: counting::CountingBloom<4> =
        amq::IncrementalFilter::empty(&counting::Params { m: 100, k: 3 }, 7).unwrap();
    std::fs::write(&out, saved::save(&filter).unwrap()).unwrap();
    ask(&out).is_refused(2, &["does not say how its keys were hashed"]);
}

/// A filter of another system is recognised, and what is nothing at all is an error that names the file.
#[test]
fn filters_of_other_systems_are_recognised() {
    use formats::Wire;
    let folder = folder("foreign");
    let file = folder.join("guava");
    let mut filter = formats::GuavaBloom::for_items(1000, 0.01).unwrap();
    filter.insert(b"a member");
    std::fs::write(&file, filter.encode()).unwrap();
    let said = inspected(&file);
    assert!(said.contains_key("Guava Bloom filter"), "{said:?}");
    std::fs::write(&file, b"no filter of any kind").unwrap();
    let ran = run_args(&["inspect", file.to_str().unwrap()]);
    assert!(ran.code == 1 && ran.stderr.contains("guava"), "{}", ran.stderr);
}
