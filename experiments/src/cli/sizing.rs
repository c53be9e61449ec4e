//! From what was asked on the command line to the parameters of a contender.

use amq::{Given, InvalidParams, Number};
use clap::Args;

use crate::cli::values;
use crate::error::HarnessError;
use crate::registry::{Contender, Params};

/// A target for the size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Args)]
#[group(multiple = false)]
pub struct Target {
    /// Size for this false-positive rate, above 0 and below 1
    #[arg(long, value_name = "P", value_parser = values::fpr, allow_hyphen_values = true)]
    pub fpr: Option<f64>,
    /// Size for at most this many allocated bits for each key
    #[arg(long, value_name = "B", value_parser = values::bits_per_key, allow_hyphen_values = true)]
    pub bits_per_key: Option<f64>,
}

impl Target {
    /// Whether neither was given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fpr.is_none() && self.bits_per_key.is_none()
    }

    /// The parameters of `contender` for this target; those its id fixes where nothing was given.
    ///
    /// # Errors
    /// As the contender's own sizing.
    pub fn size(&self, contender: &Contender, keys: u64) -> Result<Params, InvalidParams> {
        match (self.fpr, self.bits_per_key) {
            (Some(fpr), _) => contender.size_for_fpr(keys, fpr),
            (None, Some(bits_per_key)) => contender.size_for(keys, bits_per_key),
            (None, None) => contender.params_from(&Given::default(), keys),
        }
    }
}

/// The parameters from names and values, from a target, or from both where they do not contradict: `k` with a
/// budget of bits gives the `m` that fits.
///
/// # Errors
/// [`HarnessError::Usage`] for nothing at all, a contradiction, or what the contender refuses.
pub fn resolve(
    contender: &Contender,
    keys: u64,
    given: &[(String, Number)],
    target: &Target,
) -> Result<Params, HarnessError> {
    let usage = |why: String| HarnessError::Usage(format!("{}: {why}", contender.id));
    let refused = |error: InvalidParams| usage(error.to_string());
    if let Some((name, _)) =
        given.iter().enumerate().find_map(|(index, pair)| given[..index].iter().find(|(name, _)| *name == pair.0))
    {
        return Err(usage(format!("parameter `{name}` was given twice; give it once")));
    }
    let named = Given::new(given.iter().cloned());
    if named.is_empty() {
        if target.is_empty() && !contender.params.is_empty() {
            let example = contender.params[0].name;
            return Err(usage(format!("its size is open: give --fpr P, --bits-per-key B or --param {example}=VALUE")));
        }
        return target.size(contender, keys).map_err(refused);
    }
    named.only(contender.params).map_err(refused)?;
    if target.fpr.is_some() {
        return Err(usage("--param and --fpr both decide the size: give one of them".to_owned()));
    }
    let Some(bits_per_key) = target.bits_per_key else {
        return contender.params_from(&named, keys).map_err(refused);
    };
    if !contender.params.iter().any(|info| info.name == "m") || named.get("m").is_some() {
        return Err(usage("--param and --bits-per-key both decide the size: give one of them".to_owned()));
    }
    let m = whole_words(keys, bits_per_key)
        .ok_or_else(|| usage(format!("{bits_per_key} bits per key for {keys} keys are less than a word of 64 bits")))?;
    let with_m = Given::new(given.iter().cloned().chain([("m".to_owned(), Number::Integer(m))]));
    contender.params_from(&with_m, keys).map_err(refused)
}

/// The most whole words of 64 bits within the budget, in bits; no keys are sized as one.
fn whole_words(keys: u64, bits_per_key: f64) -> Option<u64> {
    let bits = (keys.max(1) as f64 * bits_per_key) as u64 / 64 * 64;
    (bits > 0).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;

    fn resolved(id: &str, keys: u64, given: &[&str], fpr: Option<f64>, bits: Option<f64>) -> Result<String, String> {
        let registry = Registry::workspace();
        let given: Vec<_> = given.iter().map(|pair| values::param(pair).unwrap()).collect();
        let target = Target { fpr, bits_per_key: bits };
        let params = resolve(registry.get(id).unwrap(), keys, &given, &target);
        params.map(|params| params.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_budget_with_k_gives_the_m_that_fits() {
        assert_eq!(resolved("standard", 1000, &["k=3"], None, Some(10.0)), Ok(r#"{"k":3,"m":9984}"#.to_owned()));
        let budget = resolved("partitioned", 1000, &["k=3"], None, Some(10.0));
        assert_eq!(budget, Ok(r#"{"k":3,"slice_bits":3328}"#.to_owned()));
        assert!(resolved("standard", 5, &["k=3"], None, Some(10.0)).unwrap_err().contains("word of 64 bits"));
    }

    #[test]
    fn contradictions_are_refused() {
        for (given, fpr, bits) in [
            (&["m=640", "k=3"][..], None, Some(10.0)),
            (&["k=3"], Some(0.01), None),
            (&["k=3", "k=4"], None, Some(10.0)),
            (&["q=3"], None, Some(10.0)),
            (&["k=0", "m=640"], None, None),
            (&["m=0"], None, None),
            (&["k=3"], None, None),
            (&[], None, None),
        ] {
            let error = resolved("standard", 1000, given, fpr, bits).unwrap_err();
            assert!(error.starts_with("standard: "), "{error}");
        }
    }

    #[test]
    fn an_id_that_fixes_everything_needs_nothing() {
        assert_eq!(resolved("coin", 1000, &[], None, None), Ok("{}".to_owned()));
        assert_eq!(resolved("coin", 1000, &[], Some(0.1), None), Ok("{}".to_owned()));
        assert!(resolved("coin", 1000, &["m=5"], None, None).unwrap_err().contains("no parameters"));
    }
}
