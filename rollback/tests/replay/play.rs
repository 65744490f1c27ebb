//! Recording and playing: every state comes back, sought or reached; gaps.

use super::game::{GAME, Match, Mix, Script};
use isostep_rollback::replay::{Player, Replay, ReplayError, SeatKind, Stream, verify};
use isostep_rollback::{PlayerId, Tick};

pub(crate) fn player(file: &[u8]) -> Player<Mix, &[u8]> {
    Player::new(Replay::open(file).expect("it opens"), GAME, Mix::default()).expect("it plays")
}

/// The states without the injected fault's setting.
pub(crate) fn state(played: &Match, tick: u32) -> Mix {
    Mix { fault: None, ..played.states[tick as usize].clone() }
}

#[test]
fn every_state_comes_back_bit_for_bit() {
    let played = Script::new(300).play();
    let file = played.file();
    let mut player = player(&file);
    assert!(player.replay().is_finished());
    assert!(player.replay().last().0 > 290);
    loop {
        assert_eq!(*player.game(), state(&played, player.tick().0), "tick {}", player.tick());
        if !player.step().expect("nothing is missing") {
            break;
        }
    }
    assert_eq!(player.tick(), player.replay().last());
    assert!(player.game().players[0].said > 3, "commands went along");
}

#[test]
fn seeking_equals_playing_straight() {
    let played = Script::new(300).play();
    let file = played.file();
    let mut player = player(&file);
    let last = player.replay().last().0;
    let mut tick = 0;
    for round in 0..200 {
        tick = (tick * 7 + round * 31 + 11) % (last + 1);
        player.seek(Tick(tick)).expect("it is there");
        assert_eq!(*player.game(), state(&played, tick), "tick {tick}");
    }
    // Backwards, one by one.
    for tick in (last - 70..=last).rev() {
        player.seek(Tick(tick)).expect("it is there");
        assert_eq!(*player.game(), state(&played, tick), "tick {tick}");
    }
    let beyond = player.seek(Tick(last + 1)).unwrap_err();
    assert!(matches!(beyond, ReplayError::NoSuchTick { .. }), "{beyond}");
}

#[test]
fn records_of_seats_and_pauses_come_back() {
    let file = Script::new(150).play().file();
    let mut replay = Replay::open(&file[..]).expect("it opens");
    let changes: Vec<_> = replay.seat_changes().iter().map(|it| (it.tick.0, it.kind)).collect();
    assert_eq!(changes, [(45, SeatKind::Empty), (97, SeatKind::Bot)]);
    assert_eq!(replay.pauses().len(), 1);
    assert_eq!(replay.pauses()[0].milliseconds, 1500);
    let mut who = |tick| replay.seat_kind(PlayerId(3), Tick(tick)).expect("sound");
    assert_eq!([44, 45, 96, 97].map(&mut who), {
        [SeatKind::Human, SeatKind::Empty, SeatKind::Empty, SeatKind::Bot].map(Some)
    });
}

#[test]
fn a_file_on_disk_reads_like_a_slice() {
    let file = Script::new(100).play().file();
    let replay = Replay::open(Stream(std::io::Cursor::new(file))).expect("it opens");
    let player = Player::new(replay, GAME, Mix::default()).expect("it plays");
    let found = verify(player).expect("sound");
    assert!(found.mismatch.is_none() && found.digests > 10 && found.ticks > 90, "{found:?}");
}

#[test]
fn blocks_that_are_not_taken_leave_a_gap_and_the_rest_is_right() {
    let mut script = Script::new(600);
    script.config.queue_bytes = 1200;
    script.polls = |tick| !(100..400).contains(&tick);
    let played = script.play();
    let file = played.file();
    let mut player = player(&file);
    let gap = player.seek(Tick(390)).unwrap_err();
    let ReplayError::Gap { next: Some(next), .. } = gap else { panic!("{gap}") };
    assert!((395..410).contains(&next.0), "goes on on tick {next}");
    for tick in [next.0, 450, 590, 20] {
        player.seek(Tick(tick)).expect("it is there");
        assert_eq!(*player.game(), state(&played, tick), "tick {tick}");
    }
    let found = verify(player).expect("sound");
    assert_eq!((found.gaps, found.mismatch), (1, None));
}
