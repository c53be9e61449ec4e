//! What of a results folder cannot be shown, and why: a report is made of the rest and marks the gaps.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use rayon::prelude::*;

use crate::error::HarnessError;
use crate::manifest::Manifest;
use crate::pipeline::{self, Derived};
use crate::registry::Registry;
use crate::spec::Definition;

/// A file that should be there and whole, and is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The experiment.
    pub experiment: String,
    /// What is wrong with which file, and what to do; paths are relative to the results folder.
    pub why: String,
}

impl Gap {
    fn new(experiment: &str, out: &Path, why: &str) -> Self {
        // A report is published; the folders of a machine are nobody's concern.
        let why = why.replace(&format!("{}{}", out.display(), std::path::MAIN_SEPARATOR), "");
        Self { experiment: experiment.to_owned(), why }
    }
}

/// What a results folder holds.
#[derive(Clone, Debug, Default)]
pub struct Holdings {
    /// For each definition the newest finished run that can be read, in the order of the definitions.
    pub derived: Vec<Derived>,
    /// What cannot be shown, or only in part.
    pub gaps: Vec<Gap>,
}

impl Holdings {
    /// Of definitions, and of those of the user's own that were measured into the folder.
    ///
    /// # Errors
    /// [`HarnessError::Io`] for a folder that cannot be listed.
    pub fn read(registry: &Registry, mut definitions: Vec<Definition>, out: &Path) -> Result<Self, HarnessError> {
        let (own, refused) = pipeline::own_of_each_run(&definitions, out)?;
        definitions.extend(own);
        let read: Vec<(Option<Derived>, Vec<Gap>)> = definitions
            .into_par_iter()
            .map(|definition| of_definition(registry, &definition, out))
            .collect::<Result<_, _>>()?;
        let mut held = Self::default();
        for (derived, gaps) in read {
            held.derived.extend(derived);
            held.gaps.extend(gaps);
        }
        held.gaps.extend(refused.iter().map(|(id, error)| Gap::new(id, out, &error.to_string())));
        Ok(held)
    }
}

/// The newest run of a definition that can be shown, and what cannot of those that are newer.
fn of_definition(
    registry: &Registry,
    definition: &Definition,
    out: &Path,
) -> Result<(Option<Derived>, Vec<Gap>), HarnessError> {
    let id = &definition.id;
    let mut gaps = Vec::new();
    for (folder, manifest) in Manifest::of_runs(&out.join("raw").join(id))? {
        let manifest = match manifest {
            Ok(manifest) => manifest,
            Err(error) => {
                gaps.push(Gap::new(id, out, &error.to_string()));
                continue;
            }
        };
        let name = folder.display().to_string();
        if !manifest.is_current(&definition.text) {
            let why = match (manifest.complete, manifest.is_whole()) {
                (false, _) => "the run did not end: the same `run` command goes on with it",
                (true, false) => "it is one shard of a run: `merge` puts it together with the others",
                (true, true) => "it measured the definition as it was then: `run` measures it as it is now",
            };
            gaps.push(Gap::new(id, out, &format!("{name}: {why}")));
            continue;
        }
        let recorded = manifest.rows;
        match pipeline::load_run(registry, definition.clone(), out, folder, manifest) {
            Ok((plan, derived, rows)) => {
                // What is older than a run that is shown is no gap.
                let count = rows.len() as u64;
                if count < recorded {
                    let why = format!(
                        "{name}/rows.csv: truncated, {count} rows where the run wrote {recorded}; what is left is shown, points \
                         without all rows as `incomplete`: `run` measures what is missing"
                    );
                    gaps.push(Gap::new(id, out, &why));
                }
                let known: HashSet<&str> = plan.points.iter().map(|point| point.identity.as_str()).collect();
                let strange = rows.iter().filter(|row| !known.contains(row.point.as_str()));
                let (strangers, count): (BTreeSet<&str>, usize) =
                    (strange.clone().map(|row| row.contender.as_str()).collect(), strange.count());
                if count > 0 {
                    let ids = strangers.into_iter().collect::<Vec<_>>().join(", ");
                    let why = format!(
                        "{name}/rows.csv: {count} rows are of points that this build does not know, and are not shown ({ids}); \
                         published crates are there with --features peers"
                    );
                    gaps.push(Gap::new(id, out, &why));
                }
                return Ok((Some(derived), gaps));
            }
            Err(error) => gaps.push(Gap::new(id, out, &error.to_string())),
        }
    }
    Ok((None, gaps))
}
