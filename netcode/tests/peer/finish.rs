//! End of a match: all machines agree on the last tick and its digest, over bad networks and with departures.

use super::game::Game;
use super::harness::{Mesh, SECOND, Setup};
use super::links::{bad_link, good_link};
use core::time::Duration;
use isostep_core::state::State;
use isostep_netcode::crypto::MachineId;
use isostep_netcode::{Finish, PeerEvent};
use isostep_rollback::sim_network::Jitter;
use isostep_rollback::{Inputs, LinkConfig, Mode, PlayerId, SessionEvent, Simulation, Tick};

/// Loss, duplicates and reordering beyond anything that is played on.
fn worst_link() -> LinkConfig {
    LinkConfig {
        latency: Duration::from_millis(60),
        jitter: Jitter::Uniform { spread: Duration::from_millis(50) },
        loss_ppm: 300_000,
        duplicate_ppm: 100_000,
        reorder_ppm: 200_000,
        reorder_delay: Duration::from_millis(80),
        ..LinkConfig::perfect()
    }
}

/// Plays until all machines that run are finished, each of which leaves at once.
fn run_to_the_end(mesh: &mut Mesh) {
    let mut left = vec![false; mesh.machines.len()];
    for _ in 0..40 * SECOND {
        mesh.run(1);
        let at = mesh.now.get();
        for (machine, left) in mesh.machines.iter_mut().zip(&mut left) {
            if machine.peer.finished().is_some() && !*left {
                *left = true;
                let now = machine.time(at);
                machine.peer.leave(now);
            }
        }
        let done = |(machine, left): (&super::machine::Machine, &bool)| *left || !machine.awake;
        if mesh.machines.iter().zip(&left).all(done) {
            return;
        }
    }
    let ends: Vec<_> = mesh.machines.iter().map(|machine| &machine.peer).collect();
    panic!("not finished: {left:?} {ends:?}");
}

fn finishes(mesh: &Mesh) -> Vec<Finish> {
    let awake = mesh.machines.iter().filter(|machine| machine.awake);
    awake.map(|machine| machine.peer.finished().expect("finished").clone()).collect()
}

/// All machines that run are in the state of the last tick, which is that of a game stepped once with the recorded inputs.
fn check_against_the_history(mesh: &Mesh, finish: &Finish) {
    let awake = || mesh.machines.iter().filter(|machine| machine.awake);
    let first = awake().next().expect("a machine");
    let history = &first.history[..finish.tick.0 as usize];
    let mut inputs = Inputs::new(first.peer.session().players());
    let mut game = Game::default();
    for (tick, values) in (0..).map(Tick).zip(history) {
        let values: Vec<_> = values.iter().map(|value| value.expect("confirmed")).collect();
        inputs.set_next(&values);
        game.step(tick, &inputs);
    }
    let mut slots = game.slots(1);
    game.save(&mut slots, finish.tick).expect("a plain state");
    assert_eq!(game.digest(&slots, finish.tick), Ok(finish.digest));
    for machine in awake() {
        assert_eq!(machine.peer.session().current_tick(), finish.tick);
        assert_eq!(&machine.history[..finish.tick.0 as usize], history);
        assert_eq!(machine.game.players, game.players);
        assert_eq!(machine.game.treasure, game.treasure);
    }
}

#[test]
fn all_machines_end_on_the_same_tick_and_compare_it() {
    for (name, link) in [("good", good_link()), ("bad", bad_link()), ("worst", worst_link())] {
        for (peers, seed) in [(2, 0), (2, 1), (2, 2), (3, 3), (8, 4)] {
            let mut mesh = Setup::new(seed, peers, link).mesh();
            mesh.start();
            let last = mesh.machines[0].peer.session().current_tick() + SECOND;
            for machine in &mut mesh.machines {
                machine.peer.finish_at(last);
            }
            run_to_the_end(&mut mesh);
            for finish in finishes(&mesh) {
                assert!(finish.is_agreed(), "{name}, {peers} machines: {finish}");
                assert_eq!(finish.tick, last, "{name}, {peers} machines");
                assert_eq!(finish.digest, finishes(&mesh)[0].digest);
            }
            check_against_the_history(&mesh, &finishes(&mesh)[0]);
            for machine in &mesh.machines {
                assert_eq!(machine.left(), 0, "no departure is reported at the end");
                let finished = |event: &PeerEvent| matches!(event, PeerEvent::Finished(_));
                assert_eq!(machine.count(finished), 1);
            }
        }
    }
}

/// One machine alone asks for the end, or several for different ticks, in the past for some.
#[test]
fn the_last_tick_is_the_largest_that_any_machine_declares() {
    for seed in 0..6 {
        let mut mesh = Setup::new(seed, 4, bad_link()).mesh();
        mesh.start();
        let now = mesh.machines[0].peer.session().current_tick();
        let calls = seed as usize % 4 + 1;
        for (place, machine) in mesh.machines.iter_mut().take(calls).enumerate() {
            let wanted = [Tick(0), now + 3, now + 90, Tick(7)][place];
            machine.peer.finish_at(wanted);
        }
        let newest = mesh.machines.iter().map(|machine| machine.peer.session().current_tick());
        let newest = newest.max().expect("machines");
        run_to_the_end(&mut mesh);
        let all = finishes(&mesh);
        assert!(all.iter().all(|finish| finish.is_agreed() && *finish == all[0]), "{all:?}");
        assert!(all[0].tick >= newest, "{}: before a computed tick", all[0].tick);
        assert!(calls < 3 || all[0].tick >= now + 90);
        assert!(all[0].tick <= newest.max(now + 90) + SECOND, "{}: soon", all[0].tick);
        check_against_the_history(&mesh, &all[0]);
    }
}

#[test]
fn a_declaration_before_the_match_ends_it_on_that_tick() {
    let mut mesh = Setup::new(1, 3, bad_link()).mesh();
    mesh.machines[1].peer.finish_at(Tick(90));
    run_to_the_end(&mut mesh);
    assert!(finishes(&mesh).iter().all(|finish| finish.is_agreed() && finish.tick == Tick(90)));
}

/// A machine vanishes before the last tick: the others are done with its last inputs.
#[test]
fn a_vanished_machine_does_not_block_the_end() {
    for seed in 0..4 {
        let mut mesh = Setup::new(seed, 4, bad_link()).mesh();
        mesh.start();
        let gone = seed as usize % 4;
        let last = mesh.machines[0].peer.session().current_tick() + 4 * SECOND;
        mesh.machines.iter_mut().for_each(|machine| machine.peer.finish_at(last));
        mesh.run(SECOND);
        mesh.machines[gone].awake = false;
        run_to_the_end(&mut mesh);
        let all = finishes(&mesh);
        for finish in &all {
            assert_eq!(finish.tick, all[0].tick, "the remaining machines agree on the tick");
            assert!(finish.tick < last && finish.tick > Tick(SECOND));
            assert!(finish.differing.is_empty(), "{finish}");
            assert_eq!(finish.unchecked, [MachineId(gone as u8)], "{finish}");
        }
        check_against_the_history(&mesh, &all[0]);
    }
}

/// Lets machines leave or vanish, until the others know.
fn depart(mesh: &mut Mesh, gone: &[usize], crash: bool) {
    for &place in gone {
        let now = mesh.machines[place].time(mesh.now.get());
        mesh.machines[place].plays = false;
        if crash {
            mesh.machines[place].awake = false;
        } else {
            mesh.machines[place].peer.leave(now);
        }
        // A departure in the middle of the other one.
        mesh.run(7);
    }
    for _ in 0..10 * SECOND {
        let known = |(place, machine): (usize, &super::machine::Machine)| {
            gone.contains(&place) || machine.left() == gone.len()
        };
        if mesh.machines.iter().enumerate().all(known) {
            break;
        }
        mesh.run(1);
    }
    gone.iter().for_each(|&place| mesh.machines[place].awake = false);
}

/// Checks the end after departures: one tick and one digest on all remaining machines, which name those that left and no
/// others. `held` is the first tick that no remaining machine has all inputs for.
fn check_departed_end(mesh: &Mesh, gone: &[usize], held: Tick, context: &str) {
    let all = finishes(mesh);
    let gone: Vec<_> = gone.iter().map(|&place| MachineId(place as u8)).collect();
    for finish in &all {
        assert_eq!(finish, &all[0], "{context}");
        assert_eq!(finish.tick, held, "{context}");
        assert!(finish.differing.is_empty(), "{context}: {finish}");
        assert_eq!(finish.unchecked, gone, "{context}: {finish}");
    }
    check_against_the_history(mesh, &all[0]);
    for machine in mesh.machines.iter().filter(|machine| machine.awake) {
        let wrong = |event: &PeerEvent| {
            let different = matches!(
                event,
                PeerEvent::Session(
                    SessionEvent::DigestsDiffer { .. } | SessionEvent::Conflict { .. }
                )
            );
            let refused = matches!(event, PeerEvent::LinkError { .. });
            different || refused
        };
        let found = machine.events.iter().find(|(_, event)| wrong(event));
        assert_eq!(found, None, "{context}");
    }
}

/// First tick that no remaining machine has all inputs of the departed ones for.
fn held_by_any(mesh: &Mesh, gone: &[usize]) -> Tick {
    let remaining = || mesh.machines.iter().filter(|machine| machine.awake);
    let received = |seat: usize| {
        let player = PlayerId(seat as u8);
        remaining().filter_map(move |machine| machine.peer.session().received(player)).max()
    };
    gone.iter().filter_map(|&seat| received(seat)).min().expect("a departure")
}

/// Each machine ended at its own newest confirmed tick. The others had confirmed another one, so machines that were still
/// connected were reported as unchecked, or one had no digest.
#[test]
fn machines_with_different_inputs_of_a_departed_one_end_on_the_same_tick() {
    let mut uneven = 0;
    for (name, link) in [("good", good_link()), ("bad", bad_link()), ("worst", worst_link())] {
        for (peers, seed) in [(3, 0), (3, 1), (4, 2), (4, 3), (8, 4)] {
            for crash in [false, true] {
                let mut mesh = Setup::new(seed, peers, link).mesh();
                mesh.play(SECOND);
                let gone = [seed as usize % usize::from(peers)];
                depart(&mut mesh, &gone, crash);
                let held = held_by_any(&mesh, &gone);
                let awake = || mesh.machines.iter().filter(|machine| machine.awake);
                let lacks = awake().any(|machine| machine.peer.session().confirmed_tick() < held);
                uneven += u32::from(lacks);
                let asks = (seed as usize + 1) % usize::from(peers);
                mesh.machines[asks].peer.finish_at(Tick(0));
                run_to_the_end(&mut mesh);
                check_departed_end(&mesh, &gone, held, &format!("{name}, {peers}, {crash}"));
            }
        }
    }
    assert!(uneven >= 5, "{uneven} ends need inputs of others");
}

#[test]
fn the_end_after_a_departure_is_the_same_in_all_modes() {
    for mode in [Mode::Lockstep, Mode::Rollback { max: 1 }, Mode::Unbounded { steps: 4 }] {
        for seed in 0..3 {
            let mut setup = Setup::new(seed, 3, worst_link());
            setup.session = setup.session.mode(mode);
            let mut mesh = setup.mesh();
            mesh.play(SECOND);
            depart(&mut mesh, &[1], true);
            let held = held_by_any(&mesh, &[1]);
            mesh.machines[2].peer.finish_at(Tick(0));
            run_to_the_end(&mut mesh);
            check_departed_end(&mesh, &[1], held, &format!("{mode:?}, {seed}"));
        }
    }
}

#[test]
fn several_departures_end_where_the_first_missing_input_is() {
    for seed in 0..4 {
        for crash in [false, true] {
            let mut mesh = Setup::new(seed, 5, worst_link()).mesh();
            mesh.play(SECOND);
            depart(&mut mesh, &[0, 3], crash);
            let held = held_by_any(&mesh, &[0, 3]);
            mesh.machines[4].peer.finish_at(Tick(0));
            run_to_the_end(&mut mesh);
            check_departed_end(&mesh, &[0, 3], held, &format!("{seed}, {crash}"));
        }
    }
}

/// The declaration comes from one machine as soon as it knows, while the others still receive inputs.
#[test]
fn an_end_that_is_declared_before_all_know_of_the_departure_is_the_same_for_all() {
    for seed in 0..8 {
        for crash in [false, true] {
            let mut mesh = Setup::new(seed, 4, worst_link()).mesh();
            mesh.play(SECOND);
            let gone = seed as usize % 4;
            mesh.machines[gone].plays = false;
            if crash {
                mesh.machines[gone].awake = false;
            } else {
                let now = mesh.machines[gone].time(mesh.now.get());
                mesh.machines[gone].peer.leave(now);
            }
            for _ in 0..10 * SECOND {
                if mesh.machines.iter().any(|machine| machine.awake && machine.left() > 0) {
                    break;
                }
                mesh.run(1);
            }
            mesh.machines[(gone + 1) % 4].peer.finish_at(Tick(0));
            mesh.run(SECOND);
            mesh.machines[gone].awake = false;
            run_to_the_end(&mut mesh);
            let tick = finishes(&mesh)[0].tick;
            check_departed_end(&mesh, &[gone], tick, &format!("{seed}, {crash}"));
        }
    }
}

/// A fault after the last compared tick of the session is found among the machines that remain.
#[test]
fn a_digest_that_differs_after_a_departure_names_its_machine() {
    let mut setup = Setup::new(6, 4, bad_link());
    setup.session = setup.session.digest_every(0);
    setup.fault = Some((1, Tick(50)));
    let mut mesh = setup.mesh();
    mesh.play(SECOND);
    depart(&mut mesh, &[3], true);
    mesh.machines[0].peer.finish_at(Tick(0));
    run_to_the_end(&mut mesh);
    for (place, finish) in finishes(&mesh).into_iter().enumerate() {
        let differing: &[MachineId] =
            if place == 1 { &[MachineId(0), MachineId(2)] } else { &[MachineId(1)] };
        assert_eq!(finish.differing, differing, "machine {place}");
        assert_eq!(finish.unchecked, [MachineId(3)]);
    }
}

#[test]
fn a_machine_may_leave_at_once_and_the_others_end() {
    let mut mesh = Setup::new(2, 3, good_link()).mesh();
    mesh.start();
    let now = mesh.machines[2].time(mesh.now.get());
    mesh.machines[2].peer.leave(now);
    mesh.machines[2].plays = false;
    mesh.run(SECOND);
    mesh.machines[2].awake = false;
    mesh.machines[0].peer.finish_at(Tick(0));
    run_to_the_end(&mut mesh);
    let all = finishes(&mesh);
    assert!(all.iter().all(|finish| finish.tick == all[0].tick && finish.differing.is_empty()));
    assert!(all.iter().all(|finish| finish.unchecked == [MachineId(2)]), "{all:?}");
    check_against_the_history(&mesh, &all[0]);
}

/// The fault is after the last compared tick of the session, so only the end shows it.
#[test]
fn a_differing_digest_names_its_machine() {
    let mut setup = Setup::new(3, 3, good_link());
    setup.session = setup.session.digest_every(0);
    setup.fault = Some((1, Tick(100)));
    let mut mesh = setup.mesh();
    mesh.machines[0].peer.finish_at(Tick(120));
    run_to_the_end(&mut mesh);
    for (place, finish) in finishes(&mesh).into_iter().enumerate() {
        let differing: &[MachineId] =
            if place == 1 { &[MachineId(0), MachineId(2)] } else { &[MachineId(1)] };
        assert_eq!(finish.differing, differing, "machine {place}");
        assert!(finish.unchecked.is_empty() && finish.to_string().contains("another digest"));
    }
}

#[test]
fn the_end_waits_for_the_report_of_a_desync() {
    let mut setup = Setup::new(4, 2, good_link());
    setup.fault = Some((1, Tick(100)));
    let mut mesh = setup.mesh();
    mesh.machines[0].peer.finish_at(Tick(130));
    run_to_the_end(&mut mesh);
    for machine in &mesh.machines {
        assert_eq!(machine.reports().len(), 1);
        assert_eq!(machine.peer.finished().expect("finished").differing.len(), 1);
    }
}

/// Only the host's address is known: it introduces the others to each other.
#[test]
fn the_host_introduces_the_machines_that_join() {
    for peers in [2, 3, 8] {
        for seed in 0..2 {
            let mut setup = Setup::new(seed, peers, bad_link());
            setup.star = true;
            let mut mesh = setup.mesh();
            mesh.play(2 * SECOND);
            for (place, machine) in mesh.machines.iter().enumerate() {
                let joined = |event: &PeerEvent| matches!(event, PeerEvent::Connected { .. });
                assert_eq!(machine.count(joined), usize::from(peers) - 1, "machine {place}");
                assert_eq!(machine.left(), 0);
            }
            mesh.settle_and_check();
        }
    }
}

#[test]
fn a_machine_names_those_that_it_waits_for() {
    let mut mesh = Setup::new(1, 3, good_link()).mesh();
    mesh.machines[2].awake = false;
    mesh.run(SECOND);
    let missing: Vec<_> =
        mesh.machines[0].peer.missing(mesh.machines[0].time(mesh.now.get())).collect();
    assert_eq!(missing, [MachineId(2)]);
    let waits = mesh.machines[0].events.iter().rev().find_map(|(_, event)| match event {
        PeerEvent::Waiting { .. } => Some(event.to_string()),
        _ => None,
    });
    assert_eq!(waits.as_deref(), Some("waiting for machine 2 at node 2"));
    mesh.machines[2].awake = true;
    mesh.play(SECOND);
    let now = mesh.machines[0].time(mesh.now.get());
    assert_eq!(mesh.machines[0].peer.missing(now).count(), 0);
}

/// The end of a match is no stall.
#[test]
fn no_tick_after_the_last_one_is_stepped() {
    let mut mesh = Setup::new(5, 2, good_link()).mesh();
    mesh.machines[0].peer.finish_at(Tick(80));
    run_to_the_end(&mut mesh);
    mesh.run(SECOND);
    for machine in &mesh.machines {
        assert_eq!(machine.peer.session().current_tick(), Tick(80));
        assert_eq!(machine.stalled(), 0);
    }
}
