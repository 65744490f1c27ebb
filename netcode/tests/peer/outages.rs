//! Paths that break for a while, and machines that move: the match waits, and goes on.

use super::harness::{Mesh, SECOND, SIZES, Setup};
use super::links::{bad_link, good_link};
use super::statistics::Figures;
use core::time::Duration;
use isostep_netcode::PeerEvent;
use isostep_rollback::{Mode, SessionConfig, SessionEvent, Tick};

/// Cuts a machine off from some others for two seconds.
fn cut_off(mesh: &mut Mesh, one: usize, from: impl Fn(usize) -> bool) {
    let nodes = mesh.nodes();
    let (start, end) = (mesh.now.get(), mesh.now.get() + Duration::from_secs(2));
    for (other, &node) in nodes.iter().enumerate() {
        if other != one && from(other) {
            let mut network = mesh.network.borrow_mut();
            network.partition_both(nodes[one], node, start..end).expect("both exist");
        }
    }
}

/// Events that both ends of a failed path must report.
fn check_partition(mesh: &Mesh, ends: &[usize]) {
    let resumed =
        |event: &PeerEvent| matches!(event, PeerEvent::Session(SessionEvent::StallEnded { .. }));
    for machine in &mesh.machines {
        assert!(machine.stalled() > 0, "no machine advances alone");
        assert_eq!(machine.count(resumed), machine.stalled());
        assert_eq!(machine.left(), 0);
    }
    for &end in ends {
        let machine = &mesh.machines[end];
        let quiet = machine.count(|event| matches!(event, PeerEvent::Interrupted { .. }));
        assert!(quiet > 0);
        assert_eq!(machine.count(|event| matches!(event, PeerEvent::Resumed { .. })), quiet);
    }
}

#[test]
fn a_two_second_outage_stalls_the_match_only_for_its_duration() {
    for (peers, seeds) in SIZES {
        let mut all = Figures::default();
        for seed in 0..seeds {
            let mut mesh = Setup::new(seed, peers, good_link()).mesh();
            all = all.and(&mesh.play(2 * SECOND));
            // One machine from all others, or one way of many.
            let alone = seed % 2 == 0;
            cut_off(&mut mesh, 0, |other| alone || other == 1);
            mesh.run(2 * SECOND + SECOND / 2);
            all = all.and(&mesh.measure(2 * SECOND));
            mesh.settle_and_check();
            check_partition(&mesh, &[0, 1]);
        }
        all.check("2 s partition, 25 ms", peers);
    }
}

/// Packets of one direction are lost. A machine that predicts without a bound then stalls half a log ahead of what it has
/// received, while the other one receives everything and goes on. That one once dropped the inputs that the first lacked.
#[test]
fn an_outage_of_one_direction_stalls_the_match_only_for_its_duration() {
    let session = SessionConfig::new().delay(2).mode(Mode::Unbounded { steps: 30 });
    for peers in [2, 3] {
        let mut mesh = Setup::new(6, peers, good_link()).session(session.clone()).mesh();
        mesh.play(2 * SECOND);
        let nodes = mesh.nodes();
        let (start, end) = (mesh.now.get(), mesh.now.get() + Duration::from_secs(4));
        mesh.network.borrow_mut().partition(nodes[1], nodes[0], start..end).expect("both exist");
        mesh.run(6 * SECOND);
        let before = mesh.machines[0].peer.session().confirmed_tick();
        mesh.run(2 * SECOND);
        let confirmed = mesh.machines[0].peer.session().confirmed_tick().since(before);
        assert!(confirmed > SECOND, "{confirmed} ticks in 2 s");
        // They are further apart than their histories are long.
        mesh.machines[0].peer.finish_at(Tick(0));
        mesh.run(3 * SECOND);
        for machine in &mesh.machines {
            let result = machine.peer.finished().expect("finished");
            assert!(result.is_agreed() && result.tick.0 > 8 * SECOND, "{result}");
        }
        assert!(mesh.machines.iter().all(|machine| machine.left() == 0));
        // Inputs that arrive before the log has room for them are no error of the machine that is ahead.
        let error = |event: &PeerEvent| matches!(event, PeerEvent::LinkError { .. });
        assert!(mesh.machines.iter().all(|machine| machine.count(error) == 0));
        let early = |place: usize| mesh.machines[place].peer.session().stats().too_far;
        assert!(early(0) > 0, "the machine that waited has no room");
    }
}

/// NAT rebinding: the next packet comes from a new address.
fn rebind(mesh: &mut Mesh, machine: usize) {
    mesh.machines[machine].peer.transport_mut().sim.rebind().expect("it is not borrowed");
}

#[test]
fn a_migrating_machine_keeps_playing() {
    for link in [good_link(), bad_link()] {
        for (peers, seeds) in SIZES {
            let mut all = Figures::default();
            for seed in 0..seeds {
                let mut mesh = Setup::new(seed, peers, link).mesh();
                all = all.and(&mesh.play(2 * SECOND));
                rebind(&mut mesh, seed as usize % 2);
                mesh.run(SECOND);
                all = all.and(&mesh.measure(2 * SECOND));
                mesh.settle_and_check();
                for (place, machine) in mesh.machines.iter().enumerate() {
                    let moved = usize::from(place != seed as usize % 2);
                    assert_eq!((machine.moved(), machine.left()), (moved, 0), "machine {place}");
                }
            }
            all.check("one moves", peers);
        }
    }
}

#[test]
fn all_machines_migrate_in_turn() {
    for (peers, seeds) in SIZES {
        let mut all = Figures::default();
        for seed in 0..seeds {
            let mut mesh = Setup::new(seed, peers, bad_link()).mesh();
            all = all.and(&mesh.play(2 * SECOND));
            for machine in 0..usize::from(peers) {
                rebind(&mut mesh, machine);
                // As long as it takes until the others know.
                mesh.run(SECOND);
            }
            all = all.and(&mesh.measure(2 * SECOND));
            mesh.settle_and_check();
            for machine in &mesh.machines {
                assert_eq!((machine.moved(), machine.left()), (usize::from(peers) - 1, 0));
            }
        }
        all.check("all move in turn", peers);
    }
}

/// Neither side knows the other's new address: both time out.
#[test]
fn two_machines_that_migrate_at_once_lose_their_connection() {
    let mut mesh = Setup::new(1, 2, good_link()).mesh();
    mesh.play(SECOND);
    rebind(&mut mesh, 0);
    rebind(&mut mesh, 1);
    mesh.run(6 * SECOND);
    assert!(mesh.machines.iter().all(|machine| machine.left() == 1));
    mesh.check_agreement();
}
