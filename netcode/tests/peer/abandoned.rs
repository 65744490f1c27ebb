//! Matches that a machine leaves before they have started everywhere: `finish_at` ends them for the others.
//!
//! A machine that had not started took no part in the end: it waited for the departed machine for ever, and those that had
//! started waited for its agreement.

use super::harness::{Mesh, SECOND, Setup};
use super::links::{bad_link, good_link};
use core::time::Duration;
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{Finish, PeerEvent};
use isostep_rollback::Tick;

fn leave(mesh: &mut Mesh, machine: usize) {
    let now = mesh.machines[machine].time(mesh.now.get());
    mesh.machines[machine].peer.leave(now);
    mesh.machines[machine].plays = false;
}

fn left(mesh: &Mesh, machine: usize) -> bool {
    mesh.machines[machine].count(|event| matches!(event, PeerEvent::Left { .. })) > 0
}

/// The result, which must be the same on these machines.
fn result(mesh: &Mesh, machines: &[usize]) -> Finish {
    let results = machines.iter().map(|machine| {
        let peer = &mesh.machines[*machine].peer;
        let events = &mesh.machines[*machine].events;
        peer.finished().unwrap_or_else(|| panic!("machine {machine}: {peer:?} {events:#?}")).clone()
    });
    let results: Vec<_> = results.collect();
    assert!(results.iter().all(|result| *result == results[0]), "{results:?}");
    results[0].clone()
}

/// Machine 0 is connected to both others, and starts; machines 1 and 2 never meet.
#[test]
fn a_match_that_has_started_on_one_machine_ends() {
    for seed in 0..4 {
        let link = if seed % 2 == 0 { good_link() } else { bad_link() };
        let mut mesh = Setup::new(seed, 3, link).mesh();
        let nodes = mesh.nodes();
        let always = mesh.now.get()..mesh.now.get() + Duration::from_secs(1000);
        mesh.network.borrow_mut().partition_both(nodes[1], nodes[2], always).expect("both exist");
        mesh.run(3 * SECOND);
        let started: Vec<_> = mesh.machines.iter().map(|it| it.peer.has_started()).collect();
        assert_eq!(started, [true, false, false]);
        leave(&mut mesh, 2);
        mesh.run(SECOND);
        assert!(left(&mesh, 0) && !left(&mesh, 1));
        mesh.machines[0].peer.finish_at(Tick(0));
        mesh.run(3 * SECOND);
        let result = result(&mesh, &[0, 1]);
        assert_eq!((result.tick, &result.unchecked[..]), (Tick(0), &[MachineId(2)][..]));
        assert_eq!(result.differing, []);
    }
}

/// Machine 3 never comes. Machine 2 leaves meanwhile, and one of the others, or both, end the match.
#[test]
fn a_match_that_has_started_nowhere_ends() {
    for askers in [&[0][..], &[1], &[0, 1]] {
        let mut mesh = Setup::new(9, 4, good_link()).mesh();
        mesh.machines[3].awake = false;
        mesh.run(2 * SECOND);
        leave(&mut mesh, 2);
        mesh.run(SECOND);
        assert!(left(&mesh, 0) && left(&mesh, 1));
        askers.iter().for_each(|machine| mesh.machines[*machine].peer.finish_at(Tick(0)));
        mesh.run(2 * SECOND);
        let result = result(&mesh, &[0, 1]);
        let gone = [MachineId(2), MachineId(3)];
        assert_eq!((result.tick, &result.unchecked[..]), (Tick(0), &gone[..]));
        let started = |event: &PeerEvent| matches!(event, PeerEvent::Started);
        assert!(mesh.machines.iter().all(|machine| machine.count(started) == 0));
        // A machine that comes before they leave learns of it.
        mesh.machines[3].awake = true;
        mesh.run(3 * SECOND);
        let late = mesh.machines[3].peer.finished().expect("it heard of the end");
        assert_eq!((late.tick, late.digest), (result.tick, result.digest));
    }
}

/// An end that was asked for before the match does not abandon it: the machine may return.
#[test]
fn a_match_waits_for_a_machine_that_may_return() {
    let mut mesh = Setup::new(2, 3, good_link()).mesh();
    mesh.machines[0].peer.finish_at(Tick(90));
    mesh.machines[2].awake = false;
    mesh.run(2 * SECOND);
    mesh.machines[1].awake = false;
    mesh.run(6 * SECOND);
    assert!(left(&mesh, 0) && mesh.machines[0].peer.finished().is_none());
    mesh.machines[1].awake = true;
    mesh.machines[2].awake = true;
    mesh.run(8 * SECOND);
    let result = result(&mesh, &[0, 1, 2]);
    assert!(result.is_agreed() && result.tick >= Tick(90), "{result:?}");
}
