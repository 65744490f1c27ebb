//! Planning a tick: roll back, resimulate, advance or stall. A plan depends on the inputs known now; `run` executes it.

use super::run::{RunError, RunReport};
use super::{Mode, Session, SessionEvent};
use crate::Tick;
use crate::player::PlayerId;
use crate::simulation::Simulation;
use crate::time::Time;

/// An operation of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Loads the state of this tick.
    Load(Tick),
    /// Drops all caches, because a desync puts the local results in doubt.
    DropCaches,
    /// Steps this tick.
    Step(Tick),
    /// Saves the state as that of this tick.
    Save(Tick),
}

/// A rollback in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rollback {
    /// The first mispredicted tick.
    pub to: Tick,
    /// Ticks to resimulate.
    pub depth: u32,
}

/// A stall: the plan has no new tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// The player whose input has been missing the longest.
    pub waiting_for: PlayerId,
    /// The tick of the missing input.
    pub missing: Tick,
}

/// Contents of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    pub(super) load: Option<Tick>,
    pub(super) from: Tick,
    pub(super) to: Tick,
    /// Target of the current tick after the plan.
    pub(super) target: Tick,
    pub(super) rollback: Option<Rollback>,
    pub(super) stall: Option<Stall>,
    /// Resimulate with caches dropped, to check the local results.
    pub(super) recheck: bool,
}

/// Plan for one tick of the clock. Inspect it if needed, then [`run`](Self::run) it.
#[must_use = "a plan does nothing until it is run"]
pub struct Plan<'s, S: Simulation> {
    session: &'s mut Session<S>,
    outline: Outline,
}

impl<S: Simulation> Plan<'_, S> {
    /// Returns all operations, in order.
    #[doc(hidden)]
    pub fn ops(&self) -> impl Iterator<Item = Op> + use<S> {
        let Outline { load, from, to, recheck, .. } = self.outline;
        let drop_caches = recheck.then_some(Op::DropCaches);
        let steps =
            (from.0..to.0).flat_map(|tick| [Op::Step(Tick(tick)), Op::Save(Tick(tick + 1))]);
        load.map(Op::Load).into_iter().chain(drop_caches).chain(steps)
    }

    /// Returns the rollback, if an input was mispredicted.
    pub const fn rollback(&self) -> Option<Rollback> {
        self.outline.rollback
    }

    /// Returns the stall, if there is no new tick.
    pub const fn stall(&self) -> Option<Stall> {
        self.outline.stall
    }

    /// Returns the current tick after the plan.
    pub const fn reaches(&self) -> Tick {
        self.outline.to
    }

    /// Executes the plan.
    ///
    /// # Errors
    /// If a state can't be saved, loaded or digested; the error names the tick and what to do. The session must not
    /// be used afterwards.
    pub fn run(self, simulation: &mut S) -> Result<RunReport, RunError> {
        self.session.run(&self.outline, simulation)
    }
}

impl<S: Simulation> core::fmt::Debug for Plan<'_, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Plan").field(&self.outline).finish()
    }
}

impl<S: Simulation> Session<S> {
    /// Plans the next tick of the clock. Call it once for each tick.
    ///
    /// Local samples are assigned their tick here. Mispredicted ticks are resimulated, and one new tick is added unless
    /// an input has been missing for longer than the prediction window, or a peer has not acknowledged the local inputs for so
    /// long that they would leave the log.
    #[doc(alias = "advance_frame")]
    pub fn advance(&mut self, now: Time) -> Plan<'_, S> {
        self.update_pacing(now, self.target);
        self.emit_local();
        self.update_confirmed();
        let outline = self.outline();
        self.report_stall(&outline);
        Plan { session: self, outline }
    }

    fn outline(&mut self) -> Outline {
        let left = self.last.map_or(u32::MAX, |last| last.since(self.target));
        let new = self.new_ticks().min(left);
        let target = self.target + new;
        let stall = if new == 0 && left > 0 { self.missing() } else { None };
        let wrong = self.mispredicted.filter(|&tick| tick < self.current);
        let wrong = wrong.or_else(|| self.stale_keyframe());
        let rollback = wrong.map(|tick| Rollback { to: tick, depth: self.current.since(tick) });
        if let Some(from) = self.desyncs.wants_recheck() {
            let load = Some(from);
            let recheck = true;
            return Outline { load, from, to: target, target, rollback, stall, recheck };
        }
        // Loading drops all later pins. Every pinned tick is at or before the chosen one.
        let pinned = self.keyframe.max(self.checks.newest_pinned());
        let load = wrong.map(|tick| if tick >= self.oldest { tick } else { pinned });
        let from = load.unwrap_or(self.current);
        let to = match self.config.mode {
            Mode::Unbounded { steps } => target.min(from + steps),
            _ => target,
        };
        Outline { load, from, to, target, rollback, stall, recheck: false }
    }

    /// Returns the tick to roll back to although every prediction was right: inputs since the keyframe would soon be
    /// overwritten, and the history holds no newer confirmed state.
    fn stale_keyframe(&self) -> Option<Tick> {
        let unbounded = matches!(self.config.mode, Mode::Unbounded { .. });
        let stale = self.confirmed.since(self.keyframe) > self.config.log_length() / 4;
        (unbounded && stale && self.confirmed < self.oldest).then_some(self.confirmed)
    }

    /// Returns the number of new ticks that the clock and the missing inputs allow.
    fn new_ticks(&mut self) -> u32 {
        let target = self.target;
        if self.config.barrier && target == self.config.start && !self.pacing.all_heard() {
            return 0;
        }
        let known_ahead = self.confirmed.since(target);
        if self.config.buffer > 0 {
            let buffer = self.config.buffer;
            if known_ahead == 0 {
                self.buffering = true;
            } else if known_ahead >= buffer {
                self.buffering = false;
            }
            let behind = known_ahead > buffer + buffer / 2 + CATCH_UP_SLACK;
            return if self.buffering { 0 } else { 1 + u32::from(behind) };
        }
        let is_predictable =
            target.next().since(self.confirmed) <= self.config.max_predicted_ticks();
        u32::from(is_predictable && !self.is_log_full())
    }

    /// Returns the player whose input has been missing the longest.
    fn missing(&self) -> Option<Stall> {
        let seats = (0..).map(PlayerId).zip(&self.seats);
        let known = seats.filter_map(|(player, seat)| Some((seat.confirmed_to()?, player)));
        let (missing, waiting_for) = known.min()?;
        Some(Stall { waiting_for, missing })
    }

    /// Emits events when a stall begins and ends.
    fn report_stall(&mut self, outline: &Outline) {
        if outline.target == self.target {
            if self.last.is_some_and(|last| last <= self.target) {
                return;
            }
            if self.waited == 0
                && let Some(Stall { waiting_for, .. }) = outline.stall
            {
                self.events.push(SessionEvent::Stalled { tick: self.target, waiting_for });
            }
            self.waited += 1;
        } else if self.waited > 0 {
            self.events.push(SessionEvent::StallEnded { tick: self.target, after: self.waited });
            self.waited = 0;
        }
    }
}

/// Ticks beyond one and a half times the buffer at which a spectator starts to catch up.
const CATCH_UP_SLACK: u32 = 4;
