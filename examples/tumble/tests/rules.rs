//! Each rule alone.

use super::{SETTINGS, STILL, TestMatch, walk};
use crate::rules::{
    BACK_AFTER, FALLEN, Fall, JUMP, Move, OVER, PUSH_COUNTS, Phase, Push, READY, SHOVE, SHOVE_REST,
    Settings,
};
use isostep::{Buttons, PlayerId, Real, Tick, Transform, Vec3, real};

const ONE: PlayerId = PlayerId(0);

/// Two players after the start of a round, and the first crate, at given positions along x.
/// Everything else is moved away.
fn table(first: Real, second: Real) -> TestMatch {
    let mut table = TestMatch::new(Settings { players: 2, ..SETTINGS });
    table.hold(READY + 1, &[]);
    for number in 2..table.game.pushed.len() {
        let aside = Vec3::new(real!(-4), real!(2) * number as i32, real!(4));
        table.game.put(number, Transform::at(aside));
    }
    for (seat, x) in [first, second].into_iter().enumerate() {
        let place = Vec3 { x, z: Real::ZERO, ..table.game.start(seat) };
        table.game.put(seat, Transform::at(place));
        table.game.players[seat].facing = Vec3::X;
    }
    table
}

fn press(x: i8, button: isostep::Button<2>) -> Move {
    Move { buttons: Buttons::none().press(button), ..walk(x) }
}

#[test]
fn players_cannot_move_before_a_round_begins() {
    let mut table = TestMatch::new(SETTINGS);
    table.hold(READY, &[press(127, JUMP)]);
    assert_eq!(table.game.board.phase, Phase::Ready);
    assert!(table.game.place(0).distance(table.game.start(0)) < real!(0.0625));
    table.hold(30, &[walk(127)]);
    assert_eq!(table.game.board.phase, Phase::Play);
    assert!(table.game.place(0).distance(table.game.start(0)) > Real::ONE);
}

#[test]
fn a_fall_without_a_push_costs_a_point() {
    let mut table = table(real!(4), real!(-4));
    table.until(&[walk(127)], |game| game.players[0].out);
    assert_eq!(table.points(), [-1, 0]);
    assert_eq!(table.game.players[0].fell, Some(Fall { by: None, tick: table.tick - 1 }));
    // Counted once, however long the fall.
    table.hold(BACK_AFTER / 2, &[]);
    assert_eq!(table.points(), [-1, 0]);
}

#[test]
fn a_shove_off_the_platform_scores() {
    let mut table = table(real!(3.25), real!(4.5));
    table.step(&[press(0, SHOVE)]);
    table.until(&[], |game| game.players[1].out);
    assert_eq!(table.points(), [1, 0]);
    assert_eq!(table.game.players[1].fell.and_then(|fall| fall.by), Some(ONE));
}

#[test]
fn a_shove_reaches_near_bodies_in_front() {
    for (second, moved) in [(real!(1.5), true), (real!(-1.5), false), (real!(2.25), false)] {
        let mut table = table(Real::ZERO, second);
        table.step(&[press(0, SHOVE)]);
        table.hold(10, &[]);
        assert_eq!((table.game.place(1).x - second).abs() > Real::HALF, moved, "at {second}");
    }
}

#[test]
fn a_shove_has_a_cooldown() {
    let mut table = table(Real::ZERO, real!(4));
    let first = table.tick;
    table.step(&[press(0, SHOVE)]);
    table.hold(SHOVE_REST - 2, &[]);
    table.step(&[press(0, SHOVE)]);
    assert_eq!(table.game.players[0].shoved, Some(first));
    table.step(&[press(0, SHOVE)]);
    assert_eq!(table.game.players[0].shoved, Some(first + SHOVE_REST));
}

#[test]
fn only_a_grounded_player_jumps() {
    let mut table = table(Real::ZERO, real!(4));
    table.hold(5, &[]);
    let ground = table.game.place(0).y;
    table.step(&[press(0, JUMP)]);
    table.hold(15, &[]);
    let high = table.game.place(0).y;
    assert!(high > ground + Real::HALF, "{high}");
    let velocity =
        |table: &TestMatch| table.game.world.body(table.game.cast.bodies[0]).unwrap().velocity().y;
    let before = velocity(&table);
    table.step(&[press(0, JUMP)]);
    assert!(velocity(&table) < before, "it jumped in the air");
}

#[test]
fn leaning_on_a_player_counts_as_a_push() {
    let mut table = table(real!(3.5), real!(4.5));
    table.until(&[walk(127)], |game| game.players[1].out);
    assert_eq!(table.game.players[1].fell.and_then(|fall| fall.by), Some(ONE));
    assert_eq!(table.points()[0], 1);
    // A resting player pushes nothing.
    assert_eq!(table.game.pushed[0], None);
}

#[test]
fn a_crate_pushes_on_behalf_of_its_last_pusher() {
    let mut table = table(real!(1), real!(4.25));
    table.game.put(2, Transform::at(Vec3::new(real!(2.25), real!(0.5), Real::ZERO)));
    table.step(&[press(0, SHOVE)]);
    assert_eq!(table.game.pushed[2], Some(Push { by: ONE, tick: table.tick - 1 }));
    table.until(&[], |game| game.pushed[1].is_some());
    assert_eq!(table.game.pushed[1].map(|push| push.by), Some(ONE));
    table.until(&[STILL, walk(127)], |game| game.players[1].out);
    assert_eq!(table.points(), [1, 0]);
}

#[test]
fn a_player_is_not_pushed_by_their_own_crate() {
    let mut table = table(real!(0), real!(4));
    table.game.put(2, Transform::at(Vec3::new(real!(0.9375), real!(0.5), Real::ZERO)));
    table.until(&[walk(127)], |game| game.pushed[2].is_some_and(|push| push.by == ONE));
    table.hold(10, &[walk(127)]);
    assert_eq!(table.game.pushed[0], None);
}

#[test]
fn an_old_push_does_not_count() {
    for (ago, points) in [(PUSH_COUNTS, [1, 0]), (PUSH_COUNTS + 1, [0, -1])] {
        let mut table = table(Real::ZERO, real!(4));
        table.hold(PUSH_COUNTS, &[]);
        let low = Vec3::Y * (FALLEN - Real::ONE);
        table.game.put(1, Transform::at(low + Vec3::X * 9));
        table.game.pushed[1] = Some(Push { by: ONE, tick: table.tick - ago });
        table.step(&[]);
        assert_eq!(table.points(), points, "{ago} ticks ago");
    }
}

#[test]
fn a_respawned_player_has_no_pusher() {
    let mut table = table(real!(4), real!(-4));
    table.game.pushed[0] = Some(Push { by: PlayerId(1), tick: table.tick });
    table.until(&[walk(127)], |game| game.players[0].out);
    let fell = table.tick - 1;
    table.until(&[walk(127)], |game| !game.players[0].out);
    assert_eq!((table.tick - 1).since(fell), BACK_AFTER);
    assert_eq!(table.game.pushed[0], None);
    let away = table.game.place(0) - table.game.start(0);
    assert!(away.length() < real!(1.25), "{away}");
}

#[test]
fn a_fallen_crate_respawns() {
    let mut table = table(real!(4), real!(-4));
    table.game.put(2, Transform::at(Vec3::from_ints(9, -13, 0)));
    table.game.pushed[2] = Some(Push { by: ONE, tick: table.tick });
    table.step(&[]);
    assert!(table.game.place(2).y > real!(8));
    assert_eq!(table.game.pushed[2], None);
}

#[test]
fn a_round_ends_with_enough_points() {
    let mut table = table(real!(4), real!(-4));
    table.game.players[1].points = SETTINGS.points - 1;
    table.step(&[]);
    assert_eq!(table.game.board.phase, Phase::Play);
    table.game.players[1].points += 1;
    table.step(&[]);
    assert_eq!(table.game.board.phase, Phase::Over { winner: Some(PlayerId(1)) });
    assert_eq!(table.game.players.iter().map(|it| it.wins).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_round_ends_with_the_time_and_a_draw_has_no_winner() {
    for (points, winner) in [([2, 1], Some(ONE)), ([2, 2], None)] {
        let mut table = TestMatch::new(Settings { players: 2, round_ticks: 60, ..SETTINGS });
        table.hold(READY + 60, &[]);
        assert_eq!(table.game.board.phase, Phase::Play);
        (0..2).for_each(|seat| table.game.players[seat].points = points[seat]);
        table.step(&[]);
        assert_eq!(table.game.board.phase, Phase::Over { winner });
        let wins: u32 = table.game.players.iter().map(|it| it.wins).sum();
        assert_eq!(wins, u32::from(winner.is_some()));
    }
}

#[test]
fn falls_after_the_end_do_not_count() {
    let mut table = table(real!(4), real!(-4));
    table.game.players[1].points = SETTINGS.points;
    table.until(&[walk(127)], |game| game.players[0].out);
    assert_eq!(table.points(), [0, SETTINGS.points]);
}

#[test]
fn a_new_round_equals_the_first_except_for_wins() {
    let mut table = table(real!(3), real!(4));
    table.game.players[0].points = SETTINGS.points;
    table.step(&[press(127, SHOVE), walk(127)]);
    table.hold(OVER - 1, &[walk(127), walk(-127)]);
    assert!(matches!(table.game.board.phase, Phase::Over { .. }));
    table.step(&[walk(127), walk(-127)]);
    let begun = table.tick - 1;
    let board = &table.game.board;
    assert_eq!((board.round, board.phase, board.since), (2, Phase::Ready, begun));
    assert!(table.game.pushed.iter().all(Option::is_none));
    let fresh = TestMatch::new(Settings { players: 2, ..SETTINGS }).game;
    for (seat, player) in table.game.players.iter().enumerate() {
        let expected = &fresh.players[seat];
        assert_eq!((player.points, player.facing), (0, expected.facing));
        assert_eq!((player.shoved, player.fell, player.out), (None, None, false));
        assert_eq!(player.wins, u32::from(seat == 0));
        // One tick of falling onto the ground.
        assert!(table.game.place(seat).distance(fresh.place(seat)) < real!(0.0078125));
    }
}

#[test]
fn crate_positions_depend_on_seed_and_round() {
    let crates = |seed| {
        let game = TestMatch::new(Settings { seed, ..SETTINGS }).game;
        (4..game.pushed.len()).map(|number| game.place(number)).collect::<Vec<_>>()
    };
    assert_eq!(crates(7), crates(7));
    assert_ne!(crates(7), crates(8));
    let mut game = TestMatch::new(SETTINGS).game;
    let first: Vec<_> = (4..game.pushed.len()).map(|number| game.place(number)).collect();
    game.begin_round(Tick(5000));
    game.world.step();
    assert!(
        first
            .iter()
            .zip(4..)
            .all(|(&place, number)| place.distance(game.place(number)) > real!(0.125))
    );
}
