//! Scenes in Rapier. This file is also part of `benches/peers`, which builds Rapier with other
//! features, so it depends on Rapier and `isostep_bench` only.

use isostep_bench::engine::{Engine, Form, Observation, Placed, Staging};
use isostep_bench::micros;
use rapier3d::parry::query::contact;
use rapier3d::prelude::*;

/// State that a game must save for a rollback.
type Kept = (
    IslandManager,
    BroadPhaseBvh,
    NarrowPhase,
    RigidBodySet,
    ColliderSet,
    ImpulseJointSet,
    MultibodyJointSet,
);

/// Held ticks.
const HELD: usize = 16;

/// A scene in Rapier, with its defaults except for the scene's parameters.
pub struct Rapier {
    name: String,
    /// The world.
    pub world: PhysicsWorld,
    players: Vec<RigidBodyHandle>,
    /// Moving bodies that no script drives.
    loose: Vec<RigidBodyHandle>,
    script: Vec<Vec<[f32; 2]>>,
    tick: usize,
    kept: Option<(usize, Kept)>,
    /// Last ticks of a rollback.
    ring: Vec<Option<Kept>>,
    bytes: Vec<u8>,
}

impl Rapier {
    /// Creates an empty world with this name.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            world: PhysicsWorld::new(),
            players: Vec::new(),
            loose: Vec::new(),
            script: Vec::new(),
            tick: 0,
            kept: None,
            ring: (0..HELD).map(|_| None).collect(),
            bytes: Vec::new(),
        }
    }

    /// Runs the script for this tick; call the world's `step` next.
    pub fn act(&mut self) {
        let row = self.tick.checked_rem(self.script.len()).map(|at| &self.script[at]);
        for (player, [x, z]) in self.players.iter().zip(row.into_iter().flatten()) {
            let body = &mut self.world.bodies[*player];
            let y = body.linvel().y;
            body.set_linvel(Vector::new(*x, y, *z), true);
        }
        self.tick += 1;
    }

    /// Copies the state that a game must save.
    pub fn keep(&self) -> impl Sized + use<> {
        self.copy()
    }

    fn copy(&self) -> Kept {
        let world = &self.world;
        (
            world.islands.clone(),
            world.broad_phase.clone(),
            world.narrow_phase.clone(),
            world.bodies.clone(),
            world.colliders.clone(),
            world.impulse_joints.clone(),
            world.multibody_joints.clone(),
        )
    }

    /// Deepest overlap of the current poses. Rapier's manifolds can't be used: those of resting
    /// pairs are cached with old distances.
    fn deepest(&self) -> f32 {
        let overlap = |pair: &ContactPair| {
            let colliders = &self.world.colliders;
            let [a, b] = [colliders.get(pair.collider1)?, colliders.get(pair.collider2)?];
            let found = contact(a.position(), a.shape(), b.position(), b.shape(), 0.0);
            Some(-found.ok()??.dist)
        };
        self.world.narrow_phase.contact_pairs().filter_map(overlap).fold(0.0, f32::max)
    }

    fn put(&mut self, kept: Kept) {
        let world = &mut self.world;
        (
            world.islands,
            world.broad_phase,
            world.narrow_phase,
            world.bodies,
            world.colliders,
            world.impulse_joints,
            world.multibody_joints,
        ) = kept;
    }
}

impl Engine for Rapier {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn load(&mut self, staging: &Staging) {
        *self = Self::new(&self.name);
        self.world.gravity = Vector::new(0.0, -9.81, 0.0);
        self.world.integration_parameters.dt = 1.0 / 60.0;
        self.script.clone_from(&staging.script);
        for placed in &staging.bodies {
            let collider = collider(placed.form).density(staging.density);
            let (handle, _) = self.world.insert(body(placed).can_sleep(staging.sleeps), collider);
            match placed {
                Placed { fixed: true, .. } => (),
                Placed { player: true, .. } => self.players.push(handle),
                _ => self.loose.push(handle),
            }
        }
    }

    fn step(&mut self, ticks: u32) -> f64 {
        let tick = |_| {
            self.act();
            micros(|| self.world.step())
        };
        (0..ticks).map(tick).sum()
    }

    fn settle(&mut self, ticks: u32) -> (u32, bool) {
        for step in 1..=ticks {
            self.act();
            self.world.step();
            if self.loose.iter().all(|handle| self.world.bodies[*handle].is_sleeping()) {
                return (step, true);
            }
        }
        (ticks, false)
    }

    fn save(&mut self) -> f64 {
        let mut kept = None;
        let time = micros(|| kept = Some(self.copy()));
        self.kept = kept.map(|kept| (self.tick, kept));
        time
    }

    fn restore(&mut self) -> f64 {
        let Some((tick, kept)) = self.kept.take() else { return f64::INFINITY };
        let time = micros(|| self.put(kept.clone()));
        self.tick = tick;
        self.kept = Some((tick, kept));
        time
    }

    fn rollback(&mut self, depth: u32) -> f64 {
        let (tick, kept) = (self.tick, self.copy());
        self.step(depth);
        self.tick = tick;
        micros(|| {
            self.put(kept.clone());
            for slot in 0..depth as usize {
                self.act();
                self.world.step();
                let copy = self.copy();
                self.ring[slot % HELD] = Some(copy);
            }
        })
    }

    fn encode(&mut self) -> Option<(f64, usize)> {
        let world = &self.world;
        let state = (
            &world.islands,
            &world.broad_phase,
            &world.narrow_phase,
            &world.bodies,
            &world.colliders,
            &world.impulse_joints,
            &world.multibody_joints,
        );
        let mut bytes = Vec::new();
        let mut written = Ok(());
        let time = micros(|| written = bincode::serialize_into(&mut bytes, &state));
        written.ok()?;
        self.bytes = bytes;
        Some((time, self.bytes.len()))
    }

    fn decode(&mut self) -> Option<f64> {
        let mut kept: Option<Kept> = None;
        let time = micros(|| kept = bincode::deserialize(&self.bytes).ok());
        kept.is_some().then_some(time)
    }

    fn observe(&mut self) -> Observation {
        let deepest = f64::from(self.deepest());
        let (mut places, mut turns, mut speeds) = (Vec::new(), Vec::new(), Vec::new());
        for handle in &self.loose {
            let body = &self.world.bodies[*handle];
            let turn = body.rotation();
            turns.push([turn.x, turn.y, turn.z, turn.w].map(f64::from));
            let (place, velocity) = (body.translation(), body.linvel());
            places.push([place.x, place.y, place.z].map(f64::from));
            let squares = [velocity.x, velocity.y, velocity.z].map(|v| f64::from(v).powi(2));
            speeds.push(squares.iter().sum::<f64>().sqrt());
        }
        Observation { deepest, places, turns, speeds }
    }
}

fn body(placed: &Placed) -> RigidBodyBuilder {
    let [x, y, z] = placed.place;
    let builder =
        if placed.fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
    let [u, v, w] = placed.turn;
    let builder = builder.translation(Vector::new(x, y, z)).rotation(Vector::new(u, v, w));
    if placed.player { builder.lock_rotations() } else { builder }
}

fn collider(form: Form) -> ColliderBuilder {
    let builder = match form {
        Form::Ball(radius) => ColliderBuilder::ball(radius),
        Form::Cuboid([x, y, z]) => ColliderBuilder::cuboid(x, y, z),
        Form::Capsule(half, radius) => ColliderBuilder::capsule_y(half, radius),
    };
    builder.friction(0.6)
}
