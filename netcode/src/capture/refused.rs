//! The capture of handshakes that fail and packets that are dropped: versions, terms, tokens, damage, echoes, garbage.

use super::net::{Capture, Net, UNIX};
use super::scenes::{Hall, bytes};
use crate::crypto::{GameId, MachineId, MatchId, MatchSpec};
use crate::endpoint::{ConnectError, Endpoint, EndpointConfig, Event};
use crate::wire::Hello;
use core::time::Duration;
use isostep_rollback::{LinkConfig, Time};

/// How long each attempt gets, in milliseconds.
const EACH: u64 = 300;

/// A responder, and what happens to it.
struct Trial {
    hall: Hall,
    net: Net,
    responder: Endpoint,
    millis: u64,
}

impl Trial {
    fn now(&self) -> Time {
        Time::from_millis(self.millis)
    }

    fn config(&self, spec: &MatchSpec, machine: usize, unix: u64) -> EndpointConfig {
        EndpointConfig::new(self.hall.credentials(spec)[machine].clone(), unix)
    }

    /// Lets time pass; what happened to machine 0 meanwhile.
    fn wait(&mut self, caller: &mut Endpoint) -> Vec<Event> {
        let mut bytes = Vec::new();
        for _ in 0..EACH {
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

    /// Somebody with this config calls.
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

    /// Something that machine 0 or whoever has its address sends.
    fn inject(&mut self, bytes: &[u8]) {
        let to = self.net.address(1);
        self.net.send(self.now(), 0, to, bytes);
    }

    /// The last packet that machine 0 sent, with one bit changed.
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

/// Everything that goes wrong.
pub(super) fn refused() -> Capture {
    let hall = Hall::new();
    let latency = Duration::from_millis(5);
    let net = Net::new(3, 2, LinkConfig { latency, ..LinkConfig::perfect() });
    let spec = hall.spec;
    let all = hall.credentials(&spec);
    let responder = net.endpoint(sound(EndpointConfig::new(all[1].clone(), UNIX)), 31);
    let mut trial = Trial { hall, net, responder, millis: 0 };

    let mut packet = Vec::new();
    Hello { version: 2, attempt: *b"version2" }.write(&mut packet);
    trial.inject(&packet);

    let config = |trial: &Trial| trial.config(&spec, 0, UNIX);
    let other = config(&trial).inputs(5, *b"schema01", 77);
    assert_eq!(trial.refused(other), ConnectError::InputWidth { ours: 5, theirs: 4 });
    let other = config(&trial).inputs(4, *b"schema02", 77);
    assert_eq!(trial.refused(other), ConnectError::InputSchema);
    let other = config(&trial).inputs(4, *b"schema01", 78);
    assert_eq!(trial.refused(other), ConnectError::Settings);
    let game = MatchSpec { game: GameId::named("another"), ..spec };
    let other = sound(trial.config(&game, 0, UNIX));
    assert!(matches!(trial.refused(other), ConnectError::Game { .. }));
    let old = MatchSpec { expires: UNIX - 3600, ..spec };
    let other = sound(trial.config(&old, 0, UNIX - 7200));
    assert_eq!(trial.refused(other), ConnectError::TokenExpired);
    let elsewhere = MatchSpec { match_id: MatchId(*b"another match id"), ..spec };
    let other = sound(trial.config(&elsewhere, 0, UNIX));
    assert_eq!(trial.refused(other), ConnectError::TokenRefused);

    let good = sound(config(&trial));
    let (mut caller, events) = trial.call(good);
    assert!(matches!(events[..], [Event::Connected { .. }]), "{events:?}");
    // The INIT again, the last packet again and with bits changed everywhere, an echo, garbage of all lengths.
    let packets = trial.net.packets();
    let init = packets.iter().rev().find(|packet| packet.bytes[0] == 0x83).expect("it was sent");
    let init = init.bytes.clone();
    let echo = packets.iter().rev().find(|packet| packet.from == 1).expect("it answered");
    let echo = echo.bytes.clone();
    let mut damaged: Vec<_> = (0..24).map(|step| trial.flipped(step * 13)).collect();
    let again = trial.flipped(0);
    damaged.push([again[0] ^ 1].iter().chain(&again[1..]).copied().collect());
    damaged.push(init[..319].to_vec());
    damaged.push(echo);
    damaged.extend([0, 1, 2, 16, 18, 19, 20, 64].map(bytes));
    damaged.iter().for_each(|packet| trial.inject(packet));
    caller.send_datagram(trial.now(), MachineId(1), b"still here");
    caller.send_message(MachineId(1), b"a message").expect("connected");
    trial.wait(&mut caller);
    let now = trial.now();
    trial.responder.shut_down(now);
    trial.wait(&mut caller);
    let good = sound(config(&trial));
    assert_eq!(trial.refused(good), ConnectError::MatchOver);
    trial.net.capture(&all, 4, (16_666, 0), &[0, 1])
}
