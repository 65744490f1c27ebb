//! Gaps of a recorder whose queue was full: exactly the missing ticks are reported.

use super::game::{GAME, Mix, pad};
use super::play::player;
use isostep_rollback::replay::{Recorder, RecorderConfig, RecorderEvent, RecorderStats, verify};
use isostep_rollback::{PlayerId, Session, SessionConfig, Tick, Time};

/// A match of 900 ticks, recorded on some of them only, its blocks taken on some; the file, the events and counters, and
/// the state of each tick.
fn play(
    config: RecorderConfig,
    records: impl Fn(u32) -> bool,
    polls: impl Fn(u32) -> bool,
) -> (Vec<u8>, Vec<RecorderEvent>, RecorderStats, Vec<Mix>) {
    let mut game = Mix::default();
    let mut session = Session::start(SessionConfig::new().local().bot(), &mut game).expect("sound");
    let mut recorder = Recorder::start(config, &session, &game).expect("it starts");
    let (mut file, mut states, mut events) = (Vec::new(), vec![game.clone()], Vec::new());
    for tick in 0..900u32 {
        session.local_input(PlayerId(0), pad(u64::from(tick) * 0x1357)).expect("a seat");
        session.advance(Time::from_millis(u64::from(tick) * 17)).run(&mut game).expect("it runs");
        states.push(game.clone());
        if records(tick) {
            recorder.record(&session, &game);
        }
        // A recorder holds a few only.
        events.extend(core::iter::from_fn(|| recorder.poll_event()));
        if polls(tick) {
            file.extend(core::iter::from_fn(|| recorder.poll_bytes()).flatten());
        }
    }
    recorder.finish(&session, &game);
    file.extend(core::iter::from_fn(|| recorder.poll_bytes()).flatten());
    events.extend(core::iter::from_fn(|| recorder.poll_event()));
    (file, events, recorder.stats(), states)
}

/// The ticks without inputs, by the file; all others are right.
fn missing(file: &[u8], states: &[Mix]) -> Vec<u32> {
    let mut reached = player(file);
    let last = reached.replay().last().0;
    let missing = (0..last).filter(|&tick| {
        let gone = reached.replay_mut().input(PlayerId(0), Tick(tick)).is_err();
        if !gone {
            reached.seek(Tick(tick)).expect("it is there");
            assert_eq!(*reached.game(), states[tick as usize], "tick {tick}");
        }
        gone
    });
    let missing = missing.collect();
    assert_eq!(verify(reached).expect("sound").mismatch, None);
    missing
}

/// It threw away what it had taken and not yet written, a hundred ticks, and counted them.
#[test]
fn what_was_taken_before_a_silence_is_written() {
    let config = RecorderConfig::new(GAME);
    let (file, events, stats, states) = play(config, |tick| !(400..700).contains(&tick), |_| true);
    let reported =
        [RecorderEvent::Lost { from: Tick(400) }, RecorderEvent::Resumed { at: Tick(702) }];
    assert_eq!(events, reported);
    assert_eq!(missing(&file, &states), (400..702).collect::<Vec<_>>());
    assert_eq!((stats.ticks, stats.gaps), (900 - 302, 1));
}

#[test]
fn a_silence_as_long_as_half_the_log_loses_nothing() {
    let config = RecorderConfig::new(GAME);
    let (file, events, stats, states) = play(config, |tick| !(400..527).contains(&tick), |_| true);
    assert_eq!(events, []);
    assert_eq!((missing(&file, &states), stats.ticks, stats.gaps), (Vec::new(), 900, 0));
    let config = RecorderConfig::new(GAME);
    let (.., stats, _) = play(config, |tick| !(400..529).contains(&tick), |_| true);
    assert_eq!(stats.gaps, 1, "and one that is longer does");
}

#[test]
fn ticks_of_blocks_that_had_no_room_are_told_and_not_counted() {
    for queue_bytes in [10, 500, 3000] {
        for polls in [1, 40, 200] {
            let config =
                RecorderConfig { queue_bytes, flush_every: 7, ..RecorderConfig::new(GAME) };
            let (file, events, stats, states) = play(config, |_| true, |tick| tick % polls == 0);
            let missing = missing(&file, &states);
            let mut reported = Vec::new();
            for pair in events.chunks(2) {
                let [RecorderEvent::Lost { from }, after @ ..] = pair else { panic!("{events:?}") };
                let to = match after {
                    [RecorderEvent::Resumed { at }] => at.0,
                    _ => 900,
                };
                assert!(from.0 < to, "an empty gap: {events:?}");
                reported.extend(from.0..to);
            }
            let last = player(&file).replay().last().0;
            assert_eq!(
                stats.ticks,
                u64::from(last) - missing.len() as u64,
                "{queue_bytes} {polls}"
            );
            assert_eq!(stats.gaps, events.len().div_ceil(2) as u64);
            reported.retain(|&tick| tick < last);
            assert_eq!(reported, missing, "{queue_bytes} {polls}");
        }
    }
}
