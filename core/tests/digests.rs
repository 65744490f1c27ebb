//! `digest`: equal values give equal bytes and different values different bytes, unordered and
//! inexact values are refused with their path.
#![allow(clippy::disallowed_types, reason = "the tests refuse floats and hash maps")]
#![allow(clippy::option_option, reason = "None and Some(None) must differ")]

use isostep_core::digest::{Digest, Floats, Refusal, Unordered, floats, unordered};
use isostep_core::internals::DigestTree;
use isostep_core::internals::{TreeError, diff, encode, leaves};
use isostep_core::{Id, Real, SlotMap};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Mood {
    Idle,
    Calm,
    Angry(u8),
    Chasing { target: u32, since: u16 },
    Torn(i8, Option<Box<Mood>>),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Rich {
    flag: bool,
    small: i8,
    wide: i128,
    letter: char,
    name: String,
    other_name: String,
    maybe: Option<Option<u8>>,
    mood: Mood,
    list: Vec<Vec<u8>>,
    pair: (u16, u64),
    nothing: (),
    by_name: BTreeMap<String, i32>,
    set: BTreeSet<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<u8>,
    place: Real,
    loose: Loose,
}

/// Without tags the bytes show only the shape of the value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Loose {
    Byte(u8),
    Short(u16),
    Pair(u8, u8),
    Text(String),
    List(Vec<u8>),
}

fn mood() -> impl Strategy<Value = Mood> {
    let simple = prop_oneof![
        Just(Mood::Idle),
        Just(Mood::Calm),
        (0..3u8).prop_map(Mood::Angry),
        (0..3u32, 0..3u16).prop_map(|(target, since)| Mood::Chasing { target, since }),
    ];
    simple.prop_recursive(3, 8, 1, |inner| {
        (0..2i8, proptest::option::of(inner.prop_map(Box::new))).prop_map(|(a, b)| Mood::Torn(a, b))
    })
}

fn loose() -> impl Strategy<Value = Loose> {
    prop_oneof![
        (0..3u8).prop_map(Loose::Byte),
        (0..3u16).prop_map(Loose::Short),
        (0..2u8, 0..2u8).prop_map(|(a, b)| Loose::Pair(a, b)),
        "[ab]{0,2}".prop_map(Loose::Text),
        vec(0..2u8, 0..3).prop_map(Loose::List),
    ]
}

/// Few values per field, so that near misses are common.
fn rich() -> impl Strategy<Value = Rich> {
    let head = (any::<bool>(), -1..2i8, -1..2i128, prop_oneof![Just('a'), Just('ä')]);
    let names = ("[ab]{0,2}", "[ab]{0,2}");
    let maybes = (proptest::option::of(proptest::option::of(0..2u8)), mood());
    let lists = (vec(vec(0..2u8, 0..2), 0..3), (0..2u16, 0..2u64));
    let tables =
        (btree_map("[ab]{0,1}", 0..2i32, 0..3), proptest::collection::btree_set(-2..2i64, 0..3));
    let rest = (proptest::option::of(0..2u8), proptest::option::of(0..2u8), -1..2i32, loose());
    (head, names, maybes, lists, tables, rest).prop_map(
        |(head, names, maybes, lists, tables, rest)| Rich {
            flag: head.0,
            small: head.1,
            wide: head.2,
            letter: head.3,
            name: names.0,
            other_name: names.1,
            maybe: maybes.0,
            mood: maybes.1,
            list: lists.0,
            pair: lists.1,
            nothing: (),
            by_name: tables.0,
            set: tables.1,
            first: rest.0,
            second: rest.1,
            place: Real::from_int(rest.2),
            loose: rest.3,
        },
    )
}

fn bytes<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    encode(value, &mut out).expect("it can take part");
    out
}

/// A copy with one field of another value, so that most fields of the pair are equal.
fn with_one_field(base: &Rich, other: &Rich, field: usize) -> Rich {
    let (mut mixed, other) = (base.clone(), other.clone());
    match field {
        0 => mixed.name = other.name,
        1 => (mixed.name, mixed.other_name) = (other.other_name, other.name),
        2 => mixed.maybe = other.maybe,
        3 => mixed.mood = other.mood,
        4 => mixed.list = other.list,
        5 => mixed.by_name = other.by_name,
        6 => (mixed.first, mixed.second) = (mixed.second, mixed.first),
        7 => mixed.loose = other.loose,
        8 => mixed.set = other.set,
        _ => mixed = other,
    }
    mixed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn bytes_digests_and_differences_agree_with_equality(a in rich(), b in rich(), field in 0..10usize) {
        let b = with_one_field(&a, &b, field);
        let equal = a == b;
        prop_assert_eq!(bytes(&a) == bytes(&b), equal);
        prop_assert_eq!(Digest::of_value(&a)? == Digest::of_value(&b)?, equal);
        prop_assert_eq!(Digest::of_value(&a)?, Digest::of(&bytes(&a)));
        prop_assert_eq!(diff(&a, &b, 100)?.is_empty(), equal);
        let (mut left, mut right) = (DigestTree::new(), DigestTree::new());
        left.value("game", &a)?;
        right.value("game", &b)?;
        prop_assert_eq!(left.root() == right.root(), equal);
        prop_assert_eq!(left.diff(&right).next().is_none(), equal);
    }

    #[test]
    fn no_encoding_is_a_prefix_of_another(a in rich(), b in rich()) {
        let (a, b) = (bytes(&a), bytes(&b));
        prop_assert!(a == b || !a.starts_with(&b));
    }

    #[test]
    fn a_hash_table_in_unordered_is_independent_of_its_order(
        entries in vec((any::<i16>(), any::<u8>()), 0..20),
    ) {
        let forward: HashMap<i16, u8> = entries.iter().copied().collect();
        let backward: HashMap<i16, u8> = forward.clone().into_iter().collect();
        prop_assert_eq!(bytes(&Unordered(&forward)), bytes(&Unordered(&backward)));
        // Sorted like the map that is ordered by itself.
        let sorted: BTreeMap<i16, u8> = forward.iter().map(|(k, v)| (*k, *v)).collect();
        prop_assert_eq!(bytes(&Unordered(&forward)), bytes(&sorted));
        let set: HashSet<i16> = forward.keys().copied().collect();
        let again: HashSet<i16> = set.clone().into_iter().collect();
        prop_assert_eq!(bytes(&Unordered(&set)), bytes(&Unordered(&again)));
        let ordered: BTreeSet<i16> = set.iter().copied().collect();
        prop_assert_eq!(bytes(&Unordered(&set)), bytes(&ordered));
    }

    #[test]
    fn a_tree_round_trips_and_invalid_bytes_are_refused(
        sections in btree_map("[a-c]{0,3}", btree_map(0..50u32, any::<[u8; 32]>(), 0..6), 0..4),
        cut in any::<prop::sample::Index>(),
        flip in any::<prop::sample::Index>(),
    ) {
        let mut tree = DigestTree::new();
        for (name, pages) in &sections {
            tree.section(name, pages.iter().map(|(n, d)| (*n, Digest::from_bytes(*d))));
        }
        let mut bytes = Vec::new();
        tree.encode(&mut bytes);
        let decoded = DigestTree::decode(&bytes);
        prop_assert_eq!(decoded.as_ref(), Ok(&tree));
        prop_assert!(DigestTree::decode(&bytes[..cut.index(bytes.len())]).is_err());
        bytes.push(0);
        prop_assert_eq!(DigestTree::decode(&bytes), Err(TreeError::Trailing { extra: 1 }));
        bytes.pop();
        let bit = flip.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert_ne!(DigestTree::decode(&bytes), Ok(tree));
    }
}

#[test]
fn canonical_bytes_are_little_endian_and_fixed() {
    // Tag and width, then the value.
    assert_eq!(bytes(&0x1234u16), [0x42, 0x34, 0x12]);
    assert_eq!(bytes(&-2i32), [0x24, 0xfe, 0xff, 0xff, 0xff]);
    assert_eq!(bytes(&3usize), bytes(&3u64));
    assert_eq!(bytes("ab"), [3, 2, 0, 0, 0, 0, 0, 0, 0, b'a', b'b']);
    assert_eq!(bytes(&[7u8][..]), [0x11, 0x41, 7, 0]);
    assert_eq!(bytes(&Mood::Angry(9)), [0x15, 2, 0, 0, 0, 0x41, 9, 0]);
    assert_eq!(
        Digest::of_value(&(1u8, "x")).unwrap().to_string(),
        "812e4484749897afeef0603f361b8d1ec91611c36deeefcbaa8c1c10634b1b83",
        "the format changed: mark it SNAPSHOT in the changelog"
    );
}

#[derive(Serialize)]
struct Deep<T> {
    players: Vec<Option<(u8, T)>>,
}

fn deep<T>(value: T) -> Deep<T> {
    Deep { players: vec![None, Some((1, value))] }
}

fn refusal<T: Serialize>(value: &T) -> (String, Refusal) {
    let error = Digest::of_value(value).expect_err("it should be refused");
    assert_eq!(diff(value, value, 9), Err(error.clone()));
    assert_eq!(leaves(value), Err(error.clone()));
    let message = error.to_string();
    assert!(message.contains(&error.path) && message.contains("digest::"), "{message}");
    (error.path, error.refusal)
}

#[test]
fn floats_are_refused_by_their_path() {
    assert_eq!(refusal(&deep(0.5f32)), ("players[1].1".into(), Refusal::Float));
    assert_eq!(refusal(&0.5f64), (".".into(), Refusal::Float));
    let nested = BTreeMap::from([("speed", vec![1.0])]);
    assert_eq!(refusal(&nested).0, "[\"speed\"][0]");
}

#[test]
fn floats_in_the_wrapper_compare_by_bits() {
    let digest = |value: f32| Digest::of_value(&deep(Floats(value))).unwrap();
    assert_eq!(digest(0.5), digest(0.5));
    assert_ne!(digest(0.0), digest(-0.0));
    let found = diff(&Floats(1.5f32), &Floats(2.5), 9).unwrap();
    assert_eq!(found[0].to_string(), ".: 1.5 (bits 0x3fc00000) | 2.5 (bits 0x40200000)");
}

#[test]
fn the_floats_wrapper_covers_only_its_value() {
    assert_eq!(refusal(&(Floats(0.5), 0.5)).0, "1");
    let map = HashMap::from([(1, 2)]);
    assert_eq!(refusal(&(Unordered(map.clone()), map)).0, "1");
}

/// Long enough that a random order is never sorted by chance, and so short that the order shows
/// nothing.
#[test]
fn hash_tables_are_refused_even_with_one_entry() {
    for count in [0, 1, 2, 100] {
        let map: HashMap<u32, u32> = (0..count).map(|i| (i, i)).collect();
        let set: HashSet<u32> = (0..count).collect();
        for (path, refusal) in [
            refusal(&map),
            refusal(&set),
            refusal(&Box::new(&set)),
            refusal(&Some(std::sync::Arc::new(1)).map(|_| map.clone())),
        ] {
            assert_eq!(path, ".");
            assert!(matches!(refusal, Refusal::HashTable(name) if name.contains("Hash")));
        }
        assert_eq!(refusal(&deep(map)).0, "players[1].1");
        assert_eq!(refusal(&deep(set)).0, "players[1].1");
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Hidden(HashMap<u32, u32>);

#[test]
fn a_hidden_hash_map_is_refused_by_its_key_order() {
    let map = Hidden((0..100).map(|i| (i, i)).collect());
    assert_eq!(refusal(&deep(map)), ("players[1].1".into(), Refusal::KeyOrder));
}

/// Serializes as a map with the entries in the given order.
struct Entries<K>(Vec<(K, u8)>);

impl<K: Serialize> Serialize for Entries<K> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[test]
fn keys_are_compared_as_values() {
    fn accepted<K: Serialize>(keys: impl IntoIterator<Item = K>) -> bool {
        Digest::of_value(&Entries(keys.into_iter().map(|key| (key, 0)).collect())).is_ok()
    }
    assert!(accepted([-300, -1, 0, 1, 255, 256]));
    assert!(!accepted([0, -1]) && !accepted([256, 255]) && !accepted([1, 1]));
    assert!(accepted(["", "a", "a\0", "ab", "b"]) && !accepted(["b", "a"]));
    assert!(accepted([None, Some(0), Some(1)]) && !accepted([Some(0), None]));
    assert!(accepted([vec![], vec![0], vec![0, 0], vec![1]]) && !accepted([vec![0, 0], vec![0]]));
    assert!(accepted([(1, "b"), (2, "a")]) && !accepted([(1, "b"), (1, "a")]));
    assert!(accepted([Mood::Idle, Mood::Angry(1), Mood::Angry(2)]));
    assert!(!accepted([Mood::Angry(1), Mood::Idle]));
    assert!(accepted([Floats(-2.0), Floats(-1.0), Floats(0.0), Floats(3.0)]));
    let twice = Unordered(Entries(vec![(1, 0), (1, 1)]));
    assert_eq!(refusal(&twice).1, Refusal::KeyTwice);
}

/// A tree map orders by `Ord`, which may differ from the order of the serialized keys: ids order by
/// index first.
#[test]
fn tree_maps_keep_their_own_order() {
    let mut slots = SlotMap::new();
    let gone: Id = slots.insert(()).unwrap();
    slots.remove(gone);
    let ids = [slots.insert(()).unwrap(), slots.insert(()).unwrap()];
    assert!(ids[0] < ids[1] && ids[0].to_bits() > ids[1].to_bits());
    let map = BTreeMap::from(ids.map(|id| (id, 1)));
    assert!(Digest::of_value(&map).is_ok());
    let reversed = BTreeMap::from([1, 2].map(|key| (std::cmp::Reverse(key), 1)));
    assert!(Digest::of_value(&deep(reversed)).is_ok());
}

#[derive(Serialize, serde::Deserialize, Debug, PartialEq)]
struct Opted {
    #[serde(with = "floats")]
    weight: f32,
    #[serde(with = "unordered")]
    tags: HashMap<String, u8>,
}

#[test]
fn fields_opt_in_without_changing_their_type_or_other_formats() {
    let value = Opted { weight: 0.5, tags: HashMap::from([("a".to_owned(), 1)]) };
    assert!(Digest::of_value(&value).is_ok());
    let json = serde_json::to_string(&value).unwrap();
    assert_eq!(json, r#"{"weight":0.5,"tags":{"a":1}}"#);
    assert_eq!(serde_json::from_str::<Opted>(&json).unwrap(), value);
    let compact = postcard::to_stdvec(&value).unwrap();
    assert_eq!(postcard::from_bytes::<Opted>(&compact).unwrap(), value);
    assert_eq!(
        postcard::to_stdvec(&Floats(0.5f32)).unwrap(),
        postcard::to_stdvec(&0.5f32).unwrap()
    );
}

struct Broken;

impl Serialize for Broken {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("out of order"))
    }
}

#[test]
fn a_failing_serialize_is_reported_with_its_path() {
    let error = Digest::of_value(&deep(Broken)).unwrap_err();
    assert_eq!(error.to_string(), "`players[1].1` is a value whose Serialize failed: out of order");
}
