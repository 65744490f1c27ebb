//! Seats of a match: bots, two players at one machine, spectators, players who leave and return,
//! commands.

use super::common::{bad_link, check, config};
use isostep_rollback::{
    Authority, Occupant, PeerId, PlayerId, SessionConfig, SessionEvent, SimMatch, Tick,
};
use isostep_scenes::games::{Arena, ArenaSize, arena_input, choose_loadout};

const SIZE: ArenaSize = ArenaSize { players: 4, props: 9 };

/// A match whose machines hold these seats; all others are bots.
fn seated(seed: u64, seats: &[&[u8]]) -> SimMatch<Arena> {
    let mut fleet = SimMatch::new(seed);
    for own in 0..seats.len() {
        let occupant = |player: u8| match seats.iter().position(|held| held.contains(&player)) {
            Some(machine) if machine == own => Occupant::Local,
            Some(machine) => Occupant::Remote(PeerId(machine as u8)),
            None => Occupant::Bot,
        };
        let config = (0..SIZE.players).map(occupant).fold(config(), SessionConfig::seat);
        fleet.add(config, Arena::new(SIZE, seed)).unwrap();
        (0..own).for_each(|other| fleet.connect(own, other));
    }
    fleet.network().set_all_links(bad_link()).unwrap();
    fleet
}

fn run(fleet: &mut SimMatch<Arena>, seed: u64, ticks: u32) {
    fleet.run(ticks, |_, player, tick| arena_input(seed, player, tick)).unwrap();
}

/// Settles a match and checks that it advanced and always agreed.
fn end(mut fleet: SimMatch<Arena>, ticks: u32) -> SimMatch<Arena> {
    assert!(check(&fleet, ticks).progress >= 95);
    fleet.settle().unwrap();
    check(&fleet, ticks);
    fleet.agree().unwrap();
    fleet
}

#[test]
fn bots_give_the_same_bits_on_every_machine() {
    for seed in 0..4 {
        let mut fleet = seated(seed, &[&[0], &[1]]);
        run(&mut fleet, seed, 300);
        let fleet = end(fleet, 300);
        let arena = &fleet.machines()[0].game;
        assert!(arena.players()[2..].iter().any(|bot| bot.kicks > 0), "bots were idle");
    }
}

#[test]
fn two_players_sit_at_each_machine() {
    for seed in 0..4 {
        let mut fleet = seated(seed, &[&[0, 2], &[1, 3]]);
        run(&mut fleet, seed, 300);
        end(fleet, 300);
    }
}

#[test]
fn a_spectator_sees_the_same() {
    for seed in 0..4 {
        let mut fleet = seated(seed, &[&[0, 3], &[1], &[2]]);
        // Close enough for the players to still hold the spectator's tick.
        let watching = SessionConfig::new().authority(Authority::Bundle).spectate(6);
        let watching = (0..SIZE.players).fold(watching, |config, _| config.remote(PeerId(0)));
        let spectator = fleet.add(watching, Arena::new(SIZE, seed)).unwrap();
        fleet.connect_spectator(0, spectator);
        fleet.network().set_all_links(bad_link()).unwrap();
        run(&mut fleet, seed, 400);
        let stats = fleet.machines()[spectator].session.stats();
        assert_eq!((stats.rollbacks, stats.predicted), (0, 0), "spectators guess nothing");
        let present = fleet.machines()[spectator].session.current_tick();
        assert!(present > Tick(340), "the spectator has only come to {present}");
        fleet.settle().unwrap();
        check(&fleet, 400);
        fleet.agree().unwrap();
    }
}

#[test]
fn a_bot_takes_over_until_the_player_is_back() {
    for seed in 0..4 {
        let mut fleet = seated(seed, &[&[0], &[1], &[2], &[3]]);
        let player = PlayerId(1);
        for (machine, round) in [(Occupant::Bot, 0), (Occupant::Local, 1)] {
            run(&mut fleet, seed, 120);
            // A tick that no machine has confirmed yet.
            let tick = Tick(150 + 120 * round);
            for (index, it) in fleet.machines_mut().iter_mut().enumerate() {
                let occupant = match machine {
                    Occupant::Local if index != 1 => Occupant::Remote(PeerId(1)),
                    it => it,
                };
                it.session.seat(tick, player, occupant).unwrap();
            }
        }
        run(&mut fleet, seed, 160);
        let seats = |tick| {
            fleet.machines().iter().map(move |it| it.session.occupant_on(player, Tick(tick)))
        };
        assert!(seats(300).skip(2).all(|it| it == Some(Occupant::Remote(PeerId(1)))));
        let seated = |event: &&SessionEvent| matches!(event, SessionEvent::Seated { .. });
        for machine in fleet.machines() {
            assert_eq!(machine.events.iter().filter(seated).count(), 2);
        }
        end(fleet, 400);
    }
}

#[test]
fn commands_reach_every_machine_on_one_tick() {
    for seed in 0..4 {
        let mut fleet = seated(seed, &[&[0], &[1], &[2], &[3]]);
        for round in 0..5 {
            run(&mut fleet, seed, 60);
            for (index, machine) in fleet.machines_mut().iter_mut().enumerate() {
                let number = (round + index as u8) % 4;
                let player = PlayerId(index as u8);
                machine.session.command(player, &choose_loadout(number)).unwrap();
                // Longer than a tick may carry, and unknown to the game.
                machine.session.command(player, &[round; 500]).unwrap();
            }
        }
        run(&mut fleet, seed, 60);
        let fleet = end(fleet, 360);
        for machine in fleet.machines() {
            let chosen: Vec<_> = machine.game.players().iter().map(|it| it.loadout).collect();
            assert_eq!(chosen, [0, 1, 2, 3]);
        }
    }
}
