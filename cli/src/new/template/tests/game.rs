//! Promises of the game: its rules, and equal bits on every machine. Keep these tests when you
//! change the game.

use game::{DASH, Game, Pad};
use isostep::check::Check;
use isostep::rollback::SyncTest;
use isostep::{Buttons, Inputs, PlayerId, Real, Simulation, Stick, Tick};

/// Scripted inputs of some players. A script should use everything that players can do.
fn script(players: u32) -> impl Fn(Tick, &mut Inputs<Pad>) {
    move |tick, inputs| {
        let pad = |player: u32| {
            let lean = [100, 0, -100, 60][(tick.0 / 25 + player) as usize % 4];
            let dash = (tick.0 + 10 * player).is_multiple_of(40);
            let buttons = if dash { Buttons::none().press(DASH) } else { Buttons::none() };
            Pad { roll: Stick::from_steps(lean, lean / 2).unwrap_or_default(), buttons }
        };
        inputs.set_next(&(0..players).map(pad).collect::<Vec<_>>());
    }
}

/// Plays a match of bots; returns the game and the inputs of each tick.
fn played(players: usize, ticks: u32) -> (Game, Vec<Vec<Pad>>) {
    let (mut game, mut inputs, mut tape) = (Game::new(players), Inputs::new(players), Vec::new());
    for tick in (0..ticks).map(Tick) {
        let seats = (0..players as u8).map(PlayerId);
        let pads: Vec<Pad> = seats.map(|player| game.bot(tick, player)).collect();
        inputs.set_next(&pads);
        game.step(tick, &inputs);
        tape.push(pads);
    }
    (game, tape)
}

#[test]
fn bots_knock_marbles_out() {
    for players in [2, 8] {
        let lost = played(players, 1800).0.lost().to_vec();
        assert!(lost.iter().all(|&lost| lost > 0), "{lost:?}");
    }
}

#[test]
fn a_ball_goes_where_its_player_leans() {
    let (mut game, mut inputs) = (Game::new(2), Inputs::new(2));
    let balls = |game: &Game| game.balls().collect::<Vec<_>>();
    let before = balls(&game);
    let up = Pad { roll: Stick::from_steps(0, -127).unwrap_or_default(), ..Pad::default() };
    for tick in (0..30).map(Tick) {
        inputs.set_next(&[up, Pad::default()]);
        game.step(tick, &inputs);
    }
    let after = balls(&game);
    assert!(after[0].z < before[0].z - Real::ONE, "{after:?}");
    assert_eq!(after[1].z, before[1].z);
}

/// Resimulates every tick after rollbacks of 1 to 8 ticks, with right and wrong predictions.
#[test]
fn rollbacks_change_nothing() {
    let found = SyncTest::new(2).run(&mut Game::new(2), 120, script(2));
    found.unwrap_or_else(|difference| panic!("{difference}"));
}

/// Takes a longer match through every path to a tick (rollback, snapshot, recording), with every SIMD
/// width and on several threads. A failure names tick and field.
#[test]
fn every_path_to_a_tick_gives_the_same_bits() {
    let check = Check::new(3, || Game::new(3)).worlds(|game| &mut game.world);
    let report = check.script(script(3)).ticks(200).run_with_snapshots();
    assert!(report.is_equal(), "{report}");
}

/// Repeats the check with the inputs of bots: they aim, and so reach rules that a blind script
/// never triggers.
#[test]
fn bot_matches_give_the_same_bits_on_every_path() {
    let (game, tape) = played(2, 600);
    assert_ne!(game.lost(), [0, 0], "no marble left the ring: play longer");
    let script = |tick: Tick, inputs: &mut Inputs<Pad>| inputs.set_next(&tape[tick.0 as usize]);
    let found = SyncTest::new(2).run(&mut Game::new(2), 600, script);
    found.unwrap_or_else(|difference| panic!("{difference}"));
}
