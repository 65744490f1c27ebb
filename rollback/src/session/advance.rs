//! The plan for a tick: whether to go back, how far to compute, or why to wait. It is made of what is known now; carrying
//! it out is in `run`.

use super::run::{RunError, RunReport};
use super::{Mode, Session, SessionEvent};
use crate::player::PlayerId;
use crate::simulation::Simulation;
use crate::tick::Tick;
use crate::time::Time;

/// One thing that a plan does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The simulation becomes the state of this tick.
    Load(Tick),
    /// It forgets all that can be computed again, because its own results are in doubt.
    DropCaches,
    /// It makes the step of this tick.
    Step(Tick),
    /// Its state is kept as that of this tick.
    Save(Tick),
}

/// Why a plan goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rollback {
    /// The first tick that was computed from a wrong guess.
    pub to: Tick,
    /// How many ticks have to be computed again because of it.
    pub depth: u32,
}

/// Why a plan has no new tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// The player whose input is missing the longest.
    pub waiting_for: PlayerId,
    /// The tick of it.
    pub missing: Tick,
}

/// What a plan amounts to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    pub(super) load: Option<Tick>,
    pub(super) from: Tick,
    pub(super) to: Tick,
    /// Where the present should be after it.
    pub(super) target: Tick,
    pub(super) rollback: Option<Rollback>,
    pub(super) stall: Option<Stall>,
    /// Whether own results are checked, by computing them again with nothing remembered.
    pub(super) recheck: bool,
}

/// What to do for one tick of the clock. Look at it if you like, then [`run`](Self::run) it.
#[must_use = "a plan does nothing until it is run"]
pub struct Plan<'s, S: Simulation> {
    session: &'s mut Session<S>,
    outline: Outline,
}

impl<S: Simulation> Plan<'_, S> {
    /// Everything that it does, in order.
    pub fn ops(&self) -> impl Iterator<Item = Op> + use<S> {
        let Outline { load, from, to, recheck, .. } = self.outline;
        let drop_caches = recheck.then_some(Op::DropCaches);
        let steps =
            (from.0..to.0).flat_map(|tick| [Op::Step(Tick(tick)), Op::Save(Tick(tick + 1))]);
        load.map(Op::Load).into_iter().chain(drop_caches).chain(steps)
    }

    /// How far it goes back because of wrong guesses.
    pub const fn rollback(&self) -> Option<Rollback> {
        self.outline.rollback
    }

    /// Why there is no new tick.
    pub const fn stall(&self) -> Option<Stall> {
        self.outline.stall
    }

    /// Whether own results are in doubt and computed again with nothing remembered.
    pub const fn is_recheck(&self) -> bool {
        self.outline.recheck
    }

    /// The tick that the simulation will be at.
    pub const fn reaches(&self) -> Tick {
        self.outline.to
    }

    /// Carries it out.
    ///
    /// # Errors
    /// When a state can't be saved, loaded or digested; the error says on which tick and what to do. The session is of no
    /// use after that.
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
    /// What has to be done for the next tick of the clock: call it once for each.
    ///
    /// Local samples get their tick here. Whatever was computed from wrong guesses is computed again, and one new tick is
    /// added unless somebody's input is missing too long.
    pub fn advance(&mut self, now: Time) -> Plan<'_, S> {
        self.update_pacing(now, self.target);
        self.emit_local();
        self.update_confirmed();
        let outline = self.outline();
        self.report_stall(&outline);
        Plan { session: self, outline }
    }

    fn outline(&mut self) -> Outline {
        let new = self.new_ticks();
        let target = self.target + new;
        let stall = if new == 0 { self.missing() } else { None };
        let wrong = self.mispredicted.filter(|&tick| tick < self.present);
        let wrong = wrong.or_else(|| self.stale_keyframe());
        let rollback = wrong.map(|tick| Rollback { to: tick, depth: self.present.since(tick) });
        if let Some(from) = self.desyncs.wants_recheck() {
            let load = Some(from);
            let recheck = true;
            return Outline { load, from, to: target, target, rollback, stall, recheck };
        }
        // Loading drops all later pins. Every tick that is pinned lies at or before the one that is chosen.
        let pinned = self.keyframe.max(self.checks.newest_pinned());
        let load = wrong.map(|tick| if tick >= self.oldest { tick } else { pinned });
        let from = load.unwrap_or(self.present);
        let to = match self.config.mode {
            Mode::Unbounded { steps } => target.min(from + steps),
            _ => target,
        };
        Outline { load, from, to, target, rollback, stall, recheck: false }
    }

    /// Where to go back to though all guesses were right: inputs since the keyframe would soon be overwritten, and the ring
    /// has no newer state that is confirmed.
    fn stale_keyframe(&self) -> Option<Tick> {
        let unbounded = matches!(self.config.mode, Mode::Unbounded { .. });
        let stale = self.confirmed.since(self.keyframe) > self.config.log_length() / 4;
        (unbounded && stale && self.confirmed < self.oldest).then_some(self.confirmed)
    }

    /// How many new ticks the clock and the others allow.
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
        u32::from(target.next().since(self.confirmed) <= self.config.max_predicted_ticks())
    }

    /// Whose input has been missing the longest.
    fn missing(&self) -> Option<Stall> {
        let seats = (0..).map(PlayerId).zip(&self.seats);
        let known = seats.filter_map(|(player, seat)| Some((seat.confirmed_to()?, player)));
        let (missing, waiting_for) = known.min()?;
        Some(Stall { waiting_for, missing })
    }

    /// Says when waiting begins and when it ends.
    fn report_stall(&mut self, outline: &Outline) {
        if outline.target == self.target {
            if self.waited == 0
                && let Some(Stall { waiting_for, .. }) = outline.stall
            {
                self.events.push(SessionEvent::Stalled { tick: self.target, waiting_for });
            }
            self.waited += 1;
        } else if self.waited > 0 {
            self.events.push(SessionEvent::Resumed { tick: self.target, after: self.waited });
            self.waited = 0;
        }
    }
}

/// Ticks beyond one and a half times the buffer before a spectator plays faster.
const CATCH_UP_SLACK: u32 = 4;
