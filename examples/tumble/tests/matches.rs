//! Matches of whole machines over a simulated network, in virtual time; arguments; bots.

use super::{SETTINGS, TestMatch};
use crate::machine::{End, Machine, Setup};
use crate::options::Options;
use crate::rules::{Phase, Settings};
use isostep::netcode::crypto::{Credentials, GameId, MachineId};
use isostep::netcode::transport::SimTransport;
use isostep::netcode::{Address, SeededEntropy};
use isostep::rollback::{LinkConfig, Occupant, SimNetwork};
use isostep::{PlayerId, Tick, Time};
use std::collections::BTreeSet;

/// Milliseconds between frames.
const MILLIS: usize = 4;

fn machines(players: u8, seats: u8, last: Tick, link: LinkConfig) -> Vec<Machine<SimTransport>> {
    let transports = SimTransport::nodes(SimNetwork::new(3), players.into());
    transports[0].network().borrow_mut().set_all_links(link).expect("links that are");
    let machine = |(machine, transport)| {
        let others = (0..players).filter(|&other| other != machine);
        let setup = Setup {
            credentials: Credentials::insecure(
                MachineId(machine),
                players,
                GameId::named("tumble"),
            )
            .expect("so many may play"),
            unix_at_zero: 0,
            addresses: others.map(|it| (MachineId(it), Address::Node(it.into()))).collect(),
            settings: Settings { players: seats, ..SETTINGS },
            name: Some(format!("number {machine}")),
            private: true,
            last: Some(last),
        };
        let entropy = Box::new(SeededEntropy::new(machine.into()));
        Machine::new(setup, transport, entropy).expect("all is well-formed")
    };
    (0..players).zip(transports).map(machine).collect()
}

/// Plays until all machines have ended; `each` runs before each frame and may remove a machine.
fn play(
    machines: &mut Vec<Machine<SimTransport>>,
    mut each: impl FnMut(Time, &mut Vec<Machine<SimTransport>>),
) {
    let mut ended = BTreeSet::new();
    for millis in (0..60_000).step_by(MILLIS) {
        let now = Time::from_millis(millis);
        each(now, machines);
        for machine in &mut *machines {
            machine.frame(now).expect("the state can be kept");
            let end = machine.listen();
            assert_ne!(end, Some(End::Desync), "{:?}", machine.notes);
            ended.extend((end == Some(End::Over)).then_some(machine.me));
        }
        if machines.iter().all(|machine| ended.contains(&machine.me)) {
            return;
        }
    }
    panic!("no end after a minute: {:?}", machines.iter().map(|it| &it.result).collect::<Vec<_>>());
}

/// All digests are equal, and a bot holds the last of three seats.
fn agree_with_a_bot(machines: &[Machine<SimTransport>]) {
    let results: Vec<_> = machines.iter().map(|it| it.result.clone()).collect();
    assert!(results[0].is_some() && results[0] == results[1], "{results:?}");
    for machine in machines {
        assert_eq!(machine.peer.session().occupant(PlayerId(2)), Some(Occupant::Bot));
        assert!(!machine.is_alone());
    }
}

#[test]
fn machines_agree_over_a_bad_network_and_exchange_names() {
    let mut machines = machines(3, 5, Tick(900), LinkConfig::mobile());
    play(&mut machines, |_, _| ());
    let results: Vec<_> = machines.iter().map(|it| it.result.clone()).collect();
    assert!(results[0].is_some() && results.iter().all(|it| *it == results[0]), "{results:?}");
    assert!(machines[0].peer.session().stats().rollbacks > 0, "the network was too good");
    assert_eq!(machines[0].names[2].as_deref(), Some("number 2"));
    assert_eq!(machines[0].peer.session().occupant(PlayerId(4)), Some(Occupant::Bot));
}

#[test]
fn a_bot_takes_the_seat_of_a_player_who_leaves() {
    let mut machines = machines(3, 3, Tick(900), LinkConfig::mobile());
    let mut gone = None;
    play(&mut machines, |now, machines| {
        if machines.len() == 3 && machines[2].peer.session().current_tick() >= Tick(300) {
            machines[2].leave(now);
            gone = machines.pop();
        }
        gone.iter_mut().for_each(|gone| gone.idle(now));
    });
    agree_with_a_bot(&machines);
}

/// One machine received less from the crashed machine than the other. The missing inputs must be
/// forwarded; else it could never confirm those ticks, or would confirm different ones.
#[test]
fn inputs_of_a_departed_player_are_forwarded() {
    let mut machines = machines(3, 3, Tick(700), LinkConfig::lan());
    let mut heard = None;
    play(&mut machines, |_, machines| {
        if machines.len() < 3 {
            return;
        }
        let present = machines[2].peer.session().current_tick();
        if present == Tick(200) {
            let mut network = machines[2].peer.transport_mut().network().borrow_mut();
            let nodes: Vec<_> = network.nodes().collect();
            let cut = LinkConfig { loss_ppm: 1_000_000, ..LinkConfig::lan() };
            network.set_link(nodes[2], nodes[1], cut).expect("a link that is");
        }
        if present == Tick(206) {
            machines.pop();
            heard = Some([0, 1].map(|at: usize| machines[at].peer.session().received(PlayerId(2))));
        }
    });
    let [more, less] = heard.expect("it crashed");
    assert!(more > less, "both heard the same: {more:?}");
    agree_with_a_bot(&machines);
}

#[test]
fn bots_score_and_win_rounds_with_any_player_count() {
    for players in [2, 5, 8] {
        let mut table = TestMatch::new(Settings { players, ..SETTINGS });
        for _ in 0..5400 {
            let (game, tick) = (&table.game, table.tick);
            let moves: Vec<_> = (0..players).map(|it| game.think(tick, PlayerId(it))).collect();
            table.step(&moves);
        }
        let game = &table.game;
        assert!(game.board.round > 1 || game.board.phase != Phase::Play, "{:?}", game.board);
        assert!(game.players.iter().any(|it| it.wins > 0), "{:?}", game.players);
    }
}

#[test]
fn malformed_arguments_are_refused_by_name() {
    for (line, word) in [
        ("", "--local"),
        ("--local 9", "between 2 and 8"),
        ("--local 4 --bots 5", "--bots"),
        ("--local 4 folder", "--local"),
        ("folder", "--listen"),
        ("folder --listen 7000", "--listen 7000"),
        ("folder --listen 127.0.0.1:0 --peer 1", "="),
        ("--insecure 1 --listen 127.0.0.1:0", "/"),
        ("--fly 1", "--fly"),
        ("--seed", "--seed needs a value"),
    ] {
        let words = line.split(' ').filter(|word| !word.is_empty());
        let error = Options::read(words.map(str::to_owned)).expect_err(line).to_string();
        assert!(error.contains(word), "{line}: {error}");
    }
}
