//! Captures of matches: settings and scripted events.

use super::machines::{Machine, MatchSetup, play};
use super::net::{Capture, UNIX};
use crate::crypto::{
    Credentials, GameId, MachineId, MatchId, MatchSpec, Matchmaker, MatchmakerKey, StaticKey,
};
use crate::entropy::SeededEntropy;
use crate::wire::PROTOCOL_VERSION;
use core::time::Duration;
use isostep_core::Rng;
use isostep_rollback::sim_network::Jitter;
use isostep_rollback::{LinkConfig, NewestWins, PlayerId, Time};

/// Matchmaker and keys of two machines, shared by all captures with tokens.
pub(super) struct Fixture {
    matchmaker: Matchmaker,
    keys: [StaticKey; 2],
    pub(super) spec: MatchSpec,
}

impl Fixture {
    pub(super) fn new() -> Self {
        let mut entropy = SeededEntropy::new(2026);
        let keys = [(); 2].map(|()| StaticKey::generate(&mut entropy));
        let matchmaker = Matchmaker::new(MatchmakerKey::generate(&mut entropy));
        let spec = MatchSpec {
            game: GameId::named("capture"),
            match_id: MatchId::random(&mut entropy),
            protocol: PROTOCOL_VERSION,
            issued: UNIX - 7200,
            expires: UNIX + 3600,
        };
        Self { matchmaker, keys, spec }
    }

    pub(super) fn credentials(&self, spec: &MatchSpec) -> Vec<Credentials> {
        let holders = [0, 1].map(|id| (MachineId(id as u8), self.keys[id].public()));
        let (roster, tokens) = self.matchmaker.issue(spec, &holders).expect("a sound match");
        let public = self.matchmaker.public();
        let one = |(key, token)| Credentials::new(key, token, roster.clone(), public);
        let all = self.keys.iter().cloned().zip(tokens).map(one);
        all.map(|credentials| credentials.expect("they belong together")).collect()
    }
}

/// Returns deterministic bytes.
pub(super) fn bytes(count: usize) -> Vec<u8> {
    let mut rng = Rng::new(count as u64);
    (0..count).map(|_| rng.next_u64() as u8).collect()
}

/// Two machines with tokens on a bad network, with every event of a match.
pub(super) fn two() -> Capture {
    let setup = MatchSetup {
        seed: 2,
        network: LinkConfig {
            latency: Duration::from_millis(40),
            jitter: Jitter::Uniform { spread: Duration::from_millis(10) },
            loss_ppm: 50_000,
            duplicate_ppm: 20_000,
            reorder_ppm: 20_000,
            reorder_delay: Duration::from_millis(40),
            ..LinkConfig::perfect()
        },
        seats: &[0, 1],
        start: 0,
        ticks: 200,
        key_lifetime: Some(Duration::from_secs(1)),
        max_mtu: 1452,
        // Half a second before the microsecond clock of stamps wraps.
        clock: Time::from_millis((1 << 32) / 1000 - 1000),
    };
    let all = Fixture::new().credentials(&Fixture::new().spec);
    let mut done = [0; 2];
    play::<[NewestWins<u8>; 4]>(&setup, &all, |now, net, machine| {
        let id = machine.end.machine().0;
        let clock = machine.clock(now);
        if core::mem::replace(&mut done[usize::from(id)], machine.ticks) == machine.ticks {
            return;
        }
        let other = MachineId(1 - id);
        let Machine { end, session, ticks, .. } = machine;
        let player = PlayerId(id);
        match (id, *ticks) {
            (0, 30) => end.send_message(other, b"").expect("there is room"),
            (1, 32) => end.send_message(other, &bytes(10)).expect("there is room"),
            (0, 50) => end.send_message(other, &bytes(5000)).expect("there is room"),
            (0, 35) => session.command(player, b"build a tower").expect("there is room"),
            (1, 60) => session.command(player, &bytes(150)).expect("there is room"),
            (1, 70) => end.send_datagram(clock, other, &bytes(3000)),
            (0, 80) => end.send_datagram(clock, other, b""),
            (1, 90) => end.send_session_message(other, b"from a session").expect("there is room"),
            (0, 110) => net.rebind(0),
            (1, 130) => session.set_delay(player, 4).expect("a sound delay"),
            (1, 150) => session.set_delay(player, 3).expect("a sound delay"),
            (1, 205) => end.close(clock, other, 260, "good game, well played \u{2014} bye"),
            _ => (),
        }
    })
}

/// Full mesh of four machines with development keys; machine 2 has two seats.
pub(super) fn four() -> Capture {
    let setup = MatchSetup {
        seed: 4,
        network: LinkConfig {
            latency: Duration::from_millis(12),
            jitter: Jitter::Uniform { spread: Duration::from_millis(6) },
            loss_ppm: 20_000,
            ..LinkConfig::perfect()
        },
        seats: &[0, 2, 1, 2, 3],
        start: 65_510,
        ticks: 32,
        key_lifetime: None,
        max_mtu: 1200,
        clock: Time::ZERO,
    };
    let game = GameId::named("four");
    let all =
        (0..4).map(|id| Credentials::insecure(MachineId(id), 4, game).expect("four machines"));
    let all: Vec<_> = all.collect();
    play::<[NewestWins<u8>; 6]>(&setup, &all, |now, _, machine| {
        if machine.ticks == setup.ticks + 2 {
            machine.end.shut_down(machine.clock(now));
        }
    })
}
