//! Digest lists: the digests of a run on one machine, for comparison with a run on another.

use super::comparator::{ReferenceTick, differing_sections};
use crate::Tick;
use core::fmt;
use isostep_core::digest::ShortDigest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format name of a digest list.
const FORMAT: &str = "isostep-digests";
/// Version of the list format.
const VERSION: u32 = 1;

/// Digests of a tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickDigests {
    /// The tick.
    pub tick: Tick,
    /// Digest of the whole state.
    pub digest: ShortDigest,
    /// Digests of its sections, by name.
    pub sections: BTreeMap<String, ShortDigest>,
}

/// Digests of a run. It is a serde value (JSON suits it), to be written to a file and compared with that of another
/// machine, build or day.
///
/// The fields are not trusted; [`compare`](Self::compare) checks them.
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
/// assert!(matches!(here.compare(&foreign), Err(CompareError::NotADigestList { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Digests {
    /// Format name: `isostep-digests`.
    pub format: String,
    /// The version of the list.
    pub version: u32,
    /// Version of Isostep that made the list.
    pub isostep: String,
    /// Name of the game.
    pub game: String,
    /// Name of the script.
    pub script: String,
    /// The seed.
    pub seed: u64,
    /// Number of players.
    pub players: u32,
    /// Machine that made the list. For display; not compared.
    pub machine: String,
    /// Digests by tick.
    pub ticks: Vec<TickDigests>,
}

/// One of two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The list that `compare` is called on.
    Left,
    /// The list passed to `compare`.
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

/// Error of comparing two lists.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// Not a digest list.
    #[error("the {side} file is not a digest list of Isostep; choose another file")]
    NotADigestList {
        /// The list.
        side: Side,
    },
    /// The list has a newer format.
    #[error(
        "the {side} list has format version {found}, this build reads {known}; update the program"
    )]
    Version {
        /// The list.
        side: Side,
        /// Version found.
        found: u32,
        /// Version of this build.
        known: u32,
    },
    /// The lists are of different games, versions, scripts, seeds or numbers of players.
    #[error(
        "the {what} differs: {left:?} on the left, {right:?} on the right; use the same for both lists"
    )]
    Other {
        /// The differing setting.
        what: &'static str,
        /// Its value on the left.
        left: String,
        /// Its value on the right.
        right: String,
    },
    /// The lists have no common tick.
    #[error("the lists have no common tick; make both with the same ticks")]
    NothingInCommon,
}

/// First difference between two lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Newest equal common tick before it.
    pub agreed: Option<Tick>,
    /// First common tick that differs.
    pub tick: Tick,
    /// Differing sections, causes before effects.
    pub sections: Vec<String>,
}

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Number of common ticks.
    pub ticks: u32,
    /// First difference, if there is one.
    pub divergence: Option<Divergence>,
}

impl Comparison {
    /// Returns true if all common ticks are equal.
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
    /// Creates an empty list for this machine.
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

    /// Checks the format name and version.
    fn check(&self, side: Side) -> Result<(), CompareError> {
        match self {
            _ if self.format != FORMAT => Err(CompareError::NotADigestList { side }),
            _ if self.version != VERSION => {
                Err(CompareError::Version { side, found: self.version, known: VERSION })
            }
            _ => Ok(()),
        }
    }

    /// Compares two lists, tick by tick.
    ///
    /// # Errors
    /// If one is not a digest list, or they are of different games, scripts or seeds.
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
