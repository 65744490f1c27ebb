//! What to do when two machines disagree: first doubt yourself, then find out together what differs.
//!
//! 1. `recheck`: each machine computes anew from the last state that all had in common, with nothing remembered. Who comes
//!    to another result than before was wrong by itself, and has repaired itself by that.
//! 2. `walk`: those that still differ go down their digest trees together, section by section and page by page, in at most
//!    [`MAX_ROUNDS`] messages each way, and end with the field.
//! 3. `report`: what differs, and who is to blame as far as that can be known.
//!
//! Messages are bytes for a channel that delivers in order; nothing in them is trusted.

mod message;
mod recheck;
mod report;
mod walk;

pub use report::{Blame, DesyncReport};

use super::{FeedError, Session, SessionEvent};
use crate::player::PeerId;
use crate::simulation::Simulation;
use crate::tick::Tick;
use message::Message;
use recheck::Recheck;
use std::collections::VecDeque;
use walk::Walk;

/// Most messages that a peer may send in one case: its own recheck, its sections, and three levels below three of them.
pub(super) const MAX_ROUNDS: usize = 11;
/// Longest message, in bytes. A page that is longer is not sent; the report then ends with its name.
pub(super) const MAX_MESSAGE: usize = 64 * 1024;
/// Advances after which an answer is no longer waited for: ten seconds at 60 Hz.
const TIMEOUT: u32 = 600;
/// The same once later digests agree: the peer may have closed the case.
const TIMEOUT_AGREED: u32 = 120;

/// A disagreement with one peer. Its number is the compared tick on which digests differ; if the two have noticed different
/// ones, they take up the later.
#[derive(Debug)]
struct Case {
    tick: Tick,
    walk: Option<Walk>,
    /// What the peer has sent and was not yet looked at.
    inbox: VecDeque<Message>,
    received: usize,
    /// Whether our recheck was sent.
    recheck_sent: bool,
    /// A tick, not before that of the case, on which both agree by now: whoever was wrong has mended itself.
    agreed: Option<Tick>,
    /// Advances without a message.
    age: u32,
}

impl Case {
    const fn new(tick: Tick) -> Self {
        let inbox = VecDeque::new();
        Self { tick, walk: None, inbox, received: 0, recheck_sent: false, agreed: None, age: 0 }
    }
}

/// All disagreements.
#[derive(Debug, Default)]
pub(super) struct Desyncs {
    cases: Vec<Option<Case>>,
    /// The recheck of a peer for a case that is not open here, and the number of it.
    early: Vec<Option<(Tick, Message)>>,
    recheck: Option<Recheck>,
    outbox: VecDeque<(PeerId, Vec<u8>)>,
    /// Ticks that are pinned for the walk.
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

    /// Notes that digests of a tick agree.
    pub(super) fn note_agreed(&mut self, peer: PeerId, tick: Tick) {
        if let Some(Some(case)) = self.cases.get_mut(peer.index())
            && tick >= case.tick
        {
            case.agreed = Some(tick);
        }
    }

    /// Whether states must stay pinned.
    pub(super) fn is_busy(&self) -> bool {
        self.cases.iter().any(Option::is_some)
            || self.recheck.as_ref().is_some_and(Recheck::is_wanted)
    }

    /// The tick to compute anew from, if own results are in doubt.
    pub(super) fn wants_recheck(&self) -> Option<Tick> {
        self.recheck.as_ref().filter(|recheck| recheck.is_wanted()).map(|recheck| recheck.from)
    }

    fn send(&mut self, peer: PeerId, case: Tick, message: &Message) {
        self.outbox.push_back((peer, message.encode(case)));
    }
}

impl<S: Simulation> Session<S> {
    /// The next message for a peer, to be delivered reliably and in order. There are none unless digests differ.
    pub fn poll_message(&mut self, peer: PeerId) -> Option<Vec<u8>> {
        let at = self.desyncs.outbox.iter().position(|message| message.0 == peer)?;
        self.desyncs.outbox.remove(at).map(|message| message.1)
    }

    /// A message of a peer, as its session handed it out. What it asks for is done with the next plan.
    ///
    /// # Errors
    /// When the peer is unknown here or the bytes are no message.
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
                    return Err(bad("there are too many of them"));
                }
                case.received += 1;
                case.inbox.push_back(message);
            }
            // Of an earlier case than ours: the peer will take up ours.
            Some(case) if case.tick > number => (),
            _ if matches!(message, Message::Rechecked { .. }) => {
                self.desyncs.early[peer.index()] = Some((number, message));
            }
            // Of a case that is closed here.
            _ => (),
        }
        Ok(())
    }

    pub(super) fn open_case(&mut self, peer: PeerId, tick: Tick) {
        self.desyncs.cases[peer.index()] = Some(Case::new(tick));
        // One look at ourselves serves all who differ.
        let covered = self.desyncs.recheck.as_ref().is_some_and(|recheck| recheck.covers(tick));
        if !covered {
            self.desyncs.recheck = Some(Recheck::new(self.checks.base, tick));
        }
    }

    /// Takes up what a peer has noticed and we have not, or on a later tick.
    fn accept_early(&mut self, peer: PeerId) {
        let Some((number, message)) = self.desyncs.early[peer.index()].take() else { return };
        let Message::Rechecked { from, fault, trail } = &message else { return };
        if number > self.confirmed.min(self.present) {
            // We are not there yet. What lies too far ahead is forgotten when something else is reports.
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
            // Everybody has agreed on later ticks since.
            self.events.push(SessionEvent::PeerRepaired { peer });
        }
    }

    /// Goes on with every case as far as it can.
    pub(super) fn process_cases(&mut self, simulation: &S) {
        for index in 0..self.desyncs.cases.len() {
            let peer = PeerId(index as u8);
            self.accept_early(peer);
            self.process_case(peer, simulation);
            let Some(case) = &mut self.desyncs.cases[index] else { continue };
            case.age += 1;
            let (tick, agreed, age) = (case.tick, case.agreed, case.age);
            if let Some(tick) = agreed.filter(|_| age > TIMEOUT_AGREED) {
                self.desyncs.cases[index] = None;
                self.events.push(SessionEvent::Resynced { peer, tick });
            } else if age > TIMEOUT {
                self.give_up(peer, tick, "no answer came");
            }
        }
    }
}
