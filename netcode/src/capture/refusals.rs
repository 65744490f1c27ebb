//! Capture of failed handshakes and dropped packets: versions, parameters, tokens, corruption, reflection, garbage.

use super::net::{Capture, Net, UNIX};
use super::scenes::{Fixture, bytes};
use crate::crypto::{GameId, MachineId, MatchId, MatchSpec};
use crate::endpoint::{ConnectError, Endpoint, EndpointConfig, Event};
use crate::wire::Hello;
use core::time::Duration;
use isostep_rollback::{LinkConfig, Time};

/// Duration of an attempt, in milliseconds.
const ATTEMPT_MILLIS: u64 = 300;

/// Responder under test.
struct RefusalTest {
    fixture: Fixture,
    net: Net,
    responder: Endpoint,
    millis: u64,
}

impl RefusalTest {
    fn now(&self) -> Time {
        Time::from_millis(self.millis)
    }

    fn config(&self, spec: &MatchSpec, machine: usize, unix: u64) -> EndpointConfig {
        EndpointConfig::new(self.fixture.credentials(spec)[machine].clone(), unix)
    }

    /// Advances time; returns the events of machine 0.
    fn wait(&mut self, caller: &mut Endpoint) -> Vec<Event> {
        let mut bytes = Vec::new();
        for _ in 0..ATTEMPT_MILLIS {
            let now = self.now();
            for end in [&mut self.responder, &mut *caller] {
                end.handle_timeout(now);
                self.net.transmit(now, end, now);
            }
            self.millis += 1;
            let now = self.now();
            while let Some((to, from)) = self.net.arrived(now, &mut bytes) {
                let end = if to == 1 { &mut self.responder } else { &mut *caller };
                end.handle_datagram(now, from, &bytes);
            }
        }
        core::iter::from_fn(|| caller.poll_event()).collect()
    }

    /// Connects with the given settings.
    fn call(&mut self, config: EndpointConfig) -> (Endpoint, Vec<Event>) {
        let mut caller = self.net.endpoint(config, self.millis);
        caller.connect(self.now(), MachineId(1), self.net.address(1)).expect("a known machine");
        let events = self.wait(&mut caller);
        (caller, events)
    }

    fn refused(&mut self, config: EndpointConfig) -> ConnectError {
        let (_, events) = self.call(config);
        let [Event::ConnectFailed { machine: MachineId(1), reason }] = &events[..] else {
            panic!("not refused: {events:?}");
        };
        reason.clone()
    }

    /// Sends bytes from the address of machine 0.
    fn inject(&mut self, bytes: &[u8]) {
        let to = self.net.address(1);
        self.net.send(self.now(), 0, to, bytes);
    }

    /// Last packet of machine 0 with one flipped bit.
    fn flipped(&self, bit: usize) -> Vec<u8> {
        let last = self.net.packets().iter().rev().find(|packet| packet.from == 0);
        let mut bytes = last.expect("there is one").bytes.clone();
        let place = bit / 8 % bytes.len();
        bytes[place] ^= 1 << (bit % 8);
        bytes
    }
}

fn sound(config: EndpointConfig) -> EndpointConfig {
    config.inputs(4, *b"schema01", 77).max_mtu(1200)
}

/// Creates the capture.
pub(super) fn refusals() -> Capture {
    let fixture = Fixture::new();
    let latency = Duration::from_millis(5);
    let net = Net::new(3, 2, LinkConfig { latency, ..LinkConfig::perfect() });
    let spec = fixture.spec;
    let all = fixture.credentials(&spec);
    let responder = net.endpoint(sound(EndpointConfig::new(all[1].clone(), UNIX)), 31);
    let mut test = RefusalTest { fixture, net, responder, millis: 0 };

    let mut packet = Vec::new();
    Hello { version: 2, attempt: *b"version2" }.write(&mut packet);
    test.inject(&packet);
    test.inject(b"\x85ISOS\x01\x00\0\0\0\0\0\0\0\0\0");

    let config = |test: &RefusalTest| test.config(&spec, 0, UNIX);
    let other = config(&test).inputs(5, *b"schema01", 77);
    assert_eq!(test.refused(other), ConnectError::InputWidth { ours: 5, theirs: 4 });
    let other = config(&test).inputs(4, *b"schema02", 77);
    assert_eq!(test.refused(other), ConnectError::InputSchema);
    let other = config(&test).inputs(4, *b"schema01", 78);
    assert_eq!(test.refused(other), ConnectError::Settings);
    let game = MatchSpec { game: GameId::named("another"), ..spec };
    let other = sound(test.config(&game, 0, UNIX));
    assert!(matches!(test.refused(other), ConnectError::Game { .. }));
    let old = MatchSpec { expires: UNIX - 3600, ..spec };
    let other = sound(test.config(&old, 0, UNIX - 7200));
    assert_eq!(test.refused(other), ConnectError::TokenExpired);
    let elsewhere = MatchSpec { match_id: MatchId(*b"another match id"), ..spec };
    let other = sound(test.config(&elsewhere, 0, UNIX));
    assert_eq!(test.refused(other), ConnectError::TokenRefused);

    let good = sound(config(&test));
    let (mut caller, events) = test.call(good);
    assert!(matches!(events[..], [Event::Connected { .. }]), "{events:?}");
    // Replayed INIT, replayed and corrupted last packet, a reflected packet, garbage of all lengths.
    let packets = test.net.packets();
    let init = packets.iter().rev().find(|packet| packet.bytes[0] == 0x83).expect("it was sent");
    let init = init.bytes.clone();
    let echo = packets.iter().rev().find(|packet| packet.from == 1).expect("it answered");
    let echo = echo.bytes.clone();
    let mut damaged: Vec<_> = (0..24).map(|step| test.flipped(step * 13)).collect();
    let again = test.flipped(0);
    damaged.push([again[0] ^ 1].iter().chain(&again[1..]).copied().collect());
    damaged.push(init[..319].to_vec());
    damaged.push(echo);
    damaged.extend([0, 1, 2, 16, 18, 19, 20, 64].map(bytes));
    damaged.iter().for_each(|packet| test.inject(packet));
    caller.send_datagram(test.now(), MachineId(1), b"still here");
    caller.send_message(MachineId(1), b"a message").expect("connected");
    test.wait(&mut caller);
    let now = test.now();
    test.responder.shut_down(now);
    test.wait(&mut caller);
    let good = sound(config(&test));
    assert_eq!(test.refused(good), ConnectError::MatchOver);
    test.net.capture(&all, 4, (16_666, 0), &[0, 1])
}
