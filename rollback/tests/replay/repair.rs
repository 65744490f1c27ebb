//! A machine that was wrong, noticed, and mended itself: its recording takes back what it said, and is right everywhere.

use super::forge;
use super::game::{GAME, Mix, Pad, Script, pad};
use super::play::{player, state};
use isostep_rollback::replay::{Recorder, RecorderConfig, verify};
use isostep_rollback::{LinkConfig, PlayerId, SessionConfig, SessionEvent, SimMatch, Tick};
use std::cell::Cell;
use std::rc::Rc;

fn inputs(_: usize, player: PlayerId, tick: Tick) -> Pad {
    pad(u64::from(tick.0 / 3 + 1) * (0x1234_5678 + u64::from(player.0)))
}

/// Two machines, of which the second slips on a tick and is recorded; its blocks, and the final state of each tick.
fn slipping(tick: u32) -> (Vec<Vec<u8>>, Vec<Mix>) {
    let config = SessionConfig::new().delay(2).digest_every(8);
    let mut sim = SimMatch::mesh(1, 2, &config, LinkConfig::perfect(), |_| Mix::default())
        .expect("a sound setup");
    sim.machines_mut()[1].game.slip = Some(Rc::new(Cell::new(Some(Tick(tick)))));
    let recording = RecorderConfig { keyframe_every: 16, ..RecorderConfig::new(GAME) };
    let machine = &sim.machines()[1];
    let recorder = Recorder::start(recording, &machine.session, &machine.game);
    let mut recorder = recorder.expect("it starts");
    let mut states = vec![Mix::default()];
    for _ in 0..300 {
        sim.run(1, inputs).expect("it runs");
        let [right, wrong] = sim.machines() else { panic!("two machines") };
        recorder.record(&wrong.session, &wrong.game);
        let done = right.session.confirmed_tick().min(right.session.current_tick());
        while states.len() as u32 <= done.0 {
            let held = right.session.slots().get(Tick(states.len() as u32)).expect("held");
            states.push(held.clone());
        }
    }
    let repaired = |event: &&SessionEvent| matches!(event, SessionEvent::Repaired { .. });
    assert_eq!(sim.machines()[1].events.iter().filter(repaired).count(), 1);
    recorder.finish(&sim.machines()[1].session, &sim.machines()[1].game);
    (core::iter::from_fn(|| recorder.poll_bytes()).collect(), states)
}

#[test]
fn what_was_wrong_is_taken_back_and_all_states_are_right() {
    for tick in [40, 99, 127] {
        let (mut blocks, states) = slipping(tick);
        let file = blocks.concat();
        let mut right = player(&file);
        for tick in (0..=right.replay().last().0).rev().step_by(5) {
            right.seek(Tick(tick)).expect("it is there");
            assert_eq!(*right.game(), states[tick as usize], "tick {tick}");
        }
        let found = verify(right).expect("sound");
        assert_eq!(found.mismatch, None);
        // It did say something wrong before.
        let before = blocks.len();
        blocks.retain(|block| block[0] != forge::REPAIR && block[0] != forge::END);
        assert_eq!(blocks.len(), before - 2, "one repair, one end");
        let file = blocks.concat();
        let wrong = verify(player(&file)).expect("sound").mismatch.expect("it differs");
        assert!(wrong.agreed <= Tick(tick) && wrong.tick > Tick(tick), "{wrong}");
    }
}

#[test]
fn only_the_ticks_of_a_repair_are_void() {
    let played = Script { fault: Some(Tick(99)), ..Script::new(300) }.play();
    let right = Script::new(300).play();
    let mut blocks = played.blocks;
    let end = blocks.pop().expect("an end");
    assert_eq!(end[0], forge::END);
    // Digests lie on every eighth tick, keyframes on every 64th. The fault stays in the state.
    for (span, first) in [(60, 160), (61, 168), (29, 136), (28, 128), (10, 112)] {
        blocks.push(forge::block(forge::REPAIR, 99, span, &[]));
        let file = blocks.concat();
        let mut player = player(&file);
        let void = |tick: u32| (100..=99 + u32::from(span)).contains(&tick);
        let keyframes: Vec<u32> = player.replay().keyframes().map(|tick| tick.0).collect();
        let sound = [0, 64, 128, 192, 256].into_iter().filter(|&tick| !void(tick));
        assert_eq!(keyframes, sound.collect::<Vec<_>>());
        // A void keyframe is passed over: this is computed from the one before.
        let sought = keyframes.iter().find(|&&tick| tick > 99).map_or(280, |&tick| tick - 1);
        player.seek(Tick(sought)).expect("it is there");
        assert_eq!(*player.game(), state(&right, sought));
        let found = verify(player).expect("sound").mismatch.expect("the rest is wrong");
        assert_eq!((found.agreed, found.tick), (Tick(96), Tick(first)), "span {span}");
        blocks.pop();
    }
}
