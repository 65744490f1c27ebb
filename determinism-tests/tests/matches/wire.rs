//! Matches of whole peers: handshakes, encryption, coded inputs, pacing and frames over the same
//! bad network.

use super::common::{bad_link, config};
use core::time::Duration;
use isostep_core::state::State;
use isostep_netcode::crypto::{Credentials, GameId, MachineId};
use isostep_netcode::transport::SimTransport;
use isostep_netcode::{Address, Peer, PeerConfig, PeerEvent, SeededEntropy};
use isostep_rollback::{LinkConfig, PlayerId, SessionEvent, SimNetwork, Tick, Time};
use isostep_scenes::games::{Arena, ArenaSize, arena_input};

struct Machine {
    peer: Peer<Arena, SimTransport>,
    game: Arena,
}

fn machines(size: ArenaSize, seed: u64) -> Vec<Machine> {
    let mut network = SimNetwork::new(seed);
    network.set_all_links(bad_link()).unwrap();
    let transports = SimTransport::nodes(network, size.players.into());
    let machine = |(own, transport)| {
        let credentials =
            Credentials::insecure(MachineId(own), size.players, GameId::named("arena")).unwrap();
        let mut settings = PeerConfig::new(credentials, 0).session(config());
        for other in (0..size.players).filter(|other| *other != own) {
            settings = settings.address(MachineId(other), Address::Node(other.into()));
        }
        let mut game = Arena::new(size, seed);
        let entropy = Box::new(SeededEntropy::new(seed << 8 | u64::from(own)));
        Machine { peer: Peer::new(settings, &mut game, transport, entropy).unwrap(), game }
    };
    (0..).zip(transports).map(machine).collect()
}

/// Runs some frames on each machine at 60 Hz, a millisecond or two apart.
fn play(machines: &mut [Machine], seed: u64, frames: core::ops::Range<u64>) {
    for frame in frames {
        for (player, Machine { peer, game }) in (0..).zip(machines.iter_mut()) {
            let apart = Duration::from_micros(1_700) * player;
            let now = Time::from_nanos(frame * 1_000_000_000 / 60) + apart;
            let player = PlayerId(player as u8);
            for _ in 0..peer.begin_frame(now).ticks {
                let input = arena_input(seed, player, peer.session().current_tick());
                peer.local_input(player, input).unwrap();
                peer.tick(now, game).unwrap();
            }
            peer.end_frame(now);
            while let Some(event) = peer.poll_event() {
                let fine = match &event {
                    PeerEvent::Session(event) => {
                        let waits = matches!(event, SessionEvent::Stalled { .. });
                        waits || matches!(event, SessionEvent::StallEnded { .. })
                    }
                    PeerEvent::Left { .. } | PeerEvent::LinkError { .. } => false,
                    _ => true,
                };
                assert!(fine, "seed {seed}, {player:?}: {event}");
            }
        }
    }
}

/// Asserts equal states on the newest tick that all machines have confirmed.
fn check_agreement(machines: &[Machine], seed: u64) -> Tick {
    let reached = machines.iter().map(|machine| {
        let session = machine.peer.session();
        session.confirmed_tick().min(session.current_tick())
    });
    let tick = reached.min().unwrap();
    let digests: Vec<_> = machines
        .iter()
        .map(|Machine { peer, game }| game.digest(peer.session().slots(), tick).unwrap())
        .collect();
    assert!(digests.iter().all(|digest| *digest == digests[0]), "seed {seed}: {digests:?}");
    tick
}

fn play_seeds(seeds: u64, size: ArenaSize) {
    let (mut worst, mut rollbacks, mut bytes) = (100, 0, 0);
    for seed in 0..seeds {
        let mut machines = machines(size, seed);
        let mut frame = 0;
        while !machines.iter().all(|machine| machine.peer.has_started()) {
            assert!(frame < 600, "they did not start");
            play(&mut machines, seed, frame..frame + 10);
            frame += 10;
        }
        let before: Vec<_> =
            machines.iter().map(|machine| machine.peer.session().confirmed_tick()).collect();
        play(&mut machines, seed, frame..frame + 300);
        for (Machine { peer, .. }, before) in machines.iter().zip(before) {
            worst = worst.min(peer.session().confirmed_tick().since(before) * 100 / 300);
            rollbacks += peer.session().stats().rollbacks;
            bytes += peer.counters().sent_bytes;
            assert!(peer.session().stats().compared > 10);
        }
        let network = machines[0].peer.transport_mut().network();
        network.borrow_mut().set_all_links(LinkConfig::perfect()).unwrap();
        play(&mut machines, seed, frame + 300..frame + 360);
        assert!(check_agreement(&machines, seed) > Tick(300));
    }
    let ticks = seeds * u64::from(size.players) * 300;
    println!(
        "{} players over the wire, {seeds} seeds: at least {worst} % confirmed; {} rollbacks for 100 ticks; {} bytes a tick",
        size.players,
        rollbacks * 100 / ticks,
        bytes / ticks,
    );
    assert!(worst >= 95, "only {worst} % of the ticks are confirmed");
}

#[test]
fn two_peers_agree_over_the_wire() {
    play_seeds(6, ArenaSize { players: 2, props: 6 });
}

#[test]
fn four_peers_agree_over_the_wire() {
    play_seeds(3, ArenaSize { players: 4, props: 6 });
}

#[test]
fn eight_peers_agree_over_the_wire() {
    play_seeds(1, ArenaSize { players: 8, props: 8 });
}
