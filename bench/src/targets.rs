//! Performance targets and their verdicts. Lower is better in all of them.

use crate::report::{Report, Row, digits};
use serde::{Deserialize, Serialize};

/// One target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Measured quantity.
    pub measure: String,
    /// Target as text: `≤ 1/30`.
    pub wanted: String,
    /// Target as a number.
    pub limit: f64,
    /// Result, if measured.
    pub measured: Option<f64>,
    /// Verdict.
    pub verdict: Verdict,
}

/// Verdict of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The target is met.
    Met,
    /// The target is missed.
    Missed,
    /// This run has no such row.
    NotMeasured,
}

impl Target {
    /// Compares a result with its limit.
    pub fn new(measure: &str, wanted: &str, limit: f64, measured: Option<f64>) -> Self {
        let verdict = match measured {
            None => Verdict::NotMeasured,
            Some(measured) if measured <= limit => Verdict::Met,
            Some(_) => Verdict::Missed,
        };
        Self { measure: measure.to_owned(), wanted: wanted.to_owned(), limit, measured, verdict }
    }

    /// Result in the notation of the target: as `1/n` if the target is.
    pub fn shown(&self) -> String {
        match self.measured {
            None => "–".to_owned(),
            Some(value) if self.wanted.contains("1/") && value > 0.0 => {
                format!("1/{}", digits(1.0 / value))
            }
            Some(value) if self.wanted.contains('%') => format!("{} %", digits(value * 100.0)),
            Some(value) => digits(value),
        }
    }

    /// Verdict as text, with the factor by which it was missed.
    pub fn words(&self) -> String {
        match (self.verdict, self.measured) {
            (Verdict::Met, _) => "met".to_owned(),
            // "1.00 × the limit" would read as met.
            (Verdict::Missed, Some(value)) if value / self.limit < 1.005 => {
                "missed by less than 1 %".to_owned()
            }
            (Verdict::Missed, Some(value)) => {
                format!("missed, {} × the limit", digits(value / self.limit))
            }
            _ => "not measured".to_owned(),
        }
    }
}

/// Source of a target's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Ratio of a row to a peer.
    Comparison(&'static str, &'static str),
    /// Median of a row.
    Value(&'static str),
    /// Median of the first row divided by that of the second.
    Rows(&'static str, &'static str),
}

const RAPIER: &str = "Rapier 0.36, deterministic";

/// Quantity, limit as text and number, and source.
const WANTED: [(&str, &str, f64, Aim); 21] = [
    (
        "step, pyramid, beside Rapier",
        "≤ 1.00 (stretch 0.80)",
        1.0,
        Aim::Comparison("step/pyramid", RAPIER),
    ),
    ("step, stacks, beside Rapier", "≤ 0.80", 0.8, Aim::Comparison("step/stacks", RAPIER)),
    ("step, bin, beside Rapier", "≤ 0.80", 0.8, Aim::Comparison("step/bin", RAPIER)),
    ("step, arena, beside Rapier", "≤ 0.80", 0.8, Aim::Comparison("step/arena", RAPIER)),
    ("step, stacks, 2 threads", "≤ 0.50", 0.5, Aim::Comparison("step/stacks/2-threads", RAPIER)),
    ("step, bin, 2 threads", "≤ 0.70", 0.7, Aim::Comparison("step/bin/2-threads", RAPIER)),
    (
        "save, pyramid, beside Rapier's clone",
        "≤ 1/30",
        1.0 / 30.0,
        Aim::Comparison("save/pyramid", RAPIER),
    ),
    ("save, stacks", "≤ 1/30", 1.0 / 30.0, Aim::Comparison("save/stacks", RAPIER)),
    ("save, bin", "≤ 1/30", 1.0 / 30.0, Aim::Comparison("save/bin", RAPIER)),
    ("save, arena", "≤ 1/30", 1.0 / 30.0, Aim::Comparison("save/arena", RAPIER)),
    (
        "restore, bin, beside Rapier's clone back",
        "≤ 1/100",
        0.01,
        Aim::Comparison("restore/bin", RAPIER),
    ),
    ("restore, pyramid", "≤ 1/100", 0.01, Aim::Comparison("restore/pyramid", RAPIER)),
    ("rollback by 8, all dirty, bin", "≤ 0.55", 0.55, Aim::Comparison("rollback-8/bin", RAPIER)),
    (
        "rollback by 8, all dirty, pyramid",
        "≤ 0.55",
        0.55,
        Aim::Comparison("rollback-8/pyramid", RAPIER),
    ),
    (
        "rollback by 8, one input of 1,000 bodies in 200 islands, of our full one",
        "≤ 1/20",
        0.05,
        Aim::Rows("rollback/8/1", "rollback/8/full"),
    ),
    ("digest every 8 ticks, of our step", "≤ 5 %", 0.05, Aim::Value("digest/share")),
    ("20,000 asleep and 100 awake, of the 100 alone", "≤ 1.3", 1.3, Aim::Value("growth/asleep")),
    (
        "growth to 20,000 awake, many islands, of linear",
        "≤ 1.15",
        1.15,
        Aim::Value("growth/islands"),
    ),
    ("growth to 20,000 awake, one pile, of linear", "≤ 2", 2.0, Aim::Value("growth/pile")),
    ("bytes an awake body and tick, without contacts", "≤ 250", 250.0, Aim::Value("memory/body")),
    (
        "time of a session, 2 players, beside ggrs",
        "≤ 0.50",
        0.5,
        Aim::Comparison("session/2", "ggrs"),
    ),
];

/// Targets of this project, evaluated on a report.
pub fn project_targets(report: &Report) -> Vec<Target> {
    let number = |aim: Aim| match aim {
        Aim::Comparison(key, peer) => report.row(key)?.ratio_to(peer).map(|ratio| ratio.median),
        Aim::Value(key) => Some(report.row(key)?.ours.median),
        Aim::Rows(key, other) => {
            let median = |row: &Row| row.ours.median;
            Some(median(report.row(key)?) / median(report.row(other)?))
        }
    };
    let target =
        |&(measure, wanted, limit, aim): &_| Target::new(measure, wanted, limit, number(aim));
    WANTED.iter().map(target).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_target_reports_the_factor() {
        let target = |measured| Target::new("save", "≤ 1/30", 1.0 / 30.0, measured);
        assert_eq!(target(Some(1.0 / 50.0)).words(), "met");
        assert_eq!(target(Some(1.0 / 50.0)).shown(), "1/50.0");
        assert_eq!(target(Some(1.0 / 15.0)).words(), "missed, 2.00 × the limit");
        assert_eq!(target(Some(1.004 / 30.0)).words(), "missed by less than 1 %");
        assert_eq!(target(Some(1.006 / 30.0)).words(), "missed, 1.01 × the limit");
        assert_eq!(target(None).words(), "not measured");
        assert_eq!(Target::new("digest", "≤ 5 %", 0.05, Some(0.019)).shown(), "1.90 %");
    }
}
