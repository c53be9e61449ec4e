//! From what was asked on the command line to the parameters of a contender.

use amq::{Given, Goal, InvalidParams, Number};
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
    /// What was given, if anything was.
    #[must_use]
    pub fn goal(&self) -> Option<Goal> {
        self.fpr.map(Goal::Fpr).or(self.bits_per_key.map(Goal::BitsPerKey))
    }

    /// Whether neither was given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.goal().is_none()
    }

    /// The parameters of `contender` for this target with those given by name; those its id fixes where nothing was given.
    ///
    /// # Errors
    /// As the contender's own sizing.
    pub fn size(&self, contender: &Contender, keys: u64, given: &Given) -> Result<Params, InvalidParams> {
        match self.goal() {
            Some(goal) => contender.size_with(given, keys, goal),
            None => contender.params_from(given, keys),
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
    match target.goal() {
        Some(goal) => contender.size_with(&named, keys, goal).map_err(refused),
        None if named.is_empty() && !contender.params.is_empty() => {
            let example = contender.params[0].name;
            Err(usage(format!("its size is open: give --fpr P, --bits-per-key B or --param {example}=VALUE")))
        }
        None => contender.params_from(&named, keys).map_err(refused),
    }
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
        assert!(resolved("standard", 5, &["k=3"], None, Some(10.0)).unwrap_err().contains("words of 64 bits"));
    }

    /// What a budget is of: the wire, counters of four bits, the map beside the array, cells of two bits.
    #[test]
    fn a_budget_is_of_bits_whatever_a_filter_is_made_of() {
        for (id, given, budget) in [
            ("counting-4", "k=3", r#"{"k":3,"m":4000}"#),
            ("deletable", "regions=1000", r#"{"k":10,"m":14976,"regions":1000}"#),
            ("stable", "max=3", r#""cells":8000"#),
        ] {
            let sized = resolved(id, 1000, &[given], None, Some(16.0)).unwrap();
            assert!(sized.contains(budget), "{id}: {sized}");
        }
        let sized = resolved("compressed", 1_000_000, &["k=2"], None, Some(8.0)).unwrap();
        let m: u64 = sized.trim_start_matches(r#"{"k":2,"m":"#).trim_end_matches('}').parse().unwrap();
        // m/n = 14.3366 has a wire of 8 bits per key in the limit.
        assert!((14_200_000..14_336_600).contains(&m), "{sized}");
        // 1e-4 with three probes: 63.12117 bits in memory.
        let sized = resolved("compressed", 1_000_000, &["k=3"], Some(1e-4), None).unwrap();
        assert!(sized.starts_with(r#"{"k":3,"m":6312"#), "{sized}");
        for (given, fpr, bits) in [("m=1000", None, Some(8.0)), ("m=1000", Some(0.01), None)] {
            let error = resolved("compressed", 1000, &[given], fpr, bits).unwrap_err();
            assert!(error.contains("sizes the filter, and so does `m`"), "{error}");
        }
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
