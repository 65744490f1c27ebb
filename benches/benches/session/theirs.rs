//! The side of ggrs: a P2P session on every machine, messages in queues.

use crate::ggrs_side::{Plain, fulfil, session};
use crate::ours::WINDOW;
use crate::{Sent, press};
use ggrs::{Message, NonBlockingSocket, P2PSession, SessionState};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// How messages are handed over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passing {
    /// As they are.
    Messages,
    /// Through the bytes that ggrs's own socket sends.
    Bytes,
}

enum Parcel {
    Message(Message),
    Bytes(Vec<u8>),
}

struct Wire {
    passing: Passing,
    queues: Vec<VecDeque<(u8, Parcel)>>,
    sent: Sent,
}

struct Socket {
    own: u8,
    wire: Rc<RefCell<Wire>>,
}

impl NonBlockingSocket<u8> for Socket {
    fn send_to(&mut self, message: &Message, to: &u8) {
        let mut wire = self.wire.borrow_mut();
        let parcel = match wire.passing {
            Passing::Messages => Parcel::Message(message.clone()),
            Passing::Bytes => {
                let bytes = bincode::serialize(message).expect("plain data");
                wire.sent.packets += 1;
                wire.sent.bytes += bytes.len() as u64;
                Parcel::Bytes(bytes)
            }
        };
        wire.queues[usize::from(*to)].push_back((self.own, parcel));
    }

    fn receive_all_messages(&mut self) -> Vec<(u8, Message)> {
        let mut wire = self.wire.borrow_mut();
        let parcels = wire.queues[usize::from(self.own)].drain(..);
        let read = |(from, parcel)| match parcel {
            Parcel::Message(message) => (from, message),
            Parcel::Bytes(bytes) => (from, bincode::deserialize(&bytes).expect("undamaged")),
        };
        parcels.map(read).collect()
    }
}

/// Lets sessions find each other.
pub(crate) fn meet(sessions: &mut [P2PSession<Plain>]) {
    let running = |session: &P2PSession<Plain>| session.current_state() == SessionState::Running;
    while !sessions.iter().all(running) {
        sessions.iter_mut().for_each(P2PSession::poll_remote_clients);
    }
}

/// A match.
pub(crate) struct Theirs {
    sessions: Vec<P2PSession<Plain>>,
    wire: Rc<RefCell<Wire>>,
    tick: u32,
}

impl Theirs {
    pub(crate) fn new(players: usize, delay: u32, digest_every: u32, passing: Passing) -> Self {
        let queues = (0..players).map(|_| VecDeque::new()).collect();
        let wire = Rc::new(RefCell::new(Wire { passing, queues, sent: Sent::default() }));
        let socket = |own| Socket { own: own as u8, wire: Rc::clone(&wire) };
        let start = |own| session((own, players), delay, WINDOW, digest_every, socket(own));
        let mut sessions: Vec<_> = (0..players).map(start).collect();
        meet(&mut sessions);
        Self { sessions, wire, tick: 0 }
    }

    /// A tick of every machine, one after another.
    pub(crate) fn tick(&mut self) {
        self.tick += 1;
        for (own, session) in self.sessions.iter_mut().enumerate() {
            session.poll_remote_clients();
            session.add_local_input(own, press(own, self.tick)).expect("sits here");
            fulfil(session.advance_frame().expect("all have met"));
            session.events().for_each(drop);
        }
    }

    pub(crate) fn sent(&self) -> Sent {
        self.wire.borrow().sent
    }
}
