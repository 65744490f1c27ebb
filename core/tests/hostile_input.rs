//! Untrusted bytes: every input of the loaders of containers, rotations and boxes gives an error or
//! a valid value, never a panic.

use isostep_core::Quat;
use isostep_core::data::{Id, Rng, SlotMap};
use isostep_core::internals::Aabb;
use isostep_core::internals::{FixedVec, IdPool};
use proptest::prelude::*;
use serde::de::DeserializeOwned;

fn refuses<T: DeserializeOwned>(json: &str) -> bool {
    serde_json::from_str::<T>(json).is_err()
}

#[test]
fn numbers_with_even_generations_are_not_ids() {
    for bits in [0, 1, u64::from(u32::MAX), 2 << 32, 0xffff_fffe_0000_0000] {
        assert!(Id::from_bits(bits).is_err() && Id::try_from(bits).is_err());
        assert!(refuses::<Id>(&bits.to_string()), "{bits:#x}");
    }
}

#[test]
fn invalid_json_ids_are_refused() {
    for json in ["-1", "1.5", "1e30", "null", "\"0v1\"", "[]", "{}", "18446744073709551616"] {
        assert!(refuses::<Id>(json), "{json}");
    }
}

#[test]
fn invalid_json_pools_are_refused() {
    for json in [
        "{}",
        "[]",
        "null",
        r#"{"first":0,"end":10}"#,
        r#"{"first":5,"end":5,"generations":[]}"#,
        r#"{"first":6,"end":5,"generations":[]}"#,
        r#"{"first":-1,"end":5,"generations":[]}"#,
        r#"{"first":0,"end":4294967296,"generations":[]}"#,
        r#"{"first":0,"end":2,"generations":[1,1,1]}"#,
        r#"{"first":0,"end":2,"generations":[0]}"#,
        r#"{"first":0,"end":2,"generations":[1,4294967295]}"#,
        r#"{"first":0,"end":2,"generations":[4294967296]}"#,
        r#"{"first":0,"end":2,"generations":[-1]}"#,
        r#"{"first":4294967290,"end":4294967295,"generations":[1,1,1,1,0]}"#,
        r#"{"first":4294967290,"end":4294967295,"generations":[1,1,1,1,1,1]}"#,
    ] {
        assert!(refuses::<IdPool>(json), "{json}");
    }
}

/// A saved map of two slots, the first one free, with one field replaced.
fn altered_map(field: &str, json: &str) -> String {
    let mut map = SlotMap::new();
    let gone = map.insert(1u8).unwrap();
    map.insert(2).unwrap();
    map.remove(gone);
    let mut saved = serde_json::to_value(&map).unwrap();
    *saved.pointer_mut(field).expect("the field exists") = serde_json::from_str(json).unwrap();
    saved.to_string()
}

#[test]
fn invalid_json_slot_maps_are_refused() {
    assert!(!refuses::<SlotMap<u8>>(&altered_map("/ids/generations", "[4, 7]")));
    for (field, json) in [
        ("/ids/generations", "[1, 1]"),
        ("/ids/generations", "[2, 2]"),
        ("/ids/generations", "[1, 2]"),
        ("/ids/generations", "[2]"),
        ("/ids/generations", "[2, 1, 2]"),
        ("/ids/generations", "[2, 1, 1]"),
        ("/ids/generations", "[0, 1]"),
        ("/ids/first", "1"),
        ("/ids/end", "2"),
        ("/values", "[]"),
        ("/values", "[null]"),
        ("/values", "[null, null]"),
        ("/values", "null"),
    ] {
        let json = altered_map(field, json);
        assert!(refuses::<SlotMap<u8>>(&json), "{json}");
    }
}

#[test]
fn non_unit_quaternions_are_refused() {
    let min = i32::MIN;
    assert!(refuses::<Quat>(&format!("[{min},{min},{min},{min}]")));
    for json in ["[0,0,0,0]", "[2147483647,0,0,0]", "[0,0,1073741824]", "[0,0,0,1e9]", "null"] {
        assert!(refuses::<Quat>(json), "{json}");
    }
}

#[test]
fn inverted_boxes_are_refused() {
    let corner = |x: &str| format!(r#"{{"x":"{x}","y":"0","z":"0"}}"#);
    let aabb = |min, max| format!(r#"{{"min":{},"max":{}}}"#, corner(min), corner(max));
    assert!(!refuses::<Aabb>(&aabb("-2147483648", "2147483647.9999999998")));
    assert!(refuses::<Aabb>(&aabb("0.5", "0.25")));
    assert!(refuses::<Aabb>(&aabb("0", "2147483648")));
}

#[test]
fn lists_longer_than_their_capacity_are_refused() {
    type List = FixedVec<u8, 3>;
    assert!(!refuses::<List>("[1,2,3]"));
    for json in ["[1,2,3,4]", "[256]", "[null]", "{}", "null", "3"] {
        assert!(refuses::<List>(json), "{json}");
    }
    assert!(refuses::<FixedVec<u8, 0>>("[1]"));
}

#[test]
fn a_length_without_the_values_is_refused() {
    // A varint of the greatest possible length.
    let bytes = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    assert!(postcard::from_bytes::<FixedVec<(), 200>>(&bytes).is_err());
    assert!(postcard::from_bytes::<FixedVec<u32, 200>>(&bytes).is_err());
    let pool = [&[0, 9][..], &bytes].concat();
    assert!(postcard::from_bytes::<IdPool>(&pool).is_err());
    let map = [&[0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0][..], &bytes].concat();
    assert!(postcard::from_bytes::<SlotMap<()>>(&map).is_err());
}

/// Checks every invariant of a loaded pool, whatever bytes it was loaded from.
fn assert_sound_pool(mut pool: IdPool) {
    let before: Vec<Id> = pool.iter().collect();
    assert_eq!(before.len(), pool.len() as usize);
    assert!(before.is_sorted());
    for _ in 0..4 {
        if let Ok(id) = pool.allocate() {
            assert!(pool.range().contains(&id.index()) && !before.contains(&id));
        }
    }
    for id in before {
        assert!(pool.free(id) && !pool.is_live(id));
    }
    let saved = postcard::to_stdvec(&pool).unwrap();
    assert_eq!(postcard::from_bytes::<IdPool>(&saved).unwrap(), pool);
}

fn assert_sound_map(mut map: SlotMap<u8>) {
    let ids: Vec<Id> = map.iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), map.len() as usize);
    assert_eq!(ids.len(), map.values().count());
    for id in ids {
        assert!(map.remove(id).is_some());
    }
    let id = map.insert(1).unwrap();
    assert_eq!(map[id], 1);
}

fn load_everything(bytes: &[u8]) {
    if let Ok(pool) = postcard::from_bytes(bytes) {
        assert_sound_pool(pool);
    }
    if let Ok(map) = postcard::from_bytes(bytes) {
        assert_sound_map(map);
    }
    if let Ok(id) = postcard::from_bytes::<Id>(bytes) {
        assert_eq!(Id::from_bits(id.to_bits()), Ok(id));
    }
    if let Ok(list) = postcard::from_bytes::<FixedVec<u16, 5>>(bytes) {
        assert!(list.len() <= 5);
    }
    if let Ok(mut rng) = postcard::from_bytes::<Rng>(bytes) {
        rng.next_u64();
    }
}

proptest! {
    #[test]
    fn random_bytes_give_valid_values_or_errors(bytes: Vec<u8>) {
        load_everything(&bytes);
    }

    // Mostly valid bytes pass more checks than random ones.
    #[test]
    fn damaged_saves_give_valid_values_or_errors(
        frees in prop::collection::vec(any::<bool>(), 0..20),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        whole_range: bool,
    ) {
        let mut pool = IdPool::in_range(0..if whole_range { u32::MAX } else { 20 }).unwrap();
        let mut map = SlotMap::new();
        let ids: Vec<Id> = frees.iter().map(|_| pool.allocate().unwrap()).collect();
        for &id in &ids {
            prop_assert_eq!(map.insert(id.index() as u8), Ok(id));
        }
        for (id, _) in ids.iter().zip(&frees).filter(|(_, free)| **free) {
            pool.free(*id);
            map.remove(*id);
        }
        for saved in [postcard::to_stdvec(&pool).unwrap(), postcard::to_stdvec(&map).unwrap()] {
            let mut bytes = saved;
            for (place, value) in &damage {
                let place = place.index(bytes.len());
                bytes[place] = *value;
            }
            load_everything(&bytes);
        }
    }
}
