//! A world under random calls. After each call, rays are compared at the current tick and at every held one:
//!
//! - with the brute force of `oracle.rs`, which sees the public views alone;
//! - with a clone of the world at that tick, which has no tree and no history: the results must be the same bits.

use super::oracle::{self, Wanted};
use isostep_core::shape::Shape;
use isostep_core::world::{
    BodyDef, BodyId, BodyKind, DebugDraw, DebugTopic, Filter, Layers, QueryFilter, ResimMode,
    ShapeDef, World, WorldDef,
};
use isostep_core::{Quat, Rng, Tick, Transform, Vec3, real};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Layer 1 does not collide with layers 1 and 2.
const LAYERS_OF: [u32; 4] = [u32::MAX, !(1 << 1 | 1 << 2), !(1 << 1), u32::MAX];

pub(crate) struct Game {
    rng: Rng,
    world: World,
    /// The world as it was when it reached a tick.
    copies: BTreeMap<Tick, World>,
    ids: Vec<BodyId>,
    snapshot: Option<Vec<u8>>,
    pub(crate) hits: u32,
    said: String,
}

impl Game {
    pub(crate) fn new(seed: u64) -> Self {
        let mut layers = Layers::default();
        layers.set(1, 1, false).unwrap();
        layers.set(1, 2, false).unwrap();
        let def = WorldDef { layers, ..WorldDef::default() };
        let history = [4, 9, 32][seed as usize % 3];
        let world = World::with_history(def, history).unwrap();
        let rng = Rng::new(seed);
        let (copies, said) = (BTreeMap::new(), String::new());
        let mut game = Self { rng, world, copies, ids: Vec::new(), snapshot: None, hits: 0, said };
        let modes = [ResimMode::Incremental, ResimMode::Full];
        game.world.set_resim_mode(modes[usize::from(seed % 5 == 4)]);
        game.world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE)).unwrap();
        for _ in 0..25 {
            game.spawn();
        }
        game.world.commit();
        game.reached();
        game
    }

    /// One random call, or a few of a kind.
    pub(crate) fn call(&mut self) {
        let choice = self.rng.below(40).unwrap();
        self.said = format!("choice {choice} at tick {}", self.world.tick());
        match choice {
            0..12 => self.steps(),
            12..17 => self.rewind(),
            17 => self.world.drop_scratch(),
            18 => self.world.drop_step_records(),
            19 => self.world.discard_commands(),
            20 => {
                self.world.commit();
                self.copies.clear();
                self.reached();
            }
            21 => self.snapshot = Some(self.world.snapshot(self.world.tick(), None).unwrap()),
            22 => {
                if let Some(bytes) = &self.snapshot {
                    self.world.restore(bytes).unwrap();
                    self.copies.clear();
                    self.reached();
                }
            }
            23 => {
                let length = self.rng.below(12).unwrap() as usize + 2;
                self.world.set_history(length);
            }
            24 => {
                let (oldest, now) = self.world.history().into_inner();
                let tick = now - self.rng.below(now.since(oldest) + 1).unwrap();
                self.world.pin(tick).unwrap();
            }
            25 => {
                self.world = self.world.clone();
                self.copies.retain(|tick, _| *tick == self.world.tick());
            }
            _ => (0..=self.rng.below(4).unwrap()).for_each(|_| self.command()),
        }
    }

    fn steps(&mut self) {
        for _ in 0..=self.rng.below(6).unwrap() {
            if self.rng.chance(1, 2).unwrap() {
                self.command();
            }
            self.step();
        }
    }

    fn step(&mut self) {
        self.world.step();
        self.reached();
    }

    fn reached(&mut self) {
        self.copies.insert(self.world.tick(), self.world.clone());
    }

    /// Rewinds, and computes some or all of the ticks again with most of their commands.
    fn rewind(&mut self) {
        let (oldest, now) = self.world.history().into_inner();
        let back = self.rng.below(now.since(oldest) + 1).unwrap();
        let commands: Vec<Vec<_>> = (now.0 - back..now.0)
            .map(|tick| self.world.past(Tick(tick + 1)).unwrap().commands().to_vec())
            .collect();
        self.world.rewind(now - back).unwrap();
        self.copies.split_off(&(now - back).next());
        self.look();
        let forward = self.rng.below(back + 1).unwrap() as usize;
        for list in &commands[..forward] {
            for command in list {
                if self.rng.chance(9, 10).unwrap() {
                    let _ = self.world.command(command.clone());
                }
            }
            if self.rng.chance(1, 8).unwrap() {
                self.command();
            }
            self.step();
            if self.rng.chance(1, 3).unwrap() {
                self.look();
            }
        }
    }

    fn command(&mut self) {
        let id = self.any();
        let choice = self.rng.below(18).unwrap();
        let _ = write!(self.said, ", command {choice} to {id}");
        let place = self.place();
        let (turn, small) = (self.rotation(), self.rng.direction() * real!(4));
        let world = &mut self.world;
        // Refused commands change nothing, which is a case, too.
        let _ = match choice {
            0..3 => return self.spawn(),
            3 => world.despawn(id),
            4 => world.teleport(id, Transform::new(place, turn)),
            5 => world.move_to(
                id,
                Transform::new(
                    world.body(id).map_or(place, |body| body.position() + small * real!(0.03125)),
                    turn,
                ),
            ),
            6 => {
                let kinds = [BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic];
                world.set_kind(id, kinds[self.rng.below(3).unwrap() as usize])
            }
            7 => world.set_enabled(id, self.rng.chance(1, 2).unwrap()),
            8 => world.set_sensor(id, 0, self.rng.chance(1, 2).unwrap()),
            9 => {
                let (layer, group) = (self.rng.below(4).unwrap() as u8, self.rng.below(3).unwrap());
                world.set_filter(id, 0, Filter { layer, group })
            }
            10 => {
                let shape = self.shape();
                self.world.set_shape(id, 0, shape)
            }
            11 => world.set_shape_pose(id, 0, Transform::new(small * real!(0.25), turn)),
            12 => {
                let def = self.part();
                self.world.add_shape(id, def).map(drop)
            }
            13 => world.remove_shape(id, self.rng.below(2).unwrap() as u8),
            14 => world.set_velocity(id, small * real!(5)),
            15 => world.set_angular_velocity(id, small * real!(3)),
            16 => world.put_to_sleep(id),
            _ => world.apply_impulse(id, small * real!(1000)),
        };
    }

    fn any(&mut self) -> BodyId {
        let recent = self.ids.len().min(40);
        self.ids[self.ids.len() - 1 - self.rng.below(recent as u32).unwrap() as usize]
    }

    fn place(&mut self) -> Vec3 {
        let mut part = |low, high| self.rng.between(low, high).unwrap();
        let wide = real!(9);
        Vec3::new(part(-wide, wide), part(real!(0.5), real!(7)), part(-wide, wide))
    }

    fn rotation(&mut self) -> Quat {
        if self.rng.chance(1, 3).unwrap() {
            return Quat::IDENTITY;
        }
        let angle = self.rng.between(real!(-3), real!(3)).unwrap();
        Quat::from_axis_angle(self.rng.direction(), angle).unwrap()
    }

    fn shape(&mut self) -> Shape {
        let mut size = || self.rng.between(real!(0.125), real!(1.25)).unwrap();
        let (a, b, c) = (size(), size(), size());
        match self.rng.below(3).unwrap() {
            0 => Shape::sphere(a),
            1 => Shape::cuboid(Vec3::new(a, b, c)),
            _ => Shape::capsule(a, b),
        }
        .unwrap()
    }

    fn part(&mut self) -> ShapeDef {
        let mut def = ShapeDef::from(self.shape());
        if self.rng.chance(1, 2).unwrap() {
            def = def.at(self.rng.direction()).rotated(self.rotation());
        }
        if self.rng.chance(1, 5).unwrap() {
            def = def.sensor();
        }
        def.filter =
            Filter { layer: self.rng.below(4).unwrap() as u8, group: self.rng.below(3).unwrap() };
        def
    }

    fn spawn(&mut self) {
        let mut def = match self.rng.below(4).unwrap() {
            0 => BodyDef::fixed(),
            1 => BodyDef::kinematic(),
            _ => BodyDef::dynamic(),
        };
        def = def.at(self.place()).rotated(self.rotation());
        for _ in 0..=self.rng.below(3).unwrap() / 2 {
            def = def.shape(self.part());
        }
        if self.rng.chance(1, 3).unwrap() {
            def = def.velocity(self.rng.direction() * real!(6));
        }
        if self.ids.len() > 400 {
            return;
        }
        let stream = self.rng.below(3).unwrap() as u8;
        // Of sensors alone, no dynamic body has a mass.
        def.mass = Some(real!(500));
        self.ids.push(self.world.spawn_in(stream, def).unwrap());
    }

    /// Casts rays at the current tick and at all held ticks.
    pub(crate) fn look(&mut self) {
        let fresh = self.world.clone();
        for _ in 0..8 {
            let (origin, displacement) = self.ray();
            let (filter, wanted) = self.filter();
            let found = self.world.cast_ray(origin, displacement, &filter);
            let context = || format!("{}: {origin:?} + {displacement:?}, {wanted:?}", self.said);
            assert_eq!(found, fresh.cast_ray(origin, displacement, &filter), "{}", context());
            let ray = (origin, displacement);
            if let Err(error) = oracle::check(self.world.bodies(), ray, &wanted, found) {
                panic!("{error}; {}", context());
            }
            self.hits += u32::from(found.is_some());
        }
        let lists = [&self.world, &fresh].map(|world| {
            let mut lines = Vec::new();
            world.debug_lines(&DebugDraw::new(DebugTopic::ALL), |line| lines.push(line));
            lines
        });
        assert!(lists[0] == lists[1], "debug lines after {}", self.said);
        let ticks: Vec<_> = self.copies.keys().copied().collect();
        let chosen = ticks[self.rng.below(ticks.len() as u32).unwrap() as usize];
        self.look_at_lines(chosen);
        for tick in ticks {
            for _ in 0..2 {
                let (origin, displacement) = self.ray();
                let (filter, wanted) = self.filter();
                // A pinned tick before the ring is held, others there are not.
                let Ok(past) = self.world.past(tick) else { continue };
                let found = past.cast_ray(origin, displacement, &filter);
                let context =
                    || format!("past({tick}) after {}: {origin:?} + {displacement:?}", self.said);
                let copy = &self.copies[&tick];
                assert_eq!(found, copy.cast_ray(origin, displacement, &filter), "{}", context());
                let ray = (origin, displacement);
                if let Err(error) = oracle::check(past.bodies(), ray, &wanted, found) {
                    panic!("{error}; {}", context());
                }
                self.hits += u32::from(found.is_some());
            }
        }
    }

    /// Compares the debug lines of a held tick with those of the world at that tick.
    fn look_at_lines(&self, tick: Tick) {
        let Ok(past) = self.world.past(tick) else { return };
        let (draw, mut lists) = (DebugDraw::new(DebugTopic::ALL), [Vec::new(), Vec::new()]);
        past.debug_lines(&draw, |line| lists[0].push(line));
        self.copies[&tick].debug_lines(&draw, |line| lists[1].push(line));
        assert!(lists[0] == lists[1], "debug lines of past({tick}) after {}", self.said);
    }

    /// A ray of any kind, most of them near bodies.
    fn ray(&mut self) -> (Vec3, Vec3) {
        let origin = self.place();
        let target = if self.rng.chance(1, 3).unwrap() {
            self.place()
        } else {
            let id = self.any();
            let center = self.world.body(id).map_or(Vec3::ZERO, |body| body.position());
            center + self.rng.direction() * real!(0.375)
        };
        let toward = target - origin;
        let displacement = match self.rng.below(10).unwrap() {
            0 => Vec3::ZERO,
            1 => Vec3::X * toward.x,
            2 => -Vec3::Y * real!(20),
            3 => toward * real!(0.5),
            4 => toward * real!(100),
            _ => toward * real!(2),
        };
        (origin, displacement)
    }

    fn filter(&mut self) -> (QueryFilter, Wanted) {
        let all = vec![BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic];
        let mut wanted = Wanted {
            layers: u32::MAX,
            kinds: all,
            sensors: self.rng.chance(1, 2).unwrap(),
            excluded: None,
            collider: None,
        };
        let mut filter = QueryFilter::default();
        if wanted.sensors {
            filter = filter.sensors();
        }
        match self.rng.below(8).unwrap() {
            0 => {
                wanted.layers = self.rng.below(16).unwrap();
                filter = filter.layers(wanted.layers);
            }
            1 => {
                wanted.kinds.remove(self.rng.below(3).unwrap() as usize);
                filter = filter.kinds(wanted.kinds.iter().copied());
            }
            2 => {
                let body = self.any();
                wanted.excluded = Some(body);
                filter = filter.exclude(body);
            }
            3 => {
                let (layer, group) = (self.rng.below(4).unwrap() as u8, self.rng.below(3).unwrap());
                let other = Filter { layer, group };
                wanted.collider = Some((other, LAYERS_OF[usize::from(layer)]));
                filter = filter.colliding_with(other).unwrap();
            }
            _ => {}
        }
        (filter, wanted)
    }
}
