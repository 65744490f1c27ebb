//! Departures by close and by crash: all other machines notice in time, and stop at the last inputs of the machine.

use super::harness::{Mesh, SECOND, SIZES, Setup};
use super::links::{bad_link, good_link};
use super::wire::Wire;
use core::time::Duration;
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{CloseReason, PeerEvent, Seat, close_code};
use isostep_rollback::Tick;

/// When and why a machine saw another one leave.
fn left(mesh: &Mesh, machine: usize, gone: usize) -> Option<(Duration, CloseReason)> {
    let events = &mesh.machines[machine].events;
    events.iter().find_map(|(at, event)| match event {
        PeerEvent::Left { machine, reason } if *machine == MachineId(gone as u8) => {
            Some((at.since(isostep_rollback::Time::ZERO), reason.clone()))
        }
        _ => None,
    })
}

/// No machine computes past the inputs of the departed one by more than the prediction window.
fn check_they_stopped(mesh: &Mesh, gone: usize) {
    let last = mesh.machines[gone].peer.session().current_tick() + 3;
    for (place, machine) in mesh.machines.iter().enumerate().filter(|(place, _)| *place != gone) {
        let session = machine.peer.session();
        assert!(session.confirmed_tick() <= last + 1, "machine {place} goes on without inputs");
        assert!(session.current_tick().since(session.confirmed_tick()) <= 12, "machine {place}");
        assert!(session.confirmed_tick() > Tick(2 * SECOND), "machine {place} had played");
    }
}

#[test]
fn a_vanished_machine_leaves_within_the_idle_timeout() {
    for (peers, seeds) in SIZES {
        for seed in 0..seeds {
            let mut mesh = Setup::new(seed, peers, bad_link()).mesh();
            mesh.play(2 * SECOND);
            let gone = seed as usize % usize::from(peers);
            mesh.machines[gone].awake = false;
            let since = mesh.now.get().since(isostep_rollback::Time::ZERO);
            mesh.run(7 * SECOND);
            for machine in (0..usize::from(peers)).filter(|machine| *machine != gone) {
                let (at, reason) = left(&mesh, machine, gone).expect("it noticed");
                assert!(matches!(reason, CloseReason::IdleTimeout { .. }), "{reason:?}");
                let after = at.saturating_sub(since);
                assert!(after <= Duration::from_millis(5200), "only after {after:?}");
                assert_eq!(mesh.machines[machine].left(), 1, "the others are still there");
            }
            check_they_stopped(&mesh, gone);
            mesh.check_agreement();
        }
    }
}

#[test]
fn a_machine_that_closes_leaves_at_once() {
    for (peers, seeds) in SIZES {
        for seed in 0..seeds {
            let mut mesh = Setup::new(seed, peers, bad_link()).mesh();
            mesh.play(2 * SECOND);
            let gone = seed as usize % usize::from(peers);
            let since = mesh.now.get().since(isostep_rollback::Time::ZERO);
            let now = mesh.machines[gone].time(mesh.now.get());
            mesh.machines[gone].peer.leave(now);
            mesh.machines[gone].plays = false;
            mesh.run(SECOND);
            for machine in (0..usize::from(peers)).filter(|machine| *machine != gone) {
                let (at, reason) = left(&mesh, machine, gone).expect("it heard");
                let said =
                    CloseReason::ClosedByPeer { code: close_code::SHUTDOWN, text: String::new() };
                assert_eq!(reason, said);
                assert!(at.saturating_sub(since) <= Duration::from_millis(500));
                assert_eq!(mesh.machines[machine].left(), 1, "the others are still there");
            }
            check_they_stopped(&mesh, gone);
            mesh.machines[gone].awake = false;
            mesh.check_agreement();
        }
    }
}

/// Once the others began without it: its old connection counted until the idle timeout, and then the match was over before
/// its first tick.
#[test]
fn a_machine_that_restarts_before_the_match_plays() {
    for seed in 0..4 {
        let mut mesh = Setup::new(seed, 4, good_link()).mesh();
        let (crashes, late) = (2, 3);
        mesh.machines[late].awake = false;
        mesh.run(2 * SECOND);
        // Another process at the same address.
        let wire = mesh.machines[crashes].peer.transport_mut();
        let other = wire.sim.join().expect("the network is not borrowed");
        let sim = core::mem::replace(&mut wire.sim, other);
        let wire = Wire { sim, now: mesh.now.clone() };
        let again = Setup::new(seed + 100, 4, good_link()).machine(crashes as u8, wire);
        mesh.machines[crashes] = again;
        // The departure cannot be known before.
        mesh.run(SECOND * 3 / 2);
        mesh.machines[late].awake = true;
        mesh.play(4 * SECOND);
        assert!(mesh.check_agreement() > Tick(3 * SECOND));
    }
}

#[test]
fn all_machines_may_leave_in_any_order() {
    let mut mesh = Setup::new(3, 4, good_link()).mesh();
    mesh.play(SECOND);
    for machine in &mut mesh.machines {
        let now = machine.time(mesh.now.get());
        machine.peer.leave(now);
        machine.plays = false;
    }
    mesh.run(8 * SECOND);
    for machine in &mesh.machines {
        assert_eq!(machine.left(), 3);
        assert_eq!(machine.peer.endpoint().connected().count(), 0);
    }
}

/// Regression: the peer lacks inputs that are discarded after two seconds; the error was reported again with every
/// frame.
#[test]
fn a_vanished_spectator_does_not_affect_the_match() {
    let mut setup = Setup::new(5, 3, good_link());
    setup.seats = vec![Seat::Machine(MachineId(0)), Seat::Machine(MachineId(1))];
    setup.watcher = Some(6);
    let mut mesh = setup.mesh();
    mesh.play(SECOND);
    mesh.machines[2].awake = false;
    mesh.run(6 * SECOND);
    let gone = mesh.machines.pop().expect("the watcher");
    mesh.measure(4 * SECOND).check("a watcher has left", 2);
    drop(gone);
    for machine in &mesh.machines {
        assert_eq!(machine.left(), 1);
        assert_eq!(machine.count(|event| matches!(event, PeerEvent::LinkError { .. })), 1);
    }
    mesh.check_agreement();
}
