//! A P2P session on every machine, messages in queues.

use super::{Plain, fulfil, start};
use ::ggrs::{Message, NonBlockingSocket, P2PSession, SessionState};
use isostep_bench::suite::session::{WINDOW, press};
use isostep_bench::suite::{Match, Sent};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Form in which messages are passed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// As values.
    Messages,
    /// As the bytes of ggrs's own socket.
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

/// Synchronises the sessions.
pub fn meet(sessions: &mut [P2PSession<Plain>]) {
    let running = |session: &P2PSession<Plain>| session.current_state() == SessionState::Running;
    while !sessions.iter().all(running) {
        sessions.iter_mut().for_each(P2PSession::poll_remote_clients);
    }
}

/// A match.
pub struct Theirs {
    sessions: Vec<P2PSession<Plain>>,
    wire: Rc<RefCell<Wire>>,
    tick: u32,
    passing: Passing,
}

impl Theirs {
    /// A match with synchronised machines.
    pub fn new(players: usize, delay: u32, digest_every: u32, passing: Passing) -> Self {
        let queues = (0..players).map(|_| VecDeque::new()).collect();
        let wire = Rc::new(RefCell::new(Wire { passing, queues, sent: Sent::default() }));
        let socket = |own| Socket { own: own as u8, wire: Rc::clone(&wire) };
        let start = |own| start((own, players), delay, WINDOW, digest_every, socket(own));
        let mut sessions: Vec<_> = (0..players).map(start).collect();
        meet(&mut sessions);
        Self { sessions, wire, tick: 0, passing }
    }
}

impl Match for Theirs {
    fn name(&self) -> String {
        match self.passing {
            Passing::Messages => "ggrs 0.13".to_owned(),
            Passing::Bytes => "ggrs 0.13, as bytes".to_owned(),
        }
    }

    fn tick(&mut self) {
        self.tick += 1;
        for (own, session) in self.sessions.iter_mut().enumerate() {
            session.poll_remote_clients();
            session.add_local_input(own, press(own, self.tick)).expect("sits here");
            fulfil(session.advance_frame().expect("all have met"));
            session.events().for_each(drop);
        }
    }

    fn sent(&self) -> Sent {
        self.wire.borrow().sent
    }
}
