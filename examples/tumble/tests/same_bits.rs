//! Equal bits on every path to a tick: two scripted players, two bots.

use super::SETTINGS;
use crate::rules::{Move, Settings, Tumble};
use isostep::check::Check;
use isostep::rollback::SyncTest;
use isostep::{Inputs, PlayerId, Tick};
use isostep_scenes::games::arena_input;

/// Slightly more than two short rounds, with the phases between them.
const SHORT: Settings = Settings { round_ticks: 500, points: 2, ..SETTINGS };
const TICKS: u32 = 1800;

/// Human-like inputs; ignored for the bots' seats.
fn script(tick: Tick, inputs: &mut Inputs<Move>) {
    let moves = [0, 1, 2, 3].map(|seat| {
        let input = arena_input(11, PlayerId(seat), tick);
        Move { stick: input.stick, buttons: input.buttons }
    });
    inputs.set_next(&moves);
}

#[test]
fn every_tick_passes_the_sync_test() {
    let mut game = Tumble::new(SHORT);
    let test = SyncTest::new(4).bot(PlayerId(2)).bot(PlayerId(3));
    let report = test.run(&mut game, TICKS, script).expect("nothing differs");
    assert_eq!(report.ticks, TICKS);
    assert!(game.board.round >= 2, "a round went by: {:?}", game.board);
    assert!(
        game.players.iter().any(|player| player.wins > 0),
        "no player fell: {:?}",
        game.players
    );
}

#[test]
fn every_path_to_a_tick_gives_the_same_bits() {
    let report = Check::new(4, || Tumble::new(SHORT))
        .game("tumble")
        .script(script)
        .script_name("arena 11")
        .bot(PlayerId(2))
        .bot(PlayerId(3))
        .ticks(TICKS)
        .run_with_snapshots();
    assert!(report.is_equal(), "{report}");
}
