//! Measurement of simulations, and reports of the results.
//!
//! - `stats.rs`, `interleave.rs`: interleaved samples and their statistics: medians with spread, ratios of neighbours.
//! - `report.rs`: results as plain data; `targets.rs`: goals of the project, on request.
//! - `table.rs`, `html/`: the report for a terminal and for a browser; JSON is the data itself.
//! - `simulation.rs`: measures a game's own [`Simulation`](isostep_rollback::Simulation) the same way.
//! - `engine/`: engines that play the same scenes.
//! - `suite/` (feature `suite`): all rows of `isostep bench`; `command.rs` (feature `command`): its command line.
//!
//! Reads the clock and computes with floats; nothing simulated depends on it.
#![forbid(unsafe_code)]

#[cfg(feature = "command")]
pub mod command;
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
pub use report::{
    Axis, Bar, Bars, Comparison, Line, Plot, Point, Report, Rest, RestOutcome, Row, Section, Unit,
};
pub use simulation::{SimulationBench, simulation};
pub use stats::{Ratio, Spread, quantile};
pub use table::table;
pub use targets::{Aim, Target, Verdict, project_targets};
