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
    #[error("{}: {action}: {source}", path.display())]
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
    /// A law of a filter was broken while measuring: exit code 1.
    #[error("{0}")]
    LawViolated(String),
    /// Anything else that stops a run: exit code 1.
    #[error("{0}")]
    Failed(String),
}

impl HarnessError {
    /// 2 for what the caller asked wrongly, 1 for what failed at run time.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            HarnessError::Usage(_) | HarnessError::Definition(_) => 2,
            _ => 1,
        }
    }

    /// An [`Io`](HarnessError::Io) error, for `map_err`.
    pub fn io(path: impl Into<PathBuf>, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| HarnessError::Io { path, action, source }
    }
}

/// The valid name nearest to `given`, for messages.
#[must_use]
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().min_by_key(|name| strsim::damerau_levenshtein(given, name))
}
