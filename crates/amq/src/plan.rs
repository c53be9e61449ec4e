//! How many keys a filter was planned for, and how many it got.

use std::fmt;

/// Accepted inserts, and the plan they are held against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyCount {
    inserted: u64,
    planned: Option<u64>,
}

impl KeyCount {
    /// So many accepted inserts, held against a plan if there is one.
    #[must_use]
    pub fn new(inserted: u64, planned: Option<u64>) -> Self {
        Self { inserted, planned }
    }

    /// The number of keys planned for, if there is a plan.
    #[must_use]
    pub fn planned(self) -> Option<u64> {
        self.planned
    }

    /// Accepted inserts; a key inserted twice counts twice.
    #[must_use]
    pub fn inserted(self) -> u64 {
        self.inserted
    }

    /// Counts `more` accepted inserts.
    #[inline]
    pub fn add(&mut self, more: u64) {
        self.inserted = self.inserted.saturating_add(more);
    }

    /// Back to none; the plan stays.
    pub fn clear(&mut self) {
        self.inserted = 0;
    }

    /// Sets the number of keys planned for.
    pub fn plan(&mut self, keys: u64) {
        self.planned = Some(keys);
    }

    /// The warning to give, once more keys were inserted than planned.
    #[must_use]
    pub fn over_plan(self) -> Option<OverPlan> {
        let planned = self.planned.filter(|planned| self.inserted > *planned)?;
        Some(OverPlan { planned, inserted: self.inserted })
    }
}

/// More keys were inserted than the filter was planned for, so its rate is above the planned one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverPlan {
    /// Keys planned for.
    pub planned: u64,
    /// Keys inserted.
    pub inserted: u64,
}

impl fmt::Display for OverPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} keys inserted where {} were planned: the rate is above the plan", self.inserted, self.planned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_comes_with_the_first_key_too_many() {
        let mut count = KeyCount::default();
        count.add(5);
        assert_eq!(count.over_plan(), None);
        count.plan(5);
        assert_eq!(count.over_plan(), None);
        count.add(1);
        assert_eq!(count.over_plan(), Some(OverPlan { planned: 5, inserted: 6 }));
        count.clear();
        assert_eq!((count.inserted(), count.over_plan()), (0, None));
    }
}
