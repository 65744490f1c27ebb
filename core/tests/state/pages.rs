//! Untrusted pages: no bytes panic, and no claim is trusted.

use isostep_core::Tick;
use isostep_core::shape::Shape;
use isostep_core::state::State;
use isostep_core::world::{BodyDef, World, WorldDef};
use isostep_core::{Vec3, real};
use proptest::prelude::*;
use std::collections::BTreeMap;

type Value = (Vec<(u8, String)>, BTreeMap<u8, Option<i64>>);

fn value() -> Value {
    (vec![(1, "ann".to_owned()), (2, "bøb".to_owned())], [(3, None), (4, Some(-5))].into())
}

fn world() -> World {
    let mut world = World::new(WorldDef::default()).unwrap();
    world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
    let ball = BodyDef::dynamic().at(Vec3::from_ints(0, 1, 0));
    world.spawn(ball.shape(Shape::sphere(real!(1)).unwrap())).unwrap();
    world.commit();
    for _ in 0..3 {
        world.step();
    }
    world
}

/// Every page of a state, with its section and number.
fn pages<S: State>(state: &S, slots: &S::Slots) -> Vec<(String, u32, Vec<u8>)> {
    let mut tree = isostep_core::internals::DigestTree::new();
    state.tree(slots, Tick(0), "", &mut tree).unwrap();
    let mut found = Vec::new();
    for (section, content) in tree.sections() {
        for (page, _) in content.pages() {
            let mut bytes = Vec::new();
            assert!(state.page(slots, Tick(0), "", section, *page, &mut bytes).unwrap());
            assert!(!bytes.is_empty());
            found.push((section.to_owned(), *page, bytes));
        }
    }
    found
}

fn explain<S: State>(
    state: &S,
    slots: &S::Slots,
    section: &str,
    page: u32,
    bytes: &[u8],
) -> Option<usize> {
    let mut found = Vec::new();
    let known = state.explain(slots, Tick(0), "", section, page, bytes, 50, &mut found);
    assert!(found.len() <= 50);
    known.ok().map(|known| {
        assert!(known);
        found.len()
    })
}

fn every_prefix<S: State>(mut state: S) {
    let mut slots = state.slots(1);
    state.save(&mut slots, Tick(0)).unwrap();
    for (section, page, bytes) in pages(&state, &slots) {
        assert_eq!(explain(&state, &slots, &section, page, &bytes), Some(0));
        for end in 1..bytes.len() {
            let found = explain(&state, &slots, &section, page, &bytes[..end]);
            assert_eq!(found, None, "{section} {page} up to {end}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(explain(&state, &slots, &section, page, &longer), None);
        // A page missing on the other side is a difference, not an error.
        assert!(explain(&state, &slots, &section, page, &[]) > Some(0));
    }
}

#[test]
fn every_prefix_of_a_page_of_a_value_is_refused() {
    every_prefix(value());
}

#[test]
fn every_prefix_of_a_page_of_a_world_is_refused() {
    every_prefix(world());
}

#[test]
fn a_false_count_is_refused() {
    let mut value = value();
    let mut slots = value.slots(1);
    value.save(&mut slots, Tick(0)).unwrap();
    let (section, page, bytes) = pages(&value, &slots).swap_remove(0);
    for at in 32..bytes.len() - 4 {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        let _ = explain(&value, &slots, &section, page, &bytes);
    }
    let mut lying = bytes[..32].to_vec();
    lying.extend_from_slice(&[0xff; 64]);
    assert_eq!(explain(&value, &slots, &section, page, &lying), None);
}

fn mutated<S: State>(mut state: S, choice: usize, edits: &[(usize, u8)], cut: usize) {
    let mut slots = state.slots(1);
    state.save(&mut slots, Tick(0)).unwrap();
    let pages = pages(&state, &slots);
    let (section, page, mut bytes) = pages[choice % pages.len()].clone();
    for (at, byte) in edits {
        let length = bytes.len();
        bytes[at % length] = *byte;
    }
    bytes.truncate(cut);
    let _ = explain(&state, &slots, &section, page, &bytes);
}

proptest! {
    #[test]
    fn damaged_pages_never_panic(
        choice in 0usize..20,
        edits in prop::collection::vec(any::<(usize, u8)>(), 1..8),
        cut in prop_oneof![Just(usize::MAX), 0usize..400],
    ) {
        mutated(value(), choice, &edits, cut);
        mutated(world(), choice, &edits, cut);
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), section in 0usize..7, page in 0u32..3) {
        let (mut value, mut world) = (value(), world());
        let (mut a, mut b) = (value.slots(1), world.slots(1));
        value.save(&mut a, Tick(0)).unwrap();
        world.save(&mut b, Tick(0)).unwrap();
        let _ = explain(&value, &a, "state", page, &bytes);
        if let Some(section) = isostep_core::internals::StateSection::ALL.get(section) {
            let _ = explain(&world, &b, section.name(), page, &bytes);
        }
    }
}
