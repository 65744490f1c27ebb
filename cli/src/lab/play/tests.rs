//! Matches without a clock or a browser.

use super::*;
use crate::lab::control::Link;

fn bad(players: u8, predict: u32) -> Settings {
    let link = Link { way: None, latency: 80, jitter: 40, loss: 10, bursts: true };
    let lame = Link { way: Some((1, 0)), latency: 150, ..link };
    Settings { seed: 3, players, predict, delay: 2, links: vec![link, lame] }
}

#[test]
fn a_link_to_a_match_reproduces_it() {
    let played = || {
        let mut play = Play::new(bad(3, 12)).unwrap();
        let mut frames = Vec::new();
        for _ in 0..120 {
            play.tick().unwrap();
            frames.push(play.frame(0).encode());
        }
        frames
    };
    assert!(played() == played());
}

#[test]
fn machines_agree_in_both_modes_and_after_a_partition() {
    for predict in [0, 12] {
        let mut play = Play::new(bad(4, predict)).unwrap();
        play.partition(2);
        let (mut compared, mut stalls) = (0, 0);
        for _ in 0..300 {
            play.tick().unwrap();
            let frame = play.frame(0);
            assert_ne!(frame.verdict, Verdict::Differ, "on tick {}", frame.compared);
            compared = frame.compared;
            stalls += frame.peers[2].stalls;
            assert!(frame.peers.iter().all(|peer| peer.lead <= predict));
        }
        assert!(compared >= 32 && stalls > 60, "{compared} ticks compared, {stalls} stalls");
    }
}

#[test]
fn taps_of_keys_reach_every_machine() {
    let mut play = Play::new(Settings::default()).unwrap();
    let keys = |kick| Control::Keys { x: 127, y: 0, jump: false, kick };
    let x = |play: &Play, machine: usize| {
        let arena = play.fleet.machines()[machine].game.arena();
        let body = arena.body_of(PlayerId(0)).and_then(|id| arena.world().body(id));
        body.unwrap().center_of_mass().x
    };
    let (before, far) = (x(&play, 1), Real::from_int(2));
    for _ in 0..60 {
        // Down and up within a tick.
        play.obey(keys(true)).unwrap();
        play.obey(keys(false)).unwrap();
        play.tick().unwrap();
    }
    assert!(x(&play, 1) > before + far && x(&play, 0) > before + far);
}
