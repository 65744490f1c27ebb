//! Several players at one machine, and machines that only watch.

use super::game::{Game, pad};
use super::model::mixed;
use core::time::Duration;
use isostep_rollback::{
    Authority, LinkConfig, Mode, Occupant, PeerId, PlayerId, SessionConfig, SimMatch, Tick,
};

fn inputs(_: usize, player: PlayerId, tick: Tick) -> super::game::Pad {
    pad(mixed(&[u64::from(player.0), u64::from(tick.0) / 4]))
}

/// Machines with this many seats each, all connected.
fn machines(seed: u64, machines: u8, seats_each: u8, link: LinkConfig) -> SimMatch<Game> {
    let mut sim = SimMatch::new(seed);
    for own in 0..machines {
        let mut config = SessionConfig::new().delay(2).mode(Mode::Rollback { max: 12 });
        for seat in 0..machines * seats_each {
            let machine = seat / seats_each;
            config = config.seat(if machine == own {
                Occupant::Local
            } else {
                Occupant::Remote(PeerId(machine))
            });
        }
        sim.add(config.bot(), Game::default()).expect("a sound setup");
    }
    for a in 0..usize::from(machines) {
        (0..a).for_each(|b| sim.connect(a, b));
    }
    sim.network().set_all_links(link).expect("a sound link");
    sim
}

fn watcher(seats: u8, host: u8, buffer: u32) -> SessionConfig {
    let config = SessionConfig::new().authority(Authority::Bundle).spectate(buffer);
    (0..seats).fold(config, |config, _| config.remote(PeerId(host))).bot()
}

#[test]
fn machines_with_several_players_agree() {
    for seed in 0..10 {
        let mut sim = machines(seed, 3, 2, LinkConfig::wifi());
        for machine in 0..3u8 {
            let session = &mut sim.machines_mut()[usize::from(machine)].session;
            for seat in 0..2 {
                let command = [b"loadout ".as_slice(), &[seat; 200]].concat();
                session.command(PlayerId(machine * 2 + seat), &command).expect("few wait");
            }
        }
        sim.run(600, inputs).expect("it runs");
        sim.settle().expect("it runs");
        let (tick, _) = sim.agree().expect("all agree");
        assert!(tick > Tick(600), "tick {tick}");
        let game = &sim.machines()[0].game;
        assert!(game.players[..6].iter().all(|player| player.commands == 1), "{game:?}");
    }
}

/// Many seats with long commands at one machine: a datagram outgrew what the link takes, was repeated for ever, and both
/// sides waited.
#[test]
fn many_players_with_much_to_say_fit_the_link() {
    for seats in [4, 8, 15] {
        let mut sim = machines(2, 2, seats, LinkConfig::mobile());
        for machine in 0..2u8 {
            let session = &mut sim.machines_mut()[usize::from(machine)].session;
            for seat in 0..seats {
                session.command(PlayerId(machine * seats + seat), &[seat; 500]).expect("few wait");
            }
        }
        sim.run(1500, inputs).expect("it runs");
        let sent = sim.machines()[0].session.confirmed_tick();
        assert!(sent > Tick(600), "{seats} seats each: tick {sent}");
        sim.settle().expect("it runs");
        sim.agree().expect("all agree");
    }
}

#[test]
fn a_match_may_start_at_any_tick() {
    let mut sim = SimMatch::new(5);
    for own in 0..2u8 {
        let config = SessionConfig::new().delay(2).start(Tick(70_001));
        let config = match own {
            0 => config.local().remote(PeerId(1)),
            _ => config.remote(PeerId(0)).local(),
        };
        sim.add(config.bot(), Game::default()).expect("a sound setup");
    }
    sim.connect(0, 1);
    let config = watcher(2, 0, 10).start(Tick(70_001));
    let spectator = sim.add(config, Game::default()).expect("a sound setup");
    sim.watch(0, spectator);
    sim.network().set_all_links(LinkConfig::wifi()).expect("a sound link");
    sim.run(600, inputs).expect("it runs");
    assert!(sim.machines()[spectator].session.current_tick() > Tick(70_500));
    sim.settle().expect("it runs");
    for machine in sim.machines() {
        assert_eq!(machine.events.iter().find(|event| is_desync(event)), None);
        assert!(machine.session.stats().compared > 20);
    }
}

#[test]
fn all_players_at_one_machine_never_wait() {
    let mut sim = machines(1, 1, 4, LinkConfig::severe());
    sim.run(300, inputs).expect("it runs");
    let stats = sim.machines()[0].session.stats();
    assert_eq!((stats.stalls, stats.rollbacks, stats.predicted), (0, 0, 0));
}

#[test]
fn a_spectator_sees_the_match_from_behind_its_buffer() {
    let mut sim = machines(3, 2, 1, LinkConfig::wifi());
    let spectator = sim.add(watcher(2, 0, 20), Game::default()).expect("a sound setup");
    sim.watch(0, spectator);
    sim.run(600, inputs).expect("it runs");
    let session = &sim.machines()[spectator].session;
    let host = &sim.machines()[0].session;
    let behind = host.confirmed_tick().since(session.current_tick());
    assert!((10..80).contains(&behind), "{behind} ticks behind");
    assert_eq!(session.stats().predicted, 0);
    assert!(session.stats().stalls < 60, "{:?}", session.stats());
    sim.settle().expect("it runs");
    sim.agree_after_watching(spectator);
}

#[test]
fn a_spectator_that_comes_late_catches_up_by_two_ticks_a_time() {
    let mut sim = machines(4, 2, 1, LinkConfig::lan());
    let spectator = sim.add(watcher(2, 0, 6), Game::default()).expect("a sound setup");
    sim.run(100, inputs).expect("it runs");
    assert_eq!(sim.machines()[spectator].session.current_tick(), Tick(0));
    sim.watch(0, spectator);
    sim.run(40, inputs).expect("it runs");
    let present = sim.machines()[spectator].session.current_tick();
    assert!(present > Tick(60), "more than a tick for each of the clock: {present}");
    sim.run(200, inputs).expect("it runs");
    let behind = {
        let [host, _, watcher] = sim.machines() else { panic!("three machines") };
        host.session.confirmed_tick().since(watcher.session.current_tick())
    };
    assert!(behind < 30, "{behind} ticks behind");
    sim.settle().expect("it runs");
    sim.agree_after_watching(spectator);
}

#[test]
fn a_spectator_with_a_bad_link_still_sees_the_same() {
    for seed in 0..5 {
        let mut sim = machines(seed, 2, 1, LinkConfig::wifi());
        let spectator = sim.add(watcher(2, 0, 30), Game::default()).expect("a sound setup");
        sim.watch(0, spectator);
        let bad = LinkConfig {
            latency: Duration::from_millis(150),
            loss_ppm: 300_000,
            ..LinkConfig::perfect()
        };
        let nodes: Vec<_> = sim.network().nodes().collect();
        sim.network().set_both_ways(nodes[0], nodes[spectator], bad).expect("a sound link");
        sim.run(600, inputs).expect("it runs");
        sim.settle().expect("it runs");
        sim.agree_after_watching(spectator);
    }
}

/// Once only bots played, a spectator knew of one tick ahead and waited for ever for its buffer to fill; where a human was to
/// come later, it ran ahead of its host up to that tick.
#[test]
fn a_spectator_watches_bots_at_the_pace_of_its_host() {
    let mut sim = machines(6, 2, 1, LinkConfig::wifi());
    let spectator = sim.add(watcher(2, 0, 20), Game::default()).expect("a sound setup");
    sim.watch(0, spectator);
    sim.run(100, inputs).expect("it runs");
    let tell = |sim: &mut SimMatch<Game>, tick, occupants: [Occupant; 3]| {
        for (machine, occupant) in sim.machines_mut().iter_mut().zip(occupants) {
            for player in [PlayerId(0), PlayerId(1)] {
                machine.session.seat(Tick(tick), player, occupant).expect("not confirmed yet");
            }
        }
    };
    tell(&mut sim, 150, [Occupant::Bot; 3]);
    // It runs dry just before, with fewer ticks to come than it buffers.
    sim.run(40, inputs).expect("it runs");
    let nodes: Vec<_> = sim.network().nodes().collect();
    let (from, to) = (sim.now(), sim.now() + Duration::from_millis(900));
    sim.network().partition(nodes[0], nodes[spectator], from..to).expect("a window");
    let watch = |sim: &mut SimMatch<Game>, ticks| {
        for _ in 0..ticks {
            sim.run(1, inputs).expect("it runs");
            let [host, _, watcher] = sim.machines() else { panic!("three machines") };
            let (ahead, behind) = (watcher.session.current_tick(), host.session.current_tick());
            assert!(ahead <= behind, "tick {ahead} before its host, at {behind}");
        }
        let [host, _, watcher] = sim.machines() else { panic!("three machines") };
        let behind = host.session.current_tick().since(watcher.session.current_tick());
        assert!(behind < 80, "{behind} ticks behind");
    };
    watch(&mut sim, 300);
    let back = [Occupant::Local, Occupant::Remote(PeerId(0)), Occupant::Remote(PeerId(0))];
    tell(&mut sim, 500, back);
    watch(&mut sim, 200);
    sim.settle().expect("it runs");
    sim.agree_after_watching(spectator);
}

trait Watched {
    fn agree_after_watching(&self, spectator: usize);
}

impl Watched for SimMatch<Game> {
    /// The spectator's state is one that its host digested too, or it said nothing of a difference all along.
    fn agree_after_watching(&self, spectator: usize) {
        let watcher = &self.machines()[spectator];
        let compared = watcher.session.stats().compared;
        assert!(compared > 5, "{compared} digests were compared");
        for machine in self.machines() {
            assert_eq!(machine.events.iter().filter(|event| is_desync(event)).count(), 0);
            assert_eq!(machine.refused, [], "nothing was refused");
        }
        assert!(watcher.session.current_tick() > Tick(300), "it goes on");
    }
}

fn is_desync(event: &isostep_rollback::SessionEvent) -> bool {
    use isostep_rollback::SessionEvent::{Desync, DigestsDiffer};
    matches!(event, Desync(_) | DigestsDiffer { .. })
}
