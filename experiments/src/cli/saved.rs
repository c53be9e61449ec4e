//! `save`, `query`, `inspect`: filters in files.

use std::path::{Path, PathBuf};

use amq::{DecodeError, Digest, Number};
use clap::Args;
use hashing::{Family, Hasher, KeyKind};
use saved::{Head, KeyHash, VERSION};

use crate::capabilities::{Files, Loaded};
use crate::cli::output::{Cell, Format, Table};
use crate::cli::sizing::{Target, resolve};
use crate::cli::theory::claim_text;
use crate::cli::{emit, note, values};
use crate::error::HarnessError;
use crate::key_file::KeyFile;
use crate::registry::{Contender, Registry};

/// Options of `save`.
#[derive(Clone, Debug, Args)]
pub struct SaveArgs {
    /// The contender's id
    pub contender: String,
    /// Keys from a file: one key a line (any bytes), or raw little-endian u64 in a file named *.u64
    #[arg(long, value_name = "F")]
    pub key_file: PathBuf,
    /// Where the filter goes; a file that is there is replaced
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// A parameter by name, such as m=9600; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = values::param, allow_hyphen_values = true)]
    pub params: Vec<(String, Number)>,
    /// What it is sized for.
    #[command(flatten)]
    pub target: Target,
    /// The hash family from key to digest; mixer for integers and xxh3 for bytes if not given
    #[arg(long, value_name = "NAME", value_parser = str::parse::<Family>)]
    pub family: Option<Family>,
    /// The seed of the filter and of the hash of its keys; equal seeds give equal files
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

/// Options of `query`.
#[derive(Clone, Debug, Args)]
pub struct QueryArgs {
    /// The saved filter
    pub file: PathBuf,
    /// Keys to ask for, as in `save`
    #[arg(long, value_name = "F")]
    pub key_file: PathBuf,
    /// A line for each distinct key, in the order of the file: yes or no
    #[arg(long)]
    pub each: bool,
    /// How the table is written
    #[arg(long, value_enum, default_value_t, conflicts_with = "each")]
    pub format: Format,
}

/// Options of `inspect`.
#[derive(Clone, Debug, Args)]
pub struct InspectArgs {
    /// The saved filter, ours or that of a BIP 37, BIP 158, Parquet or Guava program
    pub file: PathBuf,
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The families for keys of a kind, one of which is `given`.
fn key_hash(given: Option<Family>, kind: KeyKind, seed: u64) -> KeyHash {
    let defaults = KeyHash { integers: Family::Mixer, bytes: Family::Xxh3, seed };
    match (given, kind) {
        (None, _) => defaults,
        (Some(integers), KeyKind::Integer) => KeyHash { integers, ..defaults },
        (Some(bytes), KeyKind::Bytes) => KeyHash { bytes, ..defaults },
    }
}

/// The digests of the keys of a file, hashed as `hash` says.
fn digests(keys: &KeyFile, hash: KeyHash) -> Result<Vec<Digest>, HarnessError> {
    let family = if keys.kind() == KeyKind::Integer { hash.integers } else { hash.bytes };
    let mut digests = Vec::new();
    keys.member_digests(0..keys.members(), &Hasher::new(family, hash.seed), &mut digests)?;
    if keys.left_out.duplicates > 0 || keys.left_out.empty_lines > 0 {
        let left_out = keys.left_out;
        note(&format!("note: {} repeated keys and {} empty lines left out", left_out.duplicates, left_out.empty_lines));
    }
    Ok(digests)
}

/// Builds a filter and writes its saved form.
///
/// # Errors
/// [`HarnessError::Usage`] for what cannot be asked, [`HarnessError::Failed`] for keys that are refused,
/// [`HarnessError::Io`] for a file that cannot be written.
pub fn save(registry: &Registry, args: &SaveArgs) -> Result<(), HarnessError> {
    let contender = registry.find(&args.contender).map_err(HarnessError::Usage)?;
    let usage = |why: String| HarnessError::Usage(format!("{}: {why}", contender.id));
    let files = contender
        .traits
        .files
        .ok_or_else(|| usage("it has no saved form; `features` tells which contenders have (serialise)".to_owned()))?;
    let keys = KeyFile::read(&args.key_file, None)?;
    let params = resolve(contender, keys.members(), &args.params, &args.target)?;
    let hash = key_hash(args.family, keys.kind(), args.seed);
    let digests = digests(&keys, hash)?;
    let mut filter = contender
        .build_from(&params, args.seed, &digests)
        .map_err(|error| HarnessError::Failed(format!("{}: {error}", contender.id)))?;
    let bytes = (files.save)(filter.as_any_mut(), Some(hash))
        .ok_or_else(|| HarnessError::Failed(format!("{}: a filter of another type was built", contender.id)))?
        .map_err(|error| usage(error.to_string()))?;
    crate::pipeline::write(&args.out, &bytes)?;
    note(&format!("{}: {} of {} keys, {} bytes", args.out.display(), contender.id, keys.members(), bytes.len()));
    Ok(())
}

/// A file with its header, and the contender whose type it is of.
struct File<'a> {
    head: Head,
    bytes: Vec<u8>,
    known: Option<(&'a Contender, Files)>,
}

impl<'a> File<'a> {
    fn read(registry: &'a Registry, path: &Path) -> Result<Self, HarnessError> {
        Self::of(registry, path, read(path)?)
    }

    fn of(registry: &'a Registry, path: &Path, bytes: Vec<u8>) -> Result<Self, HarnessError> {
        let (head, _) = Head::read(&bytes).map_err(damage(path))?;
        let mut types = registry.iter().filter_map(|contender| Some((contender, contender.traits.files?)));
        let known = types.find(|(_, files)| (files.is_type)(&head));
        Ok(Self { head, bytes, known })
    }

    fn load(&self, path: &Path) -> Result<Option<(&'a Contender, Loaded)>, HarnessError> {
        let load = |(contender, files): (&'a Contender, Files)| Ok((contender, (files.load)(&self.bytes)?));
        self.known.map(load).transpose().map_err(damage(path))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, HarnessError> {
    std::fs::read(path).map_err(HarnessError::io(path, "cannot read"))
}

fn damage(path: &Path) -> impl FnOnce(DecodeError) -> HarnessError {
    move |error| HarnessError::Record { path: path.to_owned(), why: error.to_string() }
}

/// Prints the formats of other systems that some bytes can be read as.
fn foreign(found: &[formats::Recognised], format: Format) -> Result<(), HarnessError> {
    let mut table = Table::new(&["name", "value"]);
    for one in found {
        table.push(vec![Cell::text(one.format.name()), Cell::text(one.summary.as_str())]);
    }
    table.print(format, None)
}

/// Asks a saved filter for keys.
///
/// # Errors
/// [`HarnessError::Record`] for a damaged file, [`HarnessError::Usage`] for a filter whose keys nobody knows how to hash, or of a
/// type that no contender has.
pub fn query(registry: &Registry, args: &QueryArgs) -> Result<(), HarnessError> {
    let file = File::read(registry, &args.file)?;
    let usage = |why: &str| HarnessError::Usage(format!("{}: {why}", args.file.display()));
    let (_, loaded) =
        file.load(&args.file)?.ok_or_else(|| usage("no contender has its type; `inspect` tells what it is"))?;
    let hash = file.head.key_hash.ok_or_else(|| {
        usage("a filter of digests: it does not say how its keys were hashed, so it cannot be asked for keys")
    })?;
    let keys = KeyFile::read(&args.key_file, None)?;
    let digests = digests(&keys, hash)?;
    let mut answers = vec![false; digests.len()];
    loaded.filter.contains_batch(&digests, &mut answers);
    if args.each {
        let lines: String = answers.iter().map(|yes| if *yes { "yes\n" } else { "no\n" }).collect();
        return emit(lines.as_bytes());
    }
    let yes = answers.iter().filter(|yes| **yes).count() as u64;
    let mut table = Table::new(&["keys", "yes", "no"]);
    let no = answers.len() as u64 - yes;
    table.push(vec![Cell::Integer(answers.len() as u64), Cell::Integer(yes), Cell::Integer(no)]);
    table.print(args.format, None)
}

/// Prints what a file is: a saved filter of ours, or what it can be read as of the formats of other systems.
///
/// # Errors
/// [`HarnessError::Io`] for a file that cannot be read, [`HarnessError::Record`] for one that is damaged or nothing that is known here.
pub fn inspect(registry: &Registry, args: &InspectArgs) -> Result<(), HarnessError> {
    let bytes = read(&args.file)?;
    if !bytes.starts_with(&saved::MAGIC) {
        let found = formats::recognise(&bytes);
        if !found.is_empty() {
            return foreign(&found, args.format);
        }
    }
    let file = File::of(registry, &args.file, bytes)?;
    let loaded = file.load(&args.file)?;
    let head = &file.head;
    let mut table = Table::new(&["name", "value"]);
    let mut row = |name: &str, value: Cell| table.push(vec![Cell::text(name), value]);
    row("bytes", Cell::Integer(file.bytes.len() as u64));
    row("format version", Cell::Integer(VERSION.into()));
    row("checksum", Cell::text("ok"));
    let variant = file.known.map(|(_, files)| files.variant);
    let name = variant.map_or("of no contender here", |variant| variant.name);
    row("variant", Cell::text(format!("{} ({name})", head.variant)));
    if let Some((contender, _)) = file.known {
        row("contender", Cell::text(contender.id));
    }
    let names = |known: &'static [&'static str], index: usize| known.get(index).copied().unwrap_or("unnamed");
    for (index, value) in head.params.iter().enumerate() {
        row(variant.map_or("unnamed", |variant| names(variant.params, index)), Cell::Integer(*value));
    }
    if let Some([scheme, reduction]) = head.derivation {
        row("derivation", Cell::text(format!("{scheme}, {reduction}")));
    }
    row("seed", Cell::Integer(head.seed));
    match head.key_hash {
        Some(KeyHash { integers, bytes, seed }) => {
            row("hash of u64 keys", Cell::text(integers.name()));
            row("hash of other keys", Cell::text(bytes.name()));
            row("seed of the hash", Cell::Integer(seed));
        }
        None => row("hash of keys", Cell::text("not stated: a filter of digests")),
    }
    row("inserted", Cell::Integer(head.count.inserted()));
    if let Some(planned) = head.count.planned() {
        row("planned", Cell::Integer(planned));
    }
    for (index, value) in head.state.iter().enumerate() {
        row(variant.map_or("unnamed state", |variant| names(variant.state, index)), Cell::Integer(*value));
    }
    row("payload bytes", Cell::Integer(head.payload_bytes));
    match loaded {
        None => row("contents", Cell::text("not checked: no contender has this type")),
        Some((contender, loaded)) => {
            row("contents", Cell::text("ok"));
            row("fill", Cell::Real(loaded.fill));
            row("rate by contents", Cell::maybe(loaded.filter.rate_given_contents()));
            // The theory of a filter that was written by this program knows its parameters.
            if let Ok(predicted) = contender.predicted_fpr(&loaded.params, head.count.inserted()) {
                row("rate predicted", Cell::Real(predicted.rate));
                row("claim", Cell::text(claim_text(predicted.claim)));
                row("source", Cell::text(predicted.source));
            }
        }
    }
    table.print(args.format, None)
}
