//! Files in any condition: cut anywhere, flipped anywhere, foreign, hostile.

use super::forge;
use super::game::{GAME, Mix, Pad, Script};
use isostep_core::digest::Digest;
use isostep_rollback::replay::{Player, Replay, ReplayError, verify};
use isostep_rollback::{GameId, Inputs, Simulation, Tick};
use serde::{Deserialize, Deserializer, Serialize};

#[test]
fn a_file_that_is_cut_anywhere_opens_up_to_its_last_whole_block() {
    let mut script = Script::new(150);
    script.config.keyframe_every = 50;
    let played = script.play();
    let file = played.file();
    let mut ends = Vec::new();
    for block in &played.blocks {
        ends.push(ends.last().copied().unwrap_or(0) + block.len());
    }
    // The last tick that can be reached when so many blocks are whole.
    let mut last = Vec::new();
    for &end in &ends[..ends.len() - 1] {
        let opened = Replay::open(&file[..end]).map(|replay| replay.last());
        last.push(opened.ok());
    }
    for cut in 0..file.len() {
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        match Replay::open(&file[..cut]) {
            Ok(replay) => {
                assert!(whole >= 2, "header and state were cut at {cut}");
                assert_eq!(Some(replay.last()), last[whole.min(last.len()) - 1], "cut at {cut}");
                assert!(!replay.is_finished());
                let lost = cut - ends[whole - 1];
                assert_eq!(replay.lost_bytes(), lost as u64, "cut at {cut}");
                if cut % 97 == 0 {
                    let player = Player::new(replay, GAME, Mix::default()).expect("it plays");
                    assert_eq!(verify(player).expect("sound").mismatch, None, "cut at {cut}");
                }
            }
            Err(error) => {
                assert!(whole < 2 && error == ReplayError::Empty, "cut at {cut}: {error}");
            }
        }
    }
}

#[test]
fn a_flipped_bit_is_damage_and_never_another_match() {
    let played = Script::new(150).play();
    let file = played.file();
    for at in 0..file.len() {
        let mut bytes = file.clone();
        bytes[at] ^= 1 << (at % 8);
        let opened = Replay::open(&bytes[..]);
        let Ok(player) = opened.and_then(|replay| Player::new(replay, GAME, Mix::default())) else {
            continue;
        };
        // A file that still opens plays the same states, as far as it gets.
        if let Ok(found) = verify(player) {
            assert_eq!(found.mismatch, None, "byte {at}");
        }
    }
}

#[test]
fn foreign_newer_and_other_files_say_what_they_are() {
    let file = Script::new(60).play().file();
    let open = |bytes: &[u8]| Replay::open(bytes).map(drop).unwrap_err();
    assert_eq!(open(b"PK\x03\x04 some archive or other"), ReplayError::NotARecording);
    assert_eq!(open(b""), ReplayError::Empty);
    let mut newer = file.clone();
    newer[8] = 2;
    assert_eq!(open(&newer), ReplayError::Version { found: 2, known: 1 });
    let mut header = file.clone();
    header[30] ^= 1;
    assert_eq!(open(&header), ReplayError::Header);
    let mut long = file.clone();
    long[10..14].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(open(&long), ReplayError::Header);
    let other =
        Replay::open(&file[..]).and_then(|it| Player::new(it, GameId([0; 16]), Mix::default()));
    assert_eq!(other.unwrap_err(), ReplayError::OtherGame);
}

#[test]
fn assets_are_compared_by_name_and_bytes() {
    let mut script = Script::new(40);
    let asset = |name: &str, bytes: &[u8]| (name.to_owned(), Digest::of(bytes));
    script.config.assets = vec![asset("level", b"3"), asset("rules", b"strict")];
    let file = script.play().file();
    let replay = Replay::open(&file[..]).expect("it opens");
    let check = |have: &[(&str, &[u8])]| {
        replay.info().check_assets(have.iter().map(|&(name, bytes)| (name, Digest::of(bytes))))
    };
    assert_eq!(check(&[("rules", b"strict"), ("music", b"la"), ("level", b"3")]), Ok(()));
    let other = ReplayError::OtherAsset { name: "rules".to_owned() };
    assert_eq!(check(&[("level", b"3"), ("rules", b"lax")]), Err(other));
    let missing = ReplayError::MissingAsset { name: "level".to_owned() };
    assert_eq!(check(&[("rules", b"strict")]), Err(missing));
    assert!(!check(&[]).unwrap_err().is_damage());
}

/// Reads the states of [`Mix`], and has a setting in its digest.
#[derive(Clone, Default, Serialize)]
struct Ruled {
    mix: Mix,
    rules: u8,
}

impl<'de> Deserialize<'de> for Ruled {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self { mix: Mix::deserialize(from)?, rules: 7 })
    }
}

impl Simulation for Ruled {
    type Input = Pad;
    fn step(&mut self, tick: Tick, inputs: &Inputs<Pad>) {
        self.mix.step(tick, inputs);
    }
}

#[test]
fn other_settings_are_told_apart_from_damage() {
    let mut script = Script::new(40);
    script.config.assets = vec![("level 3".to_owned(), Digest::of(b"3"))];
    let file = script.play().file();
    let open = || Replay::open(&file[..]).expect("it opens");
    let refused = Player::new(open(), GAME, Ruled::default()).unwrap_err();
    assert_eq!(refused, ReplayError::OtherSettings { assets: vec!["level 3".to_owned()] });
    assert!(!refused.is_damage() && refused.to_string().ends_with("(with level 3)"), "{refused}");
}

#[test]
fn a_later_keyframe_that_lies_is_damage() {
    let mut script = Script::new(150);
    script.config.keyframe_every = 50;
    let mut blocks = script.play().blocks;
    // The second keyframe holds another state, under a check that is right.
    let at = blocks.iter().enumerate().filter(|it| it.1[0] == 1).map(|it| it.0).nth(1);
    let block = &mut blocks[at.expect("keyframes")];
    let last = block.len() - 9;
    block[last] ^= 1;
    forge::seal(block);
    let file = blocks.concat();
    let replay = Replay::open(&file[..]).expect("it opens");
    let mut player = Player::new(replay, GAME, Mix::default()).expect("the first is right");
    let error = player.seek(Tick(60)).unwrap_err();
    assert!(error.is_damage() && error == ReplayError::Keyframe { tick: Tick(50) }, "{error}");
    player.seek(Tick(40)).expect("what is before it plays");
}

#[test]
fn a_block_that_claims_more_than_there_is_ends_the_file() {
    let played = Script::new(60).play();
    let mut file = played.blocks[..3].concat();
    let end = file.len() as u64;
    file.extend([2, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1, 0]);
    file.extend([7; 40]);
    let replay = Replay::open(&file[..]).expect("what is before it is sound");
    assert_eq!(replay.lost_bytes(), file.len() as u64 - end);
    assert!(replay.last() > Tick(0));
}
