//! Checks of the fuzz targets for endpoints. Tests of netcode include this file, so it uses only netcode, rollback and
//! core.

use super::reuse::{Reused, TargetSpec};
use isostep_netcode::crypto::{Credentials, GameId, MachineId};
use isostep_netcode::{
    Address, CloseReason, Endpoint, EndpointConfig, Event, MAX_MESSAGE_BYTES, Message,
    SeededEntropy,
};
use isostep_rollback::Time;
use std::cell::RefCell;
use std::sync::OnceLock;

/// Most bytes of a frame: sixteen fragments.
const MOST_FRAME: usize = 16 * 1452;
/// Maximum number of packets that one packet may cause.
const MOST_ANSWERS: usize = 8;

/// Endpoints of machines 0, 1 and 2 in virtual time: 0 and 1 are connected, 1 calls 2, which never answers.
pub struct Ends {
    /// The endpoints of machines 0 and 1.
    pub both: Vec<Endpoint>,
    /// Time at both.
    pub now: Time,
    /// Packets that were sent, if they are recorded.
    said: Option<Vec<Vec<u8>>>,
}

/// Address of a machine.
pub fn address(machine: usize) -> Address {
    Address::Node(machine as u64)
}

fn endpoint(machine: u8) -> Endpoint {
    // They take a while, and are the same each time.
    static CREDENTIALS: [OnceLock<Credentials>; 2] = [const { OnceLock::new() }; 2];
    let credentials = CREDENTIALS[usize::from(machine)].get_or_init(|| {
        Credentials::insecure(MachineId(machine), 3, GameId::named("fuzz")).expect("three machines")
    });
    let config = EndpointConfig::new(credentials.clone(), 0).inputs(2, [7; 8], 7);
    Endpoint::new(config, Box::new(SeededEntropy::new(machine.into()))).expect("sound credentials")
}

impl Default for Ends {
    fn default() -> Self {
        Self::new()
    }
}

impl Ends {
    /// Before anything was said.
    ///
    /// # Panics
    /// Never: all is sound.
    pub fn unconnected() -> Self {
        let mut both = vec![endpoint(0), endpoint(1)];
        let now = Time::from_millis(1000);
        for (own, other) in [(0, 1), (1, 0), (1, 2)] {
            both[own]
                .connect(now, MachineId(other as u8), address(other))
                .expect("a known machine");
        }
        Self { both, now, said: None }
    }

    /// Connected.
    ///
    /// # Panics
    /// When the two do not connect.
    pub fn new() -> Self {
        let mut ends = Self::unconnected();
        ends.talk(40);
        assert!(ends.is_connected());
        ends
    }

    /// Packets that both send until they are connected as [`new`](Self::new) leaves them, and a call to machine 2.
    pub fn recorded() -> Vec<Vec<u8>> {
        let mut ends = Self::unconnected();
        ends.said = Some(Vec::new());
        ends.talk(40);
        ends.said.unwrap_or_default()
    }

    /// Returns true if both are connected.
    pub fn is_connected(&self) -> bool {
        self.both.iter().all(|end| end.connected().count() == 1)
    }

    /// Lets some milliseconds pass in which the two hear each other.
    pub fn talk(&mut self, millis: u64) {
        let mut packet = Vec::new();
        for _ in 0..millis {
            self.now = Time::from_nanos(self.now.nanos() + 1_000_000);
            for (from, to) in [(0, 1), (1, 0)] {
                self.both[from].handle_timeout(self.now);
                while let Some(at) = self.both[from].poll_transmit(self.now, &mut packet) {
                    if at == address(to) {
                        self.both[to].handle_datagram(self.now, address(from), &packet);
                    }
                    if let Some(said) = &mut self.said {
                        said.push(packet.clone());
                    }
                }
            }
        }
    }

    /// Bytes as a datagram to machine 1, from where its peers are and from elsewhere. No sender has keys to seal them: the connection
    /// goes on.
    ///
    /// # Panics
    /// When an endpoint breaks a promise.
    pub fn datagram(&mut self, data: &[u8]) {
        // Time for three replies, so that rate limits are rarely reached.
        self.now = Time::from_nanos(self.now.nanos() + 2_000_000);
        let end = &mut self.both[1];
        for from in [0, 2, 77] {
            let before = end.counters();
            end.handle_datagram(self.now, address(from), data);
            let after = end.counters();
            assert!(after.sent <= before.sent + 1, "at most one answer");
            // No address was validated: no more bytes are sent than received.
            let sent = after.sent_bytes - before.sent_bytes;
            assert!(sent <= data.len() as u64 || from == 2, "{sent} bytes for {}", data.len());
        }
        assert_eq!(
            end.remote_address(MachineId(0)),
            Some(address(0)),
            "unauthenticated bytes migrated a connection"
        );
        while let Some(event) = end.poll_event() {
            let closed = matches!(event, Event::Closed { .. } | Event::Migrated { .. });
            assert!(!closed, "without keys: {event:?}");
        }
        let mut packet = Vec::new();
        while end.poll_transmit(self.now, &mut packet).is_some() {}
    }

    /// Bytes as the frames of a packet of machine 0, which has keys and bad intentions. Whether the connection goes on.
    ///
    /// # Panics
    /// When an endpoint breaks a promise.
    pub fn payload(&mut self, data: &[u8], polls: bool) -> bool {
        // Mostly the next packet; now and then a pause in which pings, probes and fragments fall due.
        let millis = if data.len() % 16 == 7 { 300 } else { 3 };
        self.now = Time::from_nanos(self.now.nanos() + millis * 1_000_000);
        let end = &mut self.both[1];
        end.handle_payload(self.now, MachineId(0), data);
        end.handle_timeout(self.now);
        let (mut bytes, mut packets) = (Vec::new(), 0);
        while end.poll_transmit(self.now, &mut bytes).is_some() {
            assert!(bytes.len() <= 1452, "a packet of {} bytes", bytes.len());
            packets += 1;
        }
        assert!(packets <= MOST_ANSWERS, "{packets} answers to {} bytes", data.len());
        if polls {
            self.drain();
        }
        let end = &mut self.both[1];
        while let Some(event) = end.poll_event() {
            if let Event::Closed { reason, .. } = event {
                let known = matches!(
                    reason,
                    CloseReason::ClosedByPeer { .. } | CloseReason::ProtocolViolation
                );
                assert!(known, "{reason:?}");
            }
        }
        end.connected().count() == 1
    }

    /// Bytes that machine 0 sends as a frame of a session, a datagram and a message, sealed as ever: they arrive as they are.
    ///
    /// # Panics
    /// When they do not.
    pub fn sealed(&mut self, data: &[u8]) {
        let (now, to) = (self.now, MachineId(0));
        let mut frame = data.to_vec();
        frame.iter_mut().take(1).for_each(|kind| *kind |= 0x80);
        let end = &mut self.both[0];
        end.send_game(now, MachineId(1), &frame);
        end.send_datagram(now, MachineId(1), data);
        end.send_message(MachineId(1), data).expect("all that was sent before has arrived");
        self.talk(3);
        let (mut bytes, end) = (Vec::new(), &mut self.both[1]);
        if !frame.is_empty() {
            assert_eq!((end.poll_game(&mut bytes), &bytes), (Some(to), &frame));
        }
        assert_eq!((end.poll_datagram(&mut bytes), &bytes[..]), (Some(to), data));
        for _ in 0..100 {
            if let Some(message) = self.both[1].poll_message() {
                assert_eq!(message, (to, Message::Game(data.to_vec())));
                return;
            }
            self.talk(20);
        }
        panic!("a message of {} bytes has not arrived", data.len());
    }

    /// Takes all that has arrived; how many messages and bytes.
    ///
    /// # Panics
    /// When something is longer than it may be.
    pub fn drain(&mut self) -> (usize, usize) {
        let end = &mut self.both[1];
        let (mut bytes, mut count, mut sum) = (Vec::new(), 0, 0);
        while end.poll_game(&mut bytes).is_some() || end.poll_datagram(&mut bytes).is_some() {
            assert!(bytes.len() <= MOST_FRAME, "a frame of {} bytes", bytes.len());
        }
        while let Some((machine, message)) = end.poll_message() {
            let (Message::Session(message) | Message::Game(message) | Message::Peer(message)) =
                message;
            assert!(machine == MachineId(0) && message.len() < MAX_MESSAGE_BYTES);
            count += 1;
            sum += message.len();
        }
        (count, sum)
    }
}

thread_local! {
    static PACKET: RefCell<Reused<Ends>> = RefCell::default();
    static PAYLOAD: RefCell<Reused<Ends>> = RefCell::default();
    static SEALED: RefCell<Reused<Ends>> = RefCell::default();
}

/// Feeds bytes as a datagram to a connection that others met before.
///
/// # Panics
/// When an endpoint breaks a promise.
pub fn packet(data: &[u8]) {
    let spec = TargetSpec {
        name: "packet",
        // Two seconds: cookies that were recorded are still good.
        max_inputs: 1000,
        make: Ends::new,
        feed: |ends, data| {
            ends.datagram(data);
            true
        },
        finish: drop,
    };
    PACKET.with_borrow_mut(|reused| reused.run(&spec, data));
}

/// Feeds bytes as frames of a peer, as they are and in two parts, a few times.
///
/// # Panics
/// When an endpoint breaks a promise.
pub fn payload(data: &[u8]) {
    let spec = TargetSpec {
        name: "payload",
        max_inputs: 500,
        make: Ends::new,
        feed: |ends, data| {
            let (first, second) = data.split_at(data.len() / 2);
            let parts = [data, first, second, data];
            parts.iter().all(|part| ends.payload(part, part.len() % 2 == 0))
        },
        finish: |mut ends| _ = ends.drain(),
    };
    PAYLOAD.with_borrow_mut(|reused| reused.run(&spec, data));
}

/// Sends bytes in every way that a peer has.
///
/// # Panics
/// When they do not arrive as they are.
pub fn sealed(data: &[u8]) {
    let spec = TargetSpec {
        name: "sealed",
        max_inputs: 1000,
        make: Ends::new,
        feed: |ends, data| {
            // Longer payloads do not fit into one datagram.
            ends.sealed(&data[..data.len().min(16_000)]);
            true
        },
        finish: |ends| assert!(ends.is_connected()),
    };
    SEALED.with_borrow_mut(|reused| reused.run(&spec, data));
}
