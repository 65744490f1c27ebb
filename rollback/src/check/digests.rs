//! Digests for machines that never meet: what came out on one, in a file, compared with what came out on another.

use super::comparator::{ReferenceTick, differing_sections};
use crate::tick::Tick;
use core::fmt;
use isostep_core::digest::ShortDigest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What such a list calls itself.
const FORMAT: &str = "isostep-digests";
/// The version of the list that this build writes and reads.
const VERSION: u32 = 1;

/// The digests of a tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickDigests {
    /// The tick.
    pub tick: Tick,
    /// Of the whole state.
    pub digest: ShortDigest,
    /// Of its sections, by their names.
    pub sections: BTreeMap<String, ShortDigest>,
}

/// The digests of a run, to be written to a file (it is a serde value: JSON suits it) and compared with those of another
/// machine, another build or another day.
///
/// A file from anywhere may be read: what it is, is looked at by [`compare`](Self::compare).
///
/// ```
/// use isostep_rollback::check::{Check, CompareError, Digests};
/// use isostep_rollback::{Inputs, NewestWins, Simulation, Tick};
///
/// #[derive(Clone, Default, serde::Serialize)]
/// struct Game { sum: u64 }
/// impl Simulation for Game {
///     type Input = NewestWins<u8>;
///     fn step(&mut self, tick: Tick, _: &Inputs<Self::Input>) {
///         self.sum += u64::from(tick.0);
///     }
/// }
///
/// let here = Check::new(1, Game::default).game("sums").ticks(8).run().digests().clone();
/// let text = serde_json::to_string(&here)?;                     // to a file, and to the other machine
/// let mut there: Digests = serde_json::from_str(&text)?;
/// assert!(here.compare(&there)?.is_equal());
///
/// there.ticks[5].sections.insert("state".into(), here.ticks[4].digest);
/// there.ticks[5].digest = here.ticks[4].digest;
/// let found = here.compare(&there)?.to_string();
/// assert_eq!(found, "tick 5 is the first that differs, in state; tick 4 is the same");
///
/// let foreign: Digests = serde_json::from_str("{}")?;
/// assert!(matches!(here.compare(&foreign), Err(CompareError::Foreign { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Digests {
    /// What this is: `isostep-digests`.
    pub format: String,
    /// The version of the list.
    pub version: u32,
    /// The version of Isostep that made it.
    pub isostep: String,
    /// The game's name.
    pub game: String,
    /// The script's name.
    pub script: String,
    /// The seed.
    pub seed: u64,
    /// How many play.
    pub players: u32,
    /// Where it was made. It is shown, not compared.
    pub machine: String,
    /// By tick.
    pub ticks: Vec<TickDigests>,
}

/// One of two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one that was asked.
    Left,
    /// The one that it was given.
    Right,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}

/// Why two lists can't be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// It is something else.
    #[error("the {side} one is no list of digests of Isostep; choose another file")]
    Foreign {
        /// Which one.
        side: Side,
    },
    /// A later format.
    #[error(
        "the {side} list has format version {found}, this build reads {known}; update the program"
    )]
    Version {
        /// Which one.
        side: Side,
        /// Version found.
        found: u32,
        /// Version of this build.
        known: u32,
    },
    /// They were not made by the same game, version, script, seed or number of players.
    #[error(
        "the {what} differs: {left:?} on the left, {right:?} on the right; make both lists with the same"
    )]
    Other {
        /// What is not the same.
        what: &'static str,
        /// What it is on the left.
        left: String,
        /// And on the right.
        right: String,
    },
    /// No tick is in both.
    #[error("no tick is in both lists: nothing can be compared; make both with the same ticks")]
    NothingInCommon,
}

/// Where two lists part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The newest tick before it that both have, and have alike.
    pub agreed: Option<Tick>,
    /// The first tick that both have and that differs.
    pub tick: Tick,
    /// The sections that differ there, causes before effects.
    pub sections: Vec<String>,
}

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// How many ticks are in both lists.
    pub ticks: u32,
    /// Where they part, if they do.
    pub divergence: Option<Divergence>,
}

impl Comparison {
    /// Whether all ticks that both have are the same.
    pub const fn is_equal(&self) -> bool {
        self.divergence.is_none()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Divergence { agreed, tick, sections }) = &self.divergence else {
            return write!(f, "{} ticks are the same", self.ticks);
        };
        write!(f, "tick {tick} is the first that differs, in {}", sections.join(", "))?;
        match agreed {
            Some(agreed) => write!(f, "; tick {agreed} is the same"),
            None => Ok(()),
        }
    }
}

impl Digests {
    /// A list without ticks, made here.
    pub(super) fn new() -> Self {
        use std::env::consts::{ARCH, OS};
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            isostep: env!("CARGO_PKG_VERSION").to_owned(),
            machine: format!("{ARCH} {OS}"),
            ..Self::default()
        }
    }

    pub(super) fn fill(&mut self, reference_ticks: &BTreeMap<Tick, ReferenceTick>) {
        let list = |(&tick, reference_ticks): (&Tick, &ReferenceTick)| TickDigests {
            tick,
            digest: reference_ticks.digest,
            sections: reference_ticks.sections.clone(),
        };
        self.ticks = reference_ticks.iter().map(list).collect();
    }

    /// Whether it is a list that this build can read.
    fn check(&self, side: Side) -> Result<(), CompareError> {
        match self {
            _ if self.format != FORMAT => Err(CompareError::Foreign { side }),
            _ if self.version != VERSION => {
                Err(CompareError::Version { side, found: self.version, known: VERSION })
            }
            _ => Ok(()),
        }
    }

    /// Compares two lists, tick by tick.
    ///
    /// # Errors
    /// When they can't be compared: one is no such list, or they are not of the same game, script and seed.
    pub fn compare(&self, right: &Self) -> Result<Comparison, CompareError> {
        self.check(Side::Left)?;
        right.check(Side::Right)?;
        let alike = [
            ("version of Isostep", self.isostep.clone(), right.isostep.clone()),
            ("game", self.game.clone(), right.game.clone()),
            ("script", self.script.clone(), right.script.clone()),
            ("seed", self.seed.to_string(), right.seed.to_string()),
            ("number of players", self.players.to_string(), right.players.to_string()),
        ];
        if let Some((what, left, right)) = alike.into_iter().find(|(_, left, right)| left != right)
        {
            return Err(CompareError::Other { what, left, right });
        }
        let theirs: BTreeMap<Tick, &TickDigests> =
            right.ticks.iter().map(|digests| (digests.tick, digests)).collect();
        let ours: BTreeMap<Tick, &TickDigests> =
            self.ticks.iter().map(|digests| (digests.tick, digests)).collect();
        let mut found = Comparison { ticks: 0, divergence: None };
        let mut agreed = None;
        for (&tick, ours) in &ours {
            let Some(theirs) = theirs.get(&tick) else { continue };
            found.ticks += 1;
            let same = ours.digest == theirs.digest && ours.sections == theirs.sections;
            if !same && found.divergence.is_none() {
                let sections = differing_sections(&ours.sections, &theirs.sections);
                found.divergence = Some(Divergence { agreed, tick, sections });
            }
            agreed = Some(tick);
        }
        if found.ticks == 0 { Err(CompareError::NothingInCommon) } else { Ok(found) }
    }
}
