//! Comparison of digests of confirmed ticks with those of the peers. Predicted states are never compared.
//!
//! Compared ticks stay pinned until every peer has agreed with them, so that a desync can be traced from the last
//! common state.

use super::{FeedError, RunError, Session, SessionEvent};
use crate::Tick;
use crate::player::PeerId;
use crate::simulation::Simulation;
use isostep_core::digest::ShortDigest;
use isostep_core::state::StateError;
use std::collections::VecDeque;

/// Digests kept for each peer: they can arrive before the local digest is ready, and later decide the majority.
const MAX_REPORTS: usize = 16;

/// A confirmed tick with its local digest.
#[derive(Clone, Copy, Debug)]
struct Checked {
    tick: Tick,
    digest: ShortDigest,
    pinned: bool,
}

/// Digests reported by a peer.
#[derive(Clone, Debug)]
struct PeerCheck {
    /// Newest tick on which the digests are equal.
    agreed: Tick,
    /// First differing tick, once the desync has been examined.
    differs: Option<Tick>,
    reports: VecDeque<(Tick, ShortDigest)>,
}

/// Local digests, and the digests of all peers.
#[derive(Debug)]
pub(super) struct Checks {
    every: u32,
    /// Next tick to digest.
    next: Tick,
    /// Newest tick on which all peers agree; it is pinned.
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

    /// Returns the local digest of a tick.
    pub(super) fn own(&self, tick: Tick) -> Option<ShortDigest> {
        Some(self.own.iter().find(|checked| checked.tick == tick)?.digest)
    }

    /// Returns the newest pinned tick. It is confirmed.
    pub(super) fn newest_pinned(&self) -> Tick {
        let mut pinned = self.own.iter().rev().filter(|checked| checked.pinned);
        pinned.next().map_or(self.base, |checked| checked.tick)
    }

    /// Replaces the local digest of a tick after a repair.
    pub(super) fn replace_digest(&mut self, tick: Tick, digest: ShortDigest, pinned: bool) {
        if let Some(checked) = self.own.iter_mut().find(|checked| checked.tick == tick) {
            checked.digest = digest;
            checked.pinned = pinned;
        }
    }

    /// Returns the reported digests of a tick, by peer.
    pub(super) fn reports(&self, tick: Tick) -> impl Iterator<Item = (PeerId, ShortDigest)> + '_ {
        let peers = (0..).map(PeerId).zip(&self.peers);
        peers.filter_map(move |(peer, check)| {
            let report = check.as_ref()?.reports.iter().find(|report| report.0 == tick)?;
            Some((peer, report.1))
        })
    }

    /// Records a peer's digest of a tick, unless one is recorded.
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

    /// Marks a peer as desynced from a tick on; later differences follow from that one.
    pub(super) fn set_differs(&mut self, peer: PeerId, tick: Option<Tick>) {
        if let Some(peer) = self.peer_mut(peer) {
            peer.differs = tick;
        }
    }
}

impl<S: Simulation> Session<S> {
    /// Returns the newest digest of a confirmed state and its tick, to be sent to every peer.
    pub fn digest(&self) -> Option<(Tick, ShortDigest)> {
        self.checks.own.back().map(|checked| (checked.tick, checked.digest))
    }

    /// Feeds a peer's digest of a confirmed state. It may arrive before the local digest is ready.
    ///
    /// # Errors
    /// If the session does not have the peer.
    #[doc(hidden)]
    pub fn remote_digest(
        &mut self,
        peer: PeerId,
        tick: Tick,
        digest: ShortDigest,
    ) -> Result<(), FeedError> {
        self.check_peer(peer)?;
        let Some(check) = self.checks.peer_mut(peer) else { return Ok(()) };
        // Ignores digests outside the local interval, and those too far ahead to keep.
        let far = self.confirmed + self.config.log_length();
        let every = self.config.digest_every;
        if every == 0 || !tick.0.is_multiple_of(every) || tick > far {
            return Ok(());
        }
        match check.reports.iter_mut().find(|report| report.0 == tick) {
            Some(report) if report.1 == digest => return Ok(()),
            // A peer that has repaired itself reports another digest.
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
            // Agreement on an earlier tick does not end a desync on a later one.
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

    /// Digests newly confirmed ticks, and compares them with the reports of the peers.
    pub(super) fn check_confirmed(&mut self, simulation: &mut S) -> Result<(), StateError> {
        if self.checks.every == 0 {
            return Ok(());
        }
        let reached = self.confirmed.min(self.current);
        while self.checks.next <= reached {
            let tick = self.checks.next;
            self.checks.next += self.checks.every;
            // Only a prediction window longer than the history drops a tick before it is confirmed.
            if tick < self.oldest {
                continue;
            }
            let digest = simulation.digest(&self.slots, tick)?.short();
            let pinned = simulation.pin(&mut self.slots, tick).is_ok();
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

    /// Unpins states that are no longer needed to explain a desync.
    pub(super) fn unpin_agreed(&mut self, simulation: &mut S) {
        self.release_pinned(simulation);
        if self.desyncs.is_busy() {
            return;
        }
        let newest = self.checks.own.back().map_or(self.checks.base, |checked| checked.tick);
        let following = self.checks.peers.iter().flatten().filter(|peer| peer.differs.is_none());
        let mut base = following.map(|peer| peer.agreed).min().unwrap_or(newest).min(newest);
        // A peer that sends no digests never agrees. The inputs to resimulate from would be overwritten, so the base advances to what
        // the input log still covers.
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
        simulation.unpin(&mut self.slots, self.checks.base);
        self.checks.base = base;
        while let Some(&Checked { tick, pinned, .. }) = self.checks.own.front() {
            if tick > base || self.checks.own.len() == 1 && tick == base {
                break;
            }
            // The new base keeps its own pin.
            if pinned && tick < base {
                simulation.unpin(&mut self.slots, tick);
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
        simulation.pin(&mut self.slots, tick).map_err(RunError::at(tick))
    }
}
