//! Digests of confirmed ticks, ours beside the peers'. Predicted states are never compared.
//!
//! Compared ticks stay pinned until every peer has agreed with them, so that a difference can be pinned_for_walk from the last state
//! that all had in common.

use super::{FeedError, RunError, Session, SessionEvent};
use crate::player::PeerId;
use crate::simulation::Simulation;
use crate::tick::Tick;
use isostep_core::digest::ShortDigest;
use isostep_core::state::StateError;
use std::collections::VecDeque;

/// Digests of one peer that are remembered: they come before ours are ready, or tell later who was in the minority.
const MAX_REPORTS: usize = 16;

/// A tick that was digested here.
#[derive(Clone, Copy, Debug)]
struct Checked {
    tick: Tick,
    digest: ShortDigest,
    pinned: bool,
}

/// What a peer has reports.
#[derive(Clone, Debug)]
struct PeerCheck {
    /// The newest tick on which its digest was ours.
    agreed: Tick,
    /// Since when it has not been, once that was examined.
    differs: Option<Tick>,
    reports: VecDeque<(Tick, ShortDigest)>,
}

/// Whose digests agree up to where.
#[derive(Debug)]
pub(super) struct Checks {
    every: u32,
    /// The next tick to digest.
    next: Tick,
    /// The newest tick that all agree with; it is pinned.
    pub(super) base: Tick,
    own: VecDeque<Checked>,
    peers: Vec<Option<PeerCheck>>,
}

impl Checks {
    pub(super) fn new(every: u32, start: Tick) -> Self {
        let next = start.0.checked_next_multiple_of(every).map_or(start, Tick);
        Self { every, next, base: start, own: VecDeque::new(), peers: Vec::new() }
    }

    pub(super) fn has_peer(&self, peer: PeerId) -> bool {
        self.peer(peer).is_some()
    }

    fn peer(&self, peer: PeerId) -> Option<&PeerCheck> {
        self.peers.get(peer.index())?.as_ref()
    }

    fn peer_mut(&mut self, peer: PeerId) -> Option<&mut PeerCheck> {
        self.peers.get_mut(peer.index())?.as_mut()
    }

    pub(super) fn add_peer(&mut self, peer: PeerId) {
        if self.peers.len() <= peer.index() {
            self.peers.resize(peer.index() + 1, None);
        }
        let agreed = self.base;
        self.peers[peer.index()].get_or_insert_with(|| PeerCheck {
            agreed,
            differs: None,
            reports: VecDeque::with_capacity(MAX_REPORTS),
        });
    }

    pub(super) fn remove_peer(&mut self, peer: PeerId) {
        if let Some(slot) = self.peers.get_mut(peer.index()) {
            *slot = None;
        }
    }

    /// Our digest of a tick.
    pub(super) fn own(&self, tick: Tick) -> Option<ShortDigest> {
        Some(self.own.iter().find(|checked| checked.tick == tick)?.digest)
    }

    /// Returns the newest tick that is pinned. It is confirmed.
    pub(super) fn newest_pinned(&self) -> Tick {
        let mut pinned = self.own.iter().rev().filter(|checked| checked.pinned);
        pinned.next().map_or(self.base, |checked| checked.tick)
    }

    /// Our digest of a tick was wrong, and is this.
    pub(super) fn replace_digest(&mut self, tick: Tick, digest: ShortDigest, pinned: bool) {
        if let Some(checked) = self.own.iter_mut().find(|checked| checked.tick == tick) {
            checked.digest = digest;
            checked.pinned = pinned;
        }
    }

    /// Who has said what of a tick.
    pub(super) fn reports(&self, tick: Tick) -> impl Iterator<Item = (PeerId, ShortDigest)> + '_ {
        let peers = (0..).map(PeerId).zip(&self.peers);
        peers.filter_map(move |(peer, check)| {
            let report = check.as_ref()?.reports.iter().find(|report| report.0 == tick)?;
            Some((peer, report.1))
        })
    }

    /// What a peer has said of a tick, unless it did before.
    pub(super) fn record_report(&mut self, peer: PeerId, tick: Tick, digest: ShortDigest) {
        let Some(check) = self.peer_mut(peer) else { return };
        if check.reports.iter().any(|report| report.0 == tick) {
            return;
        }
        if check.reports.len() == MAX_REPORTS {
            check.reports.pop_front();
        }
        check.reports.push_back((tick, digest));
    }

    /// What is known of a peer is that it differs; what comes after follows from that.
    pub(super) fn set_differs(&mut self, peer: PeerId, tick: Option<Tick>) {
        if let Some(peer) = self.peer_mut(peer) {
            peer.differs = tick;
        }
    }
}

impl<S: Simulation> Session<S> {
    /// The newest digest of a confirmed state, to be sent to every peer, and its tick.
    pub fn digest(&self) -> Option<(Tick, ShortDigest)> {
        self.checks.own.back().map(|checked| (checked.tick, checked.digest))
    }

    /// A peer's digest of a confirmed state. It may come before ours is ready.
    ///
    /// # Errors
    /// When the peer is unknown here.
    pub fn remote_digest(
        &mut self,
        peer: PeerId,
        tick: Tick,
        digest: ShortDigest,
    ) -> Result<(), FeedError> {
        self.check_peer(peer)?;
        let Some(check) = self.checks.peer_mut(peer) else { return Ok(()) };
        // Digests that nobody compares here, and those too far ahead to be kept for later.
        let far = self.confirmed + self.config.log_length();
        let every = self.config.digest_every;
        if every == 0 || !tick.0.is_multiple_of(every) || tick > far {
            return Ok(());
        }
        match check.reports.iter_mut().find(|report| report.0 == tick) {
            Some(report) if report.1 == digest => return Ok(()),
            // A peer that has mended itself says something else than before.
            Some(report) => report.1 = digest,
            None => self.checks.record_report(peer, tick, digest),
        }
        if let Some(own) = self.checks.own(tick) {
            self.compare(peer, tick, own, digest);
        }
        Ok(())
    }

    fn compare(&mut self, peer: PeerId, tick: Tick, own: ShortDigest, theirs: ShortDigest) {
        self.stats.compared += 1;
        let Some(check) = self.checks.peer_mut(peer) else { return };
        if own == theirs {
            // An old tick that agrees says nothing about one that does not.
            if check.differs.is_some_and(|since| tick > since) {
                check.differs = None;
                self.events.push(SessionEvent::Resynced { peer, tick });
            }
            self.desyncs.note_agreed(peer, tick);
            if !self.desyncs.is_open(peer) {
                check.agreed = check.agreed.max(tick);
            }
        } else if check.differs.is_none() && !self.desyncs.is_open(peer) && tick > check.agreed {
            self.events.push(SessionEvent::DigestsDiffer { peer, tick });
            self.open_case(peer, tick);
        }
    }

    /// Digests the ticks that are confirmed now, and compares those that peers have spoken of.
    pub(super) fn check_confirmed(&mut self, simulation: &mut S) -> Result<(), StateError> {
        if self.checks.every == 0 {
            return Ok(());
        }
        let reached = self.confirmed.min(self.present);
        while self.checks.next <= reached {
            let tick = self.checks.next;
            self.checks.next += self.checks.every;
            // Only a prediction beyond the ring leaves a tick behind before it is confirmed.
            if tick < self.oldest {
                continue;
            }
            let digest = simulation.digest(&self.slots, tick.0)?.short();
            let pinned = simulation.pin(&mut self.slots, tick.0).is_ok();
            self.checks.own.push_back(Checked { tick, digest, pinned });
            for index in 0..self.checks.peers.len() {
                let peer = PeerId(index as u8);
                let check = self.checks.peers[index].as_ref();
                let report =
                    check.and_then(|check| check.reports.iter().find(|report| report.0 == tick));
                if let Some(&(_, theirs)) = report {
                    self.compare(peer, tick, digest, theirs);
                }
            }
        }
        Ok(())
    }

    /// Lets go of states that are no longer needed to explain a difference.
    pub(super) fn unpin_agreed(&mut self, simulation: &mut S) {
        self.release_traced(simulation);
        if self.desyncs.is_busy() {
            return;
        }
        let newest = self.checks.own.back().map_or(self.checks.base, |checked| checked.tick);
        let following = self.checks.peers.iter().flatten().filter(|peer| peer.differs.is_none());
        let mut base = following.map(|peer| peer.agreed).min().unwrap_or(newest).min(newest);
        // Of peers that are silent the inputs to compute from would be lost: look no further back than they reach.
        let floor = self.floor();
        let reach = floor + 2;
        if floor > self.config.start && base < reach {
            let kept = self.checks.own.iter().find(|checked| checked.tick >= reach);
            base = kept.map_or(base, |checked| checked.tick);
        }
        if base <= self.checks.base
            || !self.checks.own.iter().any(|own| own.tick == base && own.pinned)
        {
            return;
        }
        simulation.unpin(&mut self.slots, self.checks.base.0);
        self.checks.base = base;
        while let Some(&Checked { tick, pinned, .. }) = self.checks.own.front() {
            if tick > base || self.checks.own.len() == 1 && tick == base {
                break;
            }
            // The pin of the new base is its own.
            if pinned && tick < base {
                simulation.unpin(&mut self.slots, tick.0);
            }
            if tick == base {
                break;
            }
            self.checks.own.pop_front();
        }
        if let Some(front) = self.checks.own.front_mut().filter(|front| front.tick == base) {
            front.pinned = false;
        }
    }

    pub(super) fn pin_checked(&mut self, tick: Tick, simulation: &mut S) -> Result<(), RunError> {
        simulation.pin(&mut self.slots, tick.0).map_err(RunError::at(tick))
    }
}
