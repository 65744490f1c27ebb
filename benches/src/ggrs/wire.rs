//! A P2P session on every machine, messages as the bytes of its own socket, a network in memory.
//!
//! Its quality reports follow the machine's clock, so a run faster than 60 ticks a second has fewer
//! of them than a game: the bytes here are slightly too few.

use super::{Plain, fulfil, start};
use ::ggrs::{Message, NonBlockingSocket, P2PSession, SessionState};
use isostep_bench::suite::wire::{DELAY, TICK, Trace, WINDOW};
use isostep_bench::suite::{Match, Sent};
use isostep_rollback::{LinkConfig, NodeId, SimNetwork, Time};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

struct Wire {
    network: SimNetwork,
    nodes: Vec<NodeId>,
    now: Time,
    bytes: Vec<u8>,
    sent: Sent,
}

struct Socket {
    own: usize,
    wire: Rc<RefCell<Wire>>,
}

impl NonBlockingSocket<u8> for Socket {
    fn send_to(&mut self, message: &Message, to: &u8) {
        let Wire { network, nodes, now, sent, .. } = &mut *self.wire.borrow_mut();
        let bytes = bincode::serialize(message).expect("plain data");
        sent.packets += 1;
        sent.bytes += bytes.len() as u64;
        let (from, to) = (nodes[self.own], nodes[usize::from(*to)]);
        network.send(*now, from, to, &bytes).expect("time goes on");
    }

    fn receive_all_messages(&mut self) -> Vec<(u8, Message)> {
        let Wire { network, nodes, now, bytes, .. } = &mut *self.wire.borrow_mut();
        let mut messages = Vec::new();
        while let Some(packet) = network.receive(*now, nodes[self.own], bytes).expect("a node") {
            let message = bincode::deserialize(bytes).expect("undamaged");
            messages.push((packet.from.index() as u8, message));
        }
        messages
    }
}

/// A match.
pub struct Theirs {
    wire: Rc<RefCell<Wire>>,
    sessions: Vec<P2PSession<Plain>>,
    trace: Trace,
}

#[allow(
    clippy::missing_panics_doc,
    reason = "matches are built of constants: what they expect holds or a bench fails"
)]
impl Theirs {
    /// A match with synchronised machines.
    pub fn new(players: usize, digest_every: u32, one_way: Duration, trace: Trace) -> Self {
        let mut network = SimNetwork::new(1);
        let nodes = (0..players).map(|_| network.add_node()).collect();
        let wire =
            Wire { network, nodes, now: Time::ZERO, bytes: Vec::new(), sent: Sent::default() };
        let wire = Rc::new(RefCell::new(wire));
        let socket = |own| Socket { own, wire: Rc::clone(&wire) };
        let start = |own| start((own, players), DELAY, WINDOW, digest_every, socket(own));
        let mut sessions: Vec<_> = (0..players).map(start).collect();
        let running =
            |session: &P2PSession<Plain>| session.current_state() == SessionState::Running;
        while !sessions.iter().all(running) {
            sessions.iter_mut().for_each(P2PSession::poll_remote_clients);
        }
        let link = LinkConfig { latency: one_way, ..LinkConfig::perfect() };
        wire.borrow_mut().network.set_all_links(link).expect("a latency");
        Self { wire, sessions, trace }
    }
}

impl Match for Theirs {
    fn name(&self) -> String {
        "ggrs 0.13".to_owned()
    }

    fn tick(&mut self) {
        self.wire.borrow_mut().now += TICK;
        for (own, session) in self.sessions.iter_mut().enumerate() {
            let frame = session.current_frame();
            session.add_local_input(own, self.trace.input(own, frame as u32)).expect("sits here");
            fulfil(session.advance_frame().expect("all have met"));
            session.events().for_each(drop);
        }
    }

    fn sent(&self) -> Sent {
        self.wire.borrow().sent
    }
}
