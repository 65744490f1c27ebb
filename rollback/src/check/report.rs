//! What a check has found: a row for each way of each variant, and what differs where something does.

use super::digests::Digests;
use super::paths::TickPath;
use crate::player::PlayerId;
use crate::replay::ReplayError;
use crate::tick::Tick;
use core::fmt;
use isostep_core::digest::ShortDigest;
use isostep_core::state::{RestoreError, StateDifference, StateError};

/// Why a way could not be gone to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The state can't be saved, loaded or digested; a float or a hash map is reference_ticks by its path.
    #[error(transparent)]
    State(#[from] StateError),
    /// What was written as bytes can't be read.
    #[error("the state was written as bytes and can't be read back: {0}")]
    Restore(#[from] RestoreError),
    /// It can't be recorded, or the recording can't be played.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A session does not take what the script says.
    #[error("a session does not take this input: {0}")]
    Session(String),
    /// The script gives more commands than a tick carries.
    #[error(
        "the commands of {player} take {bytes} bytes, and a tick carries at most 1024: a session would spread them over \
         several ticks; give fewer or shorter ones in the script"
    )]
    Commands {
        /// Whose.
        player: PlayerId,
        /// How many, with what is sent around them.
        bytes: usize,
    },
}

/// A field that came out otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDifference {
    /// The section of the state that it is in, like `state` or `world.bodies`.
    pub section: String,
    /// Which field: `local` is what came out, `remote` what the reference has.
    pub field: StateDifference,
}

/// What came out otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The newest tick that was compared and is the same; `None` if the first state differs.
    pub agreed: Option<Tick>,
    /// The first tick that differs.
    pub tick: Tick,
    /// The sections that differ there, causes before effects.
    pub sections: Vec<String>,
    /// The fields that differ there: at most 6 of a section and 16 in all. Empty if it
    /// [did not happen again](Self::again).
    pub fields: Vec<FieldDifference>,
    /// Whether more fields differ than these.
    pub more: bool,
    /// Whether it happened again when it was looked for. If not, the game differs from run to run by chance.
    pub reproduced: bool,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Everything that was compared is the same as straight in the first variant.
    Equal,
    /// Something is not.
    Differs(Box<Difference>),
    /// The state is not one that this can be done with.
    Refused {
        /// On which tick.
        tick: Tick,
        /// Why.
        error: CheckError,
    },
    /// There is nothing to compare with, since the first run was refused.
    NotRun,
}

/// One way of one variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// How the game was made.
    pub variant: String,
    /// How its ticks were come to.
    pub path: TickPath,
    /// The newest tick that was come to; the first that differs, if one does.
    pub ticks: Tick,
    /// The digest of the last tick, if it was come to and nothing differs.
    pub digest: Option<ShortDigest>,
    /// How long it took by the caller's clock, in nanoseconds; 0 without one.
    pub nanos: u64,
    /// How it ended.
    pub outcome: Outcome,
}

/// What a check has found. Its text is a table, and what differs below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Each way of each variant; the first is what all others are compared with.
    pub rows: Vec<Row>,
    pub(super) digests: Digests,
    pub(super) ticks: u32,
}

impl Difference {
    /// What it mostly is. Before the first tick nothing was stepped yet: only how the game is made can show.
    const fn hint(&self, path: TickPath) -> &'static str {
        match path {
            TickPath::Straight | TickPath::Interleaved if self.tick.0 == 0 => {
                "the game is not made the same each time: what `make` gives must not hang on chance, a clock, an address, a \
                 static or how often it was called"
            }
            path => path.hint(),
        }
    }
}

impl Report {
    /// Whether everything came out the same.
    pub fn is_equal(&self) -> bool {
        self.rows.iter().all(|row| row.outcome == Outcome::Equal)
    }

    /// The digests of the first run, to compare with those of another machine.
    pub const fn digests(&self) -> &Digests {
        &self.digests
    }

    /// The rows that are not equal, and were run.
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
        for row in self.findings() {
            write!(f, "\n{row}")?;
            // The first way of a variant that goes wrong is the simplest, and says the most.
            let Outcome::Differs(difference) = &row.outcome else { continue };
            if hinted.replace(&row.variant) != Some(&row.variant) {
                writeln!(f, "  likely: {}", difference.hint(row.path))?;
            }
        }
        Ok(())
    }
}

/// Columns of numbers stand at the right.
const RIGHT: [bool; 6] = [false, false, true, true, false, false];

/// A line of the table: variant, way, ticks, milliseconds, digest, result.
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

/// What was found, in lines; nothing where all is equal.
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
                    let chance = "it did not happen again when it was looked for: the game differs from run to run";
                    writeln!(f, "  {chance}")?;
                }
                Ok(())
            }
        }
    }
}
