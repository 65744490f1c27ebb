//! What a recording asks of a session: who sits where, what steps were given, what is final.

use super::Session;
use crate::player::{Occupant, PlayerId};
use crate::simulation::Simulation;
use crate::tick::Tick;
use isostep_core::digest::ShortDigest;

impl<S: Simulation> Session<S> {
    /// The first tick whose state may still change, or is not there yet.
    pub(crate) fn final_to(&self) -> Tick {
        let reached = self.confirmed.min(self.present);
        self.wrong.map_or(reached, |wrong| wrong.min(reached))
    }

    /// Who sits in a seat on a tick, and since when.
    pub(crate) fn sits(&self, player: PlayerId, tick: Tick) -> Option<(Tick, Occupant)> {
        Some(self.seats.get(player.index())?.span(tick))
    }

    /// What the step of a tick was given for a seat; the default before the start.
    pub(crate) fn used_input(&self, player: PlayerId, tick: Option<Tick>) -> S::Input {
        let tick = tick.filter(|&tick| tick >= self.config.start);
        let seat = self.seats.get(player.index());
        let used = seat.and_then(|seat| seat.track.used(tick?));
        used.unwrap_or_default()
    }

    /// The oldest tick whose inputs are kept.
    pub(crate) fn log_from(&self) -> Tick {
        self.floor().max(self.config.start)
    }

    /// Our digest of a confirmed tick, while it is kept.
    pub(crate) fn checked(&self, tick: Tick) -> Option<ShortDigest> {
        self.checks.own(tick)
    }

    /// How often this machine has mended its state, and the last tick that was right before the last time.
    pub(crate) const fn repaired(&self) -> (u32, Tick) {
        self.repaired
    }
}
