//! Executing a plan: load, step, save, and record the inputs of each step.

use super::advance::Outline;
use super::{Mode, Session, SessionEvent};
use crate::Tick;
use crate::inputs::{InputStatus, PlayerInput};
use crate::player::{Occupant, PlayerId};
use crate::simulation::Simulation;
use isostep_core::state::StateError;

/// Report of an executed plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// New ticks.
    pub new: u32,
    /// Resimulated ticks.
    pub resimulated: u32,
}

impl RunReport {
    /// Returns the stepped ticks, new and resimulated, given the current tick. An effect journal is fed with them.
    pub fn ticks(self, current: Tick) -> impl Iterator<Item = Tick> {
        let first = current - self.new.saturating_add(self.resimulated);
        (first.0..current.0).map(Tick)
    }
}

/// Error when executing a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("on tick {tick}: {error}")]
pub struct RunError {
    /// The tick of the state.
    pub tick: Tick,
    /// The error.
    pub error: StateError,
}

impl RunError {
    pub(super) fn at(tick: Tick) -> impl FnOnce(StateError) -> Self {
        move |error| Self { tick, error }
    }
}

/// Confirmed ticks between keyframes of [`Mode::Unbounded`]. A rollback beyond the history resimulates at most this
/// many ticks that did not change.
const KEYFRAME_EVERY: u32 = 16;

impl<S: Simulation> Session<S> {
    pub(super) fn run(
        &mut self,
        outline: &Outline,
        simulation: &mut S,
    ) -> Result<RunReport, RunError> {
        let was = self.current;
        if outline.recheck {
            self.begin_recheck(simulation)?;
        }
        if let Some(load) = outline.load {
            simulation.load(&mut self.slots, load).map_err(RunError::at(load))?;
            // A pinned state older than the ring starts a new ring.
            self.oldest = self.oldest.min(load);
            // No step follows if the session stops at that tick.
            self.current = load;
        }
        if outline.recheck {
            simulation.drop_caches(&mut self.slots);
        }
        let mut report = RunReport::default();
        for tick in (outline.from.0..outline.to.0).map(Tick) {
            self.step(tick, simulation, tick >= self.target)?;
            if tick < was {
                report.resimulated += 1;
            } else {
                report.new += 1;
            }
            if outline.recheck {
                self.record_recheck(tick.next(), simulation)?;
            }
        }
        self.settle_run(outline, was, report);
        self.pin_keyframe(self.confirmed.min(self.current), simulation);
        if outline.recheck {
            self.end_recheck(simulation)?;
        }
        self.process_cases(simulation);
        self.check_confirmed(simulation).map_err(RunError::at(self.current))?;
        self.unpin_agreed(simulation);
        Ok(report)
    }

    fn step(&mut self, tick: Tick, simulation: &mut S, is_new: bool) -> Result<(), RunError> {
        let guessed = self.gather(tick, simulation);
        if is_new && guessed {
            self.stats.predicted += 1;
        }
        simulation.step(tick, &self.inputs);
        let next = tick.next();
        simulation.save(&mut self.slots, next).map_err(RunError::at(next))?;
        self.current = next;
        self.oldest = self.oldest.max(next.next() - self.config.ring());
        self.pin_keyframe(next, simulation);
        Ok(())
    }

    /// Collects the inputs of all seats for a tick. Returns true if one is predicted.
    fn gather(&mut self, tick: Tick, simulation: &S) -> bool {
        let mut guessed = false;
        let before = tick.previous();
        for (index, seat) in self.seats.iter_mut().enumerate() {
            let previous = before.and_then(|before| seat.log.used(before)).unwrap_or_default();
            let (value, status) = match seat.occupant(tick) {
                Occupant::Bot => (simulation.bot(tick, PlayerId(index as u8)), InputStatus::Bot),
                Occupant::Empty => (S::Input::default(), InputStatus::Disconnected),
                _ => seat.input_for(tick),
            };
            let outside = matches!(status, InputStatus::Confirmed | InputStatus::Predicted);
            guessed |= status == InputStatus::Predicted;
            self.inputs.players[index] = PlayerInput { value, previous, status };
            let commands = seat.log.record_used(tick, value, outside);
            let into = &mut self.inputs.commands[index];
            if commands.is_empty() {
                into.clear();
            } else {
                into.clone_from(commands);
            }
        }
        guessed
    }

    /// Updates counters and logs after the steps.
    fn settle_run(&mut self, outline: &Outline, was: Tick, report: RunReport) {
        self.mispredicted = None;
        self.update_settled();
        self.stats.advances += 1;
        let new = outline.target.since(self.target);
        self.stats.ticks += u64::from(new);
        self.stats.stalls += u64::from(new == 0);
        self.stats.resimulated_ticks += u64::from(report.resimulated);
        if let Some(rollback) = outline.rollback {
            self.stats.rolled_back(rollback.depth);
        }
        self.target = outline.target;
        let behind = self.target.since(self.current);
        if behind > 0 && (self.current < was || outline.load.is_some()) {
            self.events.push(SessionEvent::CatchingUp { behind });
        }
        let floor = self.floor();
        for seat in &mut self.seats {
            seat.drop_before(floor);
            seat.discard_changes(floor);
        }
    }

    /// Pins a confirmed tick as the keyframe, where the history may be too short.
    fn pin_keyframe(&mut self, tick: Tick, simulation: &mut S) {
        if matches!(self.config.mode, Mode::Unbounded { .. })
            && tick <= self.confirmed
            && tick >= self.oldest
            && tick.since(self.keyframe) >= KEYFRAME_EVERY
            && simulation.pin(&mut self.slots, tick).is_ok()
        {
            simulation.unpin(&mut self.slots, self.keyframe);
            self.keyframe = tick;
        }
    }
}
