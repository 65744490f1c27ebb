//! Verify and compare: a planted difference is found, on its tick, in its field.

use crate::game::{GAME, Mix, Script};
use isostep_rollback::replay::{Parting, Player, Replay, compare, verify};
use isostep_rollback::{PlayerId, Tick};

fn open(file: &[u8]) -> Replay<&[u8]> {
    Replay::open(file).expect("it opens")
}

#[test]
fn a_sound_recording_verifies() {
    let file = Script::new(400).play().file();
    let player = Player::new(open(&file), GAME, Mix::default()).expect("it plays");
    let found = verify(player).expect("sound");
    assert_eq!(found.mismatch, None);
    assert!(found.digests >= 400 / 8 + 400 / 64 - 2, "{found:?}");
}

#[test]
fn a_machine_that_was_broken_is_found_with_tick_and_field() {
    let file = Script { fault: Some(Tick(99)), ..Script::new(200) }.play().file();
    let player = Player::new(open(&file), GAME, Mix::default()).expect("it plays");
    let found = verify(player).expect("sound").mismatch.expect("it is found");
    assert_eq!((found.agreed, found.tick, found.explained), (Tick(96), Tick(104), Some(Tick(128))));
    assert_eq!(found.fields.len(), 1, "{found}");
    let field = &found.fields[0];
    assert_eq!((field.entity.as_str(), field.field.as_str()), ("state", "treasure"));
    let parse = |text: &str| text.parse::<u32>().expect("a number");
    assert_eq!(parse(&field.local) ^ parse(&field.remote), 1 << 20, "{found}");
}

#[test]
fn two_recordings_of_one_match_are_the_same() {
    let a = Script::new(200).play().file();
    let mut script = Script::new(170);
    script.config.flush_every = 7;
    script.config.keyframe_every = 50;
    let b = script.play().file();
    let same = compare(open(&a), open(&b), GAME, (Mix::default(), Mix::default()));
    assert_eq!(same.expect("sound"), None);
}

#[test]
fn states_that_part_are_told_with_the_field() {
    let a = Script::new(200).play().file();
    let b = Script { fault: Some(Tick(99)), ..Script::new(200) }.play().file();
    let parting = compare(open(&a), open(&b), GAME, (Mix::default(), Mix::default()));
    let parting = parting.expect("sound").expect("they differ");
    let Parting::State { agreed, tick, explained, fields } = &parting else { panic!("{parting}") };
    assert_eq!((*agreed, *tick, *explained), (Some(Tick(96)), Tick(104), Some(Tick(128))));
    assert_eq!(fields[0].field, "treasure", "{parting}");
}

#[test]
fn inputs_that_part_are_told_with_the_player() {
    let a = Script::new(200).play().file();
    let b = Script { other: Some(Tick(77)), ..Script::new(200) }.play().file();
    let parting = compare(open(&a), open(&b), GAME, (Mix::default(), Mix::default()));
    let parting = parting.expect("sound").expect("they differ");
    let Parting::Input { tick, player, .. } = parting else { panic!("{parting}") };
    assert_eq!((tick, player), (Tick(77), PlayerId(1)));
}
