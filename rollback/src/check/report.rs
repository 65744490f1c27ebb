//! Results of a check: a row for each path of each variant, and the differences.

use super::digests::Digests;
use super::paths::TickPath;
use crate::Tick;
use crate::player::PlayerId;
use crate::replay::ReplayError;
use core::fmt;
use isostep_core::digest::ShortDigest;
use isostep_core::state::{RestoreError, StateDifference, StateError};

/// Error that ends a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The state can't be saved, loaded or digested; the error names the path of a float or a hash map.
    #[error(transparent)]
    State(#[from] StateError),
    /// A snapshot can't be restored.
    #[error("the snapshot of the state can't be restored: {0}")]
    Restore(#[from] RestoreError),
    /// The match can't be recorded, or the recording can't be played.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A session refuses an input of the script.
    #[error("a session refuses this input: {0}")]
    Session(String),
    /// The script gives more commands than fit into a tick.
    #[error(
        "the commands of {player} take {bytes} bytes, and a tick carries at most 1024: a session would spread them over \
         several ticks; give fewer or shorter ones in the script"
    )]
    Commands {
        /// The seat.
        player: PlayerId,
        /// Bytes of its commands, with overhead.
        bytes: usize,
    },
}

/// A differing field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDifference {
    /// Section of the state, such as `state` or `world.bodies`.
    pub section: String,
    /// The field, with the value of the run as `local` and that of the reference as `remote`.
    pub field: StateDifference,
}

/// First difference of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Newest compared tick that is equal; `None` if the first state differs.
    pub agreed: Option<Tick>,
    /// First differing tick.
    pub tick: Tick,
    /// Differing sections, causes before effects.
    pub sections: Vec<String>,
    /// Differing fields: at most 6 of a section and 16 in all. Empty if the difference was [not
    /// reproduced](Self::reproduced).
    pub fields: Vec<FieldDifference>,
    /// There are more differing fields.
    pub more: bool,
    /// The difference was reproduced. If not, the game differs from run to run at random.
    pub reproduced: bool,
}

/// Outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// All compared states equal the reference.
    Equal,
    /// A state differs from the reference.
    Differs(Box<Difference>),
    /// The state does not support this path.
    Refused {
        /// Tick of the error.
        tick: Tick,
        /// The error.
        error: CheckError,
    },
    /// Not run, since the reference failed.
    NotRun,
}

/// One path of one variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Name of the variant.
    pub variant: String,
    /// Path to its ticks.
    pub path: TickPath,
    /// Newest tick reached; the first differing tick, if there is one.
    pub ticks: Tick,
    /// Digest of the last tick, if it was reached and is equal.
    pub digest: Option<ShortDigest>,
    /// Duration by the caller's clock, in nanoseconds; 0 without a clock.
    pub nanos: u64,
    /// Outcome of the run.
    pub outcome: Outcome,
}

/// Report of a check. It prints as a table, followed by the differences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Rows by variant and path; the first is the reference.
    pub rows: Vec<Row>,
    pub(super) digests: Digests,
    pub(super) ticks: u32,
}

impl Difference {
    /// Returns the likely cause. Before the first tick nothing was stepped, so only the construction can differ.
    const fn hint(&self, path: TickPath) -> &'static str {
        match path {
            TickPath::Straight | TickPath::Interleaved if self.tick.0 == 0 => {
                "`make` does not return the same game each time: it must not depend on randomness, a clock, an address, a \
                 static or the number of calls"
            }
            path => path.hint(),
        }
    }
}

impl Report {
    /// Returns true if all runs equal the reference.
    pub fn is_equal(&self) -> bool {
        self.rows.iter().all(|row| row.outcome == Outcome::Equal)
    }

    /// Returns the digests of the reference, to compare with those of another machine.
    pub const fn digests(&self) -> &Digests {
        &self.digests
    }

    /// Returns the rows that differ or failed.
    pub fn findings(&self) -> impl Iterator<Item = &Row> {
        let is_finding = |row: &&Row| !matches!(row.outcome, Outcome::Equal | Outcome::NotRun);
        self.rows.iter().filter(is_finding)
    }

    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Digests { game, script, seed, players, .. } = &self.digests;
        let reference_ticks = [game.as_str(), script.as_str()];
        for name in reference_ticks.into_iter().filter(|name| !name.is_empty()) {
            write!(f, "{name}, ")?;
        }
        let (runs, ticks) = (self.rows.len(), self.ticks);
        writeln!(f, "players: {players}, ticks: {ticks}, seed: {seed}, runs: {runs}")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head(f)?;
        let timed = self.rows.iter().any(|row| row.nanos > 0);
        let mut lines = vec![Line::head(timed)];
        let rows = self.rows.iter().enumerate();
        lines.extend(rows.map(|(index, row)| Line::of(row, index == 0, timed)));
        let widths: Vec<usize> = (0..RIGHT.len())
            .map(|column| lines.iter().map(|line| line.0[column].chars().count()).max())
            .map(Option::unwrap_or_default)
            .collect();
        for Line(cells) in &lines {
            let columns =
                cells.iter().zip(&widths).zip(RIGHT).filter(|((_, width), _)| **width > 0);
            let pad = |((cell, &width), right): ((&String, &usize), bool)| {
                if right { format!("  {cell:>width$}") } else { format!("  {cell:<width$}") }
            };
            writeln!(f, "{}", columns.map(pad).collect::<String>().trim_end())?;
        }
        let mut hinted = None;
        let first = self.rows.first().map(|row| &row.variant);
        // A game that differs without a variant differs for the same reason in all of them.
        let only_first = self.rows.iter().any(|row| {
            let differs = matches!(row.outcome, Outcome::Differs(_));
            differs && row.path == TickPath::Interleaved && Some(&row.variant) == first
        });
        for row in self.findings() {
            write!(f, "\n{row}")?;
            // The first failing path of a variant is the simplest, and its hint the most specific.
            let Outcome::Differs(difference) = &row.outcome else { continue };
            let has_hint = !only_first || Some(&row.variant) == first;
            if hinted.replace(&row.variant) != Some(&row.variant) && has_hint {
                writeln!(f, "  likely: {}", difference.hint(row.path))?;
            }
        }
        Ok(())
    }
}

/// Right-aligned columns: numbers.
const RIGHT: [bool; 6] = [false, false, true, true, false, false];

/// A line of the table: variant, path, ticks, milliseconds, digest, result.
struct Line([String; 6]);

impl Line {
    fn head(timed: bool) -> Self {
        let millis = if timed { "ms" } else { "" };
        Self(["variant", "path", "ticks", millis, "digest", "result"].map(str::to_owned))
    }

    fn of(row: &Row, first: bool, timed: bool) -> Self {
        let result = match &row.outcome {
            Outcome::Equal if first => "the reference".to_owned(),
            Outcome::Equal => "equal".to_owned(),
            Outcome::Differs(difference) => format!("differs on tick {}", difference.tick),
            Outcome::Refused { tick, .. } => format!("refused on tick {tick}"),
            Outcome::NotRun => "not run".to_owned(),
        };
        let millis = if timed { (row.nanos / 1_000_000).to_string() } else { String::new() };
        let digest = row.digest.map_or_else(|| "-".to_owned(), |digest| digest.to_string());
        Self([
            row.variant.clone(),
            row.path.name().to_owned(),
            row.ticks.to_string(),
            millis,
            digest,
            result,
        ])
    }
}

/// Prints the difference or the error; nothing if the run is equal.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variant, path, .. } = self;
        match &self.outcome {
            Outcome::Equal | Outcome::NotRun => Ok(()),
            Outcome::Refused { tick, error } => {
                writeln!(f, "{variant}, {path}: refused on tick {tick}")?;
                writeln!(f, "  {error}")
            }
            Outcome::Differs(difference) => {
                let Difference { agreed, tick, sections, fields, more, reproduced } = &**difference;
                write!(f, "{variant}, {path}: tick {tick} is the first that differs")?;
                match agreed {
                    Some(agreed) => writeln!(f, "; tick {agreed} is the same")?,
                    None => writeln!(f)?,
                }
                for FieldDifference { section, field } in fields {
                    let StateDifference { entity, field, local, remote } = field;
                    writeln!(
                        f,
                        "  in {section}: {entity}, {field}: {local}, and {remote} in the reference"
                    )?;
                }
                if fields.is_empty() {
                    writeln!(f, "  in {}", sections.join(", "))?;
                } else if *more {
                    writeln!(f, "  and more, in {}", sections.join(", "))?;
                }
                if !reproduced {
                    let chance =
                        "the difference was not reproduced: the game differs from run to run";
                    writeln!(f, "  {chance}")?;
                }
                Ok(())
            }
        }
    }
}
