//! `new NAME`: a variant crate that works, to be changed into the filter that is meant, and its lines elsewhere.
//!
//! Everything is made and checked in memory first. What is written is taken back when a later step fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::HarnessError;
use crate::figure::StyleBook;

/// The files of a crate: path within it, and text with `{{name}}`, `{{lib}}`, `{{Type}}` and `{{exports}}` left open.
const FILES: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("scaffold/Cargo.toml.txt")),
    ("src/lib.rs", include_str!("scaffold/lib.rs.txt")),
    ("src/filter.rs", include_str!("scaffold/filter.rs.txt")),
    ("src/filter/saved.rs", include_str!("scaffold/saved.rs.txt")),
    ("src/theory.rs", include_str!("scaffold/theory.rs.txt")),
    ("tests/conformance.rs", include_str!("scaffold/conformance.rs.txt")),
    ("tests/golden.rs", include_str!("scaffold/golden.rs.txt")),
];

/// A filter of the skeleton as it is saved: the same bytes whatever its name. Written anew when the filter is changed.
const FROZEN: (&str, &[u8]) = ("tests/frozen/example.amq", include_bytes!("scaffold/example.amq"));

/// What cannot be the name of a crate or a module, or would hide a name that the skeleton uses.
const RESERVED: &str = "abstract alloc amq as async await become bits box break const continue core crate do dyn else \
    enum experiments extern false final fn for gen hashing if impl in incremental let loop macro main match mod move \
    mut override priv proc-macro pub ref return self static std struct super test trait true try type typeof unsafe \
    unsized use virtual where while yield";

/// Colours of new contenders, those that no contender has first.
const COLOURS: [&str; 6] = ["green", "orange", "purple", "sky", "blue", "vermillion"];
const MARKS: [&str; 10] = [
    "diamond",
    "triangle",
    "triangle-down",
    "pentagon",
    "star",
    "circle",
    "square",
    "diamond-open",
    "triangle-open",
    "pentagon-open",
];
const DASHES: [&str; 8] =
    ["dash-dot", "short-dash", "dotted", "long-dash-dot", "dash-dot-dot", "dashed", "long-dash", "solid"];

/// Writes crate `name` and its lines in both manifests, the registry and the style book of the workspace that
/// `here` lies in. Returns what was done, a line each.
///
/// # Errors
/// [`HarnessError::Usage`] for a name that is invalid or taken, or a folder outside of the workspace;
/// [`HarnessError::Io`] when a file cannot be written, and then nothing has changed.
pub fn new_variant(here: &Path, name: &str) -> Result<Vec<String>, HarnessError> {
    check_name(name)?;
    let root = workspace(here)?;
    let folder = root.join("crates").join(name);
    if folder.exists() {
        return Err(taken(name, &format!("crates/{name} exists")));
    }
    let edits = [
        Edit::new(&root, "Cargo.toml", |text| workspace_line(text, name))?,
        Edit::new(&root, "experiments/Cargo.toml", |text| dependency_line(text, name))?,
        Edit::new(&root, "experiments/src/registry.rs", |text| registry_line(text, name))?,
        Edit::new(&root, "experiments/style.toml", |text| style_line(text, name))?,
    ];
    let done = write_crate(&folder, name).and_then(|()| edits.iter().try_for_each(Edit::write));
    if let Err(error) = done {
        // Taking back is all that is left to do; the error that matters is the first one.
        let _ = std::fs::remove_dir_all(&folder);
        for edit in &edits {
            let _ = std::fs::write(&edit.path, &edit.before);
        }
        return Err(error);
    }
    let mut lines = vec![format!("crates/{name}: a bitmap with one probe, to be changed ({} files)", FILES.len() + 1)];
    lines.extend(edits.iter().map(|edit| format!("{}: {}", edit.name, edit.line.trim())));
    lines.push(format!(
        "next: cargo test -p amq-{name}; cargo run -p experiments -- compare {name} --keys 1e5 --fpr 0.01"
    ));
    Ok(lines)
}

fn usage(why: String) -> HarnessError {
    HarnessError::Usage(why)
}

fn taken(name: &str, why: &str) -> HarnessError {
    usage(format!("name `{name}` is taken: {why}; choose another one"))
}

/// Kebab-case, a valid crate name, not a word of the language.
fn check_name(name: &str) -> Result<(), HarnessError> {
    let kebab = name
        .split('-')
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()));
    if !kebab || !name.starts_with(|first: char| first.is_ascii_lowercase()) || name.len() > 24 {
        return Err(usage(format!(
            "name `{name}` is not allowed: kebab-case of at most 24 letters and digits, such as counting-4"
        )));
    }
    if RESERVED.split_whitespace().any(|word| word == name) {
        return Err(usage(format!("name `{name}` is not allowed: it means something else in Rust or here")));
    }
    Ok(())
}

/// The root of this workspace, upwards from `here`.
fn workspace(here: &Path) -> Result<PathBuf, HarnessError> {
    let is_root = |folder: &&Path| {
        std::fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.contains("[workspace]"))
            && folder.join("experiments/src/registry.rs").is_file()
            && folder.join("crates").is_dir()
    };
    here.ancestors().find(is_root).map(Path::to_owned).ok_or_else(|| {
        usage(format!(
            "{}: no workspace with crates and experiments here or above; run this inside of a clone",
            here.display()
        ))
    })
}

/// One line more in a file.
struct Edit {
    name: &'static str,
    path: PathBuf,
    before: String,
    after: String,
    line: String,
}

impl Edit {
    /// `add` says before which line of the text (a byte offset) which line goes.
    fn new(
        root: &Path,
        name: &'static str,
        add: impl FnOnce(&str) -> Result<(usize, String), HarnessError>,
    ) -> Result<Self, HarnessError> {
        let path = root.join(name);
        let before = std::fs::read_to_string(&path).map_err(HarnessError::io(&path, "read"))?;
        let (offset, line) = add(&before).map_err(|error| match error {
            HarnessError::Failed(why) => HarnessError::Failed(format!("{name}: {why}")),
            other => other,
        })?;
        let after = format!("{}{line}\n{}", &before[..offset], &before[offset..]);
        Ok(Self { name, path, before, after, line })
    }

    /// All or nothing: a new file takes the place of the old one.
    fn write(&self) -> Result<(), HarnessError> {
        let new = self.path.with_extension("new");
        let written = std::fs::write(&new, &self.after).and_then(|()| std::fs::rename(&new, &self.path));
        written.inspect_err(|_| drop(std::fs::remove_file(&new))).map_err(HarnessError::io(&self.path, "write"))
    }
}

/// Lines with the offset at which each starts.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = next;
        next += line.len();
        (start, line)
    })
}

fn no_place(what: &str) -> HarnessError {
    HarnessError::Failed(format!("no place for the new line: {what} not found"))
}

fn workspace_line(text: &str, name: &str) -> Result<(usize, String), HarnessError> {
    let table = parsed(text)?;
    let known = table.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    if known.and_then(|known| known.get(name)).is_some() {
        return Err(taken(name, "the workspace depends on a crate of that name"));
    }
    let place = lines(text).find(|(_, line)| line.starts_with("experiments = "));
    let (offset, _) = place.ok_or_else(|| no_place("`experiments = ` among the workspace's dependencies"))?;
    Ok((offset, format!("{name} = {{ path = \"crates/{name}\", package = \"amq-{name}\" }}")))
}

fn dependency_line(text: &str, name: &str) -> Result<(usize, String), HarnessError> {
    if parsed(text)?.get("dependencies").and_then(|known| known.get(name)).is_some() {
        return Err(taken(name, "the harness depends on a crate of that name"));
    }
    let mut inside = lines(text).skip_while(|(_, line)| line.trim() != "[dependencies]").skip(1);
    let place = inside.find(|(_, line)| line.trim().is_empty() || *line > name || line.starts_with('['));
    let (offset, _) = place.ok_or_else(|| no_place("`[dependencies]`"))?;
    Ok((offset, format!("{name}.workspace = true")))
}

fn registry_line(text: &str, name: &str) -> Result<(usize, String), HarnessError> {
    if text.contains(&format!("(\"{name}\")")) {
        return Err(taken(name, "the registry has a contender of that name"));
    }
    let mut table = lines(text).skip_while(|(_, line)| !line.starts_with("const CONTENDERS"));
    let after_variants =
        |line: &str| line.contains(".baseline()") || line.contains(".control()") || line.starts_with(']');
    let place = table.find(|(_, line)| after_variants(line));
    let (offset, _) = place.ok_or_else(|| no_place("`const CONTENDERS`"))?;
    Ok((offset, format!("    Contender::incremental::<{}::{}>(\"{name}\"),", library(name), type_name(name))))
}

fn style_line(text: &str, name: &str) -> Result<(usize, String), HarnessError> {
    let table = parsed(text)?;
    let mut looks = BTreeSet::new();
    for group in ["contender", "control", "theory"] {
        for (id, style) in table.get(group).and_then(toml::Value::as_table).into_iter().flatten() {
            if id == name {
                return Err(taken(name, "the style book has an entry of that name"));
            }
            let word = |key: &str| style.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
            looks.insert((word("colour"), word("mark")));
            looks.insert((word("colour"), word("dash")));
        }
    }
    let free = |colour: &str, look: &str| !looks.contains(&(colour.to_owned(), look.to_owned()));
    let uses = |colour: &str| looks.iter().filter(|(used, _)| used == colour).count();
    let mut colours = COLOURS;
    colours.sort_by_key(|colour| uses(colour));
    let look = colours.iter().find_map(|colour| {
        let mark = MARKS.iter().find(|mark| free(colour, mark))?;
        Some((colour, mark, DASHES.iter().find(|dash| free(colour, dash))?))
    });
    let (colour, mark, dash) =
        look.ok_or_else(|| HarnessError::Failed("every look is taken: add a colour".to_owned()))?;
    let section = lines(text).skip_while(|(_, line)| line.trim() != "[contender]").skip(1);
    let entries = section.take_while(|(_, line)| !line.starts_with('[') && !line.trim().is_empty());
    let last = entries.last().ok_or_else(|| no_place("an entry under `[contender]`"))?;
    let label = label(name);
    let line =
        format!("{name} = {{ label = \"{label}\", colour = \"{colour}\", mark = \"{mark}\", dash = \"{dash}\" }}");
    let offset = last.0 + last.1.len();
    let book = StyleBook::parse(&format!("{}{line}\n{}", &text[..offset], &text[offset..]));
    book.and_then(|book| book.get(name).map(drop)).map_err(|error| HarnessError::Failed(error.to_string()))?;
    Ok((offset, line))
}

fn parsed(text: &str) -> Result<toml::Table, HarnessError> {
    text.parse().map_err(|error| HarnessError::Failed(format!("cannot read: {error}")))
}

/// The files of the crate.
fn write_crate(folder: &Path, name: &str) -> Result<(), HarnessError> {
    let texts = FILES.iter().map(|(file, text)| (*file, filled(text, name).into_bytes()));
    for (file, bytes) in texts.chain([(FROZEN.0, FROZEN.1.to_vec())]) {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(HarnessError::io(parent, "create"))?;
        std::fs::write(&path, bytes).map_err(HarnessError::io(&path, "write"))?;
    }
    Ok(())
}

fn filled(text: &str, name: &str) -> String {
    let mut exports = ["Params".to_owned(), type_name(name)];
    exports.sort();
    text.replace("{{exports}}", &exports.join(", "))
        .replace("{{name}}", name)
        .replace("{{lib}}", &library(name))
        .replace("{{Type}}", &type_name(name))
}

/// `counting-4` to `counting_4`.
fn library(name: &str) -> String {
    name.replace('-', "_")
}

/// `counting-4` to `Counting4Filter`.
fn type_name(name: &str) -> String {
    let parts = name.split('-').map(|part| part[..1].to_ascii_uppercase() + &part[1..]);
    parts.collect::<String>() + "Filter"
}

/// `counting-4` to `Counting 4`.
fn label(name: &str) -> String {
    name[..1].to_ascii_uppercase() + &name[1..].replace('-', " ")
}
