//! Doubting ourselves: the ticks since the last common state once more, with nothing remembered.

use super::super::{Mode, RunError, Session, SessionEvent};
use super::message::{MAX_DIGESTS, Message};
use super::report::{Blame, DesyncReport};
use super::walk::MAX_DIFFERENCES;
use crate::pages::Pages;
use crate::player::PeerId;
use crate::simulation::Simulation;
use crate::tick::Tick;
use isostep_core::digest::ShortDigest;

/// A check of our own results.
#[derive(Debug)]
pub(super) struct Recheck {
    pub(super) from: Tick,
    /// The last tick whose digest is compared with what it was.
    pub(super) to: Tick,
    done: bool,
    /// Whether the results differ.
    pub(super) fault: bool,
    /// The digest of each tick after `from`, in order.
    pub(super) trail: Vec<ShortDigest>,
    /// The pages of the state as it was.
    before: Pages,
    digest_before: Option<ShortDigest>,
    /// Final ticks after `to` that were held, with their digests as they were.
    later: Vec<(Tick, ShortDigest)>,
    /// The pages of the last of them.
    later_before: Pages,
}

impl Recheck {
    pub(super) fn new(from: Tick, to: Tick) -> Self {
        Self {
            from,
            to,
            done: false,
            fault: false,
            trail: Vec::new(),
            before: Pages::default(),
            digest_before: None,
            later: Vec::new(),
            later_before: Pages::default(),
        }
    }

    pub(super) const fn is_wanted(&self) -> bool {
        !self.done
    }

    pub(super) fn covers(&self, tick: Tick) -> bool {
        self.from < tick && tick <= self.to
    }
}

impl<S: Simulation> Session<S> {
    /// Keeps what the state was, to tell what was wrong with it.
    pub(in crate::session) fn begin_recheck(&mut self, simulation: &mut S) -> Result<(), RunError> {
        // What rests on wrong guesses comes out otherwise for that reason.
        let last = self.final_to();
        let Some(recheck) = &mut self.desyncs.recheck else { return Ok(()) };
        // Going back drops later pins by itself; earlier ones are of no use any more.
        for tick in self.desyncs.pinned_for_walk.drain(..).filter(|&tick| tick <= recheck.from) {
            simulation.unpin(&mut self.slots, tick.0);
        }
        let tick = recheck.to;
        let pages = Pages::of(simulation, &self.slots, tick.0);
        recheck.before = pages.map_err(RunError::at(tick))?;
        recheck.digest_before = self.checks.own(tick);
        for tick in (tick.0 + 1..=last.0).map(Tick) {
            // Those that are not held any more have left no trace but in what follows from them.
            if let Ok(digest) = simulation.digest(&self.slots, tick.0) {
                recheck.later.push((tick, digest.short()));
            }
        }
        if let Some((tick, _)) = recheck.later.last() {
            let pages = Pages::of(simulation, &self.slots, tick.0);
            recheck.later_before = pages.map_err(RunError::at(*tick))?;
        }
        Ok(())
    }

    /// Notes the digest of a tick that was computed anew, and pins it for the walk.
    pub(in crate::session) fn trace_recheck(
        &mut self,
        tick: Tick,
        simulation: &mut S,
    ) -> Result<(), RunError> {
        let Some(Recheck { from, to, .. }) = self.desyncs.recheck else { return Ok(()) };
        let failed = || RunError::at(tick);
        let keyframes = matches!(self.config.mode, Mode::Unbounded { .. });
        if keyframes && tick > from && tick == self.keyframe {
            simulation.pin(&mut self.slots, tick.0).map_err(failed())?;
        }
        let checked = self.checks.own(tick).is_some();
        if tick > to && !checked {
            return Ok(());
        }
        let digest = simulation.digest(&self.slots, tick.0).map_err(failed())?.short();
        if checked {
            self.pin_checked(tick, simulation)?;
            self.checks.replace_digest(tick, digest, true);
        }
        if tick <= to {
            simulation.pin(&mut self.slots, tick.0).map_err(failed())?;
            self.desyncs.pinned_for_walk.push(tick);
            if let Some(recheck) = &mut self.desyncs.recheck {
                recheck.trail.push(digest);
            }
        }
        Ok(())
    }

    /// Compares, and tells everybody who differs.
    pub(in crate::session) fn end_recheck(&mut self, simulation: &mut S) -> Result<(), RunError> {
        let Some(recheck) = &mut self.desyncs.recheck else { return Ok(()) };
        recheck.done = true;
        let (from, to) = (recheck.from, recheck.to);
        // With nothing computed again there is nothing to own up to.
        let again = recheck.trail.last().copied();
        recheck.fault = again.is_some() && again != recheck.digest_before;
        // A fault after the tick that was in doubt was mended on the way.
        let later = core::mem::take(&mut recheck.later);
        let pages =
            [core::mem::take(&mut recheck.before), core::mem::take(&mut recheck.later_before)];
        let fault = recheck.fault;
        let differs = |&&(tick, was): &&(Tick, ShortDigest)| {
            let digest = simulation.digest(&self.slots, tick.0);
            digest.is_ok_and(|digest| digest.short() != was)
        };
        let (at, before) = match later.last() {
            _ if fault => (to, &pages[0]),
            Some(&(last, _)) if later.iter().any(|it| differs(&it)) => (last, &pages[1]),
            _ => return Ok(()),
        };
        let found = before.explain(simulation, &self.slots, at.0, MAX_DIFFERENCES);
        let found = found.map_err(RunError::at(at))?;
        let cases = (0..).map(PeerId).zip(&self.desyncs.cases);
        let peer = cases.filter(|case| case.1.is_some()).map(|case| case.0).next();
        let report = DesyncReport::new(peer.unwrap_or_default(), at, found, Blame::Local);
        self.events.push(SessionEvent::Desync(Box::new(report)));
        self.events.push(SessionEvent::Repaired { from });
        self.repaired = (self.repaired.0 + 1, from);
        if fault {
            self.announce_repair();
        }
        Ok(())
    }

    /// Tells of the repair whoever we don't differ from any more: they may have noticed what was wrong, and wait.
    fn announce_repair(&mut self) {
        let Some(to) = self.desyncs.recheck.as_ref().map(|recheck| recheck.to) else { return };
        let Some(message) = self.rechecked(to) else { return };
        for peer in (0..self.desyncs.cases.len()).map(|index| PeerId(index as u8)) {
            if self.checks.has_peer(peer) && !self.desyncs.is_open(peer) {
                self.desyncs.send(peer, to, &message);
            }
        }
    }

    /// What a peer needs to know of our check, if it is done and reaches the tick of a case.
    pub(super) fn rechecked(&self, case: Tick) -> Option<Message> {
        let recheck = self.desyncs.recheck.as_ref();
        let recheck = recheck.filter(|recheck| !recheck.is_wanted() && recheck.covers(case))?;
        let trail = recheck.trail.get(..case.since(recheck.from) as usize)?;
        // The last ones tell enough.
        let left_out = trail.len().saturating_sub(MAX_DIGESTS);
        let (from, trail) = (recheck.from + left_out as u32, trail[left_out..].to_vec());
        Some(Message::Rechecked { from, fault: recheck.fault, trail })
    }

    /// Unpins what was pinned for walks, once they are over.
    pub(in crate::session) fn release_traced(&mut self, simulation: &mut S) {
        if self.desyncs.is_busy() {
            return;
        }
        for tick in self.desyncs.pinned_for_walk.drain(..) {
            simulation.unpin(&mut self.slots, tick.0);
        }
        self.desyncs.recheck = None;
    }
}
