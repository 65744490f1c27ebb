//! The islands of the API against an independent graph of the contacts.

use isostep_core::world::{BodyId, BodyKind, World};
use isostep_scenes::scenes::{self, Scene};
use std::collections::{BTreeMap, BTreeSet};

/// Adjacency from the contacts.
fn neighbours(world: &World) -> BTreeMap<BodyId, BTreeSet<BodyId>> {
    let mut map: BTreeMap<BodyId, BTreeSet<BodyId>> = BTreeMap::new();
    for [a, b] in world.contacts().map(|contact| contact.bodies()) {
        map.entry(a).or_default().insert(b);
        map.entry(b).or_default().insert(a);
    }
    map
}

/// All bodies reached from a body through dynamic ones.
fn flood(
    start: BodyId,
    map: &BTreeMap<BodyId, BTreeSet<BodyId>>,
    world: &World,
) -> BTreeSet<BodyId> {
    let dynamic = |id: &BodyId| world.body(*id).unwrap().kind() == BodyKind::Dynamic;
    let (mut found, mut open) = (BTreeSet::from([start]), vec![start]);
    while let Some(id) = open.pop() {
        for next in map.get(&id).into_iter().flatten() {
            if dynamic(next) && found.insert(*next) {
                open.push(*next);
            }
        }
    }
    found
}

pub(crate) fn assert_islands_are_those_of_the_contacts(world: &World, what: &str) {
    let (islands, map) = (world.islands(), neighbours(world));
    let mut names = BTreeSet::new();
    for (id, body) in world.bodies() {
        let near: Vec<_> = map.get(&id).into_iter().flatten().copied().collect();
        assert_eq!(islands.neighbours(id).collect::<Vec<_>>(), near, "{what}: neighbours of {id}");
        if body.kind() != BodyKind::Dynamic {
            assert_eq!(islands.of(id), None, "{what}: {id} is not dynamic");
            continue;
        }
        let members = flood(id, &map, world);
        let name = *members.first().unwrap();
        assert_eq!(islands.of(id), Some(name), "{what}: island of {id}");
        let members: Vec<_> = members.into_iter().collect();
        assert_eq!(islands.members(name), members, "{what}: members of {name}");
        let mut reach: BTreeSet<_> = members.iter().copied().collect();
        reach.extend(members.iter().flat_map(|id| map.get(id).into_iter().flatten()));
        assert_eq!(
            islands.reach(id),
            reach.into_iter().collect::<Vec<_>>(),
            "{what}: reach of {id}"
        );
        if names.insert(name) {
            let asleep = members.iter().filter(|id| world.body(**id).unwrap().is_asleep()).count();
            assert!(asleep == 0 || asleep == members.len(), "{what}: island {name} is half asleep");
        }
        if id != name {
            assert_eq!(islands.members(id), [], "{what}: {id} names no island");
        }
    }
    assert_eq!(islands.len(), names.len(), "{what}");
    assert_eq!(islands.is_empty(), names.is_empty(), "{what}");
    assert_eq!(islands.iter().map(|(name, _)| name).collect::<BTreeSet<_>>(), names, "{what}");
    let listed: usize = islands.iter().map(|(_, members)| members.len()).sum();
    let dynamic = world.bodies().filter(|(_, body)| body.kind() == BodyKind::Dynamic).count();
    assert_eq!(listed, dynamic, "{what}: each dynamic body is in one island");
}

fn check(name: &str, mut scene: Scene, ticks: u32) {
    for tick in 1..=ticks {
        scene.step();
        if tick % 7 == 0 || tick < 20 {
            assert_islands_are_those_of_the_contacts(&scene.world, &format!("{name}, tick {tick}"));
        }
    }
}

#[test]
fn islands_are_those_of_the_contacts() {
    check("storm", scenes::storm(5), 400);
    check("tumbler", scenes::tumbler(5), 200);
    check("sleepers", scenes::sleepers(60, 5), 300);
    check("dominoes", scenes::dominoes(20), 400);
    check("cradle", scenes::cradle(&[1, 2, 3]), 200);
    check("bin", scenes::bin(4, 5), 200);
}

#[test]
fn a_stale_id_has_no_island() {
    let mut scene = scenes::stacks(2, 2);
    scene.step();
    let id = scene.world.bodies().nth(1).unwrap().0;
    scene.world.despawn(id).unwrap();
    let islands = scene.world.islands();
    assert_eq!(islands.of(id), None);
    assert_eq!(islands.members(id), []);
    assert_eq!(islands.neighbours(id).count(), 0);
}
