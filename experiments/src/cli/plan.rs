//! `plan`: which filter to take for so many keys.

use clap::Args;
use hashing::KeyKind;

use crate::cli::output::{Cell, Format, Table};
use crate::cli::theory::claim_text;
use crate::cli::{emit, note, values};
use crate::compare::{Asked, Comparison, Row, default_family};
use crate::error::HarnessError;
use crate::keys::Workload;
use crate::plan::{Candidate, Ranking, Wish, grouped};
use crate::registry::Registry;
use crate::snippet;

/// What the ranking means; part of the help.
pub const MEANING: &str = "\
Variants are ranked by bits for each key where a rate is asked for, by predicted rate where there is only a budget. Sizes \
and rates are those of `theory`: bits are allocated bits, and the rate is the one at the whole parameters taken, which may \
be up to 5 % above the asked one (a Bloom filter for 1 % has 7 probes and 1.004 %).

Without --static only filters that take keys one by one are listed, without --stream only filters that never forget. \
What is left out, and why, is said on stderr.

--budget is bits in all, not for each key: 8e6 is a megabyte. With --fpr it drops what does not fit; alone it gives the \
lowest rate in that space.

--measure builds the three best ones as `compare` does and holds them against the prediction. With --stream it takes as \
many arrivals as the filter needs to come to its stable rate.";

/// Candidates that `--measure` measures.
const MEASURED: usize = 3;

/// Options of `plan`.
#[derive(Clone, Debug, Args)]
pub struct PlanArgs {
    /// Keys the filter is to hold: 1000000, 1e6, 10_000, 2^20; with --stream, arrivals that it remembers a key for
    #[arg(long, value_name = "N", value_parser = values::keys, allow_hyphen_values = true)]
    pub keys: u64,
    /// False-positive rate, above 0 and below 1
    #[arg(long, value_name = "P", value_parser = values::fpr, allow_hyphen_values = true)]
    pub fpr: Option<f64>,
    /// Keys are taken out again
    #[arg(long)]
    pub delete: bool,
    /// Keys arrive without end: only filters that forget
    #[arg(long)]
    pub stream: bool,
    /// All keys are known beforehand: also filters that are built once
    #[arg(long = "static")]
    pub fixed: bool,
    /// The filter is sent: the size on the wire counts
    #[arg(long)]
    pub transmit: bool,
    /// Bits in all, at the most: 8000000, 8e6, 2^23
    #[arg(long, value_name = "BITS", value_parser = values::budget, allow_hyphen_values = true)]
    pub budget: Option<u64>,
    /// Confirm the best ones by measuring
    #[arg(long)]
    pub measure: bool,
    /// Print Rust that builds the best one, or the one of this id, instead of the table
    #[arg(long, value_name = "CONTENDER", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["measure", "format"])]
    pub snippet: Option<String>,
    /// The root of every random choice of --measure
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The columns; the last three are there with `--measure`.
pub const COLUMNS: &[&str] = &[
    "contender",
    "bits_per_key",
    "k",
    "m",
    "fingerprint_bits",
    "predicted_fpr",
    "claim",
    "bits",
    "params",
    "measured_bits_per_key",
    "measured_fpr",
    "verdict",
];

/// Ranks, and prints the table or the snippet.
///
/// # Errors
/// [`HarnessError::Usage`] for a wish that no variant can meet, [`HarnessError::LawViolated`] when one broke a law.
pub fn plan(registry: &Registry, args: &PlanArgs) -> Result<(), HarnessError> {
    let wish = Wish {
        keys: args.keys,
        fpr: args.fpr,
        budget: args.budget,
        delete: args.delete,
        stream: args.stream,
        fixed: args.fixed,
        transmit: args.transmit,
    };
    let ranking = Ranking::new(registry, &wish)?;
    if let Some(id) = &args.snippet {
        let chosen = ranking.choose(registry, Some(id.as_str()).filter(|id| !id.is_empty()))?;
        let id = chosen.contender.id;
        let text = snippet::rust(chosen, wish.keys).map_err(|error| HarnessError::Usage(format!("{id}: {error}")))?;
        say_forgetting(chosen, wish.keys);
        return emit(text.as_bytes());
    }
    if !ranking.left_out.is_empty() {
        note(&format!("left out:\n{}", grouped(&ranking.left_out)));
    }
    ranking.candidates.iter().for_each(|candidate| say_forgetting(candidate, wish.keys));
    let measured = if args.measure { Some(measure(&ranking, &wish, args.seed)?) } else { None };
    let mut table = Table::new(if measured.is_some() { COLUMNS } else { &COLUMNS[..COLUMNS.len() - 3] });
    for candidate in &ranking.candidates {
        let mut row = cells(candidate, wish.keys);
        let found = measured.iter().flatten().find(|row| row.contender == candidate.contender.id);
        row.extend(found.map(|found| confirmed(found, wish.keys)).into_iter().flatten());
        table.push(row);
    }
    table.print(args.format, Some(5))?;
    let broken: Vec<String> = measured.iter().flatten().filter_map(Row::broken_law).collect();
    if broken.is_empty() { Ok(()) } else { Err(HarnessError::LawViolated(broken.join("\n"))) }
}

fn say_forgetting(candidate: &Candidate, keys: u64) {
    if let Some(line) = candidate.forgets(keys) {
        note(&line);
    }
}

fn cells(candidate: &Candidate, keys: u64) -> Vec<Cell> {
    let count = |name: &str| Cell::maybe_count(candidate.value(name).map(|value| value as u64));
    vec![
        Cell::text(candidate.contender.id),
        Cell::Real(candidate.bits_per_key),
        count("k"),
        count("m"),
        count("fingerprint_bits"),
        Cell::Real(candidate.prediction.rate),
        Cell::text(claim_text(candidate.prediction.claim)),
        Cell::Integer(candidate.bits(keys)),
        Cell::Json(candidate.params.clone()),
    ]
}

/// The measured side of a row.
fn confirmed(row: &Row, keys: u64) -> [Cell; 3] {
    let bits = row.counts.map(|counts| counts.bits as f64 / keys as f64);
    let judged = row.judgement;
    [
        Cell::maybe(bits),
        Cell::maybe(judged.and_then(|judgement| judgement.fpr)),
        Cell::text(judged.map_or(row.outcome, |judgement| judgement.verdict.name())),
    ]
}

/// The best candidates side by side, on common keys.
fn measure(ranking: &Ranking, wish: &Wish, seed: u64) -> Result<Vec<Row>, HarnessError> {
    let best = &ranking.candidates[..ranking.candidates.len().min(MEASURED)];
    // Filters that forget are asked once they have come to their stable rate.
    let settled = best.iter().filter_map(|one| one.value("arrivals_to_converge")).fold(0.0, f64::max) as u64;
    let asked = Asked {
        workload: Workload::Random,
        keys: if wish.stream { wish.keys.max(settled) } else { wish.keys },
        family: default_family(KeyKind::Integer),
        seed,
        filters: None,
        probes: None,
        hit_share: 0.5,
    };
    let contenders = best.iter().map(|one| (one.contender, Ok(one.params.clone()))).collect();
    Ok(Comparison::measure(&asked, contenders, &|line| note(line))?.rows().to_vec())
}
