//! `run.toml`: where the rows of a run come from.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::error::HarnessError;
use crate::record::{Record, SCHEMA};
use crate::run::{Options, Plan};

/// The provenance of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the columns of `rows.csv`.
    pub schema: u32,
    /// The experiment.
    pub experiment: String,
    /// The run's name.
    pub run: String,
    /// `smoke`, `quick` or `full`.
    pub scale: String,
    /// The root of all random choices.
    pub seed: u64,
    /// The contenders in place of the definition's; empty for those of the definition.
    pub contenders: Vec<String>,
    /// Whether the run came to its end.
    pub complete: bool,
    /// Rows in the file, when the run ended.
    pub rows: u64,
    /// Start of the first sitting in UTC, seconds since 1970, as the clock of the machine had it.
    pub started_utc_seconds: u64,
    /// Counts the sittings of this experiment in this folder: it tells the newest run, which a clock that jumps cannot.
    #[serde(default)]
    pub sitting: u64,
    /// `I/N` of a run of one shard, whose rows are a part of the run; empty for all others.
    #[serde(default)]
    pub shard: String,
    /// Time spent measuring, in seconds, over all sittings.
    pub measured_seconds: f64,
    /// The command line.
    pub command: Vec<String>,
    /// The commit of the sources, if they are in a repository.
    pub commit: String,
    /// Whether the sources differed from that commit.
    pub dirty: bool,
    /// Other commits that measured rows in earlier sittings.
    #[serde(default)]
    pub earlier_commits: Vec<String>,
    /// A hash of the definition's text.
    pub definition_hash: String,
    /// The compiler.
    pub rustc: String,
    /// The build's profile and target.
    pub build: String,
    /// Target features the build relies on.
    pub target_features: Vec<String>,
    /// The processor's name.
    pub cpu: String,
    /// Logical processors.
    pub cpus: usize,
    /// Sizes of the caches of processor 0.
    pub caches: Vec<String>,
    /// The operating system.
    pub system: String,
    /// The load average over one minute at the start.
    pub load: String,
}

impl Manifest {
    /// The file of a run's folder.
    #[must_use]
    pub fn path(folder: &Path) -> PathBuf {
        folder.join("run.toml")
    }

    /// The manifest of a run that begins now, or goes on from the sitting that wrote `earlier`.
    #[must_use]
    pub fn start(plan: &Plan, options: &Options, earlier: Option<&Self>) -> Self {
        let mut manifest = Self::now(plan, options);
        if let Some(earlier) = earlier {
            manifest.started_utc_seconds = earlier.started_utc_seconds;
            manifest.measured_seconds = earlier.measured_seconds;
            manifest.dirty |= earlier.dirty;
            manifest.earlier_commits = earlier.commits();
            manifest.earlier_commits.retain(|commit| *commit != manifest.commit);
        }
        manifest
    }

    fn now(plan: &Plan, options: &Options) -> Self {
        Self {
            schema: SCHEMA,
            experiment: plan.definition.id.clone(),
            run: plan.run.clone(),
            scale: options.scale.name().to_owned(),
            seed: options.seed,
            contenders: options.contenders.clone().unwrap_or_default(),
            complete: false,
            rows: 0,
            started_utc_seconds: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            sitting: last_sitting(&plan.folder) + 1,
            shard: plan.shard.map_or_else(String::new, |shard| shard.to_string()),
            measured_seconds: 0.0,
            command: command_line(),
            commit: git(&["rev-parse", "HEAD"]).unwrap_or_else(|| "unknown".to_owned()),
            dirty: git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|status| !status.is_empty()),
            earlier_commits: Vec::new(),
            definition_hash: definition_hash(&plan.definition.text),
            rustc: env!("BLOOMERY_RUSTC").to_owned(),
            build: format!("{} for {}", env!("BLOOMERY_PROFILE"), env!("BLOOMERY_TARGET")),
            target_features: env!("BLOOMERY_FEATURES")
                .split(',')
                .filter(|name| !name.is_empty())
                .map(ToOwned::to_owned)
                .collect(),
            cpu: cpu(),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            caches: caches(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            load: first_word("/proc/loadavg").unwrap_or_else(|| "unknown".to_owned()),
        }
    }

    /// The manifest of a run that was put together from shards of it, the first of which speaks for all in what they share.
    /// It is complete when nothing is missing.
    #[must_use]
    pub fn merged(parts: &[&Self], plan: &Plan, rows: &[Record], complete: bool) -> Option<Self> {
        let first = (*parts.first()?).clone();
        let shards = || parts.iter().filter(|part| !part.shard.is_empty());
        let mut cpus: Vec<&str> = parts.iter().map(|part| part.cpu.as_str()).collect();
        cpus.sort_unstable();
        cpus.dedup();
        Some(Self {
            shard: String::new(),
            complete,
            rows: rows.len() as u64,
            sitting: last_sitting(&plan.folder) + 1,
            started_utc_seconds: parts.iter().map(|part| part.started_utc_seconds).min()?,
            measured_seconds: shards().map(|part| part.measured_seconds).sum(),
            command: command_line(),
            dirty: parts.iter().any(|part| part.dirty),
            cpu: cpus.join(" and "),
            ..first
        })
    }

    /// Notes the end of the run.
    pub fn finish(&mut self, elapsed: Duration, rows: &[Record]) {
        self.complete = true;
        self.rows = rows.len() as u64;
        let seconds = self.measured_seconds + elapsed.as_secs_f64();
        self.measured_seconds = (seconds * 1000.0).round() / 1000.0;
    }

    /// All commits that measured rows of the run.
    #[must_use]
    pub fn commits(&self) -> Vec<String> {
        self.earlier_commits.iter().chain([&self.commit]).cloned().collect()
    }

    /// Of several runs the newest is the one with the greatest of these.
    #[must_use]
    pub fn age(&self) -> (u64, u64, &str) {
        (self.sitting, self.started_utc_seconds, &self.run)
    }

    /// Writes the manifest into a run's folder, all or nothing.
    ///
    /// # Errors
    /// [`HarnessError::Io`] for a folder that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), HarnessError> {
        let text = toml::to_string(self).map_err(|error| HarnessError::Failed(error.to_string()))?;
        crate::files::write(&Self::path(folder), text.as_bytes())
    }

    /// Reads the manifest of a run's folder.
    ///
    /// # Errors
    /// [`HarnessError::Io`], or [`HarnessError::Record`] for what is no manifest of this schema.
    pub fn read(folder: &Path) -> Result<Self, HarnessError> {
        let path = Self::path(folder);
        let text = std::fs::read_to_string(&path).map_err(HarnessError::io(&path, "cannot read"))?;
        let damaged = |why: &str| {
            let why = format!("{why}: mend it, move the folder away, or measure anew with --again");
            HarnessError::Record { path: path.clone(), why }
        };
        let manifest: Self = toml::from_str(&text).map_err(|error| damaged(error.message()))?;
        if manifest.schema != SCHEMA {
            return Err(damaged(&format!("schema {} where {SCHEMA} is read", manifest.schema)));
        }
        Ok(manifest)
    }

    /// Whether the run ended and is no part of one.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.complete && self.shard.is_empty()
    }

    /// Whether the run [is whole](Self::is_whole) and measured the definition as it is now.
    #[must_use]
    pub fn is_current(&self, definition: &str) -> bool {
        self.is_whole() && self.definition_hash == definition_hash(definition)
    }

    /// The runs in the folder of an experiment, each with its manifest or why that cannot be read: these first, then the
    /// newest first.
    ///
    /// # Errors
    /// [`HarnessError::Io`] for a folder that cannot be listed.
    pub fn of_runs(experiment: &Path) -> Result<Vec<OfRun>, HarnessError> {
        let mut runs = crate::files::folders(experiment)?;
        runs.retain(|run| Self::path(run).exists());
        let mut runs: Vec<_> = runs.into_iter().map(|run| (run.clone(), Self::read(&run))).collect();
        runs.sort_by(|(_, left), (_, right)| {
            right.as_ref().ok().map(Self::age).cmp(&left.as_ref().ok().map(Self::age))
        });
        // No manifest is older than any.
        let read = runs.partition_point(|(_, manifest)| manifest.is_ok());
        runs.rotate_left(read);
        Ok(runs)
    }
}

/// The folder of a run with its manifest, or why that cannot be read.
pub type OfRun = (PathBuf, Result<Manifest, HarnessError>);

/// The greatest number of a sitting among the runs beside this one. What cannot be read counts for nothing: it is
/// reported where it is needed.
fn last_sitting(folder: &Path) -> u64 {
    let beside = folder.parent().map(crate::files::folders).and_then(Result::ok).unwrap_or_default();
    beside.iter().filter_map(|run| Manifest::read(run).ok()).map(|manifest| manifest.sitting).max().unwrap_or(0)
}

/// A hash of a definition's text.
#[must_use]
pub fn definition_hash(text: &str) -> String {
    format!("{:016x}", crate::seeds::hash_text(0, text))
}

/// The arguments, the program by its name only and absolute paths without the machine's folders.
fn command_line() -> Vec<String> {
    let mut words: Vec<String> = std::env::args().map(|word| without_folders(&word)).collect();
    if let Some(program) = words.first_mut() {
        *program = Path::new(program.as_str())
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    }
    words
}

/// `--out=/a/b/c` as `--out=.../c`: figures are published, the folders of a machine are nobody's concern.
fn without_folders(word: &str) -> String {
    let (option, value) = word.split_once('=').map_or(("", word), |(option, _)| word.split_at(option.len() + 1));
    let path = Path::new(value);
    match path.file_name().filter(|_| path.is_absolute()) {
        Some(name) => format!("{option}.../{}", name.to_string_lossy()),
        None => word.to_owned(),
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    // Without optional locks, or a commit of the user's at this very moment would fail.
    let output = Command::new("git")
        .arg("--no-optional-locks")
        .args(arguments)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn cpu() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name").and_then(|rest| rest.split_once(": ")));
    name.map_or_else(|| "unknown".to_owned(), |(_, name)| name.trim().to_owned())
}

fn caches() -> Vec<String> {
    (0..8)
        .map_while(|index| {
            let read = |name: &str| first_word(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
            Some(format!("L{} {} {}", read("level")?, read("type")?, read("size")?))
        })
        .collect()
}

fn first_word(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()?.split_whitespace().next().map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_names_no_folder_of_a_machine() {
        let root = if cfg!(windows) { "C:\\" } else { "/" };
        for (word, kept) in [
            (format!("--out={root}some{root}where"), "--out=.../where"),
            (format!("{root}some{root}own.toml"), ".../own.toml"),
            ("--out=results/local".to_owned(), "--out=results/local"),
            ("fpr-vs-k".to_owned(), "fpr-vs-k"),
        ] {
            assert_eq!(without_folders(&word), kept);
        }
    }
}
