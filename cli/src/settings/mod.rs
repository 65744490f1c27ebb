//! Settings of a match in the lab and in `isostep demo`. There is one notation: the names and values of `text` are the
//! flags of both commands, the query of the page's URL, and the messages of the page's sliders. So a URL
//! reproduces a match, and so does a command.
//!
//! - `link`: link quality in one direction, and profiles.
//! - `fault`: faults at given ticks.
//! - `text`: names and values; URLs and commands.
//! - `flags`: settings as arguments.

mod fault;
mod flags;
mod link;
mod text;

pub(crate) use fault::{FaultKind, FaultTarget, ScheduledFault};
pub(crate) use flags::{arguments, from_arguments};
pub(crate) use link::{Link, PROFILES};
pub(crate) use text::FIELDS;

use isostep_rollback::{AdaptiveDelay, Mode, SessionConfig};
use serde::Serialize;

/// Limit on machines.
pub(crate) const MAX_PLAYERS: u8 = 4;
/// Limit on crates: with four players, the bodies whose resimulation is shown.
pub(crate) const MAX_CRATES: u8 = 60;
/// Limit on seeds: the largest integer that JavaScript holds exactly.
pub(crate) const MAX_SEED: u64 = (1 << 53) - 1;
/// Limit on prediction, ticks: half a second.
pub(crate) const MAX_PREDICT: u32 = 30;
/// Limit on input delay, ticks.
pub(crate) const MAX_DELAY: u32 = 12;
/// Limit on clock drift: one per cent, a hundred times that of quartz.
pub(crate) const MAX_DRIFT_PPM: i32 = 10_000;
/// Rollback depth that adaptive delay accepts, ticks: a fifteenth of a second is hardly visible.
const EASY_ROLLBACK: u8 = 4;
/// Limit of adaptive delay in lockstep, ticks: half a second.
const MAX_LOCKSTEP_DELAY: u8 = 30;
/// Limit on faults; more replace the oldest.
pub(crate) const MAX_FAULTS: usize = 8;

/// Handling of missing inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Pace {
    /// Missing inputs are predicted and corrected by rollback.
    #[default]
    Rollback,
    Lockstep,
}

/// Extent of resimulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Resim {
    /// Only islands that may differ.
    #[default]
    Incremental,
    Full,
}

/// Settings of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    /// Players, 2 to 4, one at each machine.
    pub(crate) players: u8,
    pub(crate) crates: u8,
    pub(crate) mode: Pace,
    /// Limit on predicted ticks; ignored in lockstep.
    pub(crate) predict: u32,
    /// Input delay, ticks; the starting value if it adapts.
    pub(crate) delay: u32,
    pub(crate) adaptive: bool,
    /// True if clocks synchronise by dilation.
    pub(crate) dilation: bool,
    pub(crate) resim: Resim,
    /// Quality of all links without an override.
    pub(crate) net: Link,
    /// Overrides by direction (from, to); sorted and unique.
    pub(crate) links: Vec<((u8, u8), Link)>,
    /// Clock drift of each machine, parts per million; positive is fast.
    pub(crate) drift: [i32; MAX_PLAYERS as usize],
    /// Scheduled faults, sorted by time.
    pub(crate) faults: Vec<ScheduledFault>,
}

impl Default for Settings {
    /// A connection across a country: some rollbacks, none disturbing.
    fn default() -> Self {
        Self {
            seed: 1,
            players: 2,
            crates: 12,
            mode: Pace::Rollback,
            predict: 12,
            delay: 1,
            adaptive: false,
            dilation: true,
            resim: Resim::Incremental,
            net: Link { latency: 60, jitter: 10, loss: 2, bursts: 0 },
            links: Vec::new(),
            drift: [0; MAX_PLAYERS as usize],
            faults: Vec::new(),
        }
    }
}

/// Errors of a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SettingError {
    #[error("`{0}` is not a setting; see isostep demo --help")]
    Name(String),
    #[error("{name} is `{value}`: give {wanted}")]
    Value { name: &'static str, value: String, wanted: String },
    #[error(
        "{name} names machine {machine}, but there are {players}: raise players or choose another machine"
    )]
    Machine { name: &'static str, machine: u8, players: u8 },
}

impl Settings {
    /// Session configuration without seats.
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

    /// Link quality of one direction.
    pub(crate) fn link(&self, direction: (u8, u8)) -> Link {
        self.links.iter().find(|link| link.0 == direction).map_or(self.net, |link| link.1)
    }

    /// Checks that all named machines exist.
    pub(crate) fn check(&self) -> Result<(), SettingError> {
        let players = self.players;
        let links = self.links.iter().map(|((from, to), _)| ("link", *from.max(to)));
        let clocks = self.drift.iter().zip(0..).filter(|clock| *clock.0 != 0);
        let clocks = clocks.map(|(_, machine)| ("drift", machine));
        let faults = self.faults.iter().map(|fault| (fault.name(), fault.machine));
        match links.chain(clocks).chain(faults).find(|(_, machine)| *machine >= players) {
            Some((name, machine)) => {
                Err(SettingError::Machine { name, machine: machine + 1, players })
            }
            None => Ok(()),
        }
    }

    /// Removes settings of machines that don't exist.
    pub(crate) fn trim(&mut self) {
        let players = self.players;
        self.links.retain(|((from, to), _)| *from.max(to) < players);
        self.faults.retain(|fault| fault.machine < players);
        self.drift[usize::from(players.min(MAX_PLAYERS))..].fill(0);
    }

    /// Adds an injected fault, so that the URL reproduces it.
    pub(crate) fn note(&mut self, fault: ScheduledFault) {
        if self.faults.len() >= MAX_FAULTS {
            self.faults.remove(0);
        }
        self.faults.push(fault);
        self.faults.sort_by_key(|fault| fault.at);
    }
}

#[cfg(test)]
mod tests;
