//! Locality, tick by tick: an island alone, with the fixed and kinematic bodies in contact with it, has the same next state as in
//! the whole scene. Fault injection shows that this test can fail.

use isostep_core::Rng;
use isostep_core::world::{BodyId, Event, World};
use isostep_scenes::scenes;

/// Steps a scene and, on every tick, a random island of it alone. Returns the first difference.
fn first_difference(
    name: &str,
    ticks: u32,
    seed: u64,
    change: impl Fn(&mut World),
) -> Option<String> {
    let mut scene = scenes::build(name, seed).expect("a scene of the list");
    let mut rng = Rng::new(seed);
    for tick in 0..ticks {
        change(&mut scene.world);
        scene.act();
        let before = scene.world.clone();
        scene.world.step();
        if let Some(difference) = compare(&before, &scene.world, &mut rng, &change) {
            return Some(format!("{name}, seed {seed}, tick {tick}: {difference}"));
        }
    }
    None
}

fn compare(
    before: &World,
    after: &World,
    rng: &mut Rng,
    change: impl Fn(&mut World),
) -> Option<String> {
    let islands = after.islands();
    let count = islands.len() as u32;
    let chosen = rng.below(count.max(1)).unwrap() as usize;
    let (_, members) = islands.iter().nth(chosen)?;
    let mut bodies = islands.reach(members[0]);
    // Sensors and the shapes in them: sensors read other bodies and do not affect them.
    let sensed: Vec<BodyId> = sensor_partners(after, members);
    bodies.extend(sensed.iter().filter(|id| after.islands().of(**id).is_none()));
    bodies.sort();
    bodies.dedup();
    let mut alone = before.solo(&bodies);
    change(&mut alone);
    alone.step();
    let (crowd, alone) = (after.rows_among(&bodies), alone.rows_among(&bodies));
    if crowd == alone {
        return None;
    }
    let differs = crowd.iter().find(|row| !alone.contains(row));
    let differs = differs.or_else(|| alone.iter().find(|row| !crowd.contains(row)));
    let (row, text) = differs.expect("some row");
    let other = alone.iter().chain(&crowd).find(|(name, other)| name == row && other != text);
    Some(format!("{row} of the island of {}:\n  {text}\n  {other:?}", members[0]))
}

fn sensor_partners(world: &World, members: &[BodyId]) -> Vec<BodyId> {
    let pairs = world.events().filter_map(|event| match event {
        Event::SensorEntered(pair) | Event::SensorLeft(pair) | Event::SensorStayed(pair) => {
            Some(pair.bodies)
        }
        _ => None,
    });
    pairs.filter(|pair| pair.iter().any(|id| members.contains(id))).flatten().collect()
}

#[test]
fn an_island_alone_evolves_as_in_the_whole_scene() {
    for name in scenes::NAMES {
        // Copying a world takes longer than stepping it, and comparing a large island longer still.
        let ticks = match name {
            "bin" => 40,
            "pyramid" | "stacks" => 100,
            _ => 200,
        };
        assert_eq!(first_difference(name, ticks, 1, |_| ()), None);
    }
}

#[cfg(feature = "test-internals")]
#[test]
fn an_influence_from_outside_the_island_is_detected() {
    use isostep_core::test_internals::Fault;
    for fault in
        [Fault::GlobalCounter, Fault::IndexOrder, Fault::BalancedColours, Fault::RememberedColours]
    {
        // In a drum contacts begin and end all the time. Otherwise stale data would have no effect.
        for seed in 1..=3 {
            assert_eq!(
                first_difference("tumbler", 100, seed, |_| ()),
                None,
                "a difference without the fault"
            );
            let caught = first_difference("tumbler", 100, seed, |world| world.inject_fault(fault));
            println!("{fault:?}: {}", caught.as_deref().unwrap_or("not caught"));
            assert!(caught.is_some(), "{fault:?} goes unnoticed with seed {seed}");
        }
    }
}

#[cfg(all(debug_assertions, feature = "test-internals"))]
#[test]
#[should_panic(expected = "while island")]
fn reading_a_row_of_another_island_panics() {
    let fault = isostep_core::test_internals::Fault::ReadOutside;
    let _ = first_difference("stacks", 3, 1, |world| world.inject_fault(fault));
}
