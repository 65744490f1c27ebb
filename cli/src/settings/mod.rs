//! What a match of the lab and of `isostep demo` is set up with. One value, and one way to write it: the names and values
//! of `text` are the flags of both commands, the words of the page's address, and what the page sends when somebody
//! moves a slider. So a link reproduces a match, and a command does.
//!
//! - `link`: how packets fare in one direction, and profiles of that.
//! - `trouble`: what goes wrong at a certain moment.
//! - `text`: names and values; addresses and commands.
//! - `flags`: the same as arguments.

mod flags;
mod link;
mod text;
mod trouble;

pub(crate) use flags::{arguments, from_arguments};
pub(crate) use link::{Link, PROFILES};
pub(crate) use text::FIELDS;
pub(crate) use trouble::{Deed, Spot, Trouble};

use isostep_rollback::{AdaptiveDelay, Mode, SessionConfig};
use serde::Serialize;

/// Most machines.
pub(crate) const MAX_PLAYERS: u8 = 4;
/// Greatest seed: what a number of the page holds exactly.
pub(crate) const MAX_SEED: u64 = (1 << 53) - 1;
/// Furthest prediction, in ticks: half a second.
pub(crate) const MAX_PREDICT: u32 = 30;
/// Longest input delay on offer, in ticks.
pub(crate) const MAX_DELAY: u32 = 12;
/// Most that a clock may be too fast or too slow: one per cent, a hundred times what quartz does.
pub(crate) const MAX_DRIFT_PPM: i32 = 10_000;
/// Rollbacks this deep are fine for a delay that adapts: a fifteenth of a second, which few see.
const EASY_ROLLBACK: u8 = 4;
/// How long a delay that adapts may become where nothing is guessed: half a second.
const MAX_LOCKSTEP_DELAY: u8 = 30;
/// Most troubles; when somebody makes more, the oldest are forgotten.
pub(crate) const MAX_TROUBLES: usize = 8;

/// Whether ticks wait for everybody's input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Pace {
    /// They don't: what is missing is guessed, and corrected.
    #[default]
    Rollback,
    Lockstep,
}

/// What a rollback computes again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Resim {
    /// The islands that may differ.
    #[default]
    Incremental,
    Full,
}

/// What a match is set up with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    /// 2 to 4, each at a machine of their own.
    pub(crate) players: u8,
    pub(crate) mode: Pace,
    /// How many ticks a machine may guess, unless it is in lockstep.
    pub(crate) predict: u32,
    /// Input delay in ticks; where it adapts, the one to begin with.
    pub(crate) delay: u32,
    pub(crate) adaptive: bool,
    /// Whether clocks give way to each other.
    pub(crate) dilation: bool,
    pub(crate) resim: Resim,
    /// How all links are that have no entry of their own.
    pub(crate) net: Link,
    /// By direction, from which machine to which; sorted, each once.
    pub(crate) links: Vec<((u8, u8), Link)>,
    /// Parts per million by which each machine's clock is too fast.
    pub(crate) drift: [i32; MAX_PLAYERS as usize],
    /// In the order of time.
    pub(crate) troubles: Vec<Trouble>,
}

impl Default for Settings {
    /// A connection across a country: rollbacks to see, and nothing that hurts.
    fn default() -> Self {
        Self {
            seed: 1,
            players: 2,
            mode: Pace::Rollback,
            predict: 12,
            delay: 1,
            adaptive: false,
            dilation: true,
            resim: Resim::Incremental,
            net: Link { latency: 60, jitter: 10, loss: 2, bursts: 0 },
            links: Vec::new(),
            drift: [0; MAX_PLAYERS as usize],
            troubles: Vec::new(),
        }
    }
}

/// Why settings are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SettingError {
    #[error("`{0}` is no setting; see isostep demo --help")]
    Name(String),
    #[error("{name} is `{value}`: give {wanted}")]
    Value { name: &'static str, value: String, wanted: String },
    #[error("{name} names machine {machine}, and {players} play: raise players or choose another")]
    Machine { name: &'static str, machine: u8, players: u8 },
}

impl Settings {
    /// Without seats.
    pub(crate) fn session(&self) -> SessionConfig {
        let mode = match self.mode {
            Pace::Lockstep => Mode::Lockstep,
            Pace::Rollback => Mode::Rollback { max: self.predict },
        };
        let config = SessionConfig::new().mode(mode).delay(self.delay);
        if !self.adaptive {
            return config;
        }
        let bounds = match self.mode {
            Pace::Lockstep => AdaptiveDelay::new(0, MAX_LOCKSTEP_DELAY, 0),
            Pace::Rollback => AdaptiveDelay::new(0, MAX_DELAY as u8, EASY_ROLLBACK),
        };
        config.adaptive_delay(bounds.expect("they are in order and below the session's limit"))
    }

    /// How one direction is.
    pub(crate) fn link(&self, way: (u8, u8)) -> Link {
        self.links.iter().find(|link| link.0 == way).map_or(self.net, |link| link.1)
    }

    /// Whether all machines that are named play.
    pub(crate) fn check(&self) -> Result<(), SettingError> {
        let players = self.players;
        let links = self.links.iter().map(|((from, to), _)| ("link", *from.max(to)));
        let clocks = self.drift.iter().zip(0..).filter(|clock| *clock.0 != 0);
        let clocks = clocks.map(|(_, machine)| ("drift", machine));
        let troubles = self.troubles.iter().map(|trouble| (trouble.name(), trouble.machine));
        match links.chain(clocks).chain(troubles).find(|(_, machine)| *machine >= players) {
            Some((name, machine)) => {
                Err(SettingError::Machine { name, machine: machine + 1, players })
            }
            None => Ok(()),
        }
    }

    /// Forgets what is about machines that don't play.
    pub(crate) fn trim(&mut self) {
        let players = self.players;
        self.links.retain(|((from, to), _)| *from.max(to) < players);
        self.troubles.retain(|trouble| trouble.machine < players);
        self.drift[usize::from(players.min(MAX_PLAYERS))..].fill(0);
    }

    /// Notes something that was done to a match, so that its address has it.
    pub(crate) fn note(&mut self, trouble: Trouble) {
        if self.troubles.len() >= MAX_TROUBLES {
            self.troubles.remove(0);
        }
        self.troubles.push(trouble);
        self.troubles.sort_by_key(|trouble| trouble.at);
    }
}

#[cfg(test)]
mod tests;
