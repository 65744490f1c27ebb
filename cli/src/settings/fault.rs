//! Faults at given ticks: a machine is disconnected, or computes one bit wrong.

use super::{MAX_PLAYERS, SettingError};
use serde::Serialize;
use std::fmt;

/// State that a bit flip changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FaultTarget {
    /// A crate's velocity along x.
    #[default]
    Velocity,
    /// The first player's points.
    Score,
}

/// Kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub(crate) enum FaultKind {
    /// No packets to or from the machine for two seconds.
    Disconnect,
    /// One flipped bit: once, as from a memory error, or whenever the tick is computed, as from a
    /// different build.
    BitFlip { target: FaultTarget, always: bool },
}

/// A fault of one machine at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ScheduledFault {
    /// Tick of the machine: that of the log, of digests and of recordings.
    pub(crate) at: u32,
    /// Machine index, from 0.
    pub(crate) machine: u8,
    #[serde(flatten)]
    pub(crate) kind: FaultKind,
}

const CUT: &str = "MACHINE@TICK, as in 2@300";
const FLIP: &str = "MACHINE@TICK, then :velocity or :score, then :always for every computation of the tick; as in 2@300:score:always";

impl ScheduledFault {
    /// Name of its setting.
    pub(super) const fn name(self) -> &'static str {
        match self.kind {
            FaultKind::Disconnect => "cut",
            FaultKind::BitFlip { .. } => "flip",
        }
    }

    /// Parses the value of `cut` or `flip`.
    pub(super) fn read(name: &'static str, text: &str) -> Result<Self, SettingError> {
        let wanted = if name == "cut" { CUT } else { FLIP };
        let wrong =
            || SettingError::Value { name, value: text.to_owned(), wanted: wanted.to_owned() };
        let mut words = text.split(':');
        let place = words.next().unwrap_or_default().split_once('@').ok_or_else(wrong)?;
        let machine = machine(place.0).ok_or_else(wrong)?;
        let at = place.1.parse().map_err(|_| wrong())?;
        let kind = if name == "cut" {
            FaultKind::Disconnect
        } else {
            let target = match words.next() {
                None | Some("velocity") => FaultTarget::Velocity,
                Some("score") => FaultTarget::Score,
                Some(_) => return Err(wrong()),
            };
            let always = match words.next() {
                None => false,
                Some("always") => true,
                Some(_) => return Err(wrong()),
            };
            FaultKind::BitFlip { target, always }
        };
        if words.next().is_some() { Err(wrong()) } else { Ok(Self { at, machine, kind }) }
    }
}

/// Parses a machine number, which starts at 1.
pub(super) fn machine(text: &str) -> Option<u8> {
    let number: u8 = text.parse().ok()?;
    (1..=MAX_PLAYERS).contains(&number).then(|| number - 1)
}

impl fmt::Display for ScheduledFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.machine + 1, self.at)?;
        if let FaultKind::BitFlip { target, always } = self.kind {
            f.write_str(match target {
                FaultTarget::Velocity => ":velocity",
                FaultTarget::Score => ":score",
            })?;
            f.write_str(if always { ":always" } else { "" })?;
        }
        Ok(())
    }
}
