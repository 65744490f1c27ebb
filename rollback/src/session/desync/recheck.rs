//! Recheck: resimulates the ticks since the last common state with caches dropped, and compares with the earlier
//! results.

use super::super::{Mode, RunError, Session, SessionEvent};
use super::message::{MAX_DIGESTS, Message};
use super::report::{Blame, DesyncReport};
use super::walk::MAX_DIFFERENCES;
use crate::Tick;
use crate::pages::Pages;
use crate::player::PeerId;
use crate::simulation::Simulation;
use isostep_core::digest::ShortDigest;

/// A recheck of the local results.
#[derive(Debug)]
pub(super) struct Recheck {
    pub(super) from: Tick,
    /// The last tick whose digest is compared.
    pub(super) to: Tick,
    done: bool,
    /// The results differ: this machine is at fault.
    pub(super) fault: bool,
    /// The digest of each tick after `from`, in order.
    pub(super) trail: Vec<ShortDigest>,
    /// Pages of the state before the recheck.
    before: Pages,
    digest_before: Option<ShortDigest>,
    /// Final ticks after `to` that were held, with their digests before the recheck.
    later: Vec<(Tick, ShortDigest)>,
    /// Pages of the last of them.
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
    /// Keeps the state before the recheck, to report what was wrong with it.
    pub(in crate::session) fn begin_recheck(&mut self, simulation: &mut S) -> Result<(), RunError> {
        // Mispredicted ticks are excluded: they change because of the rollback.
        let last = self.final_to();
        let Some(recheck) = &mut self.desyncs.recheck else { return Ok(()) };
        // Loading drops later pins; earlier ones are no longer needed.
        for tick in self.desyncs.pinned_for_walk.drain(..).filter(|&tick| tick <= recheck.from) {
            simulation.unpin(&mut self.slots, tick);
        }
        let tick = recheck.to;
        let pages = Pages::of(simulation, &self.slots, tick);
        recheck.before = pages.map_err(RunError::at(tick))?;
        recheck.digest_before = self.checks.own(tick);
        for tick in (tick.0 + 1..=last.0).map(Tick) {
            // Ticks that are no longer held can be compared only through later ones.
            if let Ok(digest) = simulation.digest(&self.slots, tick) {
                recheck.later.push((tick, digest.short()));
            }
        }
        if let Some((tick, _)) = recheck.later.last() {
            let pages = Pages::of(simulation, &self.slots, *tick);
            recheck.later_before = pages.map_err(RunError::at(*tick))?;
        }
        Ok(())
    }

    /// Records the digest of a resimulated tick, and pins the tick for the tree walk.
    pub(in crate::session) fn record_recheck(
        &mut self,
        tick: Tick,
        simulation: &mut S,
    ) -> Result<(), RunError> {
        let Some(Recheck { from, to, .. }) = self.desyncs.recheck else { return Ok(()) };
        let failed = || RunError::at(tick);
        let keyframes = matches!(self.config.mode, Mode::Unbounded { .. });
        if keyframes && tick > from && tick == self.keyframe {
            simulation.pin(&mut self.slots, tick).map_err(failed())?;
        }
        let checked = self.checks.own(tick).is_some();
        if tick > to && !checked {
            return Ok(());
        }
        let digest = simulation.digest(&self.slots, tick).map_err(failed())?.short();
        if checked {
            self.pin_checked(tick, simulation)?;
            self.checks.replace_digest(tick, digest, true);
        }
        if tick <= to {
            simulation.pin(&mut self.slots, tick).map_err(failed())?;
            self.desyncs.pinned_for_walk.push(tick);
            if let Some(recheck) = &mut self.desyncs.recheck {
                recheck.trail.push(digest);
            }
        }
        Ok(())
    }

    /// Compares the results, and reports a local fault.
    pub(in crate::session) fn end_recheck(&mut self, simulation: &mut S) -> Result<(), RunError> {
        let Some(recheck) = &mut self.desyncs.recheck else { return Ok(()) };
        recheck.done = true;
        let (from, to) = (recheck.from, recheck.to);
        // Without a resimulated tick there is no fault to report.
        let again = recheck.trail.last().copied();
        recheck.fault = again.is_some() && again != recheck.digest_before;
        // A fault after the compared tick was repaired by the resimulation too.
        let later = core::mem::take(&mut recheck.later);
        let pages =
            [core::mem::take(&mut recheck.before), core::mem::take(&mut recheck.later_before)];
        let fault = recheck.fault;
        let differs = |&&(tick, was): &&(Tick, ShortDigest)| {
            let digest = simulation.digest(&self.slots, tick);
            digest.is_ok_and(|digest| digest.short() != was)
        };
        let (at, before) = match later.last() {
            _ if fault => (to, &pages[0]),
            Some(&(last, _)) if later.iter().any(|it| differs(&it)) => (last, &pages[1]),
            _ => return Ok(()),
        };
        let found = before.explain(simulation, &self.slots, at, MAX_DIFFERENCES);
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

    /// Sends the repair to peers without an open case: they may have noticed the fault, and wait for an answer.
    fn announce_repair(&mut self) {
        let Some(to) = self.desyncs.recheck.as_ref().map(|recheck| recheck.to) else { return };
        let Some(message) = self.rechecked(to) else { return };
        for peer in (0..self.desyncs.cases.len()).map(|index| PeerId(index as u8)) {
            if self.checks.has_peer(peer) && !self.desyncs.is_open(peer) {
                self.desyncs.send(peer, to, &message);
            }
        }
    }

    /// Returns the recheck message for a case, once the recheck is done and covers its tick.
    pub(super) fn rechecked(&self, case: Tick) -> Option<Message> {
        let recheck = self.desyncs.recheck.as_ref();
        let recheck = recheck.filter(|recheck| !recheck.is_wanted() && recheck.covers(case))?;
        let trail = recheck.trail.get(..case.since(recheck.from) as usize)?;
        // The newest digests suffice.
        let left_out = trail.len().saturating_sub(MAX_DIGESTS);
        let (from, trail) = (recheck.from + left_out as u32, trail[left_out..].to_vec());
        Some(Message::Rechecked { from, fault: recheck.fault, trail })
    }

    /// Unpins the ticks of tree walks that have ended.
    pub(in crate::session) fn release_pinned(&mut self, simulation: &mut S) {
        if self.desyncs.is_busy() {
            return;
        }
        for tick in self.desyncs.pinned_for_walk.drain(..) {
            simulation.unpin(&mut self.slots, tick);
        }
        self.desyncs.recheck = None;
    }
}
