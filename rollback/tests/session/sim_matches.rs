//! Whole matches over bad networks, in virtual time: they go on, and all agree at the end.

use super::game::{Game, Pad, Seen, Who, pad};
use super::model::mixed;
use core::time::Duration;
use isostep_rollback::internals::VirtualClock;
use isostep_rollback::sim_match::SimMatchError;
use isostep_rollback::sim_network::Corruption;
use isostep_rollback::{
    AdaptiveDelay, LinkConfig, Mode, PeerId, PlayerId, SessionConfig, SessionEvent, SimMatch, Tick,
    Time,
};

fn inputs(_: usize, player: PlayerId, tick: Tick) -> Pad {
    pad(mixed(&[u64::from(player.0), u64::from(tick.0) / 4]))
}

fn mesh(seed: u64, players: u8, link: LinkConfig) -> SimMatch<Game> {
    let config = SessionConfig::new().delay(3).mode(Mode::Rollback { max: 12 });
    SimMatch::mesh(seed, players, &config, link, |_| Game::default()).expect("a sound setup")
}

/// All agree on a tick that is not long before the last one of the clock, and no machine saw a desync.
fn assert_agree(mut sim: SimMatch<Game>, least: u32) {
    sim.settle().expect("it runs");
    let (tick, _) = sim.agree().expect("all agree");
    assert!(tick > Tick(least), "tick {tick} of at least {least}");
    for machine in sim.machines() {
        let desync = |event: &&SessionEvent| {
            matches!(
                event,
                SessionEvent::Desync(_)
                    | SessionEvent::DigestsDiffer { .. }
                    | SessionEvent::Conflict { .. }
            )
        };
        assert_eq!(machine.events.iter().find(desync), None);
        assert!(machine.session.stats().compared > 10);
    }
}

#[test]
fn links_that_are_slow_one_way_do_not_matter() {
    let mut sim = mesh(1, 2, LinkConfig::perfect());
    let nodes: Vec<_> = sim.network().nodes().collect();
    let slow = |millis| LinkConfig { latency: Duration::from_millis(millis), ..LinkConfig::wifi() };
    sim.network().set_link(nodes[0], nodes[1], slow(30)).expect("a sound link");
    sim.network().set_link(nodes[1], nodes[0], slow(200)).expect("a sound link");
    sim.run(900, inputs).expect("it runs");
    assert_agree(sim, 900);
}

#[test]
fn a_partition_of_two_seconds_is_waited_out() {
    for players in [2, 4] {
        let mut sim = mesh(2, players, LinkConfig::wifi());
        let nodes: Vec<_> = sim.network().nodes().collect();
        let window = Time::from_millis(3000)..Time::from_millis(5000);
        sim.network().partition_both(nodes[0], nodes[1], window).expect("sound");
        sim.run(900, inputs).expect("it runs");
        let stalled = |event: &SessionEvent| matches!(event, SessionEvent::Stalled { .. });
        assert!(sim.machines()[0].events.iter().any(stalled), "it says that it waits");
        assert_agree(sim, 700);
    }
}

#[test]
fn a_partition_one_way_is_waited_out() {
    let mut sim = mesh(3, 3, LinkConfig::lan());
    let nodes: Vec<_> = sim.network().nodes().collect();
    let window = Time::from_millis(3000)..Time::from_millis(5000);
    sim.network().partition(nodes[0], nodes[1], window).expect("sound");
    sim.run(900, inputs).expect("it runs");
    assert_agree(sim, 700);
}

#[test]
fn clocks_that_drift_apart_do_not_matter() {
    let mut sim = mesh(4, 3, LinkConfig::wifi());
    for (machine, (offset, drift)) in
        sim.machines_mut().iter_mut().zip([(0, 200), (3_000_000, -200), (5_000_000_000, 0)])
    {
        machine.clock = VirtualClock::new(offset, drift).expect("a sound clock");
    }
    sim.run(5400, inputs).expect("it runs");
    assert_agree(sim, 5300);
}

#[test]
fn a_machine_that_slept_for_a_second_goes_on() {
    let mut sim = mesh(5, 3, LinkConfig::wifi());
    sim.run(200, inputs).expect("it runs");
    sim.machines_mut()[1].suspended = true;
    sim.run(60, inputs).expect("it runs");
    let present = sim.machines()[0].session.current_tick();
    assert!(present < Tick(230), "the others wait: {present}");
    sim.machines_mut()[1].suspended = false;
    sim.run(300, inputs).expect("it runs");
    assert_agree(sim, 450);
}

/// Steps all ticks in order with the confirmed inputs of a machine, without a session.
fn straight(sim: &SimMatch<Game>, machine: usize, to: Tick) -> Game {
    let session = &sim.machines()[machine].session;
    let mut game = Game::default();
    let mut before = vec![Pad::default(); session.players()];
    for tick in (0..to.0).map(Tick) {
        let value = |place| session.confirmed_input(PlayerId(place as u8), tick).expect("known").0;
        let values: Vec<Pad> = (0..session.players()).map(value).collect();
        let seen = |(&value, &previous): (&Pad, &Pad)| Seen {
            value,
            previous,
            who: Who::Human,
            commands: Vec::new(),
        };
        let seen: Vec<Seen> = values.iter().zip(&before).map(seen).collect();
        game.apply(tick, &seen);
        before = values;
    }
    game
}

/// A machine that was suspended stayed half a second behind the others. Without a bound of prediction they no longer held
/// its newest state, so `agree` failed after any number of calls of `settle`.
#[test]
fn machines_far_apart_settle_on_one_tick() {
    for steps in [2, 6, 20] {
        for latency in [5, 60, 200] {
            let config = SessionConfig::new().mode(Mode::Unbounded { steps }).delay(2).log(1024);
            let latency = Duration::from_millis(latency);
            let link = LinkConfig { latency, ..LinkConfig::perfect() };
            let mut sim = SimMatch::mesh(1, 2, &config, link, |_| Game::default()).expect("sound");
            sim.run(180, inputs).expect("it runs");
            sim.machines_mut()[1].suspended = true;
            sim.run(60, inputs).expect("it runs");
            sim.machines_mut()[1].suspended = false;
            sim.run(120, inputs).expect("it runs");
            for _ in 0..2 {
                sim.settle().expect("it runs");
                let (tick, _) = sim.agree().expect("all agree");
                assert!(tick > Tick(400), "{tick}");
                for (machine, it) in sim.machines().iter().enumerate() {
                    assert_eq!(it.session.current_tick(), tick);
                    assert!(it.session.confirmed_tick() >= tick);
                    assert_eq!(it.game, straight(&sim, machine, tick), "machine {machine}");
                }
            }
            let before = sim.machines()[0].session.current_tick();
            sim.run(60, inputs).expect("it runs");
            assert!(sim.machines()[0].session.current_tick() >= before + 40, "it goes on");
        }
    }
}

#[test]
fn machines_settle_on_the_last_input_of_a_suspended_one() {
    for mode in [Mode::Lockstep, Mode::Rollback { max: 8 }, Mode::Unbounded { steps: 6 }] {
        let config = SessionConfig::new().mode(mode).delay(2).log(1024);
        let mut sim = SimMatch::mesh(1, 3, &config, LinkConfig::perfect(), |_| Game::default())
            .expect("a sound setup");
        sim.run(100, inputs).expect("it runs");
        sim.machines_mut()[2].suspended = true;
        sim.run(100, inputs).expect("it runs");
        sim.settle().expect("it runs");
        let (tick, _) = sim.agree().expect("both agree");
        assert!(tick >= Tick(90), "{mode:?}: {tick}");
        for (machine, it) in sim.machines()[..2].iter().enumerate() {
            assert_eq!(it.session.current_tick(), tick, "{mode:?}");
            assert_eq!(it.game, straight(&sim, machine, tick), "{mode:?}, machine {machine}");
        }
    }
}

/// Each machine has its own delay and prediction window.
#[test]
fn machines_with_other_delays_and_windows_agree() {
    let modes = [
        (Mode::Lockstep, 6),
        (Mode::Rollback { max: 4 }, 0),
        (Mode::Rollback { max: 30 }, 3),
        (Mode::Unbounded { steps: 12 }, 1),
    ];
    let mut sim = SimMatch::new(3);
    for (own, (mode, delay)) in (0..).zip(modes) {
        let config = SessionConfig::new().mode(mode).delay(delay).log(256 << own);
        let seat = |config: SessionConfig, player| match player {
            _ if player == own => config.local(),
            _ => config.remote(PeerId(player)),
        };
        sim.add((0..4).fold(config, seat), Game::default()).expect("a sound setup");
        (0..usize::from(own)).for_each(|other| sim.connect(usize::from(own), other));
    }
    sim.network().set_all_links(LinkConfig::wifi()).expect("a sound link");
    sim.run(600, inputs).expect("it runs");
    assert_agree(sim, 500);
}

#[test]
fn all_modes_agree_on_a_severe_network() {
    for mode in [Mode::Lockstep, Mode::Rollback { max: 30 }, Mode::Unbounded { steps: 60 }] {
        for seed in 0..3 {
            let config = SessionConfig::new().delay(2).mode(mode);
            let mut sim =
                SimMatch::mesh(seed, 4, &config, LinkConfig::severe(), |_| Game::default())
                    .expect("a sound setup");
            sim.run(600, inputs).expect("it runs");
            sim.settle().expect("it runs");
            sim.agree().expect("all agree");
        }
    }
}

/// Lockstep never predicts: its delay alone hides the latency. The delay rises until inputs arrive in time, stays within its
/// bounds, and falls again on a better link.
#[test]
fn adaptive_delay_in_lockstep_hides_the_latency() {
    let bounds = AdaptiveDelay::new(1, 12, 0).expect("sound bounds");
    let config = SessionConfig::new().mode(Mode::Lockstep).adaptive_delay(bounds);
    let slow = LinkConfig { latency: Duration::from_millis(80), ..LinkConfig::perfect() };
    let start =
        |config| SimMatch::mesh(7, 2, &config, slow, |_| Game::default()).expect("a sound setup");
    let stalls = |sim: &SimMatch<Game>| sim.machines()[0].session.stats().stalls;
    let delay_of = |sim: &SimMatch<Game>| {
        sim.machines()[0].session.delay(PlayerId(0)).expect("a local player")
    };

    let mut adaptive = start(config);
    adaptive.run(600, inputs).expect("it runs");
    let (delay, settled) = (delay_of(&adaptive), stalls(&adaptive));
    // 80 ms are 4.8 ticks.
    assert!((5..=8).contains(&delay), "delay {delay}");
    adaptive.run(600, inputs).expect("it runs");
    assert_eq!(stalls(&adaptive), settled, "no input is late");
    for machine in adaptive.machines() {
        assert_eq!(machine.session.stats().resimulated_ticks, 0);
    }

    let mut fixed = start(SessionConfig::new().mode(Mode::Lockstep).delay(1));
    fixed.run(1200, inputs).expect("it runs");
    assert!(stalls(&fixed) > 300, "a delay of 1 waits on most ticks: {}", stalls(&fixed));

    adaptive.network().set_all_links(LinkConfig::perfect()).expect("a sound link");
    adaptive.run(1800, inputs).expect("it runs");
    assert_eq!(delay_of(&adaptive), 1);
    assert_agree(adaptive, 2500);
}

/// A datagram had no checksum: a flipped bit was taken for another input, and machines went apart for good; a flipped bit in
/// an acknowledgement stopped the match, since what it named was never sent again.
#[test]
fn datagrams_that_were_damaged_doubled_or_late_are_no_harm() {
    for seed in 0..10 {
        let link = LinkConfig {
            corruption: Some(Corruption { ppm: 200_000, max_bit_flips: 4, cut_ppm: 250_000 }),
            duplicate_ppm: 100_000,
            reorder_ppm: 100_000,
            reorder_delay: Duration::from_millis(60),
            ..LinkConfig::wifi()
        };
        let mut sim = mesh(seed, 3, link);
        sim.run(600, inputs).expect("it runs");
        let refused = sim.machines().iter().map(|machine| machine.refused.len()).sum::<usize>();
        assert!(refused > 100, "only {refused} of a fifth of all");
        assert_agree(sim, 550);
    }
}

#[test]
fn delays_that_change_all_the_time_lose_no_press_and_no_command() {
    for seed in 0..5 {
        let mut sim = mesh(seed, 2, LinkConfig::mobile());
        let mut taps = 0;
        for round in 0..60u64 {
            let chance = mixed(&[seed, round]);
            for (player, machine) in (0..2).map(PlayerId).zip(sim.machines_mut()) {
                let delay = (chance >> (8 * player.0)) as u32 % 14;
                machine.session.set_delay(player, delay).expect("a local player");
                machine.session.command(player, &[1; 90]).expect("few wait");
            }
            let mut tapped = false;
            sim.run(20, |_, player, _| {
                let tap = player == PlayerId(0) && !core::mem::replace(&mut tapped, true);
                taps += u32::from(tap);
                pad(if tap { 1 << 8 } else { 0 })
            })
            .expect("it runs");
        }
        sim.settle().expect("it runs");
        sim.agree().expect("all agree");
        for machine in sim.machines() {
            let players = &machine.game.players;
            assert_eq!(players.iter().map(|player| player.commands).collect::<Vec<_>>(), [60; 2]);
            assert!(players[0].presses <= taps && players[0].presses + 2 >= taps, "{players:?}");
        }
    }
}

/// Seats that were there already made a match of twice as many, which stalled for ever.
#[test]
fn a_mesh_seats_its_players_itself() {
    let config = SessionConfig::new().local().remote(PeerId(1));
    let sim = SimMatch::mesh(1, 2, &config, LinkConfig::lan(), |_| Game::default());
    assert_eq!(sim.err(), Some(SimMatchError::Seats { seats: 2 }));
}
