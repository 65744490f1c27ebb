//! A warm world steps without allocating: a step must not wait for an allocator.

use crate::counting;
use isostep_core::parallel::Threads;
use isostep_core::world::{BodyId, BodyKind, Command, Material};
use isostep_core::{Rng, Vec3, real};
use isostep_scenes::scenes::{self, Scene};

/// Ticks of warm-up. Long enough for the kicks to topple the stacks: until then the number of contacts reaches new maxima, and
/// columns grow with it.
const WARM_UP: u32 = 4000;
/// Rounds of a rewind each that are counted.
const ROUNDS: u32 = 5000;
/// Rounds in which all players move at the same time.
const BUSY: u32 = 1000;
/// Rounds after them, until the world is as calm as in those that are counted.
const CALM: u32 = 200;

/// Of 300 ticks after the warm-up, those that allocated, each with the number of allocations.
fn allocating_ticks(scene: &mut Scene) -> Vec<(u32, u32)> {
    let ids: Vec<_> = scene.world.bodies().map(|(id, _)| id).collect();
    let mut found = Vec::with_capacity(300);
    for tick in 0..WARM_UP + 300 {
        let before = counting::count();
        scene.act();
        // A random body is kicked every tenth tick, so that contacts begin and end.
        if tick % 10 == 0 {
            let mut rng = Rng::keyed(1, u64::from(tick), 0, 0);
            let kicked = ids[rng.below(ids.len() as u32).unwrap() as usize];
            // Fixed bodies reject the command, which must not allocate either.
            let _ = scene.world.set_velocity(kicked, rng.direction() * real!(2));
        }
        scene.world.step();
        let count = counting::count() - before;
        if tick >= WARM_UP && count > 0 {
            found.push((tick, count));
        }
    }
    found
}

#[test]
fn the_allocator_counts() {
    let before = counting::count();
    drop(std::hint::black_box(vec![Vec3::ZERO; 3]));
    assert_eq!(counting::count() - before, 1);
}

#[test]
fn a_warm_arena_allocates_nothing() {
    assert_eq!(allocating_ticks(&mut scenes::arena(3)), []);
}

/// Allocations of other threads are not counted. Handing work to them must not allocate.
#[test]
fn warm_stacks_on_two_threads_allocate_nothing() {
    let mut scene = scenes::stacks(5, 5);
    scene.world.set_threads(Threads::new(2).expect("threads").eager());
    assert_eq!(allocating_ticks(&mut scene), []);
}

/// Steps twice, then rewinds by five ticks and resimulates with these velocities.
fn mispredict(scene: &mut Scene, kicks: impl Iterator<Item = (BodyId, Vec3)>) {
    for _ in 0..2 {
        scene.step();
    }
    let now = scene.world.tick();
    scene.world.rewind(now - 5).unwrap();
    for (body, velocity) in kicks {
        scene.world.set_velocity(body, velocity).unwrap();
    }
    while scene.world.tick() < now {
        scene.step();
    }
}

/// Columns grow by doubling and pages are reused by size, so that only a tick with more contacts, or more bodies that wake or fall
/// asleep, than any before allocates. The warm-up therefore drives all players into a heap and apart; the rounds that count are calmer.
#[test]
fn a_warm_world_rewinds_without_allocating() {
    let mut scene = scenes::arena(5);
    scene.world.commit();
    let players: Vec<_> = scene
        .world
        .bodies()
        .filter(|(_, body)| body.kind() == BodyKind::Dynamic)
        .map(|(id, _)| id)
        .collect();
    for round in 0..BUSY {
        // Together for a while, then apart, then at rest until the next kick wakes them.
        let speed = [real!(-3), real!(-3), real!(2), real!(0), real!(0)][round as usize / 50 % 5];
        let kick = |id: &BodyId| {
            let at = scene.world.body(*id).unwrap().position();
            let [x, z] = [at.x, at.z].map(|c| c.clamp(real!(-10), real!(10)));
            (*id, Vec3::new(x, real!(0), z) * speed)
        };
        let kicks: Vec<_> = players.iter().map(kick).filter(|_| speed != real!(0)).collect();
        mispredict(&mut scene, kicks.into_iter());
    }
    let mut found = Vec::with_capacity(ROUNDS as usize);
    for round in 0..CALM + ROUNDS {
        let before = counting::count();
        let kicked = players[round as usize % players.len()];
        // To all sides in turn, or the players would heap up at a wall.
        let kick = [Vec3::X, Vec3::Z, -Vec3::X, -Vec3::Z][round as usize / players.len() % 4];
        mispredict(&mut scene, core::iter::once((kicked, kick)));
        let count = counting::count() - before;
        if round >= CALM && count > 0 {
            found.push((round, count));
        }
    }
    assert_eq!(found, []);
}

#[test]
fn a_warm_bouncing_arena_allocates_nothing() {
    let mut scene = scenes::arena(3);
    let bodies: Vec<_> = scene.world.bodies().map(|(id, _)| id).collect();
    let material = Material { restitution: real!(0.75), ..Material::default() };
    for body in bodies {
        scene.world.command(Command::SetMaterial(body, 0, material)).unwrap();
    }
    assert_eq!(allocating_ticks(&mut scene), []);
}

#[test]
fn warm_stacks_allocate_nothing() {
    assert_eq!(allocating_ticks(&mut scenes::stacks(4, 5)), []);
}

#[test]
fn a_warm_field_of_sleeping_bodies_allocates_nothing() {
    // Kicks wake some bodies, which fall asleep again.
    assert_eq!(allocating_ticks(&mut scenes::sleepers(300, 3)), []);
}

#[test]
fn a_warm_tumbler_allocates_nothing() {
    assert_eq!(allocating_ticks(&mut scenes::tumbler(3)), []);
}

#[test]
fn a_resting_pyramid_allocates_nothing() {
    let mut scene = scenes::pyramid(10);
    let mut warm = 0;
    for tick in 0..WARM_UP + 300 {
        if tick == 300 {
            warm = counting::count();
        }
        scene.step();
    }
    assert_eq!(counting::count() - warm, 0);
}
