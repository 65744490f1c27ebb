//! What a recording asks of a session: who sits where, what steps were given, what is final. And a session that goes on from
//! a tick of a recording.

use super::{Session, SessionConfig, SessionError};
use crate::input::CommandAssembler;
use crate::player::{Occupant, PlayerId};
use crate::simulation::Simulation;
use crate::tick::Tick;
use isostep_core::digest::ShortDigest;

/// What of a seat the first step of a session depends on, where the match began elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct ResumedSeat<I> {
    /// What the step before was given.
    pub(crate) used: I,
    /// Whether a human has held the seat up to now and does not leave it: guesses repeat what was used.
    pub(crate) stays: bool,
    /// The bytes so far of a command whose end has not come.
    pub(crate) pending: Option<Vec<u8>>,
}

impl<S: Simulation> Session<S> {
    /// A session that goes on from the start that is in the settings, with what the seats had said by then.
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

    /// The first tick whose state may still change, or is not there yet.
    pub(crate) fn final_to(&self) -> Tick {
        let reached = self.confirmed.min(self.present);
        self.mispredicted.map_or(reached, |wrong| wrong.min(reached))
    }

    /// Who sits in a seat on a tick, and since when.
    pub(crate) fn occupancy(&self, player: PlayerId, tick: Tick) -> Option<(Tick, Occupant)> {
        Some(self.seats.get(player.index())?.span(tick))
    }

    /// What of a seat's commands is half received before a tick.
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

    /// What the step of a tick was given for a seat; the default if the session does not know.
    pub(crate) fn used_input(&self, player: PlayerId, tick: Option<Tick>) -> S::Input {
        let seat = self.seats.get(player.index());
        let used = seat.and_then(|seat| seat.log.used(tick?));
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
