//! `digest`: differences between two values, with their path and both values, and the pages of a digest tree.
#![allow(clippy::disallowed_types, reason = "a hash map in its wrapper has a page per entry")]
#![allow(clippy::option_option, reason = "None and Some(None) must differ")]

use crate::digests::Mood;
use isostep_core::digest::Unordered;
use isostep_core::internals::{DigestTree, diff, leaves};
use isostep_core::{Quat, Vec3, real};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Serialize)]
struct World {
    players: Vec<Player>,
    table: BTreeMap<(u8, String), u8>,
}

#[derive(Clone, Serialize)]
struct Player {
    inventory: (Item, [u8; 2]),
    mood: Mood,
    at: Vec3,
    facing: Option<Quat>,
}

#[derive(Clone, Serialize)]
struct Item {
    count: u32,
}

fn world() -> World {
    let player = Player {
        inventory: (Item { count: 3 }, [1, 2]),
        mood: Mood::Idle,
        at: Vec3::ZERO,
        facing: None,
    };
    World { players: vec![player; 4], table: BTreeMap::from([((1, "a".to_owned()), 5)]) }
}

fn differences(change: impl FnOnce(&mut World)) -> Vec<String> {
    let mut changed = world();
    change(&mut changed);
    diff(&world(), &changed, 3).unwrap().iter().map(ToString::to_string).collect()
}

#[test]
fn a_difference_has_its_path_and_both_values() {
    assert_eq!(differences(|_| ()), Vec::<String>::new());
    assert_eq!(
        differences(|w| w.players[3].inventory.0.count = 4),
        ["players[3].inventory.0.count: 3 | 4"]
    );
    assert_eq!(
        differences(|w| w.players[0].inventory.1[1] = 9),
        ["players[0].inventory.1[1]: 2 | 9"]
    );
    assert_eq!(
        differences(|w| w.players[1].at.y = real!(1.5)),
        [r#"players[1].at.y: "0" | "1.5""#]
    );
    assert_eq!(
        differences(|w| _ = w.table.insert((1, "a".to_owned()), 6)),
        [r#"table[(1, "a")]: 5 | 6"#]
    );
}

#[test]
fn an_element_missing_on_one_side_is_one_difference() {
    assert_eq!(
        differences(|w| _ = w.table.insert((0, String::new()), 6)),
        [r#"table[(0, "")]: (nothing) | 6"#]
    );
    assert_eq!(differences(|w| w.table.clear()), [r#"table[(1, "a")]: 5 | (nothing)"#]);
    let shorter = differences(|w| _ = w.players.pop());
    assert_eq!(shorter.len(), 1);
    assert!(shorter[0].starts_with("players[3]: {inventory: ({count: 3}, (1, 2)), mood: Idle"));
    assert!(shorter[0].ends_with("| (nothing)"));
}

#[test]
fn variants_are_named() {
    let angry = |rage| move |w: &mut World| w.players[2].mood = Mood::Angry(rage);
    assert_eq!(differences(angry(7)), ["players[2].mood: Idle | Angry{7}"]);
    let chasing = |target| Mood::Chasing { target, since: 1 };
    let of = |a: &Mood, b: &Mood| diff(a, b, 9).unwrap()[0].to_string();
    assert_eq!(of(&chasing(1), &chasing(2)), "Chasing.target: 1 | 2");
    assert_eq!(of(&Mood::Angry(1), &Mood::Angry(2)), "Angry: 1 | 2");
    assert_eq!(of(&Mood::Torn(1, None), &Mood::Torn(2, None)), "Torn.0: 1 | 2");
    let paths: Vec<_> = leaves(&chasing(5)).unwrap();
    assert_eq!(paths[0], ("Chasing.target".to_owned(), "5".to_owned()));
    let torn = |inner: Option<Mood>| Mood::Torn(0, inner.map(Box::new));
    assert_eq!(of(&torn(None), &torn(Some(Mood::Calm))), "Torn.1: None | Some(Calm)");
}

#[test]
fn options_of_options_differ_visibly() {
    let of = |a: Option<Option<()>>, b| diff(&a, &b, 9).unwrap()[0].to_string();
    assert_eq!(of(None, Some(None)), ".: None | Some(None)");
    assert_eq!(of(Some(None), Some(Some(()))), ".: None | Some(())");
}

#[test]
fn differences_are_bounded_in_number_and_length() {
    let (a, b) = (vec![0u8; 1000], vec![1u8; 1000]);
    assert_eq!(diff(&a, &b, 7).unwrap().len(), 7);
    let long = diff(&Some("ä".repeat(10_000)), &None, 1).unwrap();
    assert!(long[0].left.as_ref().unwrap().chars().count() < 300);
}

/// A value whose human-readable form is equal although the values differ.
#[derive(PartialEq)]
struct Rounded(u32);

impl Serialize for Rounded {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = if serializer.is_human_readable() { self.0 / 10 } else { self.0 };
        serializer.serialize_u32(shown)
    }
}

#[test]
fn values_with_equal_text_are_shown_raw() {
    assert_eq!(diff(&Rounded(11), &Rounded(12), 9).unwrap()[0].to_string(), ".: 11 | 12");
    assert_eq!(diff(&Rounded(11), &Rounded(25), 9).unwrap()[0].to_string(), ".: 1 | 2");
}

#[test]
fn pages_are_the_fields_at_the_top() {
    let mut tree = DigestTree::new();
    tree.value("game", &world()).unwrap();
    let mut changed = world();
    changed.players[2].mood = Mood::Calm;
    let mut other = DigestTree::new();
    other.value("game", &changed).unwrap();
    assert_eq!(tree.get("game").unwrap().pages().len(), 2);
    assert_eq!(tree.diff(&other).map(|at| at.page).collect::<Vec<_>>(), [0]);
    // Top-level lists and sorted hash maps have a page per entry; other values have one page.
    let count = |tree: &DigestTree| tree.get("game").unwrap().pages().len();
    assert_eq!(count(other.value("game", &vec![1, 2, 3]).unwrap()), 3);
    let map: HashMap<u8, Vec<u8>> = (0..9).map(|i| (i, vec![i])).collect();
    assert_eq!(count(other.value("game", &Unordered(map)).unwrap()), 9);
    assert_eq!(count(other.value("game", &()).unwrap()), 1);
    assert_eq!(count(other.value("game", &Vec::<u8>::new()).unwrap()), 1);
}
