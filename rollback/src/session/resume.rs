//! Sessions that continue a match from a tick of another session or of a recording; and session internals for recordings:
//! occupancy, used inputs, final ticks.

use super::{Session, SessionConfig, SessionError};
use crate::Tick;
use crate::input::CommandAssembler;
use crate::player::{Occupant, PlayerId};
use crate::simulation::Simulation;
use isostep_core::digest::ShortDigest;
use serde::{Deserialize, Serialize};

/// Inputs that a session needs beside the state to continue a match: those of the tick before, and commands of which only a
/// part has arrived. [`Session::start_inputs`] creates it, [`Session::start_with`] uses it; send it with the state's snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartInputs<I> {
    tick: Tick,
    seats: Vec<ResumedSeat<I>>,
}

impl<I> StartInputs<I> {
    /// Returns the tick that the session starts at.
    pub const fn tick(&self) -> Tick {
        self.tick
    }
}

/// State of a seat that the first step of a continued match depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ResumedSeat<I> {
    /// Input used by the step before.
    pub(crate) used: I,
    /// A human keeps the seat: predictions repeat the used input.
    pub(crate) stays: bool,
    /// Bytes received so far of a partial command.
    pub(crate) pending: Option<Vec<u8>>,
}

impl<S: Simulation> Session<S> {
    /// Returns the inputs that a session needs to start from the state of `tick`. `None` unless that state is final and
    /// reached, and its inputs are still in the log: choose [`confirmed_tick`](Self::confirmed_tick).
    pub fn start_inputs(&self, tick: Tick) -> Option<StartInputs<S::Input>> {
        if tick > self.final_to() || tick < self.log_from() {
            return None;
        }
        let before = tick.previous();
        let seats = (0..).map(PlayerId).zip(&self.seats).map(|(player, seat)| {
            let (since, occupant) = seat.span(tick);
            let stays = occupant.is_human() && since < tick;
            let pending = stays.then(|| seat.log.assembled_to(since, tick));
            let pending = pending.and_then(|assembler| Some(assembler.pending()?.to_vec()));
            ResumedSeat { used: self.used_input(player, before), stays, pending }
        });
        Some(StartInputs { tick, seats: seats.collect() })
    }

    /// Starts a session that continues a match. The simulation is in the state of the inputs' tick, which replaces the start
    /// tick of the settings; the seats are held as on that tick. Without these inputs the first step would see the
    /// default as [`PlayerInput::previous`](crate::PlayerInput::previous), and could differ from that of the others.
    ///
    /// # Errors
    /// As [`start`](Self::start), and when the number of seats differs.
    pub fn start_with(
        config: SessionConfig,
        simulation: &mut S,
        inputs: &StartInputs<S::Input>,
    ) -> Result<Self, SessionError> {
        if inputs.seats.len() != config.seats.len() {
            let [inputs, seats] = [inputs.seats.len(), config.seats.len()];
            return Err(SessionError::StartInputs { inputs, seats });
        }
        Self::resume(config.start(inputs.tick), simulation, &inputs.seats)
    }

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
        let reached = self.confirmed.min(self.current);
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
