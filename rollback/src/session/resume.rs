//! Session internals for recordings: occupancy, used inputs, final ticks; and sessions that continue from a recorded
//! tick.

use super::{Session, SessionConfig, SessionError};
use crate::input::CommandAssembler;
use crate::player::{Occupant, PlayerId};
use crate::simulation::Simulation;
use crate::tick::Tick;
use isostep_core::digest::ShortDigest;

/// State of a seat that the first step of a continued match depends on.
#[derive(Clone, Debug)]
pub(crate) struct ResumedSeat<I> {
    /// Input used by the step before.
    pub(crate) used: I,
    /// A human keeps the seat: predictions repeat the used input.
    pub(crate) stays: bool,
    /// Bytes received so far of a partial command.
    pub(crate) pending: Option<Vec<u8>>,
}

impl<S: Simulation> Session<S> {
    /// Starts a session at the start tick of the settings, with the recorded state of its seats.
    pub(crate) fn resume(
        config: SessionConfig,
        simulation: &mut S,
        seats: &[ResumedSeat<S::Input>],
    ) -> Result<Self, SessionError> {
        let mut session = Self::start(config, simulation)?;
        let start = session.config.start;
        session.seats.iter_mut().zip(seats).for_each(|(seat, from)| seat.resume(start, from));
        Ok(session)
    }

    /// Returns the first tick whose state is not final or not reached.
    pub(crate) fn final_to(&self) -> Tick {
        let reached = self.confirmed.min(self.present);
        self.mispredicted.map_or(reached, |wrong| wrong.min(reached))
    }

    /// Returns the occupant of a seat on a tick, and the tick on which it took the seat.
    pub(crate) fn occupancy(&self, player: PlayerId, tick: Tick) -> Option<(Tick, Occupant)> {
        Some(self.seats.get(player.index())?.span(tick))
    }

    /// Returns the partial command of a seat before a tick.
    pub(crate) fn partial_commands(
        &self,
        player: PlayerId,
        since: Tick,
        tick: Tick,
    ) -> CommandAssembler {
        match self.seats.get(player.index()) {
            Some(seat) => seat.log.assembled_to(since, tick),
            None => CommandAssembler::new(self.config.commands),
        }
    }

    /// Returns the input that the step of a tick used for a seat; the default if it is unknown.
    pub(crate) fn used_input(&self, player: PlayerId, tick: Option<Tick>) -> S::Input {
        let seat = self.seats.get(player.index());
        let used = seat.and_then(|seat| seat.log.used(tick?));
        used.unwrap_or_default()
    }

    /// Returns the oldest tick in the input log.
    pub(crate) fn log_from(&self) -> Tick {
        self.floor().max(self.config.start)
    }

    /// Returns the local digest of a confirmed tick, while it is kept.
    pub(crate) fn checked(&self, tick: Tick) -> Option<ShortDigest> {
        self.checks.own(tick)
    }

    /// Returns the number of repairs, and the last correct tick before the last one.
    pub(crate) const fn repaired(&self) -> (u32, Tick) {
        self.repaired
    }
}
