//! What goes wrong at a certain moment: a machine is cut off, or computes a bit wrong.

use super::{MAX_PLAYERS, SettingError};
use serde::Serialize;
use std::fmt;

/// Where a planted fault strikes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Spot {
    /// A crate's velocity along x.
    #[default]
    Velocity,
    /// The first player's points.
    Score,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub(crate) enum Deed {
    /// Nothing goes to or from the machine for two seconds.
    Cut,
    /// It computes one bit wrong: once, as bad memory does, or whenever it computes that tick, as another build does.
    Plant { spot: Spot, always: bool },
}

/// Something done to a machine at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Trouble {
    /// After so many ticks of the true clock.
    pub(crate) at: u32,
    /// Counted from 0.
    pub(crate) machine: u8,
    #[serde(flatten)]
    pub(crate) deed: Deed,
}

const CUT: &str = "MACHINE@TICK, as in 2@300";
const PLANT: &str = "MACHINE@TICK, then :velocity or :score, then :always if it happens each time; as in 2@300:score:always";

impl Trouble {
    /// The setting that it is.
    pub(super) const fn name(self) -> &'static str {
        match self.deed {
            Deed::Cut => "cut",
            Deed::Plant { .. } => "plant",
        }
    }

    /// From the value of `cut` or `plant`.
    pub(super) fn read(name: &'static str, text: &str) -> Result<Self, SettingError> {
        let wanted = if name == "cut" { CUT } else { PLANT };
        let wrong =
            || SettingError::Value { name, value: text.to_owned(), wanted: wanted.to_owned() };
        let mut words = text.split(':');
        let place = words.next().unwrap_or_default().split_once('@').ok_or_else(wrong)?;
        let machine = machine(place.0).ok_or_else(wrong)?;
        let at = place.1.parse().map_err(|_| wrong())?;
        let deed = if name == "cut" {
            Deed::Cut
        } else {
            let spot = match words.next() {
                None | Some("velocity") => Spot::Velocity,
                Some("score") => Spot::Score,
                Some(_) => return Err(wrong()),
            };
            let always = match words.next() {
                None => false,
                Some("always") => true,
                Some(_) => return Err(wrong()),
            };
            Deed::Plant { spot, always }
        };
        if words.next().is_some() { Err(wrong()) } else { Ok(Self { at, machine, deed }) }
    }
}

/// A machine by its number for people, which begins with 1.
pub(super) fn machine(text: &str) -> Option<u8> {
    let number: u8 = text.parse().ok()?;
    (1..=MAX_PLAYERS).contains(&number).then(|| number - 1)
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.machine + 1, self.at)?;
        if let Deed::Plant { spot, always } = self.deed {
            f.write_str(match spot {
                Spot::Velocity => ":velocity",
                Spot::Score => ":score",
            })?;
            f.write_str(if always { ":always" } else { "" })?;
        }
        Ok(())
    }
}
