//! `compare`: from arguments to a comparison, and its table.

use std::path::PathBuf;
use std::sync::Arc;

use amq::{Given, Number};
use clap::Args;
use hashing::{Family, KeyKind};

use crate::cli::output::Format;
use crate::cli::sizing::Target;
use crate::cli::{note, values};
use crate::compare::{Asked, Comparison, default_family};
use crate::error::{HarnessError, nearest};
use crate::key_file::KeyFile;
use crate::keys::Workload;
use crate::registry::{Contender, Registry};

/// What is done where nothing is said; part of the help.
pub const DEFAULTS: &str = "\
Default of --filters: 16 independent filters, each with keys and seeds of its own; more (at most 4096) where so few \
would hide a difference of 10 % behind the spread of their rates; fewer where 16 would hold more than 100,000,000 \
keys in all.

Default of --probes: as many absent keys as show a difference of 10 % from the theory (a factor of two where the \
predicted rate is below 1e-5) at alpha = 1e-7 with power 0.999, shared among the filters; at most 150,000,000 in \
all. That is about ten seconds for each contender. Which difference would have been seen is said on stderr.

Times are taken after the counts, at one thread, from digests made before, and are the least of at least 5 rounds \
(a build of more than 3,000,000 keys: of fewer). They belong to this host.

Columns of CSV and JSON: keys and bits are of one filter, probes and counts of all filters; fpr_low and fpr_high \
are a 95 % interval; bound_bits_per_key is that of the filter's class at the predicted rate and overhead = \
bits_per_key / bound_bits_per_key; an empty cell was not measured or has no finite value.";

/// Options of `compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArgs {
    /// Contenders by id; `list contenders` shows them
    #[arg(required = true, value_name = "CONTENDER")]
    pub contenders: Vec<String>,
    /// Keys of each filter: 1000000, 1e6, 10_000, 2^20; all keys of the file if there is one
    #[arg(long, value_name = "N", value_parser = values::keys, allow_hyphen_values = true)]
    pub keys: Option<u64>,
    /// Show the published crates of the same classes beside them (a build with the feature `peers`)
    #[arg(long)]
    pub peers: bool,
    /// What they are sized for.
    #[command(flatten)]
    pub target: Target,
    /// A parameter by name, such as k=3, for each contender that has it; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = values::param, allow_hyphen_values = true)]
    pub params: Vec<(String, Number)>,
    /// Independent filters; see below for the default
    #[arg(long, value_name = "R", value_parser = values::filters, allow_hyphen_values = true)]
    pub filters: Option<u64>,
    /// Absent keys asked of each filter; see below for the default
    #[arg(long, value_name = "Q", value_parser = values::probes, allow_hyphen_values = true)]
    pub probes: Option<u64>,
    /// Share of members among the queries of the mixed time, which is said on stderr
    #[arg(long, value_name = "H", default_value = "0.5", value_parser = values::share, allow_hyphen_values = true)]
    pub hit_share: f64,
    /// Members from a file: one key a line (any bytes), or raw little-endian u64 in a file named *.u64
    #[arg(long, value_name = "F", conflicts_with = "workload")]
    pub key_file: Option<PathBuf>,
    /// Absent keys from a file of the same kind; made up if not given
    #[arg(long, value_name = "G", requires = "key_file")]
    pub absent_file: Option<PathBuf>,
    /// What made-up keys look like: random, sequential, big-endian, arithmetic, text, short-text, bytes-40
    #[arg(long, value_name = "NAME", default_value = "random", value_parser = str::parse::<Workload>)]
    pub workload: Workload,
    /// The hash family from key to digest; mixer for integers and xxh3 for bytes if not given
    #[arg(long, value_name = "NAME", value_parser = str::parse::<Family>)]
    pub family: Option<Family>,
    /// The root of every random choice; equal seeds give equal counts on any number of threads
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Measures and prints.
///
/// # Errors
/// [`HarnessError::Usage`] for what no contender can do, [`HarnessError::LawViolated`] after the table when a
/// law was broken.
pub fn compare(registry: &Registry, args: &CompareArgs) -> Result<(), HarnessError> {
    let contenders = contenders(registry, args)?;
    if let Some((name, _)) = args.params.iter().find(|(name, _)| !contenders.iter().any(|one| has(one, name))) {
        let known = contenders.iter().flat_map(|one| one.params.iter().map(|info| info.name));
        let near = nearest(name, known).unwrap_or("none");
        return Err(HarnessError::Usage(format!("--param {name}: no contender has it, nearest is `{near}`")));
    }
    if args.target.is_empty()
        && args.params.is_empty()
        && contenders.iter().any(|contender| !contender.params.is_empty())
    {
        return Err(HarnessError::Usage("the size is open: give --fpr P, --bits-per-key B or --param".to_owned()));
    }
    let (workload, keys) = keys(args)?;
    let family = family(args.family, &workload)?;
    let asked = Asked {
        workload,
        keys,
        family,
        seed: args.seed,
        filters: args.filters,
        probes: args.probes,
        hit_share: args.hit_share,
    };
    let size = |contender: &Contender| {
        let own = args.params.iter().filter(|(name, _)| has(contender, name));
        args.target.size(contender, keys, &Given::new(own.cloned()))
    };
    let sized: Vec<_> = contenders.iter().map(|contender| (*contender, size(contender))).collect();
    for (contender, _) in &sized {
        if let Some(sizing) = contender.sizing {
            note(&format!("note: {}: {sizing}", contender.id));
        }
    }
    let comparison = Comparison::measure(&asked, sized, &|line| note(line))?;
    comparison.table().print(args.format, Some(5))?;
    comparison.laws()
}

/// Those that are named, and the published crates beside them where that is asked for.
fn contenders(registry: &Registry, args: &CompareArgs) -> Result<Vec<Contender>, HarnessError> {
    let named = args.contenders.iter().map(|id| registry.find(id).copied().map_err(HarnessError::Usage));
    let mut all = named.collect::<Result<Vec<_>, _>>()?;
    if !args.peers {
        return Ok(all);
    }
    if registry.published().next().is_none() {
        return Err(HarnessError::Usage(format!(
            "--peers: this build has no published crates; `cargo run -p experiments --features peers -- compare {} ... --peers` \
             has them",
            args.contenders.join(" ")
        )));
    }
    let ids: Vec<&str> = all.iter().map(|one| one.id).collect();
    let beside = |peer: &&Contender| !ids.contains(&peer.id) && peer.beside.iter().any(|variant| ids.contains(variant));
    let peers: Vec<Contender> = registry.published().filter(beside).copied().collect();
    if peers.is_empty() {
        note(&format!("note: no published crate is of the class of {}", ids.join(", ")));
    }
    all.extend(peers);
    Ok(all)
}

fn has(contender: &Contender, name: &str) -> bool {
    contender.params.iter().any(|info| info.name == name)
}

fn keys(args: &CompareArgs) -> Result<(Workload, u64), HarnessError> {
    let Some(path) = &args.key_file else {
        let keys = args.keys.ok_or_else(|| HarnessError::Usage("the keys are open: give --keys N".to_owned()))?;
        return Ok((args.workload.clone(), keys));
    };
    let file = KeyFile::read(path, args.absent_file.as_deref())?;
    for (path, left_out) in [(Some(path), file.left_out), (args.absent_file.as_ref(), file.absent_left_out)] {
        let Some(path) = path else { continue };
        for (count, what) in [
            (left_out.duplicates, "duplicates, counted once"),
            (left_out.members, "keys that are members, left out"),
            (left_out.empty_lines, "empty lines, left out"),
        ] {
            if count > 0 {
                note(&format!("note: {}: {count} {what}", path.display()));
            }
        }
    }
    let most = file.members();
    let keys = args.keys.unwrap_or(most);
    if keys > most {
        let path = path.display();
        return Err(HarnessError::Usage(format!(
            "--keys {keys}: {path} has {most} distinct keys; give at most {most}"
        )));
    }
    Ok((Workload::File(Arc::new(file)), keys))
}

/// The family for the keys: the one given where it takes them, or the default of their kind.
fn family(given: Option<Family>, workload: &Workload) -> Result<Family, HarnessError> {
    match given {
        None => Ok(default_family(workload.kind())),
        Some(family) if family.takes() == KeyKind::Integer && workload.kind() == KeyKind::Bytes => {
            Err(HarnessError::Usage(format!(
                "--family {family} takes u64 keys only and workload {workload} has keys of bytes; give xxh3, or integers"
            )))
        }
        Some(family) => Ok(family),
    }
}
