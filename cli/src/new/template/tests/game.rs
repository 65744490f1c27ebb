//! Promises of the game: its rules, and equal bits on every machine. Keep these tests when you
//! change the game.

use game::{DASH, Game, Pad};
use isostep::check::Check;
use isostep::rollback::SyncTest;
use isostep::{Buttons, Inputs, PlayerId, Real, Simulation, Stick, Tick};

/// Scripted inputs of both players. A script should use everything that players can do.
fn script(tick: Tick, inputs: &mut Inputs<Pad>) {
    let pad = |player: u32| {
        let lean = [100, 0, -100, 60][(tick.0 / 25 + player) as usize % 4];
        let dash = (tick.0 + 10 * player).is_multiple_of(40);
        let buttons = if dash { Buttons::none().press(DASH) } else { Buttons::none() };
        Pad { roll: Stick::from_steps(lean, lean / 2).unwrap_or_default(), buttons }
    };
    inputs.set_next(&[pad(0), pad(1)]);
}

/// Plays a match of bots; returns the game and the inputs of each tick.
fn played(ticks: u32) -> (Game, Vec<[Pad; 2]>) {
    let (mut game, mut inputs, mut tape) = (Game::default(), Inputs::new(2), Vec::new());
    for tick in (0..ticks).map(Tick) {
        let pads = [0, 1].map(|player| game.bot(tick, PlayerId(player)));
        inputs.set_next(&pads);
        game.step(tick, &inputs);
        tape.push(pads);
    }
    (game, tape)
}

#[test]
fn bots_knock_marbles_out() {
    let [left, right] = played(1200).0.score();
    assert!(left > 0 && right > 0, "{left} : {right}");
}

#[test]
fn a_ball_goes_where_its_player_leans() {
    let (mut game, mut inputs) = (Game::default(), Inputs::new(2));
    let before = game.balls();
    let up = Pad { roll: Stick::from_steps(0, -127).unwrap_or_default(), ..Pad::default() };
    for tick in (0..30).map(Tick) {
        inputs.set_next(&[up, Pad::default()]);
        game.step(tick, &inputs);
    }
    assert!(game.balls()[0].z < before[0].z - Real::ONE, "{:?}", game.balls());
    assert_eq!(game.balls()[1].z, before[1].z);
}

/// Resimulates every tick after rollbacks of 1 to 8 ticks, with right and wrong predictions.
#[test]
fn rollbacks_change_nothing() {
    let found = SyncTest::new(2).run(&mut Game::default(), 120, script);
    found.unwrap_or_else(|difference| panic!("{difference}"));
}

/// Takes a longer match through every path to a tick (rollback, snapshot, recording). A failure
/// names tick and field.
#[test]
fn every_path_to_a_tick_gives_the_same_bits() {
    let report = Check::new(2, Game::default).script(script).ticks(600).run_with_snapshots();
    assert!(report.is_equal(), "{report}");
}

/// Repeats the check with the inputs of bots: they aim, and so reach rules that a blind script
/// never triggers.
#[test]
fn bot_matches_give_the_same_bits_on_every_path() {
    let (game, tape) = played(600);
    assert_ne!(game.score(), [0, 0], "no marble left the ring: play longer");
    let script = |tick: Tick, inputs: &mut Inputs<Pad>| inputs.set_next(&tape[tick.0 as usize]);
    let found = SyncTest::new(2).run(&mut Game::default(), 600, script);
    found.unwrap_or_else(|difference| panic!("{difference}"));
}
