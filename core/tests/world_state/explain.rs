//! Explanations name the field for one flipped bit of any field of any row.

use super::rich;
use isostep_core::Rng;
use isostep_core::internals::{ExplainError, StateSection};
use std::collections::BTreeMap;

/// Collects the rows and fields that explanations name, by the first word of their entity.
#[test]
fn a_flipped_bit_is_named_with_its_entity_and_field() {
    let mut world = rich::world();
    rich::play(&mut world, 30);
    let tick = world.tick();
    let mut fields: BTreeMap<(String, String), u32> = BTreeMap::new();
    let mut entities = BTreeMap::new();
    for (section, page) in rich::pages(&world) {
        let ours = world.page_bytes(tick, section, page).unwrap();
        let mut at_field: Vec<Option<(String, String)>> = Vec::new();
        for byte in 0..ours.len() {
            let mut named = None;
            for bit in [0, 3, 7] {
                let mut theirs = ours.clone();
                theirs[byte] ^= 1 << bit;
                match world.explain(tick, section, page, &theirs) {
                    // The length of a table is not a field.
                    Err(ExplainError::Truncated { .. } | ExplainError::Trailing { .. }) => {}
                    Err(error) => panic!("{error}"),
                    Ok(found) => {
                        let [one] = &found[..] else { panic!("{section:?} {byte}: {found:?}") };
                        let difference = one.ours.bits ^ one.theirs.bits;
                        assert_eq!(difference.count_ones(), 1, "{one}");
                        assert_eq!(difference.trailing_zeros() % 8, bit, "{one}");
                        assert_ne!(one.field, "exists");
                        let name = (one.entity.clone(), one.field.clone());
                        assert!(named.is_none() || named.as_ref() == Some(&name), "{one}");
                        named = Some(name);
                    }
                }
            }
            at_field.push(named);
        }
        // The bytes of one field are adjacent, and each field of each entity occurs once.
        for run in at_field.chunk_by(|a, b| a == b) {
            let Some((entity, field)) = &run[0] else { continue };
            let seen = entities.insert((section, entity.clone(), field.clone()), page);
            assert_eq!(seen, None, "{entity}, {field} is named for two places");
            let kind = entity.split(' ').next().unwrap().to_owned();
            *fields.entry((kind, field.clone())).or_default() += 1;
        }
    }
    let kinds: Vec<_> = fields.keys().map(|(kind, _)| kind.as_str()).collect();
    for kind in ["world", "materials", "id", "body", "shape", "contact", "overlap", "event"] {
        let count = kinds.iter().filter(|found| **found == kind).count();
        println!("{kind}: {count} fields");
        assert!(count > 0, "no {kind} in the world");
    }
}

#[test]
fn values_are_readable() {
    let mut world = rich::world();
    rich::play(&mut world, 30);
    let mut other = world.clone();
    let ids: Vec<_> = world.bodies().map(|(id, _)| id).collect();
    other.set_angular_velocity(ids[3], isostep_core::Vec3::from_ints(0, 3, 0)).unwrap();
    other.commit();
    let (tick, page) = (world.tick(), ids[3].page());
    let theirs = other.page_bytes(tick, StateSection::Bodies, page).unwrap();
    let found = world.explain(tick, StateSection::Bodies, page, &theirs).unwrap();
    let spin = found.iter().find(|found| found.field == "angular_velocity.y").unwrap();
    assert_eq!(spin.entity, format!("body {}", ids[3]));
    assert_eq!(spin.theirs.text, "3 rad/s");
}

#[test]
fn rows_missing_on_one_machine_are_named() {
    let mut world = rich::world();
    rich::play(&mut world, 30);
    let mut other = world.clone();
    let ids: Vec<_> = world.bodies().map(|(id, _)| id).collect();
    other.despawn(ids[2]).unwrap();
    other.despawn(ids[4]).unwrap();
    other.commit();
    let tick = world.tick();
    let theirs = other.page_bytes(tick, StateSection::Traits, 0).unwrap();
    let found = world.explain(tick, StateSection::Traits, 0, &theirs).unwrap();
    let gone = |id| {
        let entity = format!("body {id}");
        found.iter().any(|one| one.entity == entity && one.field == "exists")
    };
    assert!(gone(ids[2]) && gone(ids[4]) && found.iter().all(|one| one.field == "exists"));
}

#[test]
fn foreign_pages_give_an_answer_or_an_error() {
    let mut world = rich::world();
    rich::play(&mut world, 10);
    let tick = world.tick();
    let mut rng = Rng::new(3);
    for (section, page) in rich::pages(&world) {
        let ours = world.page_bytes(tick, section, page).unwrap();
        for _ in 0..100 {
            let mut theirs = ours.clone();
            for _ in 0..rng.below(40).unwrap() {
                let at = rng.below(theirs.len() as u32).unwrap() as usize;
                theirs[at] = rng.next_u32() as u8;
            }
            theirs.truncate(rng.below(theirs.len() as u32 * 2).unwrap() as usize);
            _ = world.explain(tick, section, page, &theirs);
        }
    }
}
