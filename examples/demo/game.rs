//! The demo's game: two players push pucks about in a box. State in, inputs in, state out.
//!
//! A stand-in for the physics world, in 100 lines: enough to bounce, steal momentum and diverge at once
//! when a single bit differs.

use isostep::{Id, Real, Rng, SlotMap, Vec3, real};

pub const PLAYERS: usize = 2;
const PUCKS: u32 = 62;
/// Half the side of the box, metres.
const WALL: Real = real!(8);
const RADIUS: Real = real!(0.25);
/// 1/64 s: exact, so that a speed and the way it makes in a tick are the same digits.
const TICK_SECONDS: Real = real!(0.015625);
/// What a held stick adds to the speed in a tick, m/s.
const PUSH: Real = real!(0.375);
const DRAG: Real = Real::ratio(995, 1000);
/// What the random numbers are for.
const SPAWN: u64 = 1;

/// A player's stick: −1, 0 or 1 on each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stick {
    pub x: i8,
    pub z: i8,
}

#[derive(Clone, Debug, PartialEq)]
struct Puck {
    position: Vec3,
    velocity: Vec3,
}

/// Everything that the next tick depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    pucks: SlotMap<Puck>,
    players: [Id; PLAYERS],
}

impl Game {
    pub fn new(seed: u64) -> Self {
        let mut pucks = SlotMap::new();
        let mut spawn = |entity: u64| {
            let mut rng = Rng::keyed(seed, 0, entity, SPAWN);
            let mut between =
                |limit: Real| rng.between(-limit, limit).expect("the limit is positive");
            let position = Vec3::new(between(WALL), Real::ZERO, between(WALL));
            let velocity = Vec3::new(between(real!(2)), Real::ZERO, between(real!(2)));
            pucks.insert(Puck { position, velocity }).expect("a few pucks fit")
        };
        let players = [spawn(0), spawn(1)];
        for puck in 0..PUCKS {
            spawn(2 + u64::from(puck));
        }
        Self { pucks, players }
    }

    pub fn step(&mut self, inputs: [Stick; PLAYERS]) {
        for (player, stick) in self.players.into_iter().zip(inputs) {
            let push = Vec3::from_ints(stick.x.into(), 0, stick.z.into()) * PUSH;
            self.pucks[player].velocity += push;
        }
        for puck in self.pucks.values_mut() {
            puck.velocity *= DRAG;
            puck.position += puck.velocity * TICK_SECONDS;
            bounce_off_walls(puck);
        }
        // Pairs in the order of their ids, so that the result has one order too.
        let ids: Vec<Id> = self.pucks.iter().map(|(id, _)| id).collect();
        for (i, &a) in ids.iter().enumerate() {
            for &b in &ids[i + 1..] {
                self.collide(a, b);
            }
        }
    }

    /// Exchanges the approach speed of two equal pucks that touch, and parts them.
    fn collide(&mut self, a: Id, b: Id) {
        let between = self.pucks[b].position - self.pucks[a].position;
        let overlap = RADIUS + RADIUS - between.length();
        if overlap <= Real::ZERO {
            return;
        }
        let normal = between.normalize_or(Vec3::X);
        let approach =
            (self.pucks[a].velocity - self.pucks[b].velocity).dot(normal).max(Real::ZERO);
        let (speed, way) = (normal * approach, normal * (overlap * Real::HALF));
        self.pucks[a].velocity -= speed;
        self.pucks[b].velocity += speed;
        self.pucks[a].position -= way;
        self.pucks[b].position += way;
    }

    /// The smallest fault there is: one bit of one place, 0.2 nanometres.
    pub fn flip_a_bit(&mut self) {
        if let Some(puck) = self.pucks.values_mut().nth(7) {
            puck.position.x = Real::from_bits(puck.position.x.to_bits() ^ 1);
        }
    }

    /// The state as bytes, in one order, on every machine the same.
    pub fn digest(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        for (id, puck) in &self.pucks {
            hasher.update(&id.to_bits().to_le_bytes());
            for bits in puck.position.to_bits().into_iter().chain(puck.velocity.to_bits()) {
                hasher.update(&bits.to_le_bytes());
            }
        }
        hasher.finalize()
    }

    /// The first field in which two states differ, with both values.
    pub fn first_difference(&self, other: &Self) -> Option<String> {
        self.pucks.iter().zip(other.pucks.iter()).find_map(|((id, ours), (_, theirs))| {
            let fields = [
                ("position.x", ours.position.x, theirs.position.x),
                ("position.z", ours.position.z, theirs.position.z),
                ("velocity.x", ours.velocity.x, theirs.velocity.x),
                ("velocity.z", ours.velocity.z, theirs.velocity.z),
            ];
            let (field, a, b) = fields.into_iter().find(|(_, a, b)| a != b)?;
            Some(format!("puck {id}, {field}: {a:.10} on one machine, {b:.10} on the other"))
        })
    }
}

fn bounce_off_walls(puck: &mut Puck) {
    let (p, v) = (&mut puck.position, &mut puck.velocity);
    for (place, speed) in [(&mut p.x, &mut v.x), (&mut p.z, &mut v.z)] {
        if place.abs() > WALL {
            *place = WALL * place.signum();
            *speed = -*speed;
        }
    }
}
