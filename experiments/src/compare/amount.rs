//! How many filters and probes: as many as show the planned effect, within a bound on time.

use super::{Asked, Sized};
use crate::keys::Workload;
use crate::verdict::{ALPHA, POWER, plan_probes, planned_effect};

/// Filters where nothing else is asked for or needed.
const FILTERS: u64 = 16;
/// The most filters that are taken without being asked for.
const MOST_FILTERS: u64 = 4096;
/// Keys in all filters together where nothing is asked for: some seconds.
const MOST_KEYS: u64 = 100_000_000;
/// Probes in all filters together where nothing is asked for: some seconds.
const MOST_PROBES: u64 = 150_000_000;

/// Filters and probes of a contender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// Independent filters.
    pub filters: u64,
    /// Absent keys asked of each.
    pub probes: u64,
    /// Whether the file of absent keys has no more.
    pub limited_by_file: bool,
}

impl Amount {
    pub(super) fn plan(asked: &Asked, sized: &Sized, filters: u64) -> Self {
        let rate = sized.prediction.rate;
        let wanted = asked.probes.unwrap_or_else(|| {
            plan_probes(rate, sized.spread, filters, planned_effect(rate), MOST_PROBES).div_ceil(filters)
        });
        let probes = wanted.min(absent_keys(&asked.workload));
        Self { filters, probes, limited_by_file: probes < wanted }
    }

    /// Absent keys asked in all.
    #[must_use]
    pub fn total_probes(&self) -> u64 {
        self.filters * self.probes
    }
}

/// Absent keys there are: those of the file, or without limit.
pub(super) fn absent_keys(workload: &Workload) -> u64 {
    match workload {
        Workload::File(file) => file.absent().unwrap_or(u64::MAX),
        _ => u64::MAX,
    }
}

/// The filters of every contender: the same number, so that they are paired.
pub(super) fn filters<'a>(asked: &Asked, contenders: impl Iterator<Item = &'a Sized>) -> u64 {
    if let Some(filters) = asked.filters {
        return filters;
    }
    // Half of the effect: the other half is left to the noise of the probes.
    let needed = contenders.filter(|sized| sized.prediction.rate > 0.0).filter_map(|sized| {
        let rate = sized.prediction.rate;
        stats::filters_for_effect(sized.spread / rate, planned_effect(rate) / 2.0, ALPHA, POWER).ok()
    });
    let affordable = (MOST_KEYS / asked.keys.max(1)).max(1);
    needed.max().unwrap_or(FILTERS).clamp(FILTERS, MOST_FILTERS).min(affordable)
}

#[cfg(test)]
mod tests {
    use hashing::Family;

    use super::*;
    use crate::registry::Registry;

    fn asked(keys: u64) -> Asked {
        let (filters, probes) = (None, None);
        Asked { workload: Workload::Random, keys, family: Family::Mixer, seed: 1, filters, probes, hit_share: 0.5 }
    }

    fn sized(id: &str, keys: u64, fpr: f64) -> Sized {
        let contender = *Registry::workspace().get(id).unwrap();
        Sized::new(contender, contender.size_for_fpr(keys, fpr).unwrap(), keys).unwrap()
    }

    #[test]
    fn sixteen_filters_unless_the_spread_needs_more_or_the_keys_allow_fewer() {
        let filters = |keys| filters(&asked(keys), [sized("standard", keys, 0.01)].iter());
        assert_eq!((filters(100_000), filters(1_000_000)), (16, 16));
        assert!((100..=MOST_FILTERS).contains(&filters(100)));
        assert_eq!((filters(10_000_000), filters(100_000_000), filters(1_000_000_000)), (10, 1, 1));
    }

    #[test]
    fn as_many_probes_as_show_the_effect() {
        let probes = |fpr| Amount::plan(&asked(100_000), &sized("standard", 100_000, fpr), 16).total_probes();
        assert!((700_000..2_000_000).contains(&probes(0.01)), "{}", probes(0.01));
        assert!((101_000_000..MOST_PROBES).contains(&probes(1e-6)), "{}", probes(1e-6));
        assert!((MOST_PROBES..MOST_PROBES + 16).contains(&probes(1e-7)));
        assert_eq!(Amount::plan(&asked(10), &sized("exact", 10, 0.5), 16).total_probes(), 100_000);
    }
}
