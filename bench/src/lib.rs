//! What a simulation costs: how to measure it, and how to show what was measured.
//!
//! - `stats.rs`, `interleave.rs`: samples in turn, and what they say: medians with their spread, ratios of neighbours.
//! - `report.rs`: what was measured, as plain data; `targets.rs`: what was wanted.
//! - `table.rs`, `html/`: the report for a terminal and for a browser; JSON is the data itself.
//! - `simulation.rs`: a game's own [`Simulation`](isostep_rollback::Simulation), measured the same way.
//! - `engine.rs`: worlds of whatever make that play the same scenes.
//! - `suite/` (feature `suite`): all rows of `isostep bench`.
//!
//! A program at the rim: it reads the clock and computes with floats, and nothing simulated depends on it.
#![forbid(unsafe_code)]

pub mod engine;
pub mod html;
mod interleave;
mod machine;
mod paths;
mod report;
mod simulation;
mod stats;
#[cfg(feature = "suite")]
pub mod suite;
mod table;
mod targets;

pub use interleave::{Contender, Samples, in_turn, micros};
pub use machine::About;
pub use paths::{ComputePath, compute_paths};
pub use report::{Axis, Bar, Bars, Comparison, Line, Plot, Point, Report, Row, Section, Unit};
pub use simulation::{SimulationBench, simulation};
pub use stats::{Ratio, Spread, quantile};
pub use table::table;
pub use targets::{Aim, Target, Verdict, issue_targets};
