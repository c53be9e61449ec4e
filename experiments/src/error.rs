//! What can go wrong in the harness, and the exit code it gives.

use std::path::PathBuf;

use thiserror::Error;

/// An error of the harness.
#[derive(Debug, Error)]
pub enum HarnessError {
    /// Something that was asked for cannot be: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// A rendered diagnostic of a definition, with file, line and the nearest valid name: exit code 2.
    #[error("{0}")]
    Definition(String),
    /// A file or folder that cannot be read or written: exit code 1.
    #[error("{}: {action}: {source}{}", path.display(), hint(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A raw file that this version cannot read: exit code 1.
    #[error("{}: {why}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        why: String,
    },
    /// Two inputs that do not go together: exit code 1.
    #[error(transparent)]
    Unlike(Box<Unlike>),
    /// Ctrl-C ended a run, complete rows are kept: exit code 130, as shells have it.
    #[error("{0}")]
    Interrupted(String),
    /// A law of a filter was broken while measuring: exit code 1.
    #[error("{0}")]
    LawViolated(String),
    /// Anything else that stops a run: exit code 1.
    #[error("{0}")]
    Failed(String),
}

/// Two inputs that do not go together.
#[derive(Debug, Error)]
#[error("{what} of {} is {first}, of {} {second}: {advice}", of_first.display(), of_second.display())]
pub struct Unlike {
    /// What differs.
    pub what: &'static str,
    /// One input.
    pub of_first: PathBuf,
    /// What it is there.
    pub first: String,
    /// The other input.
    pub of_second: PathBuf,
    /// What it is there.
    pub second: String,
    /// What to do.
    pub advice: &'static str,
}

impl From<Unlike> for HarnessError {
    fn from(unlike: Unlike) -> Self {
        HarnessError::Unlike(Box::new(unlike))
    }
}

impl HarnessError {
    /// 2 for what the caller asked wrongly, 130 for Ctrl-C, 1 for what failed at run time.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            HarnessError::Usage(_) | HarnessError::Definition(_) => 2,
            HarnessError::Interrupted(_) => 130,
            _ => 1,
        }
    }

    /// An [`Io`](HarnessError::Io) error, for `map_err`.
    pub fn io(path: impl Into<PathBuf>, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| HarnessError::Io { path, action, source }
    }
}

/// What to do about a folder that takes nothing more.
fn hint(source: &std::io::Error) -> &'static str {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    match source.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => {
            "; make room, then run the same command again: whole rows are kept"
        }
        ReadOnlyFilesystem => "; choose a folder that can be written with --out",
        _ => "",
    }
}

/// The valid name nearest to `given`, for messages.
#[must_use]
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().min_by_key(|name| strsim::damerau_levenshtein(given, name))
}
