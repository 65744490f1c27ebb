//! Bodies that spawn and despawn on every tick.

use super::parts::{cuboid, empty, ground, small_shape, solid, walls};
use super::{Scene, Script};
use isostep_core::world::{BodyDef, BodyId, World};
use isostep_core::{Quat, Real, Rng, Vec3, real};
use serde::{Deserialize, Serialize};

/// Id streams of falling bodies.
const STREAMS: [u8; 3] = [1, 2, 7];
/// Id stream of the shelves.
const SHELVES: u8 = 4;
/// Limit on bodies of a stream; 3·45 and 8 shelves stay below 150.
const MAX_ALIVE: u32 = 45;

/// Scene k: three streams drop balls, boxes and capsules on shelves between walls. Every tick some
/// of them despawn, with bodies on them or not, and so do the fixed shelves. There are never more than
/// 150 bodies.
pub fn storm(seed: u64) -> Scene {
    storm_of(MAX_ALIVE, seed)
}

/// Scene k with a limit on bodies from each of the three streams, and one shelf for about six of
/// them.
pub fn storm_of(most: u32, seed: u64) -> Scene {
    let mut world = empty();
    ground(&mut world);
    walls(&mut world, real!(8), real!(6));
    let storm = Storm { seed, most, alive: Default::default(), shelves: Vec::new() };
    Scene { world, script: Script::Storm(storm) }
}

/// Live bodies, in spawning order with holes filled by the last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Storm {
    seed: u64,
    /// Limit on bodies of a stream.
    most: u32,
    alive: [Vec<BodyId>; STREAMS.len()],
    shelves: Vec<BodyId>,
}

impl Storm {
    /// Spawns and despawns bodies, determined by seed, tick, stream and live bodies.
    pub(super) fn act(&mut self, world: &mut World) {
        const RAIN: u64 = 3;
        const SHELF: u64 = 4;
        let tick = u64::from(world.tick().0);
        for (stream, alive) in STREAMS.into_iter().zip(&mut self.alive) {
            let mut rng = Rng::keyed(self.seed, tick, u64::from(stream), RAIN);
            // About one body a tick spawns from all streams. At 30 of 45 bodies nearly as many
            // despawn, so a body lives about two seconds: long enough for some to fall asleep.
            let (most, many) = (self.most as usize, self.most as usize * 2 / 3);
            if alive.len() == most || alive.len() > many && likely(&mut rng, 1, 4) {
                despawn_one(world, alive, &mut rng);
            }
            if likely(&mut rng, 1, 3) {
                alive.push(rain(world, stream, &mut rng));
            }
            // Some despawn before their first step.
            if likely(&mut rng, 1, 40) {
                let last = alive.pop().into_iter();
                last.for_each(|id| world.despawn(id).expect("it is there"));
            }
        }
        let mut rng = Rng::keyed(self.seed, tick, 0, SHELF);
        let most_shelves = self.most.div_ceil(6) as usize;
        if likely(&mut rng, 1, 12) {
            if self.shelves.len() == most_shelves || likely(&mut rng, 1, 3) {
                despawn_one(world, &mut self.shelves, &mut rng);
            } else {
                self.shelves.push(shelf(world, &mut rng));
            }
        }
    }
}

fn likely(rng: &mut Rng, times: u32, of: u32) -> bool {
    rng.chance(times, of).expect("not of none")
}

/// Despawns a random body, if there is one.
fn despawn_one(world: &mut World, alive: &mut Vec<BodyId>, rng: &mut Rng) {
    if let Ok(at) = rng.below(alive.len() as u32) {
        world.despawn(alive.swap_remove(at as usize)).expect("it is there");
    }
}

fn rain(world: &mut World, stream: u8, rng: &mut Rng) -> BodyId {
    let mut within = |size: Real| rng.between(-size, size).expect("not empty");
    let place = Vec3::new(within(real!(7)), real!(5) + within(real!(1)), within(real!(7)));
    let turn = Vec3::new(within(real!(3)), within(real!(3)), within(real!(3)));
    let velocity = Vec3::new(within(real!(2)), real!(-6), within(real!(2)));
    let body = BodyDef::dynamic()
        .at(place)
        .rotated(Quat::from_rotation_vector(turn))
        .velocity(velocity)
        .shape(small_shape(rng.next_u32()));
    world.spawn_in(stream, body).expect("streams have room")
}

fn shelf(world: &mut World, rng: &mut Rng) -> BodyId {
    let mut within = |size: Real| rng.between(-size, size).expect("not empty");
    let place = Vec3::new(within(real!(6)), real!(2) + within(real!(1)), within(real!(6)));
    let tilt = Vec3::new(within(Real::ratio(1, 10)), within(real!(3)), within(Real::ratio(1, 10)));
    let shape = solid(cuboid(real!(1), Real::ratio(1, 10), real!(1)));
    let body = BodyDef::fixed().at(place).rotated(Quat::from_rotation_vector(tilt)).shape(shape);
    world.spawn_in(SHELVES, body).expect("streams have room")
}
