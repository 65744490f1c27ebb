//! Settings of a script's worlds, and the bodies that they start with.

use super::{RECORD, SpawnArgs};
use isostep_core::world::{BodyDef, Combine, Material, WORLD_LIMIT, WorldDef};
use isostep_core::{Real, Vec3, shape::Shape};

/// Settings of a script's worlds. All zero is an empty world that falls asleep soon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// Bodies at the start.
    pub bodies: u8,
    /// Time until sleep, tick rate, substeps, gravity (2 bits each).
    pub physics: u8,
    /// Length of the history.
    pub history: u8,
    /// Resim mode (2 bits), lanes (1 bit), threads (4 bits, mostly one).
    pub machine: u8,
    /// Distance of everything from the origin.
    pub offset: u8,
    /// Material table, layers, further settings.
    pub tables: u8,
}

impl Scene {
    pub(super) const fn decode(record: [u8; RECORD]) -> Self {
        let [bodies, physics, history, machine, offset, tables] = record;
        Self { bodies, physics, history, machine, offset, tables }
    }

    pub(super) const fn encode(self) -> [u8; RECORD] {
        [self.bodies, self.physics, self.history, self.machine, self.offset, self.tables]
    }

    /// The definition of the world.
    ///
    /// # Panics
    /// Never: the tables have legal values only.
    pub fn world(self) -> WorldDef {
        let pick = |shift: u8| usize::from(self.physics >> shift & 3);
        // Settings at their limits, in one script of 16.
        let limits = self.tables >> 4 == 15;
        let (y, x) = match pick(6) {
            0 => (-981, 0),
            1 => (0, 0),
            2 => (-300, 200),
            _ if limits => (-100_000, 100_000),
            _ => (-2000, 0),
        };
        let time_to_sleep =
            [(1, 10), (1, 4), (0, 1), if limits { (60, 1) } else { (1, 2) }][pick(0)];
        let mut def = WorldDef {
            gravity: Vec3::new(Real::ratio(x, 100), Real::ratio(y, 100), Real::ZERO),
            tick_rate: if limits { [60, 10, 240, 30] } else { [60, 30, 120, 20] }[pick(2)],
            substeps: [2, 1, 4, 8][pick(4)],
            time_to_sleep: Real::ratio(time_to_sleep.0, time_to_sleep.1),
            max_push_out_speed: if limits { Real::from_int(10) } else { Real::ratio(1, 4) },
            sleep_threshold: if self.tables & 1 == 0 {
                Real::ratio(1, 10)
            } else {
                Real::ratio(1, 50)
            },
            ..WorldDef::default()
        };
        def.layers.set(1, 2, false).expect("these layers exist");
        if self.tables & 2 != 0 {
            let glue = Material { friction: Real::ratio(19, 10), ..Material::default() };
            let rubber = Material {
                restitution: Real::ratio(3, 4),
                restitution_combine: Combine::Max,
                ..Material::default()
            };
            def.materials.set(1, 2, glue).expect("within limits");
            def.materials.set(0, 1, rubber).expect("within limits");
        }
        def
    }

    /// Ticks that the world under test holds.
    pub fn history_length(self) -> usize {
        history_length(self.history)
    }

    /// Returns whether the oracle repeats calls that were refused. They must be refused there, too; without them the world must be
    /// the same.
    pub const fn repeats_refused(self) -> bool {
        self.tables & 4 != 0
    }

    /// Offset of everything from the origin: usually none.
    pub fn offset_vector(self) -> Vec3 {
        let far = |n: i32| Vec3::new(Real::from_int(n), Real::ZERO, Real::from_int(-n));
        match self.offset {
            0..200 => Vec3::ZERO,
            200..216 => far(1000),
            216..228 => far(1 << 20),
            228..240 => far(300_000_000),
            240..250 => Vec3::new(WORLD_LIMIT - Real::from_int(2), Real::ZERO, Real::ZERO),
            250.. => Vec3::new(Real::ZERO, Real::from_int(300_000_000), Real::ZERO),
        }
    }

    /// Bodies at the start with their id streams, and whether they are committed.
    pub fn start(self) -> (Vec<(u8, BodyDef)>, bool) {
        let offset = self.offset_vector();
        let slab = SpawnArgs { what: 2 | 3 << 3, place: 7 << 4, ..SpawnArgs::default() };
        let brick = SpawnArgs::default();
        let mut args = vec![slab];
        match self.bodies & 15 {
            0 => args.clear(),
            4 => args[0].what = 3 | 3 << 3,
            5..8 => args.push(brick),
            8 | 9 => args.extend([
                brick,
                SpawnArgs { place: 1 << 4, ..brick },
                SpawnArgs { what: 1 << 3, place: 2, ..brick },
            ]),
            10 | 11 => args.extend([
                SpawnArgs { what: 2 | 1 << 3 | 1 << 6, ..brick },
                SpawnArgs { place: 1, ..brick },
            ]),
            12 => args[0].what = 2 | 5 << 3,
            13 => args = vec![SpawnArgs { what: 2 | 5 << 3, ..slab }, brick],
            _ => {}
        }
        let mut bodies: Vec<_> =
            args.iter().map(|args| (args.stream(), args.def(offset))).collect();
        match self.bodies & 15 {
            12 | 13 => {
                // The surface of the half space is at y = 0, like that of the slab.
                let place = &mut bodies[0].1.pose.translation;
                place.y = offset.y;
                if self.tables & 8 != 0 {
                    // Its origin is far from everything on it.
                    place.x = -offset.x;
                }
            }
            14.. => bodies.extend((0..29 + i32::from(self.bodies >> 4 & 3)).map(pebble)),
            _ => {}
        }
        (bodies, self.bodies & 0x80 != 0)
    }
}

/// One of many bodies that meet nothing and fill a page of 32.
fn pebble(number: i32) -> (u8, BodyDef) {
    let shape = Shape::sphere(Real::ratio(1, 8)).expect("within limits");
    (0, BodyDef::fixed().at(Vec3::from_ints(40 + number, 0, 0)).shape(shape))
}

/// Length of a history from a number.
pub(crate) fn history_length(argument: u8) -> usize {
    [32, 12, 8, 5, 20, 3, 40, 2, 16, 64][usize::from(argument % 10)]
}
