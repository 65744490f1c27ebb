//! Desync protocol: first each machine rechecks its own results, then both locate the first differing field together.
//!
//! 1. `recheck`: each machine resimulates from the last common state with caches dropped. A machine whose result
//!    changes was at fault itself, and is repaired by that.
//! 2. `walk`: machines that still differ descend their digest trees together, by section and page, in at most
//!    [`MAX_ROUNDS`] messages each way, down to the field.
//! 3. `report`: the differing fields, and the machine at fault as far as that can be decided.
//!
//! Messages need a reliable, ordered channel. Their contents are not trusted.

mod message;
mod recheck;
mod report;
mod walk;

pub use report::{Blame, DesyncReport};

use super::{FeedError, Session, SessionEvent};
use crate::Tick;
use crate::player::PeerId;
use crate::simulation::Simulation;
use message::Message;
use recheck::Recheck;
use report::UNANSWERED;
use std::collections::VecDeque;
use walk::Walk;

/// Maximum number of messages from a peer about one desync case: its recheck, its sections, and three levels below three
/// sections.
pub(super) const MAX_ROUNDS: usize = 11;
/// Maximum length of a message, in bytes. A longer page is not sent; the report then ends with the page.
pub(super) const MAX_MESSAGE: usize = 64 * 1024;
/// Advances without a message after which a desync case is closed: ten seconds at 60 Hz.
const TIMEOUT: u32 = 600;
/// The same once later digests agree: the peer may have closed the case.
const TIMEOUT_AGREED: u32 = 120;

/// A desync case: a desync with one peer that is being explained. Its number is the compared tick whose digests differ; if the two machines noticed different
/// ticks, both use the later.
#[derive(Debug)]
struct Case {
    tick: Tick,
    walk: Option<Walk>,
    /// Received messages that are not yet processed.
    inbox: VecDeque<Message>,
    received: usize,
    /// The local recheck has been sent.
    recheck_sent: bool,
    /// A tick at or after that of the case on which both agree by now: the machine at fault has repaired itself.
    agreed: Option<Tick>,
    /// Advances since the last message.
    age: u32,
}

impl Case {
    const fn new(tick: Tick) -> Self {
        let inbox = VecDeque::new();
        Self { tick, walk: None, inbox, received: 0, recheck_sent: false, agreed: None, age: 0 }
    }
}

/// All open cases.
#[derive(Debug, Default)]
pub(super) struct Desyncs {
    cases: Vec<Option<Case>>,
    /// The recheck of a peer for a case that is not open here, and the number of that case.
    early: Vec<Option<(Tick, Message)>>,
    recheck: Option<Recheck>,
    outbox: VecDeque<(PeerId, Vec<u8>)>,
    /// Ticks pinned for the tree walk.
    pinned_for_walk: Vec<Tick>,
}

impl Desyncs {
    pub(super) fn add_peer(&mut self, peer: PeerId) {
        while self.cases.len() <= peer.index() {
            self.cases.push(None);
            self.early.push(None);
        }
    }

    pub(super) fn remove_peer(&mut self, peer: PeerId) {
        if peer.index() < self.cases.len() {
            self.cases[peer.index()] = None;
            self.early[peer.index()] = None;
        }
        self.outbox.retain(|message| message.0 != peer);
    }

    pub(super) fn is_open(&self, peer: PeerId) -> bool {
        self.cases.get(peer.index()).is_some_and(Option::is_some)
    }

    /// Records that the digests of a tick agree.
    pub(super) fn note_agreed(&mut self, peer: PeerId, tick: Tick) {
        if let Some(Some(case)) = self.cases.get_mut(peer.index())
            && tick >= case.tick
        {
            case.agreed = Some(tick);
        }
    }

    /// Returns true while states must stay pinned.
    pub(super) fn is_busy(&self) -> bool {
        self.cases.iter().any(Option::is_some)
            || self.recheck.as_ref().is_some_and(Recheck::is_wanted)
    }

    /// Returns the tick to resimulate from, if a recheck is pending.
    pub(super) fn wants_recheck(&self) -> Option<Tick> {
        self.recheck.as_ref().filter(|recheck| recheck.is_wanted()).map(|recheck| recheck.from)
    }

    fn send(&mut self, peer: PeerId, case: Tick, message: &Message) {
        self.outbox.push_back((peer, message.encode(case)));
    }
}

impl<S: Simulation> Session<S> {
    /// Returns the next desync message for a peer, to be delivered reliably and in order. There are none while digests
    /// agree.
    #[doc(hidden)]
    pub fn poll_message(&mut self, peer: PeerId) -> Option<Vec<u8>> {
        let at = self.desyncs.outbox.iter().position(|message| message.0 == peer)?;
        self.desyncs.outbox.remove(at).map(|message| message.1)
    }

    /// Feeds a desync message of a peer. The next plan acts on it.
    ///
    /// # Errors
    /// If the session does not have the peer, or the bytes are malformed.
    #[doc(hidden)]
    pub fn message(&mut self, peer: PeerId, bytes: &[u8]) -> Result<(), FeedError> {
        self.check_peer(peer)?;
        let bad = |reason| FeedError::Message { peer, reason };
        if bytes.len() > MAX_MESSAGE {
            return Err(bad("it is too long"));
        }
        let (number, message) = Message::decode(bytes).map_err(bad)?;
        match &mut self.desyncs.cases[peer.index()] {
            Some(case) if case.tick == number => {
                if case.received == MAX_ROUNDS {
                    return Err(bad("it exceeds the message limit of a desync"));
                }
                case.received += 1;
                case.inbox.push_back(message);
            }
            // The peer's case is earlier; the peer will switch to this one.
            Some(case) if case.tick > number => (),
            _ if matches!(message, Message::Rechecked { .. }) => {
                self.desyncs.early[peer.index()] = Some((number, message));
            }
            // The case is closed here.
            _ => (),
        }
        Ok(())
    }

    pub(super) fn open_case(&mut self, peer: PeerId, tick: Tick) {
        self.desyncs.cases[peer.index()] = Some(Case::new(tick));
        // One recheck serves all open cases.
        let covered = self.desyncs.recheck.as_ref().is_some_and(|recheck| recheck.covers(tick));
        if !covered {
            self.desyncs.recheck = Some(Recheck::new(self.checks.base, tick));
        }
    }

    /// Opens the case of a peer that noticed a desync earlier, or on a later tick.
    fn accept_early(&mut self, peer: PeerId) {
        let Some((number, message)) = self.desyncs.early[peer.index()].take() else { return };
        let Message::Rechecked { from, fault, trail } = &message else { return };
        if number > self.confirmed.min(self.current) {
            // The local tick is not confirmed yet. A tick too far ahead is replaced by the peer's next recheck.
            self.desyncs.early[peer.index()] = Some((number, message));
            return;
        }
        let theirs = number.since(*from).checked_sub(1).and_then(|at| trail.get(at as usize));
        let ours = self.checks.own(number);
        if ours.is_some() && ours == theirs.copied() {
            if *fault {
                self.events.push(SessionEvent::PeerRepaired { peer });
            }
            if self.desyncs.is_open(peer) {
                self.desyncs.cases[peer.index()] = None;
                self.events.push(SessionEvent::Resynced { peer, tick: number });
            }
        } else if ours.is_some() && number > self.checks.base {
            self.open_case(peer, number);
            if let Some(case) = &mut self.desyncs.cases[peer.index()] {
                case.received = 1;
                case.inbox.push_back(message);
            }
        } else if *fault {
            // All peers have agreed on later ticks since.
            self.events.push(SessionEvent::PeerRepaired { peer });
        }
    }

    /// Advances every open case as far as possible.
    pub(super) fn process_cases(&mut self, simulation: &S) {
        for index in 0..self.desyncs.cases.len() {
            let peer = PeerId(index as u8);
            self.accept_early(peer);
            self.process_case(peer, simulation);
            let Some(case) = &mut self.desyncs.cases[index] else { continue };
            case.age += 1;
            let (agreed, age) = (case.agreed, case.age);
            if let Some(tick) = agreed.filter(|_| age > TIMEOUT_AGREED) {
                self.desyncs.cases[index] = None;
                self.events.push(SessionEvent::Resynced { peer, tick });
            } else if age > TIMEOUT {
                self.give_up(peer, UNANSWERED);
            }
        }
    }
}
