//! Shared scenes as plain numbers, with the shapes and positions of the scene library.

use crate::engine::{Form, Placed, Staging};
use isostep_core::world::Command;
use isostep_core::{Real, Vec3};
use isostep_scenes::scenes::rest::{RestScene, Solid};
use isostep_scenes::scenes::{self, Scene};

/// Scenes that other engines support: without spawning, kinematic or sleeping bodies.
pub const SCENES: [&str; 4] = ["pyramid", "stacks", "bin", "arena"];
/// Seed of the scenes.
pub const SEED: u64 = 7;
/// Length of the players' script, ticks.
const SCRIPT_TICKS: u32 = 640;

/// A scene with sleeping disabled; `None` if the name is unknown.
pub fn sleepless(name: &str) -> Option<Scene> {
    let mut scene = scenes::build(name, SEED)?;
    let ids: Vec<_> = scene.world.bodies().map(|(id, _)| id).collect();
    for id in ids {
        // The body exists, so the command is valid.
        let _ = scene.world.command(Command::SetCanSleep(id, false));
    }
    Some(scene)
}

/// A scene as numbers; `None` unless it is one of [`SCENES`].
pub fn stage(name: &str) -> Option<Staging> {
    if !SCENES.contains(&name) {
        return None;
    }
    let mut scene = sleepless(name)?;
    let steered = players(name);
    let bodies = scene.world.bodies().enumerate().map(|(i, (_, body))| {
        let fixed = i < fixed_bodies(name);
        let player = steered.contains(&i);
        let form = match i.checked_sub(fixed_bodies(name)) {
            None => fixed_form(name, i),
            Some(i) => moving_form(name, i, player),
        };
        let place = body.position().to_array().map(Real::to_f32);
        Placed { fixed, player, place, turn: [0.0; 3], form }
    });
    let bodies: Vec<_> = bodies.collect();
    let ticks = if steered.is_empty() { 0 } else { SCRIPT_TICKS };
    let script = (0..ticks).map(|_| steer(&mut scene, &steered)).collect();
    Some(Staging { name: name.to_owned(), bodies, density: 1.0, sleeps: false, script })
}

/// A scene that must come to rest, as numbers.
pub(super) fn stage_rest(scene: &RestScene) -> Staging {
    let floats = |v: Vec3| v.to_array().map(Real::to_f32);
    let bodies = scene.pieces().into_iter().map(|piece| Placed {
        fixed: piece.fixed,
        player: false,
        place: floats(piece.place),
        turn: floats(piece.rotation.to_rotation_vector()),
        form: match piece.solid {
            Solid::Ball(radius) => Form::Ball(radius.to_f32()),
            Solid::Cuboid(half) => Form::Cuboid(floats(half)),
            Solid::Capsule(half, radius) => Form::Capsule(half.to_f32(), radius.to_f32()),
        },
    });
    let bodies = bodies.collect();
    Staging { name: scene.name.to_owned(), bodies, density: 1000.0, sleeps: true, script: vec![] }
}

/// Velocities that the script sets on a tick; independent of the other bodies.
fn steer(scene: &mut Scene, players: &[usize]) -> Vec<[f32; 2]> {
    scene.act();
    let bodies: Vec<_> = scene.world.bodies().map(|(_, body)| body).collect();
    let velocity = |player: &usize| bodies[*player].velocity();
    let steer = players.iter().map(velocity).map(|v| [v.x.to_f32(), v.z.to_f32()]).collect();
    scene.world.step();
    steer
}

/// Number of leading fixed bodies: the ground, and walls if present.
fn fixed_bodies(name: &str) -> usize {
    if matches!(name, "bin" | "arena") { 5 } else { 1 }
}

/// Indices of the players among a scene's bodies.
pub(super) fn players(name: &str) -> Vec<usize> {
    let moving = (0..64).filter(|i| name == "arena" && i % 9 == 0).take(8);
    moving.map(|i| i + fixed_bodies(name)).collect()
}

fn fixed_form(name: &str, i: usize) -> Form {
    let (wall, half_height) = if name == "bin" { (6.5, 20.0) } else { (12.0, 4.0) };
    match i {
        0 => Form::Cuboid([100.0, 1.0, 100.0]),
        1 | 2 => Form::Cuboid([1.0, half_height, wall + 2.0]),
        _ => Form::Cuboid([wall + 2.0, half_height, 1.0]),
    }
}

fn moving_form(name: &str, i: usize, player: bool) -> Form {
    let half = if name == "bin" { 0.4 } else { 0.5 };
    match (name, i % 3) {
        _ if player => Form::Cuboid([0.4, 0.875, 0.4]),
        ("pyramid" | "stacks", _) | (_, 1) => Form::Cuboid([half; 3]),
        (_, 0) => Form::Ball(0.5),
        _ => Form::Capsule(0.3, 0.35),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep_core::world::BodyKind;

    fn volume(form: Form) -> f64 {
        let ball = |r: f32| 4.0 / 3.0 * std::f64::consts::PI * f64::from(r).powi(3);
        match form {
            Form::Ball(r) => ball(r),
            Form::Cuboid(half) => half.iter().map(|h| 2.0 * f64::from(*h)).product(),
            Form::Capsule(half, r) => {
                ball(r) + std::f64::consts::PI * f64::from(r).powi(2) * 2.0 * f64::from(half)
            }
        }
    }

    /// Shapes are listed here, not read from the world; equal masses show that they match.
    #[test]
    fn every_body_has_the_mass_of_our_scene() {
        for name in SCENES {
            let (scene, staging) = (sleepless(name).unwrap(), stage(name).unwrap());
            assert_eq!(scene.world.bodies().count(), staging.bodies.len());
            for ((id, body), placed) in scene.world.bodies().zip(&staging.bodies) {
                assert_eq!(body.kind() == BodyKind::Dynamic, !placed.fixed, "{name} {id}");
                if !placed.fixed {
                    let (own, theirs) = (body.mass().to_f64(), volume(placed.form));
                    assert!((own / theirs - 1.0).abs() < 1e-3, "{name} {id}: {own} and {theirs}");
                }
            }
        }
    }

    #[test]
    fn only_the_arena_has_players_and_they_change_direction() {
        let arena = stage("arena").unwrap();
        assert_eq!(arena.bodies.iter().filter(|body| body.player).count(), 8);
        assert!(arena.script[0] != arena.script[60]);
        assert!(stage("bin").unwrap().script.is_empty());
        assert!(stage("storm").is_none());
    }
}
