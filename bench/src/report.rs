//! Results as plain data: sections of rows, plots and targets. All outputs are made from it, and
//! JSON is its serialisation.

use crate::machine::About;
use crate::stats::{Ratio, Spread};
use crate::targets::Target;
use serde::{Deserialize, Serialize};

/// Results of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Machine and build.
    pub about: About,
    /// Rows by topic.
    pub sections: Vec<Section>,
    /// Scenes that must come to rest.
    #[serde(default)]
    pub rests: Vec<Rest>,
    /// Curves.
    pub plots: Vec<Plot>,
    /// Bars.
    pub bars: Vec<Bars>,
    /// Targets and verdicts.
    pub targets: Vec<Target>,
    /// Missing measurements with reasons, and other remarks.
    pub notes: Vec<String>,
}

impl Report {
    /// Row by key.
    pub fn row(&self, key: &str) -> Option<&Row> {
        self.sections.iter().flat_map(|section| &section.rows).find(|row| row.key == key)
    }
}

/// Rows of one topic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Topic.
    pub title: String,
    /// Method, in a sentence or two.
    pub note: String,
    /// The rows.
    pub rows: Vec<Row>,
}

/// One measurement, of ours and of the peers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Stable key for programs: `step/pyramid`.
    pub key: String,
    /// Name for readers.
    pub name: String,
    /// Unit of the numbers.
    pub unit: Unit,
    /// Our result.
    pub ours: Spread,
    /// Results of the peers.
    pub beside: Vec<Comparison>,
}

impl Row {
    /// Creates a row without peers.
    pub fn new(key: impl Into<String>, name: impl Into<String>, unit: Unit, ours: Spread) -> Self {
        Self { key: key.into(), name: name.into(), unit, ours, beside: Vec::new() }
    }

    /// Ratio to the peer whose name has this prefix.
    pub fn ratio_to(&self, name: &str) -> Option<Ratio> {
        self.beside.iter().find(|beside| beside.name.starts_with(name))?.ratio
    }
}

/// Result of a peer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Name of the peer.
    pub name: String,
    /// Its result.
    pub theirs: Spread,
    /// Ours divided by theirs, if meaningful.
    pub ratio: Option<Ratio>,
}

/// A scene that must come to rest, by engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rest {
    /// Stable key for programs: `rest/rod`.
    pub key: String,
    /// Name for readers.
    pub name: String,
    /// Number of moving bodies.
    pub bodies: usize,
    /// Results by engine, ours first.
    pub outcomes: Vec<RestOutcome>,
}

/// One engine's result for a scene that must come to rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RestOutcome {
    /// Name of the engine.
    pub engine: String,
    /// Ticks that were stepped.
    pub ticks: u32,
    /// True if all bodies sleep after them.
    pub asleep: bool,
    /// Speed of the fastest body at the end, mm/s.
    pub fastest: f64,
    /// Deepest overlap at the end, mm.
    pub deepest: f64,
    /// Deepest overlap of all observations, mm.
    pub deepest_ever: f64,
    /// Largest distance of a body from its first place, mm; `None` for scenes whose bodies are dropped.
    pub moved: Option<f64>,
}

/// Title of the table of [`Rest`]s.
pub(crate) const REST_TITLE: &str = "Rest";
/// Method of the table of [`Rest`]s.
pub(crate) const REST_NOTE: &str = "Until every body sleeps by the engine's own rule (ours and Rapier's after half a second below a threshold), with its \
    default settings. Overlaps are computed from the poses every 5 ticks, alike for all engines; \"moved\" is the farthest \
    from its first place, where bodies should stay.";
/// Column titles of the table of [`Rest`]s.
pub(crate) const REST_HEADER: [&str; 6] =
    ["scene", "engine", "asleep", "deepest at the end", "deepest ever", "moved"];

impl Rest {
    /// Cells of the table, by engine: the scene is named in the first row.
    pub(crate) fn cells(&self) -> Vec<[String; 6]> {
        let millimetres = |value: f64| format!("{} mm", digits(value));
        let row = |(i, outcome): (usize, &RestOutcome)| {
            let scene = if i == 0 { self.name.clone() } else { String::new() };
            let asleep = if outcome.asleep {
                format!("tick {}", outcome.ticks)
            } else {
                format!("awake, {} mm/s", digits(outcome.fastest))
            };
            [
                scene,
                outcome.engine.clone(),
                asleep,
                millimetres(outcome.deepest),
                millimetres(outcome.deepest_ever),
                outcome.moved.map_or_else(String::new, millimetres),
            ]
        };
        self.outcomes.iter().enumerate().map(row).collect()
    }
}

/// Unit of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Millionths of a second.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
    /// Millimetres.
    Millimetres,
    /// Millimetres a second.
    MillimetresASecond,
    /// Seconds of the simulation.
    Seconds,
    /// A share, shown as per cent.
    Share,
    /// A multiple of another value.
    Times,
}

impl Unit {
    /// Symbol behind a number.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Microseconds => "µs",
            Self::Nanoseconds => "ns",
            Self::Bytes => "B",
            Self::Millimetres => "mm",
            Self::MillimetresASecond => "mm/s",
            Self::Seconds => "s",
            Self::Share => "%",
            Self::Times => "×",
        }
    }

    /// Formats a number with three significant digits and its unit.
    pub fn show(self, value: f64) -> String {
        let value = if self == Self::Share { value * 100.0 } else { value };
        digits(value)
    }
}

/// Formats a number with three significant digits and thousands separators.
pub(crate) fn digits(value: f64) -> String {
    let size = value.abs();
    if size >= 999.5 {
        let whole = format!("{size:.0}");
        let mut text = if value < 0.0 { "-".to_owned() } else { String::new() };
        for (i, digit) in whole.chars().enumerate() {
            if i > 0 && (whole.len() - i).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        text
    } else if size >= 99.95 {
        format!("{value:.0}")
    } else if size >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// An axis of a plot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// Quantity and unit.
    pub label: String,
    /// True for a logarithmic axis.
    pub log: bool,
}

impl Axis {
    /// Creates a logarithmic axis.
    pub fn log(label: &str) -> Self {
        Self { label: label.to_owned(), log: true }
    }

    /// Creates an axis that starts at zero.
    pub fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), log: false }
    }
}

/// Curves over one pair of axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// Title.
    pub title: String,
    /// Method, or a reading hint.
    pub note: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The curves.
    pub lines: Vec<Line>,
}

/// One curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Name of the curve.
    pub name: String,
    /// Points from left to right.
    pub points: Vec<Point>,
}

/// One point of a curve, with its spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Horizontal position.
    pub x: f64,
    /// The median.
    pub y: f64,
    /// The 10th percentile.
    pub low: f64,
    /// The 90th percentile.
    pub high: f64,
}

impl Point {
    /// Creates a point from a measurement.
    pub const fn of(x: f64, spread: Spread) -> Self {
        Self { x, y: spread.median, low: spread.p10, high: spread.p90 }
    }
}

/// Bars of the same parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bars {
    /// Title.
    pub title: String,
    /// Method, or a reading hint.
    pub note: String,
    /// Unit of the lengths.
    pub unit: Unit,
    /// True if the parts add up to a whole; else they are compared below each other, and rows
    /// repeat the numbers.
    pub stacked: bool,
    /// Names of the parts, in order.
    pub parts: Vec<String>,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Name of the bar.
    pub name: String,
    /// Length of each part; zero if not measured.
    pub values: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits() {
        let shown =
            [0.004, 0.5, 9.994, 9.996, 99.96, 999.4, 999.6, 1_234_567.8, -2500.0].map(digits);
        assert_eq!(
            shown,
            ["0.00", "0.50", "9.99", "10.0", "100", "999", "1,000", "1,234,568", "-2,500"]
        );
        assert_eq!(Unit::Share.show(0.0234), "2.34");
    }
}
