//! Which values an axis labels, and how they are written.

use super::axis::{Axis, Scale};

/// A labelled tick.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Where, in the unit of [`Scale::place`].
    pub place: f64,
    /// The label.
    pub label: String,
}

/// The ticks of one axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ticks {
    /// Labelled, with a grid line.
    pub major: Vec<Tick>,
    /// Unlabelled.
    pub minor: Vec<f64>,
}

/// Slack for values that fall on the end of an axis but for rounding.
const SLACK: f64 = 1e-9;

/// A linear axis labels at least this many values if it can.
const FEWEST: usize = 3;
/// Room for so many labels per decade is room for all minor ticks.
const DENSE: f64 = 1.5;
/// The least distance of two labels, in that of as many as are wanted.
const CLOSEST: f64 = 0.7;
/// An axis of whole numbers marks each of them if there are no more.
const MOST_WHOLE: f64 = 40.0;

/// Ticks between two places of an axis, with about `wanted` labels and never none.
pub fn ticks(axis: &Axis, places: (f64, f64), wanted: usize) -> Ticks {
    let wanted = wanted.max(2);
    match &axis.scale {
        Scale::Categories(names) => Ticks {
            major: names.iter().enumerate().map(|(i, n)| Tick { place: i as f64, label: n.clone() }).collect(),
            minor: Vec::new(),
        },
        Scale::Linear => linear(axis, places, wanted),
        Scale::Log10 => log10(axis, places, wanted),
        Scale::Log2 => log2(axis, places, wanted),
    }
}

/// Multiples of `step` within the places, by their whole factor.
fn multiples((low, high): (f64, f64), step: f64) -> impl Iterator<Item = i64> {
    let slack = SLACK * (high - low) / step;
    ((low / step - slack).ceil() as i64)..=((high / step + slack).floor() as i64)
}

/// The step of 1, 2 or 5 times a power of ten that gives at most `wanted` ticks.
fn nice_step(span: f64, wanted: usize, whole: bool) -> f64 {
    let raw = span / wanted as f64;
    let power = 10f64.powi(raw.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0].map(|f| f * power).into_iter().find(|&s| s >= raw * (1.0 - SLACK));
    let step = step.unwrap_or(10.0 * power);
    if whole { step.max(1.0) } else { step }
}

fn linear(axis: &Axis, (low, high): (f64, f64), wanted: usize) -> Ticks {
    let mut step = nice_step(high - low, wanted, axis.integers);
    if multiples((low, high), step).count() < FEWEST {
        step = nice_step(high - low, wanted.max(FEWEST + 1), axis.integers);
    }
    let label = labeller(axis.percent, step, low.abs().max(high.abs()));
    let major = multiples((low, high), step)
        .map(|i| i as f64 * step)
        .map(|place| Tick { place, label: label(place) })
        .collect();
    let whole = axis.integers && step > 1.0 && high - low <= MOST_WHOLE;
    let between = |i: &i64| i.rem_euclid(step as i64) != 0;
    let minor =
        if whole { multiples((low, high), 1.0).filter(between).map(|i| i as f64).collect() } else { Vec::new() };
    Ticks { major, minor }
}

/// Writes values with the decimals that a step needs, or as a power of ten when they would be too long.
fn labeller(percent: bool, step: f64, largest: f64) -> impl Fn(f64) -> String {
    let factor = if percent { 100.0 } else { 1.0 };
    let decimals = (-(step * factor).log10() - SLACK).ceil().max(0.0) as usize;
    let long = !percent && (largest >= 1e6 || decimals > 4);
    let power = largest.log10().floor() as i32;
    let mantissa_decimals = (f64::from(power) - step.log10() - SLACK).ceil().max(0.0) as usize;
    move |value: f64| {
        if value.abs() < step * SLACK {
            return if percent { "0%".to_owned() } else { "0".to_owned() };
        }
        if long {
            let mantissa = value / 10f64.powi(power);
            return minus(&format!("{mantissa:.mantissa_decimals$}×{}", power_label(10, power)));
        }
        let text = minus(&format!("{:.decimals$}", value * factor));
        if percent { text + "%" } else { text }
    }
}

fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// A power with its exponent raised: 10⁻⁵.
fn power_label(base: u32, exponent: i32) -> String {
    let digits = exponent.to_string();
    let raised = digits.chars().map(|c| match c {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁻',
    });
    format!("{base}{}", raised.collect::<String>())
}

/// Whether every decade between the exponents reads well as a plain number.
fn plain(low: f64, high: f64) -> bool {
    low >= -2.0 - SLACK && high <= 3.0 + SLACK
}

fn log10(axis: &Axis, (low, high): (f64, f64), wanted: usize) -> Ticks {
    let inside = |place: f64| place >= low - SLACK && place <= high + SLACK;
    let decades = multiples((low, high), 1.0).count();
    let mantissas = |set: &[f64]| -> Vec<f64> {
        ((low.floor() as i32 - 1)..=(high.ceil() as i32))
            .flat_map(|e| set.iter().map(move |&m| m * 10f64.powi(e)).collect::<Vec<_>>())
            .filter(|v| inside(v.log10()))
            .collect()
    };
    if decades >= 3 || (decades >= 2 && wanted <= 3) {
        let stride = decades.div_ceil(wanted) as i64;
        let is_plain = plain(low.ceil(), high.floor());
        let major = multiples((low, high), 1.0)
            .filter(|i| i.rem_euclid(stride) == 0)
            .map(|i| Tick { place: i as f64, label: decade_label(axis.percent, is_plain, i as i32) })
            .collect();
        let minor = if stride == 1 {
            {
                // Where decades are short, eight minor ticks in each would run together.
                let dense = wanted as f64 >= DENSE * decades as f64;
                let set: &[f64] = if dense { &[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0] } else { &[2.0, 5.0] };
                mantissas(set).into_iter().map(f64::log10).collect()
            }
        } else {
            multiples((low, high), 1.0).filter(|i| i.rem_euclid(stride) != 0).map(|i| i as f64).collect()
        };
        return Ticks { major, minor };
    }
    let all: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    let sets: [&[f64]; 4] = [&all, &[1.0, 2.0, 3.0, 5.0], &[1.0, 2.0, 5.0], &[1.0, 3.0]];
    // Few enough, and none so near the next one that they touch: 9 and 10 are a fifth of the way from 1 to 2.
    let apart = |values: &[f64]| {
        let room = |pair: &[f64]| (pair[1] / pair[0]).log10() / (high - low) * wanted as f64;
        values.windows(2).all(|pair| wanted <= 3 || room(pair) >= CLOSEST)
    };
    let chosen = sets.iter().map(|set| mantissas(set)).find(|v| v.len() <= wanted.max(3) && v.len() >= 2 && apart(v));
    let minor = |values: &[f64]| {
        let taken = |m: f64| values.iter().any(|v| (v / m - 1.0).abs() < SLACK);
        mantissas(&all).into_iter().filter(|&m| !taken(m)).map(f64::log10).collect()
    };
    match chosen {
        Some(values) if high - low > 0.3 => {
            let major = values
                .iter()
                .map(|&v| Tick { place: v.log10(), label: value_label(axis.percent, plain(low, high), v) })
                .collect();
            Ticks { major, minor: minor(&values) }
        }
        _ => even_values(axis, (low, high), wanted),
    }
}

/// Evenly spaced values on an axis too short for powers and mantissas.
fn even_values(axis: &Axis, (low, high): (f64, f64), wanted: usize) -> Ticks {
    let values = (axis.scale.value(low), axis.scale.value(high));
    let mut ticks = linear(axis, values, wanted.min(5));
    for tick in &mut ticks.major {
        tick.place = axis.scale.place(tick.place);
    }
    ticks.major.retain(|t| t.place.is_finite());
    ticks
}

fn decade_label(percent: bool, is_plain: bool, exponent: i32) -> String {
    if percent || is_plain {
        return value_label(percent, true, 10f64.powi(exponent));
    }
    match exponent {
        0 => "1".to_owned(),
        _ => power_label(10, exponent),
    }
}

/// A value of one significant digit.
fn value_label(percent: bool, is_plain: bool, value: f64) -> String {
    let shown = if percent { value * 100.0 } else { value };
    let exponent = (shown.log10() + SLACK).floor() as i32;
    if percent || is_plain {
        let decimals = (-exponent).max(0) as usize;
        let text = format!("{shown:.decimals$}");
        return if percent { text + "%" } else { text };
    }
    let digit = (shown / 10f64.powi(exponent)).round();
    if digit == 1.0 { power_label(10, exponent) } else { format!("{digit}×{}", power_label(10, exponent)) }
}

fn log2(axis: &Axis, (low, high): (f64, f64), wanted: usize) -> Ticks {
    let octaves = multiples((low, high), 1.0).count();
    if octaves < 2 {
        return even_values(axis, (low, high), wanted);
    }
    let stride = octaves.div_ceil(wanted) as i64;
    let is_plain = low >= -6.0 - SLACK && high <= 14.0 + SLACK;
    let label = |exponent: i32| {
        if is_plain && !axis.percent {
            let value = f64::from(exponent).exp2();
            if exponent < 0 { format!("1/{}", 1.0 / value) } else { format!("{value}") }
        } else {
            power_label(2, exponent)
        }
    };
    let (kept, rest): (Vec<i64>, Vec<i64>) = multiples((low, high), 1.0).partition(|i| i.rem_euclid(stride) == 0);
    Ticks {
        major: kept.into_iter().map(|i| Tick { place: i as f64, label: label(i as i32) }).collect(),
        minor: rest.into_iter().map(|i| i as f64).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, low: f64, high: f64, wanted: usize) -> Vec<String> {
        let places = (axis.scale.place(low), axis.scale.place(high));
        ticks(axis, places, wanted).major.into_iter().map(|t| t.label).collect()
    }

    #[test]
    fn decades_are_raised() {
        let axis = Axis::log10("FPR");
        assert_eq!(labels(&axis, 1e-6, 1.0, 8), ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"]);
        assert_eq!(labels(&axis, 0.01, 10.0, 8), ["0.01", "0.1", "1", "10"]);
        assert_eq!(labels(&axis, 1e-12, 1.0, 5).len(), 5);
    }

    #[test]
    fn less_than_a_decade_is_still_labelled() {
        let axis = Axis::log10("ns");
        assert_eq!(labels(&axis, 2.0, 8.0, 5), ["2", "3", "5"]);
        assert_eq!(labels(&axis, 2.0, 8.0, 8), ["2", "3", "4", "5", "6", "7", "8"]);
        assert!(labels(&axis, 1.04, 1.21, 5).len() >= 3);
        assert!(labels(&axis, 2.2, 2.9, 4).len() >= 2);
        assert_eq!(labels(&axis, 2e-5, 8e-5, 4), ["2×10⁻⁵", "3×10⁻⁵", "5×10⁻⁵"]);
        assert_eq!(labels(&axis, 3.1e-5, 3.4e-5, 4), ["3.1×10⁻⁵", "3.2×10⁻⁵", "3.3×10⁻⁵", "3.4×10⁻⁵"]);
    }

    /// Where all mantissas would have room but for those below a power of ten, fewer are labelled.
    #[test]
    fn labels_of_mantissas_do_not_touch() {
        let axis = Axis::log10("FPR");
        assert_eq!(labels(&axis, 3.8e-3, 2.3e-2, 10), ["5×10⁻³", "10⁻²", "2×10⁻²"], "9×10⁻³ would lie on 10⁻²");
    }

    #[test]
    fn percent_stands_on_the_labels() {
        assert_eq!(labels(&Axis::log10("FPR").percent(), 1e-4, 0.1, 6), ["0.01%", "0.1%", "1%", "10%"]);
        assert_eq!(labels(&Axis::linear("load").percent(), 0.0, 1.0, 5), ["0%", "20%", "40%", "60%", "80%", "100%"]);
    }

    #[test]
    fn linear_steps_are_round() {
        assert_eq!(labels(&Axis::linear("k"), -0.1, 0.1, 4), ["−0.10", "−0.05", "0", "0.05", "0.10"]);
        assert_eq!(labels(&Axis::linear("k").integers(), 1.0, 3.0, 8), ["1", "2", "3"]);
        assert_eq!(labels(&Axis::linear("n"), 0.0, 3e7, 3), ["0", "1×10⁷", "2×10⁷", "3×10⁷"]);
    }

    #[test]
    fn octaves() {
        assert_eq!(labels(&Axis::log2("k"), 0.5, 16.0, 8), ["1/2", "1", "2", "4", "8", "16"]);
        assert_eq!(labels(&Axis::log2("n"), 1024.0, 1_048_576.0, 6), ["2¹⁰", "2¹²", "2¹⁴", "2¹⁶", "2¹⁸", "2²⁰"]);
        assert!(labels(&Axis::log2("n"), 1.1, 1.9, 6).len() >= 2);
    }

    #[test]
    fn every_span_has_ticks_in_order() {
        for axis in [Axis::linear("a"), Axis::log10("b"), Axis::log2("c")] {
            for low in [1e-12, 0.013, 0.9, 7.0, 123_456.0] {
                for ratio in [1.01, 1.2, 1.9, 3.0, 9.0, 25.0, 1e3, 1e9] {
                    for wanted in 2..9 {
                        let places = (axis.scale.place(low), axis.scale.place(low * ratio));
                        let found = ticks(&axis, places, wanted);
                        let case = format!("{} {low} {ratio} {wanted} {found:?}", axis.label);
                        assert!(!found.major.is_empty() && found.major.len() <= wanted + 4, "{case}");
                        assert!(found.major.windows(2).all(|w| w[0].place < w[1].place), "{case}");
                    }
                }
            }
        }
    }
}
