//! Matches without a clock or a browser.

use super::*;
use crate::settings::{FaultTarget, PROFILES, Pace};
use isostep_rollback::replay::{Player, Replay, Verified, verify};

fn bad(players: u8, mode: Pace) -> Settings {
    let query =
        format!("seed=3&players={players}&delay=2&net=80,40,10,3&link=2-1:150,40,10,3&drift=2:400");
    Settings { mode, ..Settings::from_query(&query).unwrap() }
}

fn verify_file(file: &[u8]) -> Result<Verified, ReplayError> {
    let replay = Replay::open(file)?;
    let game = Tumble::read(&replay.info().assets).expect("it names its match");
    verify(Player::new(replay, Tumble::GAME, game)?)
}

/// Plays some ticks and returns their events.
fn run(play: &mut Play, ticks: u32) -> Vec<Note> {
    let mut notes = Vec::new();
    for _ in 0..ticks {
        play.tick().unwrap();
        play.frame(0);
        notes.extend(play.notes());
    }
    notes
}

#[test]
fn a_match_url_reproduces_the_match() {
    let played = |query: &str, by_hand: bool| {
        let mut play = Play::new(Settings::from_query(query).unwrap()).unwrap();
        let mut seen = Vec::new();
        for number in 0..240 {
            if by_hand && number == 100 {
                play.inject_fault(1, FaultKind::Disconnect);
                play.inject_fault(
                    0,
                    FaultKind::BitFlip { target: FaultTarget::Velocity, always: false },
                );
            }
            play.tick().unwrap();
            for peer in play.frame(0).peers {
                seen.push((peer.present, peer.depth, peer.redone, peer.sent_bytes, peer.digest));
            }
        }
        (play.settings().query(), seen)
    };
    // The URL of the first match includes its faults, which occur in the second match at the same
    // ticks.
    let (query, seen) = played(&bad(3, Pace::Rollback).query(), true);
    assert!(query.ends_with("&cut=2@100&flip=1@100:velocity"), "{query}");
    assert!(played(&query, false) == (query.clone(), seen));
}

#[test]
fn machines_agree_in_both_modes_and_after_a_partition() {
    for (mode, lead) in [(Pace::Lockstep, 0), (Pace::Rollback, 12)] {
        let mut play = Play::new(bad(4, mode)).unwrap();
        play.inject_fault(2, FaultKind::Disconnect);
        let (mut compared, mut stalls) = (0, 0);
        for _ in 0..300 {
            play.tick().unwrap();
            let frame = play.frame(0);
            assert_ne!(frame.verdict, Verdict::Differ, "on tick {}", frame.compared);
            compared = frame.compared;
            stalls += frame.peers[2].stalls;
            assert!(frame.peers.iter().all(|peer| peer.lead <= lead));
        }
        assert!(compared >= 32 && stalls > 60, "{compared} ticks compared, {stalls} stalls");
    }
}

#[test]
fn taps_of_keys_reach_every_machine() {
    let mut play = Play::new(Settings::default()).unwrap();
    let stick = Stick::from_steps(127, 0).unwrap();
    let x = |play: &Play, machine: usize| play.fleet.machines()[machine].game.tumble().place(0).x;
    run(&mut play, rules::READY + 30);
    let (before, far) = (x(&play, 1), Real::ONE);
    for _ in 0..60 {
        // Pressed and released within a tick.
        play.keys(stick, 2);
        play.keys(stick, 0);
        play.tick().unwrap();
    }
    assert!(x(&play, 1) > before + far && x(&play, 0) > before + far);
}

#[test]
fn incremental_rollback_resimulates_fewer_bodies_and_reaches_the_same_digest() {
    let played = |resim: Resim| {
        let mut play = Play::new(Settings { resim, ..bad(2, Pace::Rollback) }).unwrap();
        let (mut redone, mut shown, mut digest) = (0, 0, None);
        for _ in 0..600 {
            play.tick().unwrap();
            let frame = play.frame(0);
            for peer in &frame.peers {
                redone += peer.redone;
                shown += peer.groups.len();
                let named = |&(body, least): &(u8, u8)| least <= body && usize::from(body) < BODIES;
                assert!(peer.groups.iter().all(named));
                assert!(peer.groups.is_empty() || peer.depth > 0);
            }
            digest = Some((frame.compared, frame.peers[0].digest));
        }
        (redone, shown, digest)
    };
    let (some, full) = (played(Resim::Incremental), played(Resim::Full));
    assert_eq!(some.2, full.2);
    assert!(some.0 > 0 && some.0 * 2 < full.0, "{} and {} bodies", some.0, full.0);
    assert!(some.1 > 0 && some.1 < full.1);
}

#[test]
fn ghosts_show_confirmed_poses() {
    let mut play = Play::new(Settings { net: PROFILES[3].1, ..Settings::default() }).unwrap();
    let mut ghosts = 0;
    for _ in 0..120 {
        play.tick().unwrap();
        for peer in play.frame(0).peers {
            assert!(peer.ghosts.is_empty() || peer.confirmed < peer.present);
            for (body, was) in &peer.ghosts {
                assert_ne!(was.translation, peer.bodies[usize::from(*body)].pose.translation);
                ghosts += 1;
            }
        }
    }
    assert!(ghosts > 100, "{ghosts}");
}

#[test]
fn switches_apply_during_a_match() {
    let mut play = Play::new(Settings::default()).unwrap();
    run(&mut play, 30);
    for (name, value, anew) in [
        ("delay", "5", false),
        ("net", "mobile", false),
        ("link", "1-2:severe", false),
        ("drift", "2:5000", false),
        ("dilation", "off", false),
        ("resim", "full", false),
        ("mode", "lockstep", true),
    ] {
        assert_eq!(play.set(name, value), Ok(anew), "{name}");
    }
    run(&mut play, 120);
    let frame = play.frame(0);
    assert_eq!(frame.peers[0].delay, 5);
    assert_eq!((frame.peers[0].millihertz, frame.peers[1].millihertz), (60_000, 60_300));
    assert!(play.set("link", "1-4:wifi").is_err() && play.set("speed", "9").is_err());
}

#[test]
fn adaptive_delay_follows_the_network() {
    let mut play =
        Play::new(Settings { adaptive: true, net: PROFILES[4].1, ..Settings::default() }).unwrap();
    run(&mut play, 300);
    assert!(play.frame(0).peers.iter().all(|peer| peer.delay > 3));
}

#[test]
fn a_saved_recording_verifies_and_a_new_one_starts() {
    let mut play = Play::new(bad(3, Pace::Rollback)).unwrap();
    for _ in 0..2 {
        run(&mut play, 150);
        let file = play.save_recording().unwrap();
        let found = verify_file(&file).unwrap();
        assert!(found.mismatch.is_none() && found.ticks > 120 && found.gaps == 0, "{found:?}");
    }
}

#[test]
fn a_recording_of_a_faulty_machine_fails_verification() {
    let mut play = Play::new(bad(2, Pace::Rollback)).unwrap();
    play.inject_fault(0, FaultKind::BitFlip { target: FaultTarget::Score, always: true });
    run(&mut play, 150);
    assert!(verify_file(&play.save_recording().unwrap()).unwrap().mismatch.is_some());
}

#[test]
fn an_injected_desync_is_explained_in_one_line() {
    let mut play = Play::new(Settings { players: 3, ..Settings::default() }).unwrap();
    run(&mut play, 60);
    play.inject_fault(1, FaultKind::BitFlip { target: FaultTarget::Score, always: true });
    let notes = run(&mut play, 240);
    let found = notes.iter().find(|note| matches!(note, Note::Desync(_))).expect("it is found");
    let text = found.to_string();
    assert!(
        text.contains("players[0], points: ")
            && text.ends_with("machine 2, outvoted by the others"),
        "{text}"
    );
    assert_eq!(found.json()["entity"], "players[0]");
}
