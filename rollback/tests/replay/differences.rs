//! Verify and compare: an injected difference is found, on its tick, in its field.

use super::forge::{self, Counted};
use super::game::{GAME, Mix, Script};
use isostep_rollback::replay::{
    CompareError, Divergence, Player, Recorder, RecorderConfig, Replay, ReplayError, SeatKind,
    Verifier, compare, verify,
};
use isostep_rollback::{PlayerId, Session, SessionConfig, Tick, Time};

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

/// Nothing looked at the ticks behind the last regular digest: 10 of them were wrong, and all was said to be right.
#[test]
fn a_fault_right_before_the_end_is_found() {
    for digest_every in [64, 0] {
        let script = |fault| {
            let mut script = Script { fault, digest_every, ..Script::new(256 + 20) };
            script.config.keyframe_every = 0;
            script.play().file()
        };
        let right = script(None);
        let last = open(&right).last();
        let wrong = script(Some(last - 10));
        assert_eq!(open(&wrong).last(), last);
        let player = Player::new(open(&wrong), GAME, Mix::default()).expect("it plays");
        let found = verify(player).expect("sound").mismatch.expect("it is found");
        assert_eq!(found.tick, last, "{found}");
        let divergence =
            compare(open(&right), open(&wrong), GAME, (Mix::default(), Mix::default()));
        let divergence = divergence.expect("sound").divergence.expect("they differ");
        assert!(
            matches!(divergence, Divergence::State { tick, .. } if tick == last),
            "{divergence}"
        );
        let player = Player::new(open(&right), GAME, Mix::default()).expect("it plays");
        assert_eq!(verify(player).expect("sound").mismatch, None);
    }
}

#[test]
fn two_recordings_of_one_match_are_the_same() {
    let a = Script::new(200).play().file();
    let mut script = Script::new(170);
    script.config.flush_every = 7;
    script.config.keyframe_every = 50;
    let b = script.play().file();
    let same = compare(open(&a), open(&b), GAME, (Mix::default(), Mix::default()));
    let same = same.expect("sound");
    assert_eq!((same.divergence, same.ticks), (None, open(&b).last().0));
    assert!(same.digests >= 170 / 8, "{}", same.digests);
}

#[test]
fn states_that_part_are_told_with_the_field() {
    let a = Script::new(200).play().file();
    let b = Script { fault: Some(Tick(99)), ..Script::new(200) }.play().file();
    let divergence = compare(open(&a), open(&b), GAME, (Mix::default(), Mix::default()));
    let divergence = divergence.expect("sound").divergence.expect("they differ");
    let Divergence::State { agreed, tick, explained, fields } = &divergence else {
        panic!("{divergence}")
    };
    assert_eq!((*agreed, *tick, *explained), (Some(Tick(96)), Tick(104), Some(Tick(128))));
    assert_eq!(fields[0].field, "treasure", "{divergence}");
}

#[test]
fn inputs_that_part_are_told_with_the_player() {
    let a = Script::new(200).play().file();
    let b = Script { other: Some(Tick(77)), ..Script::new(200) }.play().file();
    let divergence = compare(open(&a), open(&b), GAME, (Mix::default(), Mix::default()));
    let divergence = divergence.expect("sound").divergence.expect("they differ");
    let Divergence::Input { tick, player, .. } = divergence else { panic!("{divergence}") };
    assert_eq!((tick, player), (Tick(77), PlayerId(1)));
}

#[test]
fn a_difference_takes_no_side() {
    let a = Script::new(200).play().file();
    let games = || (Mix::default(), Mix::default());
    for script in [
        Script { fault: Some(Tick(99)), ..Script::new(200) },
        Script { other: Some(Tick(77)), ..Script::new(200) },
    ] {
        let b = script.play().file();
        let said = |left: &[u8], right: &[u8]| {
            let divergence = compare(open(left), open(right), GAME, games()).expect("sound");
            divergence.divergence.expect("they differ").to_string()
        };
        let (there, back) = (said(&a, &b), said(&b, &a));
        assert!(there.contains("left has") && there.contains("right has"), "{there}");
        let values = |text: &str, before: &str, after: &str| {
            let from = text.find(before).expect("it is said") + before.len();
            text[from..].split(after).next().expect("a value").to_owned()
        };
        let (left, right) = ("left has ", "right has ");
        assert_eq!(values(&there, left, ", right"), values(&back, right, "\n"));
        assert_eq!(values(&there, right, "\n"), values(&back, left, ", right"));
    }
}

#[test]
fn the_one_that_is_damaged_is_named() {
    let played = Script::new(200).play();
    let file = played.file();
    let mut damaged = file.clone();
    // In the first block behind header and keyframe.
    let at = played.blocks[..2].concat().len() + 15;
    damaged[at] ^= 1;
    let games = || (Mix::default(), Mix::default());
    let offset = at as u64 - 15;
    let (error, ticks) = (ReplayError::Damaged { offset, tick: Tick(0) }, 0);
    let said = compare(open(&file), open(&damaged), GAME, games());
    assert_eq!(said, Err(CompareError::Right { error: error.clone(), ticks }));
    let said = compare(open(&damaged), open(&file), GAME, games());
    assert_eq!(said, Err(CompareError::Left { error, ticks }));
}

#[test]
fn what_lies_before_damage_is_told() {
    let played = Script::new(200).play();
    let file = played.file();
    let at = played.blocks.iter().position(|block| forge::is(block, forge::INPUTS, 128));
    let start = played.blocks[..at.expect("a block of inputs")].concat().len();
    let mut damaged = file.clone();
    damaged[start + 15] ^= 1;
    let error = ReplayError::Damaged { offset: start as u64, tick: Tick(128) };
    let said = compare(open(&file), open(&damaged), GAME, (Mix::default(), Mix::default()));
    let said = said.expect_err("it is damaged");
    assert_eq!(said, CompareError::Right { error: error.clone(), ticks: 128 });
    assert!(said.to_string().contains("128 ticks before it are equal"), "{said}");
    let player = Player::new(open(&damaged), GAME, Mix::default()).expect("it plays");
    let mut verifier = Verifier::new(player).expect("the first state is right");
    assert_eq!(verifier.advance(u32::MAX), Err(error));
    assert_eq!((verifier.agreed(), verifier.tick()), (Tick(128), Tick(128)));
    assert_eq!((verifier.found().ticks, &verifier.found().mismatch), (128, &None));
}

/// They were said to be the same.
#[test]
fn recordings_without_a_common_tick_are_not_the_same() {
    let early = Script::new(100).play().file();
    let mut player = Player::new(open(&early), GAME, Mix::default()).expect("it plays");
    let last = player.replay().last();
    player.seek(last).expect("it is there");
    // Goes on for a while, and is recorded from tick 130 on.
    let seats = SessionConfig::new().local().bot().bot().bot();
    let (mut session, mut game) = player.branch(seats).expect("sound settings");
    let mut advance = |session: &mut Session<Mix>, to: u32| {
        while session.current_tick() < Tick(to) {
            let time = Time::from_millis(u64::from(session.current_tick().0) * 17);
            session.advance(time).run(&mut game).expect("it runs");
        }
        game.clone()
    };
    let game = advance(&mut session, 130);
    let recorder = Recorder::start(RecorderConfig::new(GAME), &session, &game);
    let mut recorder = recorder.expect("it starts");
    let game = advance(&mut session, 150);
    recorder.finish(&session, &game);
    let late: Vec<u8> = core::iter::from_fn(|| recorder.poll_bytes()).flatten().collect();
    let found = compare(open(&early), open(&late), GAME, (Mix::default(), Mix::default()));
    let found = found.expect("sound");
    let (left, right) = ((Tick(0), last), (Tick(130), Tick(150)));
    assert_eq!(found.divergence, Some(Divergence::NothingInCommon { left, right }));
    assert_eq!((found.ticks, found.digests), (0, 0));
}

#[test]
fn comparing_reads_each_block_a_few_times_at_most() {
    let mut script = Script::new(1500);
    script.config.keyframe_every = 0;
    let mut blocks = script.play().blocks;
    blocks.retain(|block| block[0] != forge::ROSTER && block[0] != forge::END);
    let plain = blocks.concat();
    // Changes on every tick.
    let changes =
        (1..1400u32).map(|tick| forge::block(forge::ROSTER, tick, 0, &[3, ((tick + 2) % 3) as u8]));
    let after = blocks.split_off(2);
    let hostile = [blocks, changes.collect(), after].concat().concat();
    let games = || (Mix::default(), Mix::default());
    let (left, right) = (Counted::new(&hostile), Counted::new(&hostile));
    let read = left.read.clone();
    let (left, right) = (Replay::open(left), Replay::open(right));
    let same = compare(left.expect("it opens"), right.expect("it opens"), GAME, games());
    assert_eq!(same.expect("sound").divergence, None);
    // Once to scan, once or twice to compare.
    assert!(read.get() <= 4 * hostile.len(), "{} of {} bytes", read.get(), hostile.len());
    let divergence = compare(open(&plain), open(&hostile), GAME, games()).expect("sound");
    let seat = Divergence::Seat {
        tick: Tick(1),
        player: PlayerId(3),
        left: SeatKind::Human,
        right: SeatKind::Empty,
    };
    assert_eq!(divergence.divergence, Some(seat));
}

#[test]
fn what_verify_says_is_no_more_than_it_knows() {
    let broken = Script { fault: Some(Tick(99)), ..Script::new(200) };
    let said = |file: &[u8]| {
        let player = Player::new(open(file), GAME, Mix::default()).expect("it plays");
        verify(player).expect("sound").mismatch.expect("it is found")
    };
    let mut blocks = broken.play().blocks;
    let text = said(&blocks.concat()).to_string();
    assert!(text.contains("up to tick 96"), "{text}");
    assert!(text.contains("tick 104 is the first"), "{text}");
    assert!(text.contains("first seen in the keyframe of tick 128: state, treasure: "), "{text}");
    // A later block that is damaged does not hide that something differs.
    blocks.retain(|block| block[0] != forge::END);
    let at = blocks.iter().position(|block| forge::is(block, forge::KEYFRAME, 128));
    let keyframe = &mut blocks[at.expect("a keyframe")];
    let last = keyframe.len() - 9;
    keyframe[last] ^= 1;
    forge::seal(keyframe);
    let found = said(&blocks.concat());
    assert_eq!((found.agreed, found.tick, found.explained), (Tick(96), Tick(104), None));
    assert!(found.to_string().ends_with("to compare fields with"), "{found}");
}

#[test]
fn a_difference_that_is_gone_by_the_next_keyframe_is_told_so() {
    let mut blocks = Script::new(200).play().blocks;
    // A digest that is not the state's.
    let at = blocks.iter().position(|block| block[0] == forge::DIGESTS);
    let digests = &mut blocks[at.expect("digests")];
    digests[11 + 8] ^= 1;
    forge::seal(digests);
    let file = blocks.concat();
    let player = Player::new(open(&file), GAME, Mix::default()).expect("it plays");
    let found = verify(player).expect("sound").mismatch.expect("it is found");
    assert_eq!((found.tick, found.explained), (Tick(8), Some(Tick(64))), "{found}");
    assert!(found.to_string().ends_with("equal again"), "{found}");
}
