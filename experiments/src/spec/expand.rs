//! From a definition to its points.

use std::path::Path;
use std::sync::Arc;

use amq::{Given, Goal, InvalidParams, Number};
use hashing::{Family, KeyKind};

use crate::error::{HarnessError, nearest};
use crate::key_file::KeyFile;
use crate::keys::Workload;
use crate::registry::{Contender, Params, Registry};
use crate::spec::{Amount, Definition, Factors, Measure, Model, Scalar, Scale};
use crate::studies::Study;

/// One point: everything that defines what is measured.
#[derive(Clone, Debug)]
pub struct PointSpec {
    /// The measure it belongs to.
    pub measure: String,
    /// What is done.
    pub model: Model,
    /// The study, where the model is that.
    pub study: Option<&'static Study>,
    /// The contender's id; empty where the point has none (hash families alone).
    pub id: String,
    /// The contender, with the scheme and reduction asked for.
    pub contender: Option<Contender>,
    /// Its parameters, or why there are none.
    pub params: Result<Params, String>,
    /// Keys inserted.
    pub keys: u64,
    /// The workload.
    pub workload: Workload,
    /// The hash family.
    pub family: Family,
    /// All factors as the definition gave them.
    pub factors: Factors,
    /// How much.
    pub amount: Amount,
}

impl PointSpec {
    /// The parameters as JSON; empty where there are none.
    #[must_use]
    pub fn params_text(&self) -> String {
        self.params.as_ref().map_or_else(|_| String::new(), ToString::to_string)
    }

    /// The value of a factor as text, if the definition gives it.
    #[must_use]
    pub fn factor(&self, name: &str) -> Option<String> {
        self.factors.get(name).map(ToString::to_string)
    }
}

/// Factors that are no parameters of a contender.
const FACTORS: [&str; 12] = [
    "keys",
    "load",
    "bits_per_key",
    "fpr",
    "scheme",
    "reduction",
    "family",
    "workload",
    "case",
    "key_bytes",
    "buckets",
    "query",
];

/// All points of a definition at a scale. `contenders` replaces the contenders of every measure.
///
/// # Errors
/// [`HarnessError::Definition`] for unknown names, with the place in the file.
pub fn expand(
    definition: &Definition,
    registry: &Registry,
    scale: Scale,
    contenders: Option<&[String]>,
) -> Result<Vec<PointSpec>, HarnessError> {
    let mut points = Vec::new();
    for measure in &definition.measure {
        let amount = measure.scale.at(scale);
        let ids: Vec<String> = match contenders {
            Some(ids) if !measure.contenders.is_empty() => ids.to_vec(),
            _ => {
                // Left out where the harness is built without published crates; where it has them, unknown ones are a fault.
                let built_in = registry.published().next().is_some();
                measure.contenders.iter().chain(measure.peers.iter().filter(|_| built_in)).cloned().collect()
            }
        };
        let none = [String::new()];
        for factors in combinations(definition, measure, amount)? {
            for id in if ids.is_empty() { &none[..] } else { &ids[..] } {
                points.push(point(definition, registry, measure, amount, id, factors.clone())?);
            }
        }
    }
    Ok(points)
}

/// Cases crossed with the sweep.
fn combinations(definition: &Definition, measure: &Measure, amount: &Amount) -> Result<Vec<Factors>, HarnessError> {
    let mut all = if measure.cases.is_empty() { vec![Factors::new()] } else { measure.cases.clone() };
    for (name, values) in &measure.sweep {
        let mut values = values
            .all(amount.thin.unwrap_or(1))
            .map_err(|why| definition.fault_at(&[&measure.name, name], &format!("{name}: {why}")))?;
        if let (Some(most), "keys") = (amount.most_keys, name.as_str()) {
            let keys = |value: &Scalar| value.number().map_or(0.0, Number::as_f64);
            values.retain(|value| keys(value) <= most as f64);
        }
        all = all
            .into_iter()
            .flat_map(|factors| {
                values.iter().map(move |value| {
                    let mut factors = factors.clone();
                    factors.insert(name.clone(), value.clone());
                    factors
                })
            })
            .collect();
    }
    if let Some(keys) = amount.keys {
        for factors in &mut all {
            factors.insert("keys".to_owned(), Scalar::Integer(keys));
        }
    }
    Ok(all)
}

fn point(
    definition: &Definition,
    registry: &Registry,
    measure: &Measure,
    amount: &Amount,
    id: &str,
    factors: Factors,
) -> Result<PointSpec, HarnessError> {
    let fault = |word: &str, why: String| definition.fault_at(&[&measure.name, word], &why);
    let text = |name: &str| factors.get(name).map(ToString::to_string);
    let number = |name: &str| factors.get(name).and_then(Scalar::number);
    let workload: Workload = match text("workload") {
        // A file of keys of the user's own.
        Some(name) if name.starts_with("file:") => {
            let file = KeyFile::read(Path::new(&name["file:".len()..]), None)
                .map_err(|error| fault(&name, error.to_string()))?;
            Workload::File(Arc::new(file))
        }
        Some(name) => name.parse().map_err(|why| fault(&name, why))?,
        None => Workload::Random,
    };
    let family: Family = match text("family") {
        Some(name) => name.parse().map_err(|error: hashing::UnknownFamily| fault(&name, error.to_string()))?,
        None if workload.kind() == KeyKind::Integer => Family::Mixer,
        None => Family::Xxh3,
    };
    let study = match (&measure.study, measure.model) {
        (Some(name), Model::Study) => Some(Study::find(name).map_err(|why| fault(name, why))?),
        (None, Model::Study) => {
            return Err(fault("study", "model = \"study\" needs `study = \"...\"`: see `list studies`".to_owned()));
        }
        (Some(name), _) => return Err(fault(name, "`study` belongs to model = \"study\"".to_owned())),
        (None, _) => None,
    };
    let mut contender = None;
    if !id.is_empty() {
        let plain = registry.find(id).map_err(|why| fault(id, why))?;
        contender = Some(match (text("scheme"), text("reduction")) {
            (None, None) => *plain,
            (scheme, reduction) => {
                let scheme =
                    scheme.unwrap_or_else(|| <hashing::DefaultDerivation as hashing::Derivation>::SCHEME.to_owned());
                let reduction = reduction
                    .unwrap_or_else(|| <hashing::DefaultDerivation as hashing::Derivation>::REDUCTION.to_owned());
                match plain.derived(&scheme, &reduction) {
                    None => return Err(fault(id, format!("contender `{id}` has no factors `scheme` and `reduction`"))),
                    Some(Err(error)) => {
                        let word = if error.to_string().contains("scheme") { &scheme } else { &reduction };
                        return Err(fault(word, error.to_string()));
                    }
                    Some(Ok(derived)) => derived,
                }
            }
        });
    }
    for name in factors.keys() {
        let params = contender.iter().flat_map(|contender| contender.params.iter().map(|info| info.name));
        let studied = study.iter().flat_map(|study| study.factors.iter().copied());
        let known: Vec<&str> = FACTORS.into_iter().chain(params).chain(studied).collect();
        if !known.contains(&name.as_str()) {
            let near = nearest(name, known.iter().copied()).unwrap_or("keys");
            return Err(fault(
                name,
                format!("unknown factor `{name}`, nearest is `{near}`; known: {}", known.join(", ")),
            ));
        }
    }
    for (name, value) in &factors {
        let named = ["scheme", "reduction", "family", "workload", "case", "query"].contains(&name.as_str());
        // A study reads its own factors, names among them.
        let studied = study.is_some_and(|study| study.factors.contains(&name.as_str()));
        if !(named || studied) && value.number().is_none() {
            return Err(fault(name, format!("{name} = \"{value}\" is no number")));
        }
    }
    if factors.contains_key("fpr") && factors.contains_key("bits_per_key") {
        let why = "`fpr` sizes the filter, and so does `bits_per_key`: give one of them";
        return Err(fault("fpr", why.to_owned()));
    }
    let planned = match &workload {
        Workload::File(file) if !factors.contains_key("keys") => file.members(),
        _ => planned_keys(&factors).map_err(|why| fault("keys", why))?,
    };
    if let Workload::File(file) = &workload
        && planned > file.members()
    {
        let held = file.members();
        return Err(fault("keys", format!("keys = {planned}: the file holds {held} distinct keys")));
    }
    let params = match contender.as_ref().map(|contender| size(contender, &factors, planned)) {
        Some(Err(error @ InvalidParams::Contradiction { goal, .. })) => return Err(fault(goal, error.to_string())),
        Some(sized) => sized.map_err(|error| error.to_string()),
        None => Ok(Params::Null),
    };
    let load = number("load").map_or(1.0, Number::as_f64);
    if !(load.is_finite() && load >= 0.0) {
        return Err(fault("load", format!("load = {load}: a finite number, at least 0")));
    }
    Ok(PointSpec {
        measure: measure.name.clone(),
        model: measure.model,
        study,
        id: if measure.model == Model::HashSetTime { "hash-set".to_owned() } else { id.to_owned() },
        contender,
        params,
        keys: (planned as f64 * load).round() as u64,
        workload,
        family,
        factors,
        amount: amount.clone(),
    })
}

/// The keys a filter is sized for: given, or `m / bits_per_key`.
fn planned_keys(factors: &Factors) -> Result<u64, String> {
    let number = |name: &str| factors.get(name).and_then(Scalar::number);
    if let Some(keys) = number("keys") {
        return keys.as_u64().ok_or_else(|| format!("keys = {keys}: a whole number"));
    }
    match (number("m").map(Number::as_f64), number("bits_per_key").map(Number::as_f64)) {
        (Some(m), Some(bits_per_key)) if bits_per_key > 0.0 => Ok((m / bits_per_key).round().max(1.0) as u64),
        (None, None) => Ok(0),
        _ => Err("give `keys`, or `m` with `bits_per_key`".to_owned()),
    }
}

/// The contender's parameters at these factors.
fn size(contender: &Contender, factors: &Factors, keys: u64) -> Result<Params, InvalidParams> {
    let number = |name: &str| factors.get(name).and_then(Scalar::number);
    let named = |name: &str| number(name).map(|value| (name.to_owned(), value));
    let given = Given::new(contender.params.iter().filter_map(|info| named(info.name)));
    // With `m` given, bits per key say how many keys there are.
    let bits_per_key = number("bits_per_key").filter(|_| given.get("m").is_none());
    let goal = number("fpr").map(|fpr| Goal::Fpr(fpr.as_f64()));
    match goal.or(bits_per_key.map(|bits| Goal::BitsPerKey(bits.as_f64()))) {
        Some(goal) => contender.size_with(&given, keys, goal),
        None => contender.params_from(&given, keys),
    }
}
