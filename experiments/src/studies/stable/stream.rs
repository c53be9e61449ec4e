//! A stream with duplicates, for a stable filter and for a Bloom filter that is emptied every so many arrivals.
//!
//! **The stream.** At each arrival a gap is drawn: none with probability one half, else one of 1, 2, 4, ..., 2^J, equally
//! likely, each with probability `q = 1/(2 (J + 1))`. If the key that came so many arrivals before has not come again
//! since, it comes now; otherwise, and without a gap, a new key comes. Gaps are drawn independently, so an arrival returns
//! after exactly `2^l` arrivals with probability `q (1 - q)^l`: a stated law, at every place of the stream alike.
//!
//! Every arrival is asked and then inserted. A new key that is found is a false positive, a returning one that is not
//! found a false negative.

use amq::{Claim, Digest, Filter, IncrementalFilter};
use hashing::mix::mix64;
use stable::chain::Cell;
use stable::decrement::Law;
use stable::paper::arrivals_to_converge;
use stable::{Run, StableBloom};
use standard::StandardBloom;

use super::{empty, fnr, fpr};
use crate::error::HarnessError;
use crate::studies::{AlongAxis, Case, EXACT, Formula, Observations, Quantity, Study};

const QUANTITIES: &[Quantity] = &[Quantity::share("returning"), Quantity::share("fnr"), Quantity::share("fpr")];

const AXIS: AlongAxis = AlongAxis {
    name: "returns_after",
    positions: |case| Ok((0..=octaves(case)?).map(|octave| 2f64.powi(octave as i32)).collect()),
};

/// A stable filter under the stream. Repeated keys set the same cells again, so that fewer cells are set than with
/// distinct keys: fewer false positives, and a little more is forgotten than the theory of distinct keys says.
pub const STABLE: Study = Study {
    name: "stream-stable",
    about: "both error rates of a stable filter on a stream in which keys return after 1, 2, 4, ... arrivals",
    factors: &["octaves", "arrivals"],
    quantities: QUANTITIES,
    axis: Some(AXIS),
    observe: |case| observe_stable(case, &STABLE),
    formulas: |case, positions| formulas(case, &rates_of_stable(case)?, positions.len() > 1),
    cost_ns: |_| 3e7,
};

/// [`STABLE`], all returns together.
pub const STABLE_TOTAL: Study = Study {
    name: "stream-stable-total",
    about: "the same, all returns of the stream together",
    axis: None,
    observe: |case| observe_stable(case, &STABLE_TOTAL),
    ..STABLE
};

/// A Bloom filter under the stream, emptied after every `period` arrivals.
pub const RESET: Study = Study {
    name: "stream-reset",
    about: "both error rates of a Bloom filter that is emptied every `period` arrivals, on the same stream",
    factors: &["octaves", "arrivals", "period"],
    observe: |case| observe_reset(case, &RESET),
    formulas: |case, positions| formulas(case, &rates_of_reset(case)?, positions.len() > 1),
    ..STABLE
};

/// [`RESET`], all returns together.
pub const RESET_TOTAL: Study = Study {
    name: "stream-reset-total",
    about: "the same, all returns of the stream together",
    axis: None,
    observe: |case| observe_reset(case, &RESET_TOTAL),
    ..RESET
};

/// What a filter is expected to answer on the stream.
struct Rates {
    /// False negatives after `2^l`, for each `l`.
    fnr: Vec<f64>,
    fpr: f64,
    claims: (Claim, Claim),
    source: &'static str,
}

fn rates_of_stable(case: &Case<'_>) -> Result<Rates, HarnessError> {
    let params = case.params::<StableBloom>()?;
    let stable = fpr(Law::Run, &params, Cell::new(&params, Law::Run).forever());
    // Between an arrival and the one `g` later are `g - 1` others.
    let fnr = (0..=octaves(case)?).map(|octave| fnr(Law::Run, &params, (1 << octave) - 1).rate).collect();
    let source = "theory of distinct keys; repeated ones set fewer cells";
    Ok(Rates { fnr, fpr: stable.rate, claims: (Claim::AtLeast, Claim::AtMost), source })
}

fn rates_of_reset(case: &Case<'_>) -> Result<Rates, HarnessError> {
    let (params, octaves) = (case.params::<StandardBloom>()?, octaves(case)?);
    let by_phase = rates_by_phase(params.m, params.k, case.count("period", 1)?, share(octaves), octaves);
    let period = by_phase.len() as f64;
    // Denied if the last clearing was since, but for a false positive.
    let cleared = |octave| by_phase.iter().take(1usize << octave).map(|rate| 1.0 - rate).sum::<f64>() / period;
    // The number of distinct keys since the last clearing is taken for its mean.
    let claim = Claim::Approximate { rel: 0.01 };
    let source = "distinct keys since the last clearing, averaged over a period";
    let fnr = (0..=octaves).map(cleared).collect();
    Ok(Rates { fnr, fpr: by_phase.iter().sum::<f64>() / period, claims: (claim, claim), source })
}

/// By gap, with the rate of false positives beside the first; or all gaps together.
fn formulas(case: &Case<'_>, rates: &Rates, by_gap: bool) -> Result<Vec<Vec<Formula>>, HarnessError> {
    let q = share(octaves(case)?);
    let Rates { claims: (missed, found), source, .. } = *rates;
    let row = |share, fnr| {
        vec![
            Formula::of("returning", "expected_returning", share, EXACT, "q (1 - q)^l"),
            Formula::of("fnr", "expected_fnr", fnr, missed, source),
        ]
    };
    let shares: Vec<f64> = (0..rates.fnr.len()).map(|octave| q * (1.0 - q).powi(octave as i32)).collect();
    let mut all: Vec<Vec<Formula>> = if by_gap {
        shares.iter().zip(&rates.fnr).map(|(share, fnr)| row(*share, *fnr)).collect()
    } else {
        let total: f64 = shares.iter().sum();
        vec![row(total, shares.iter().zip(&rates.fnr).map(|(share, fnr)| share * fnr).sum::<f64>() / total)]
    };
    all[0].push(Formula::of("fpr", "expected_fpr", rates.fpr, found, source));
    Ok(all)
}

fn observe_stable(case: &Case<'_>, study: &Study) -> Result<Observations, HarnessError> {
    let mut filter = empty::<Run>(case)?;
    let warm = arrivals_to_converge(filter.params());
    observe(case, study, warm, |_, key| {
        let known = filter.contains(key);
        filter.insert(key).map(|()| known)
    })
}

fn observe_reset(case: &Case<'_>, study: &Study) -> Result<Observations, HarnessError> {
    let (params, period) = (case.params::<StandardBloom>()?, case.count("period", 1)?);
    let mut filter = StandardBloom::<hashing::DefaultDerivation>::empty(&params, case.seed("filter"))
        .map_err(|error| case.unfit(&error.to_string()))?;
    observe(case, study, period, |arrival, key| {
        if arrival % period == 0 {
            filter.clear();
        }
        let known = filter.contains(key);
        filter.insert(key).map(|()| known)
    })
}

/// `J`.
fn octaves(case: &Case<'_>) -> Result<u32, HarnessError> {
    match case.count("octaves", 1)? {
        octaves @ 1..=40 => Ok(octaves as u32),
        octaves => Err(case.unfit(&format!("octaves = {octaves}: at most 40"))),
    }
}

/// `q`.
fn share(octaves: u32) -> f64 {
    0.5 / f64::from(octaves + 1)
}

/// The rate `(1 - (1 - 1/m)^(k d))^k` at each phase of a period, `d` the expected number of distinct keys since its
/// start: an arrival at phase `i` is one of them already with the probability of a return after at most `i`.
fn rates_by_phase(m: u64, k: u32, period: u64, q: f64, octaves: u32) -> Vec<f64> {
    let ln_miss = f64::from(k) * (-1.0 / m as f64).ln_1p();
    let (mut distinct, mut rates) = (0.0f64, Vec::with_capacity(period as usize));
    for phase in 0..period {
        rates.push((-(ln_miss * distinct).exp_m1()).powi(k as i32));
        let within = (0..=octaves).take_while(|octave| phase >= 1 << octave).count();
        // Sum of q (1-q)^l for l < within.
        distinct += (1.0 - q).powi(within as i32);
    }
    rates
}

/// Runs the stream for `arrivals` arrivals after `warm` and the longest gap; `ask` answers and inserts.
fn observe(
    case: &Case<'_>,
    study: &Study,
    warm: u64,
    mut ask: impl FnMut(u64, Digest) -> Result<bool, amq::Full>,
) -> Result<Observations, HarnessError> {
    let octaves = octaves(case)?;
    let warm = warm.max(1 << octaves);
    let total = warm + case.count("arrivals", 1)?;
    let fresh = case.digests(0, total)?;
    let mut stream = Stream::new(case.seed("gaps"), octaves);
    let mut keys: Vec<Digest> = Vec::with_capacity(total as usize);
    let by_gap = study.axis.is_some();
    let mut seen = Observations::new(study, if by_gap { octaves as usize + 1 } else { 1 });
    let counted = total - warm;
    for arrival in 0..total {
        let octave = stream.next();
        let key = octave.map_or(fresh[arrival as usize], |octave| keys[arrival as usize - (1 << octave)]);
        keys.push(key);
        let known = ask(arrival, key).map_err(|error| case.unfit(&error.to_string()))?;
        if arrival < warm {
            continue;
        }
        match octave {
            Some(octave) => {
                let position = if by_gap { octave } else { 0 };
                seen.add(position, 0, 1, 0);
                seen.add(position, 1, u64::from(!known), 1);
            }
            None => seen.add(0, 2, u64::from(known), 1),
        }
    }
    for position in 0..study.positions(case)?.len() {
        seen.add(position, 0, 0, counted);
    }
    Ok(seen)
}

/// Which arrivals are returns.
struct Stream {
    seed: u64,
    octaves: u32,
    /// Whether each arrival so far has returned.
    returned: Vec<bool>,
}

impl Stream {
    fn new(seed: u64, octaves: u32) -> Self {
        Self { seed, octaves, returned: Vec::new() }
    }

    /// The octave of the gap of the next arrival; `None` for a new key.
    fn next(&mut self) -> Option<usize> {
        let arrival = self.returned.len();
        self.returned.push(false);
        // Above one half: a gap, all of them equally likely.
        let random = mix64(self.seed.wrapping_add(mix64(arrival as u64)));
        let octave = ((u128::from(random) * u128::from(2 * (self.octaves + 1))) >> 64) as usize;
        let before = arrival.checked_sub(1 << octave.min(self.octaves as usize))?;
        if octave > self.octaves as usize || std::mem::replace(&mut self.returned[before], true) {
            return None;
        }
        Some(octave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each key returns from its latest arrival, and as often as the law says.
    #[test]
    fn gaps_are_those_of_the_latest_arrival() {
        let octaves = 6;
        let mut stream = Stream::new(5, octaves);
        let mut keys: Vec<usize> = Vec::new();
        let mut counts = [0u32; 7];
        let total = 400_000;
        for arrival in 0..total {
            let octave = stream.next();
            let key = octave.map_or(arrival, |octave| keys[arrival - (1 << octave)]);
            if let Some(octave) = octave {
                let latest = keys.iter().rposition(|before| *before == key).unwrap();
                assert_eq!(latest, arrival - (1 << octave));
                counts[octave] += 1;
            }
            keys.push(key);
        }
        let q = share(octaves);
        for (octave, count) in counts.into_iter().enumerate() {
            let expected = f64::from(total as u32) * q * (1.0 - q).powi(octave as i32);
            assert!((f64::from(count) - expected).abs() < 6.0 * expected.sqrt(), "{octave}: {count}, {expected}");
        }
    }

    /// Without returns every arrival is a distinct key: the classic formula at each phase.
    #[test]
    fn phases_of_a_stream_without_returns() {
        let rates = rates_by_phase(1000, 3, 100, 0.0, 5);
        for phase in [0u64, 1, 50, 99] {
            let classic = bloom_theory::fpr::fpr_classic(1000, 3, phase);
            assert!((rates[phase as usize] - classic).abs() < 1e-14);
        }
        assert!(rates_by_phase(1000, 3, 100, 0.1, 5)[99] < rates[99]);
    }
}
