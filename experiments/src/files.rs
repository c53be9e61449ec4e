//! Files that a reader sees whole or not at all.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::HarnessError;

/// The ending of a file that is being written.
const PART: &str = "part";

/// Writes a file beside its place and moves it there when it is whole; the folder is made if need be.
///
/// # Errors
/// [`HarnessError::Io`]; what was there before is untouched then.
pub fn write(path: &Path, content: &[u8]) -> Result<(), HarnessError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(HarnessError::io(folder, "cannot create"))?;
    let temporary = part(path);
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(content)?;
        // Before the name: a machine that loses power keeps the old file or has the new one, never an empty one.
        file.sync_data()
    });
    let moved = match written {
        Ok(()) => std::fs::rename(&temporary, path).map_err(HarnessError::io(path, "cannot replace")),
        Err(error) => Err(HarnessError::io(&temporary, "cannot write")(error)),
    };
    if moved.is_err() {
        // A full disk has no room for it; where it cannot be removed the error below says what is wrong.
        let _ = std::fs::remove_file(&temporary);
    }
    moved
}

/// Beside the file, and of this process alone: two runs into one results folder do not write into the same one.
fn part(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.{PART}", std::process::id()));
    path.with_file_name(name)
}

/// Removes what killed writers left in a folder that nobody else writes to now.
///
/// # Errors
/// [`HarnessError::Io`].
pub fn clear_parts(folder: &Path) -> Result<(), HarnessError> {
    for path in entries(folder)? {
        if path.extension().is_some_and(|ending| ending == PART) {
            std::fs::remove_file(&path).map_err(HarnessError::io(&path, "cannot remove"))?;
        }
    }
    Ok(())
}

/// What is in a folder, by name; nothing where there is no such folder.
///
/// # Errors
/// [`HarnessError::Io`] for a folder that cannot be read.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, HarnessError> {
    let listed = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed.map_err(HarnessError::io(folder, "cannot read"))?,
    };
    let paths: Result<Vec<PathBuf>, std::io::Error> = listed.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(HarnessError::io(folder, "cannot read"))?;
    paths.sort();
    Ok(paths)
}

/// The folders in a folder, by name.
///
/// # Errors
/// As [`entries`].
pub fn folders(folder: &Path) -> Result<Vec<PathBuf>, HarnessError> {
    let mut paths = entries(folder)?;
    paths.retain(|path| path.is_dir());
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_replaced_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("bloomery-files-{}", std::process::id()));
        let path = folder.join("a/b");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        let in_the_way = folder.join("c");
        std::fs::create_dir_all(in_the_way.join("inside")).unwrap();
        let error = write(&in_the_way, b"three").unwrap_err();
        assert!(error.to_string().contains("cannot replace"), "{error}");
        std::fs::write(folder.join("b.7.part"), "half").unwrap();
        clear_parts(&folder).unwrap();
        assert_eq!(entries(&folder).unwrap(), [folder.join("a"), folder.join("c")]);
        assert_eq!(folders(&folder.join("a")).unwrap(), Vec::<PathBuf>::new());
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(entries(&folder).unwrap(), Vec::<PathBuf>::new());
    }
}
