//! One part of the points of a run, so that many machines measure it: `run --shard I/N`, then `merge`.

use std::fmt;
use std::str::FromStr;

use crate::model::Point;

/// More parts than any cluster is asked for at once.
const MOST: u32 = 10_000;

/// Part `number` of `of`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shard {
    number: u32,
    of: u32,
}

impl Shard {
    /// The number of this part, from 1.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many parts there are.
    #[must_use]
    pub fn of(self) -> u32 {
        self.of
    }

    /// What the folder of its run ends with.
    #[must_use]
    pub fn suffix(self) -> String {
        format!("-shard-{}-of-{}", self.number, self.of)
    }

    /// All parts of so many.
    pub fn all(of: u32) -> impl Iterator<Item = Self> {
        (1..=of).map(move |number| Self { number, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) && of <= MOST => Ok(Self { number, of }),
            _ => {
                Err(format!("shard `{text}` is out of range: I/N with I from 1 to N and N at most {MOST}, such as 2/4"))
            }
        }
    }
}

/// The number of the shard of each point.
///
/// It hangs on the definition, the scale and the seed alone: the costliest points first, each to the shard that has
/// the least so far. All timed points of a definition are in one shard, because times of two machines do not go
/// together. The first shard to get something is another one for each definition, or small ones would all meet in one.
#[must_use]
pub fn assign(id: &str, points: &[Point], of: u32) -> Vec<u32> {
    // In whole microseconds: the same sums and the same order on every machine.
    let cost = |point: &Point| (point.cost_ns() * point.rows() as f64 / 1e3).round() as u64;
    let (timed, untimed): (Vec<usize>, Vec<usize>) = (0..points.len()).partition(|index| points[*index].is_timed());
    let mut units: Vec<Vec<usize>> = untimed.into_iter().map(|index| vec![index]).collect();
    if !timed.is_empty() {
        units.push(timed);
    }
    let cost_of = |unit: &Vec<usize>| unit.iter().map(|index| cost(&points[*index])).fold(0, u64::saturating_add);
    units.sort_by_key(|unit| (std::cmp::Reverse(cost_of(unit)), unit[0]));
    let first = (crate::seeds::hash_text(0, id) % u64::from(of)) as u32;
    let mut load: Vec<(u64, u32, u32)> = (0..of).map(|turn| (0, turn, (first + turn) % of + 1)).collect();
    let mut assigned = vec![0; points.len()];
    for unit in units {
        let Some(least) = load.iter_mut().min() else { break };
        least.0 = least.0.saturating_add(cost_of(&unit).max(1));
        unit.into_iter().for_each(|index| assigned[index] = least.2);
    }
    assigned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;
    use crate::spec::{Definition, Scale, expand};

    fn points(definition: &Definition, seed: u64) -> Vec<Point> {
        let specs = expand(definition, &Registry::workspace(), Scale::Smoke, None).unwrap();
        specs.into_iter().map(|spec| Point::new(spec, seed)).collect()
    }

    #[test]
    fn a_shard_is_a_part_of_so_many() {
        for (text, shard) in [("1/1", Some((1, 1))), ("4/4", Some((4, 4))), ("10000/10000", Some((10_000, 10_000)))] {
            let read = text.parse::<Shard>().ok();
            assert_eq!(read.map(|read| (read.number(), read.of())), shard);
            assert_eq!(read.unwrap().to_string(), text);
        }
        for text in ["0/4", "5/4", "1/0", "-1/4", "1", "a/b", "1/10001", "1/4/2", ""] {
            let error = text.parse::<Shard>().unwrap_err();
            assert!(error.contains(&format!("`{text}`")) && error.contains("such as 2/4"), "{error}");
        }
        assert_eq!(Shard::all(3).map(|shard| shard.suffix()).last().unwrap(), "-shard-3-of-3");
    }

    /// Of each definition no shard has more than its part and one unit (a point, or all timed ones): no greedy choice that is
    /// right has. Every point is in a shard, and timed points of a definition are together.
    #[test]
    fn shards_are_balanced_and_times_stay_together() {
        for definition in Definition::builtin().unwrap().into_iter().filter(Definition::is_plain) {
            let points = points(&definition, 1);
            let assigned = assign(&definition.id, &points, 4);
            assert_eq!(assigned, assign(&definition.id, &points, 4));
            let (mut load, mut timed, mut largest) = ([0.0; 4], [0.0; 4], 0.0_f64);
            for (point, number) in points.iter().zip(&assigned) {
                let cost = point.cost_ns() * point.rows() as f64;
                load[*number as usize - 1] += cost;
                if point.is_timed() {
                    timed[*number as usize - 1] += cost;
                } else {
                    largest = largest.max(cost);
                }
            }
            let id = &definition.id;
            assert!(timed.iter().filter(|cost| **cost > 0.0).count() <= 1, "{id}: times in shards {timed:?}");
            let unit = timed.into_iter().fold(largest, f64::max);
            // Costs are added in whole microseconds.
            let most = load.iter().sum::<f64>() / 4.0 + unit + 1e3 * points.len() as f64;
            assert!(load.iter().all(|one| *one <= most), "{id}: {load:?}");
        }
    }

    /// More shards than points: some have none, none has two.
    #[test]
    fn few_points_are_in_shards_of_their_own() {
        let definition = Definition::builtin().unwrap().into_iter().find(|one| one.id == "fpr-vs-k").unwrap();
        let points = points(&definition, 1);
        let mut assigned = assign(&definition.id, &points, 1000);
        assigned.sort_unstable();
        assigned.dedup();
        assert!(assigned.len() == points.len() && assigned.iter().all(|number| (1..=1000).contains(number)));
    }
}
