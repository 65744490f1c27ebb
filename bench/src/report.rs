//! What was measured, as plain data: sections of rows, plots, and what was wanted. All outputs are made of this, and JSON is
//! this itself.

use crate::machine::About;
use crate::stats::{Ratio, Spread};
use crate::targets::Target;
use serde::{Deserialize, Serialize};

/// Everything of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// With what it was measured.
    pub about: About,
    /// Rows by what they are about.
    pub sections: Vec<Section>,
    /// Curves.
    pub plots: Vec<Plot>,
    /// Bars.
    pub bars: Vec<Bars>,
    /// What was wanted, and whether it was met.
    pub targets: Vec<Target>,
    /// What was not measured, and why; what else to know.
    pub notes: Vec<String>,
}

impl Report {
    /// A row by its key.
    pub fn row(&self, key: &str) -> Option<&Row> {
        self.sections.iter().flat_map(|section| &section.rows).find(|row| row.key == key)
    }
}

/// Rows that belong together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// What they are about.
    pub title: String,
    /// How they were measured, in a sentence or two.
    pub note: String,
    /// The rows.
    pub rows: Vec<Row>,
}

/// One thing that was measured, of us and of whoever stands beside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// A name that stays, for programs: `step/pyramid`.
    pub key: String,
    /// A name for people.
    pub name: String,
    /// What the numbers count.
    pub unit: Unit,
    /// What we took.
    pub ours: Spread,
    /// What others took for the same.
    pub beside: Vec<Comparison>,
}

impl Row {
    /// A row of ours alone.
    pub fn new(key: impl Into<String>, name: impl Into<String>, unit: Unit, ours: Spread) -> Self {
        Self { key: key.into(), name: name.into(), unit, ours, beside: Vec::new() }
    }

    /// The ratio to a peer whose name begins so.
    pub fn ratio_to(&self, name: &str) -> Option<Ratio> {
        self.beside.iter().find(|beside| beside.name.starts_with(name))?.ratio
    }
}

/// What another took for the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Who.
    pub name: String,
    /// What it took.
    pub theirs: Spread,
    /// Ours divided by theirs, if that says something.
    pub ratio: Option<Ratio>,
}

/// What numbers count.
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
    /// So many times something else.
    Times,
}

impl Unit {
    /// As it stands behind a number.
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

    /// A number of this unit, with three digits that matter.
    pub fn show(self, value: f64) -> String {
        let value = if self == Self::Share { value * 100.0 } else { value };
        digits(value)
    }
}

/// A number with three digits that matter, and thousands apart.
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
    /// What it counts, with the unit.
    pub label: String,
    /// Whether equal distances are equal factors.
    pub log: bool,
}

impl Axis {
    /// An axis on which equal distances are equal factors.
    pub fn log(label: &str) -> Self {
        Self { label: label.to_owned(), log: true }
    }

    /// An axis that begins at zero.
    pub fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), log: false }
    }
}

/// Curves over one pair of axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// How it was measured, or what to look for.
    pub note: String,
    /// Across.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// The curves.
    pub lines: Vec<Line>,
}

/// One curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// What it is of.
    pub name: String,
    /// From left to right.
    pub points: Vec<Point>,
}

/// One point of a curve, with its spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Across.
    pub x: f64,
    /// The median.
    pub y: f64,
    /// The 10th percentile.
    pub low: f64,
    /// The 90th percentile.
    pub high: f64,
}

impl Point {
    /// Of what was measured at a place.
    pub const fn of(x: f64, spread: Spread) -> Self {
        Self { x, y: spread.median, low: spread.p10, high: spread.p90 }
    }
}

/// Bars of the same parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bars {
    /// What it shows.
    pub title: String,
    /// How it was measured, or what to look for.
    pub note: String,
    /// What the lengths count.
    pub unit: Unit,
    /// Whether the parts make a whole; else they stand one below the other to be compared, and rows have the numbers, too.
    pub stacked: bool,
    /// Names of the parts, in their order.
    pub parts: Vec<String>,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// How long each part is; zero for what was not measured.
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
