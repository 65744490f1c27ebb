//! The same scenes in Rapier, for benches that stand beside it.

use isostep_core::world::Command;
use isostep_determinism_tests::scenes::{self, Scene};
use rapier3d::prelude::*;

/// The seed of the scenes.
pub(crate) const SEED: u64 = 7;
/// For how many ticks players have a script.
const SCRIPT_TICKS: u32 = 360;

/// A scene in which nothing sleeps.
pub(crate) fn sleepless(name: &str) -> Scene {
    let mut scene = scenes::build(name, SEED).expect("a scene of the list");
    let ids: Vec<_> = scene.world.bodies().map(|(id, _)| id).collect();
    for id in ids {
        scene.world.command(Command::SetMaySleep(id, false)).expect("it is alive");
    }
    scene
}

/// The velocities (x and z) that a scene's script gives its players, by tick; they don't depend on the bodies.
pub(crate) struct Script(Vec<Vec<[f32; 2]>>);

impl Script {
    pub(crate) fn of(name: &str) -> Self {
        let mut scene = sleepless(name);
        let players = players(name);
        Self(
            (0..SCRIPT_TICKS)
                .map(|_| {
                    scene.act();
                    let bodies: Vec<_> = scene.world.bodies().map(|(_, body)| body).collect();
                    let steer = players.iter().map(|player| {
                        let v = bodies[*player].velocity();
                        [v.x.to_f32(), v.z.to_f32()]
                    });
                    let steer = steer.collect();
                    scene.world.step();
                    steer
                })
                .collect(),
        )
    }
}

/// How many of a scene's first bodies are fixed: the ground, and walls if it has some.
fn fixed_bodies(name: &str) -> usize {
    if matches!(name, "bin" | "arena") { 5 } else { 1 }
}

/// Places of the players among a scene's bodies.
fn players(name: &str) -> Vec<usize> {
    let moving = (0..64).filter(|i| name == "arena" && i % 9 == 0).take(8);
    moving.map(|i| i + fixed_bodies(name)).collect()
}

/// A scene in Rapier.
pub(crate) struct Rapier {
    pub(crate) world: PhysicsWorld,
    players: Vec<RigidBodyHandle>,
}

impl Rapier {
    /// The bodies of our scene, shape by shape as the scene library has them, at the very places.
    pub(crate) fn like(name: &str, scene: &Scene) -> Self {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, -9.81, 0.0);
        world.integration_parameters.dt = 1.0 / 60.0;
        world.physics_pipeline.counters.enable();
        let steered = players(name);
        let mut players = Vec::new();
        for (i, (_, body)) in scene.world.bodies().enumerate() {
            let [x, y, z] = body.position().to_array().map(isostep_core::Real::to_f32);
            let fixed = i < fixed_bodies(name);
            let player = steered.contains(&i);
            let collider = if fixed {
                fixed_shape(name, i)
            } else {
                moving_shape(name, i - fixed_bodies(name), player)
            };
            let builder =
                if fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
            let mut builder = builder.translation(Vector::new(x, y, z)).can_sleep(false);
            if player {
                builder = builder.lock_rotations();
            }
            let (handle, _) = world.insert(builder, collider.friction(0.6).density(1.0));
            if player {
                players.push(handle);
            }
        }
        Self { world, players }
    }

    pub(crate) fn act(&mut self, script: &Script, tick: u32) {
        for (player, [x, z]) in self.players.iter().zip(&script.0[tick as usize]) {
            let body = &mut self.world.bodies[*player];
            let y = body.linvel().y;
            body.set_linvel(Vector::new(*x, y, *z), true);
        }
    }
}

fn fixed_shape(name: &str, i: usize) -> ColliderBuilder {
    let (wall, half_height) = if name == "bin" { (6.5, 20.0) } else { (12.0, 4.0) };
    match i {
        0 => ColliderBuilder::cuboid(100.0, 1.0, 100.0),
        1 | 2 => ColliderBuilder::cuboid(1.0, half_height, wall + 2.0),
        _ => ColliderBuilder::cuboid(wall + 2.0, half_height, 1.0),
    }
}

fn moving_shape(name: &str, i: usize, player: bool) -> ColliderBuilder {
    let half = if name == "bin" { 0.4 } else { 0.5 };
    match (name, i % 3) {
        _ if player => ColliderBuilder::cuboid(0.4, 0.875, 0.4),
        ("pyramid" | "stacks", _) | (_, 1) => ColliderBuilder::cuboid(half, half, half),
        (_, 0) => ColliderBuilder::ball(0.5),
        _ => ColliderBuilder::capsule_y(0.3, 0.35),
    }
}
