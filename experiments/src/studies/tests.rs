//! Studies against their formulas, and against formulas that are known to be wrong.

use super::*;
use crate::model::Point;
use crate::registry::Registry;
use crate::spec::{Definition, Scale, expand};
use crate::verdict::Verdict;

/// The rows of a study at one point: what each repetition saw, and the formulas at each position.
struct Rows {
    study: &'static Study,
    seen: Vec<Observations>,
    formulas: Vec<Vec<Formula>>,
}

/// The only point of a definition with this one measure.
fn point(study: &str, contender: &str, factors: &str, repetitions: u64, probes: u64) -> Point {
    let text = format!(
        "id = 't'\ntitle = 't'\nquestion = 't'\nreading = 't'\npanel = []\n[[measure]]\nname = 'main'\nmodel = 'study'\n\
         study = '{study}'\ncontenders = ['{contender}']\ncases = [{{ {factors} }}]\n\
         scale.smoke = {{ filters = {repetitions}, most-probes = {probes} }}\n\
         scale.quick = {{ filters = 1, most-probes = 1 }}\nscale.full = {{ filters = 1, most-probes = 1 }}\n"
    );
    let definition = Definition::parse("t.toml", &text).unwrap();
    Point::new(expand(&definition, &Registry::workspace(), Scale::Smoke, None).unwrap().remove(0), 1)
}

impl Rows {
    fn new(study: &str, contender: &str, factors: &str, repetitions: u64, probes: u64) -> Self {
        let (point, study) = (point(study, contender, factors, repetitions, probes), Study::find(study).unwrap());
        let case = |repetition| Case::new(&point, study, repetition);
        let positions = study.positions(&case(0)).unwrap();
        Self {
            study,
            seen: (0..repetitions).map(|repetition| (study.observe)(&case(repetition)).unwrap()).collect(),
            formulas: (study.formulas)(&case(0), &positions).unwrap(),
        }
    }

    /// A formula by name at a position.
    fn formula(&self, position: usize, name: &str) -> Formula {
        *self.formulas[position].iter().find(|formula| formula.name == name).unwrap()
    }

    /// The verdict of a quantity at a position on a value.
    fn verdict(&self, position: usize, quantity: usize, of: &Formula) -> Verdict {
        let pairs: Vec<(u64, u64)> = self.seen.iter().map(|seen| seen.get(position, quantity)).collect();
        judge(self.study.quantities[quantity].kind, &pairs, Some(of), 0.1).unwrap().verdict.unwrap()
    }

    /// The verdict at a position if `name` were claimed to be right.
    fn claimed(&self, position: usize, quantity: usize, name: &str) -> Verdict {
        self.verdict(position, quantity, &Formula { claim: EXACT, ..self.formula(position, name) })
    }
}

/// FIELD 4: 0.551 and 0.759 at m = 100,000, k = 7, n = 10,000, r = 10,000.
#[test]
fn the_quoted_deletability_is_caught() {
    let rows = Rows::new(
        "deletable-fraction",
        "deletable",
        "m = 100_000, k = 7, keys = 10_000, regions = 10_000, most = 0.7, steps = 1",
        24,
        0,
    );
    let (palm, quoted) = (rows.formula(0, "deletable_palm"), rows.formula(0, "deletable_as_quoted"));
    assert!((palm.value - 0.551).abs() < 5e-4 && (quoted.value - 0.759).abs() < 5e-4, "{palm:?} {quoted:?}");
    assert_eq!(rows.verdict(0, 0, &palm), Verdict::Agrees);
    assert_eq!(rows.claimed(0, 0, "deletable_as_quoted"), Verdict::BelowTheory);
}

/// A tenth of the members inserted twice; that this leaves the others alone is caught.
#[test]
fn repeats_spoil_removals_of_others() {
    let factors = "m = 9600, k = 7, keys = 1000, regions = 1200, most = 0.2, steps = 2";
    let rows = Rows::new("deletable-repeats", "deletable", factors, 80, 0);
    assert_eq!(rows.claimed(0, 0, "deletable_once"), Verdict::Agrees);
    assert_eq!(rows.claimed(2, 0, "deletable_once"), Verdict::BelowTheory);
    assert_eq!(rows.verdict(2, 0, &rows.formula(2, "deletable_repeats")), Verdict::Agrees);
}

/// Poisson's law for a hundred counters: 0.00296 for a count of 4, where the binomial law has 0.00233.
#[test]
fn poissons_law_is_caught_in_small_filters() {
    let factors = "m = 100, k = 3, keys = 20, most = 4, batch = 200";
    let rows = Rows::new("counter-histogram", "counting-16", factors, 250, 0);
    let (exact, poisson) = (rows.formula(4, "exact_share"), rows.formula(4, "poisson_share"));
    assert!(
        (exact.value - 0.002_327).abs() < 1e-6 && (poisson.value - 0.002_964).abs() < 1e-6,
        "{exact:?} {poisson:?}"
    );
    assert_eq!(rows.verdict(4, 0, &exact), Verdict::Agrees);
    assert_eq!(rows.claimed(4, 0, "poisson_share"), Verdict::BelowTheory);
}

/// FIELD 3: at kn/m = ln 2 `P[>= 4]` = 5.5611e-3 and the bound 0.0492 a counter; the bound is caught as a value.
#[test]
fn overflows_of_two_bits_are_counted() {
    let factors = "m = 70_000, k = 7, keys = 7000, width = 2, least = 0.693147, most = 0.693147, steps = 1, from = 0.1, batch = 1";
    let rows = Rows::new("counter-overflow", "counting-16", factors, 40, 0);
    let (exact, bound) = (rows.formula(0, "overflow_exact"), rows.formula(0, "overflow_counter_bound"));
    assert!(
        (exact.value / 5.5611e-3 - 1.0).abs() < 2e-3 && (bound.value / 0.0492 - 1.0).abs() < 2e-3,
        "{exact:?} {bound:?}"
    );
    assert_eq!(rows.verdict(0, 0, &exact), Verdict::Agrees);
    assert_eq!(rows.claimed(0, 0, "overflow_counter_bound"), Verdict::BelowTheory);
}

/// Two bits after every member was replaced four times: that nothing sticks is caught.
#[test]
fn stuck_counters_are_caught() {
    let rows = Rows::new("counting-churn", "counting-2", "m = 2396, k = 7, keys = 250, octaves = 2", 140, 2_800_000);
    assert_eq!(rows.verdict(5, 0, &rows.formula(5, "churn_fpr")), Verdict::Agrees);
    assert_eq!(rows.claimed(5, 0, "members_fpr"), Verdict::AboveTheory);
    let wide = Rows::new("counting-churn", "counting-8", "m = 600, k = 3, keys = 100, octaves = 1", 200, 2_000_000);
    assert_eq!(wide.verdict(4, 0, &wide.formula(4, "churn_fpr")), Verdict::Agrees);
}

/// Half of the members denied: the first order, which forgets that they have more than one counter to lose, is caught.
#[test]
fn the_first_order_of_wrong_removals_is_caught() {
    let factors = "m = 5771, k = 4, keys = 1000, most = 0.2, steps = 2";
    let rows = Rows::new("counting-wrong-removals", "counting-8", factors, 60, 0);
    assert_eq!(rows.verdict(1, 0, &rows.formula(1, "denied_limit")), Verdict::Agrees);
    assert_eq!(rows.claimed(1, 0, "denied_first_order"), Verdict::BelowTheory);
}

/// All removals tried: the rate is that of what they leave, not 0.
#[test]
fn removals_leave_bits() {
    let factors = "m = 20_000, k = 3, keys = 4000, regions = 20_000, steps = 2";
    let rows = Rows::new("deletable-removal", "deletable", factors, 60, 6_000_000);
    assert_eq!(rows.verdict(2, 0, &rows.formula(2, "fpr_removed")), Verdict::Agrees);
    assert_eq!((rows.formula(2, "members_fpr").value, rows.claimed(2, 0, "members_fpr")), (0.0, Verdict::AboveTheory));
}

#[test]
fn faults_say_what_is_wrong() {
    for (study, contender, factors, text) in [
        (
            "counter-overflow",
            "counting-16",
            "m = 100, k = 3, keys = 10",
            "study `counter-overflow` needs factor `width`",
        ),
        (
            "counter-overflow",
            "counting-16",
            "m = 100, k = 3, keys = 10, width = 16",
            "width = 16: counters of sixteen bits",
        ),
        ("counting-churn", "standard", "m = 100, k = 3, keys = 10, octaves = 1", "a counting filter is needed"),
        ("counting-churn", "counting-2", "m = 100, k = 3, keys = 0, octaves = 1", "there are no members to replace"),
        ("deletable-repeats", "deletable", "m = 100, k = 3, keys = 9, most = 2, steps = 1", "a share is at most 1"),
    ] {
        let (point, study) = (point(study, contender, factors, 1, 0), Study::find(study).unwrap());
        let error = (study.observe)(&Case::new(&point, study, 0)).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
}
