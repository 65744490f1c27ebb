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
        play.frame(0, &Switches::default());
        notes.extend(play.notes());
    }
    notes
}

#[test]
fn a_match_url_reproduces_the_match() {
    let played = |query: &str, by_hand: bool| {
        let mut play = Play::new(Settings::from_query(query).unwrap()).unwrap();
        let mut seen = Vec::new();
        let mut struck = Vec::new();
        for number in 0..240 {
            if by_hand && number == 100 {
                let next =
                    |machine: usize| play.fleet.machines()[machine].session.current_tick().0 + 1;
                struck = vec![(next(1), "cut=2@", ""), (next(0), "flip=1@", ":velocity")];
                struck.sort();
                play.inject_fault(1, FaultKind::Disconnect);
                play.inject_fault(
                    0,
                    FaultKind::BitFlip { target: FaultTarget::Velocity, always: false },
                );
            }
            play.tick().unwrap();
            for peer in play.frame(0, &Switches::default()).peers {
                seen.push((peer.present, peer.depth, peer.redone, peer.sent_bytes, peer.digest));
            }
        }
        let words = struck.iter().map(|(tick, name, rest)| format!("&{name}{tick}{rest}"));
        let words = words.collect::<Vec<_>>().concat();
        (play.settings().query(), words, seen)
    };
    // The URL of the first match includes its faults, which occur in the second match at the same
    // ticks.
    let (query, words, seen) = played(&bad(3, Pace::Rollback).query(), true);
    assert!(query.ends_with(&words) && !words.is_empty(), "{query} does not end with {words}");
    assert!(played(&query, false) == (query.clone(), String::new(), seen));
}

/// Lockstep plays fewer ticks than the true clock has, so a fault by the true clock would strike another tick.
#[test]
fn a_fault_strikes_the_tick_that_its_url_and_the_log_name() {
    let query = "mode=lockstep&net=80,0,0,0&cut=2@20&flip=1@25:score:always";
    let mut play = Play::new(Settings::from_query(query).unwrap()).unwrap();
    let mut noted = Vec::new();
    while noted.len() < 2 {
        play.tick().unwrap();
        for note in play.notes() {
            match note {
                Note::Cut { machine: 1, tick: 20, seconds: 2 } => {
                    // Applied on the first frame after the machine reached its tick.
                    let at = play.fleet.machines()[1].session.current_tick();
                    assert!((20..=22).contains(&at.0) && play.number > 60, "{at:?}");
                    noted.push("cut");
                }
                Note::BitFlip { machine: 0, tick: 25, .. } => noted.push("flip"),
                Note::Returned { machine: 1, .. } => (),
                note => panic!("{note}"),
            }
        }
        assert!(play.number < 600);
    }
    assert_eq!(noted, ["cut", "flip"]);
}

#[test]
fn a_disconnected_machine_has_no_network_until_its_return_is_reported() {
    let net = Settings::from_query("players=3&net=60,10,0,0").unwrap();
    let mut play = Play::new(net).unwrap();
    run(&mut play, 60);
    play.inject_fault(1, FaultKind::Disconnect);
    let (mut cut, mut lost, mut returned) = (0, 0, None);
    for _ in 0..200 {
        play.tick().unwrap();
        let frame = play.frame(0, &Switches::default());
        cut += u32::from(!frame.peers[1].connected);
        assert!(frame.peers[0].connected && frame.peers[2].connected);
        for packet in &frame.packets {
            let of_it = packet.from == 1 || packet.to == 1;
            assert!(packet.from != packet.to && (packet.millis.is_some() || of_it), "{packet:?}");
            lost += u32::from(packet.millis.is_none());
            let flight = packet.millis.unwrap_or(60);
            assert!((50 - 17..=70).contains(&flight), "{packet:?}");
        }
        for note in play.notes() {
            if let Note::Returned { machine: 1, tick } = note {
                assert!(returned.replace(tick).is_none() && frame.peers[1].present == tick);
            }
        }
    }
    assert!((118..=121).contains(&cut), "{cut} frames");
    assert!(lost > 100, "{lost} packets");
    assert!(returned.is_some_and(|tick| tick > 61));
}

#[test]
fn machines_agree_in_both_modes_and_after_a_partition() {
    for (mode, lead) in [(Pace::Lockstep, 0), (Pace::Rollback, 12)] {
        let mut play = Play::new(bad(4, mode)).unwrap();
        play.inject_fault(2, FaultKind::Disconnect);
        let (mut compared, mut stalls) = (0, 0);
        for _ in 0..300 {
            play.tick().unwrap();
            let frame = play.frame(0, &Switches::default());
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
    let mut play = Play::new(Settings { crates: 0, ..Settings::default() }).unwrap();
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
        let crowded = Settings { resim, crates: 60, ..bad(2, Pace::Rollback) };
        let mut play = Play::new(crowded).unwrap();
        let (mut redone, mut shown, mut digest) = (0, 0, None);
        for _ in 0..600 {
            play.tick().unwrap();
            let frame = play.frame(0, &Switches::default());
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
        for peer in play.frame(0, &Switches::default()).peers {
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
    let frame = play.frame(0, &Switches::default());
    assert_eq!(frame.peers[0].delay, 5);
    assert_eq!((frame.peers[0].millihertz, frame.peers[1].millihertz), (60_000, 60_300));
    assert!(play.set("link", "1-4:wifi").is_err() && play.set("speed", "9").is_err());
}

#[test]
fn adaptive_delay_follows_the_network() {
    let mut play =
        Play::new(Settings { adaptive: true, net: PROFILES[4].1, ..Settings::default() }).unwrap();
    run(&mut play, 300);
    assert!(play.frame(0, &Switches::default()).peers.iter().all(|peer| peer.delay > 3));
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
    assert_eq!(found.json()["body"], 0, "the body of the first player is drawn first");
}
