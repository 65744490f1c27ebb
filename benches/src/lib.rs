//! Races: contenders do the same work in interleaved rounds, and the table shows ratios.
//!
//! The machines this runs on are noisy, so a time alone says little. Within one run the contenders alternate in
//! short rounds; noise hits all of them, and the median of the rounds' ratios is stable.
//!
//! - `rapier.rs`, `ggrs/`: the peers, behind the traits of `isostep_bench`.
//! - `built_in.rs`: all of them together, for `isostep bench`.

mod built_in;
pub mod ggrs;
pub mod rapier;

pub use built_in::{BuiltIn, RAPIER};

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Duration of one contender's work in one round.
const ROUND: Duration = Duration::from_millis(2);
/// Odd, so that the median is a measured round.
const ROUNDS: usize = 61;

/// Returns true if `cargo bench` selected this bench; it passes its filter to all of them.
pub fn wanted(bench: &str) -> bool {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    filter.is_none_or(|filter| bench.contains(&filter))
}

/// Returns true under `cargo bench`, false in a test.
pub fn is_bench() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// An implementation of some work.
pub struct Contender<'a> {
    name: &'static str,
    work: Box<dyn FnMut() + 'a>,
}

impl<'a> Contender<'a> {
    /// Creates a contender; `work` runs once per call, and its result is kept from being optimised
    /// away.
    pub fn new<R>(name: &'static str, mut work: impl FnMut() -> R + 'a) -> Self {
        Self { name, work: Box::new(move || drop(black_box(work()))) }
    }
}

/// Result of one contender in a race.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the contender.
    pub name: &'static str,
    /// Nanoseconds a unit of work, median of the rounds.
    pub median: f64,
    /// Nanoseconds a unit of work, 90th percentile of the rounds.
    pub p90: f64,
    /// Median over the rounds of this contender's time divided by the first one's.
    pub ratio: f64,
}

/// Runs the contenders in turns; `units` is the number of operations in one call of their work.
pub fn race(units: u32, contenders: Vec<Contender<'_>>) -> Vec<Outcome> {
    let mut contenders = contenders;
    let calls: Vec<u32> = contenders.iter_mut().map(calls_a_round).collect();
    let mut rounds: Vec<Vec<f64>> = vec![Vec::with_capacity(ROUNDS); contenders.len()];
    for _ in 0..ROUNDS {
        for ((contender, &calls), times) in contenders.iter_mut().zip(&calls).zip(&mut rounds) {
            let start = Instant::now();
            for _ in 0..calls {
                (contender.work)();
            }
            let units = f64::from(calls) * f64::from(units);
            times.push(start.elapsed().as_secs_f64() * 1e9 / units);
        }
    }
    let first = rounds[0].clone();
    contenders
        .iter()
        .zip(&rounds)
        .map(|(contender, times)| Outcome {
            name: contender.name,
            median: quantile(times.clone(), 0.5),
            p90: quantile(times.clone(), 0.9),
            ratio: quantile(times.iter().zip(&first).map(|(t, f)| t / f).collect(), 0.5),
        })
        .collect()
}

fn calls_a_round(contender: &mut Contender<'_>) -> u32 {
    let (mut calls, start) = (0, Instant::now());
    while start.elapsed() < ROUND {
        (contender.work)();
        calls += 1;
    }
    calls
}

/// Quantile `q` of the samples.
pub fn quantile(mut samples: Vec<f64>, q: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[((samples.len() - 1) as f64 * q).round() as usize]
}

/// A Markdown table with one row per race: names in the first column, then each contender's time
/// and its ratio to the first.
#[derive(Default)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table with these column titles.
    pub fn new<const N: usize>(header: [&str; N]) -> Self {
        Self { header: header.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    /// Adds a row; missing cells stay empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| {
                let rows = self.rows.iter().map(|row| cell(row, column).chars().count());
                rows.chain([self.header[column].chars().count()]).max().unwrap_or(0)
            })
            .collect();
        let line = |f: &mut fmt::Formatter<'_>, row: &[String]| {
            for (column, &width) in widths.iter().enumerate() {
                let text = cell(row, column);
                if column == 0 {
                    write!(f, "| {text:<width$} ")?;
                } else {
                    write!(f, "| {text:>width$} ")?;
                }
            }
            writeln!(f, "|")
        };
        line(f, &self.header)?;
        for (column, &width) in widths.iter().enumerate() {
            let dashes = "-".repeat(width);
            write!(f, "| {} ", if column == 0 { dashes } else { format!("{}:", &dashes[1..]) })?;
        }
        writeln!(f, "|")?;
        self.rows.iter().try_for_each(|row| line(f, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_work_takes_about_twice_the_time() {
        let work = |n: u64| move || (0..n).fold(0u64, |sum, x| black_box(sum ^ x));
        let outcomes =
            race(1, vec![Contender::new("one", work(1000)), Contender::new("two", work(2000))]);
        assert!((1.2..3.5).contains(&outcomes[1].ratio), "{outcomes:?}");
    }

    #[test]
    fn a_table_is_markdown() {
        let mut table = Table::new(["what", "ns"]);
        table.row(["mul".to_owned(), "1.0".to_owned()]);
        assert_eq!(table.to_string(), "| what |  ns |\n| ---- | --: |\n| mul  | 1.0 |\n");
    }
}
