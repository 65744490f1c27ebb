//! The side of ggrs: a P2P session on every machine, messages in queues.

use crate::ours::WINDOW;
use crate::{Pad, Sent, press};
use ggrs::{
    Config, DesyncDetection, GgrsRequest, Message, NonBlockingSocket, P2PSession, PlayerType,
    PredictRepeatLast, SessionBuilder, SessionState,
};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

pub(crate) struct Plain;

impl Config for Plain {
    type Input = Pad;
    type InputPredictor = PredictRepeatLast;
    type State = ();
    type Address = u8;
}

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

/// A session of a match, whichever way its socket goes.
pub(crate) fn session(
    own: usize,
    players: usize,
    delay: u32,
    digest_every: u32,
    socket: impl NonBlockingSocket<u8> + 'static,
) -> P2PSession<Plain> {
    let detection = match digest_every {
        0 => DesyncDetection::Off,
        interval => DesyncDetection::On { interval },
    };
    let builder = SessionBuilder::<Plain>::new()
        .with_num_players(players)
        .expect("some")
        .with_max_prediction_window(WINDOW as usize)
        .with_input_delay(delay as usize)
        .with_desync_detection_mode(detection)
        // Nobody is dropped because the machine is busy.
        .with_disconnect_timeout(Duration::from_mins(10));
    let add = |builder: SessionBuilder<Plain>, player: usize| {
        let remote = PlayerType::Remote(player as u8);
        let kind = if player == own { PlayerType::Local } else { remote };
        builder.add_player(kind, player).expect("a handle of its own")
    };
    (0..players).fold(builder, add).start_p2p_session(socket).expect("all are there")
}

/// Lets sessions find each other.
pub(crate) fn meet(sessions: &mut [P2PSession<Plain>]) {
    let running = |session: &P2PSession<Plain>| session.current_state() == SessionState::Running;
    while !sessions.iter().all(running) {
        sessions.iter_mut().for_each(P2PSession::poll_remote_clients);
    }
}

/// Does what a session asks for; to which frame it went back.
pub(crate) fn fulfil(requests: Vec<GgrsRequest<Plain>>) -> Option<i32> {
    let mut back = None;
    for request in requests {
        match request {
            GgrsRequest::SaveGameState { cell, frame } => cell.save(frame, Some(()), Some(0)),
            GgrsRequest::LoadGameState { cell, frame } => {
                cell.load();
                back = Some(frame);
            }
            GgrsRequest::AdvanceFrame { .. } => (),
        }
    }
    back
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
        let start = |own| session(own, players, delay, digest_every, socket(own));
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
