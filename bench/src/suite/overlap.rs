//! Overlaps of solids in floats, computed from poses alone, so that all engines are measured alike: separating axes for boxes, distances
//! between cores for balls and capsules.

use crate::engine::{Form, Observation, Staging};
use isostep_scenes::floats::{V, cross, dot, sub};

fn along(from: V, direction: V, length: f64) -> V {
    [0, 1, 2].map(|i| from[i] + direction[i] * length)
}

fn length(v: V) -> f64 {
    dot(v, v).sqrt()
}

/// Points along the core of a capsule that are tested against a box.
const SAMPLES: i32 = 32;

/// A solid in the world. A ball is a capsule of length 0.
struct Posed {
    center: V,
    axes: [V; 3],
    solid: Solid,
    /// Radius about the centre.
    bound: f64,
}

#[derive(Clone, Copy)]
enum Solid {
    Box(V),
    Capsule { half: f64, radius: f64 },
}

impl Posed {
    fn new(form: Form, center: V, turn: [f64; 4]) -> Self {
        let solid = match form {
            Form::Ball(radius) => Solid::Capsule { half: 0.0, radius: radius.into() },
            Form::Cuboid(half) => Solid::Box(half.map(f64::from)),
            Form::Capsule(half, radius) => {
                Solid::Capsule { half: half.into(), radius: radius.into() }
            }
        };
        let bound = match solid {
            Solid::Box(half) => length(half),
            Solid::Capsule { half, radius } => half + radius,
        };
        Self { center, axes: axes(turn), solid, bound }
    }

    /// Distance of a point from a box, negative inside.
    fn distance(&self, half: V, point: V) -> f64 {
        let off = sub(point, self.center);
        let beyond = [0, 1, 2].map(|i: usize| dot(off, self.axes[i]).abs() - half[i]);
        let outside = beyond.map(|c| c.max(0.0));
        length(outside) + beyond.into_iter().fold(f64::MIN, f64::max).min(0.0)
    }
}

/// Images of the unit vectors under a unit quaternion.
fn axes([x, y, z, w]: [f64; 4]) -> [V; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Quaternion of a rotation vector.
pub(super) fn quaternion(vector: [f32; 3]) -> [f64; 4] {
    let vector = vector.map(f64::from);
    let angle = length(vector);
    let scale = if angle > 0.0 { (angle / 2.0).sin() / angle } else { 0.5 };
    [vector[0] * scale, vector[1] * scale, vector[2] * scale, (angle / 2.0).cos()]
}

/// Depth by which two solids overlap; negative or zero if they don't.
fn depth(a: &Posed, b: &Posed) -> f64 {
    match (a.solid, b.solid) {
        (Solid::Box(first), Solid::Box(second)) => {
            let reach = |of: &Posed, half: V, axis: V| -> f64 {
                (0..3).map(|i| half[i] * dot(of.axes[i], axis).abs()).sum()
            };
            let off = sub(b.center, a.center);
            let on = |axis: V| {
                let size = length(axis);
                let axis = axis.map(|c| c / size);
                let overlap = reach(a, first, axis) + reach(b, second, axis) - dot(off, axis).abs();
                // Axes of nearly parallel edges have no direction.
                if size > 1e-6 { overlap } else { f64::MAX }
            };
            let faces = a.axes.into_iter().chain(b.axes);
            let edges = a.axes.into_iter().flat_map(|u| b.axes.map(|v| cross(u, v)));
            let mut least = f64::MAX;
            for axis in faces.chain(edges) {
                least = least.min(on(axis));
                if least < 0.0 {
                    break;
                }
            }
            least
        }
        (Solid::Box(half), Solid::Capsule { half: core, radius }) => {
            let samples = if core > 0.0 { SAMPLES } else { 0 };
            let point = |i: i32| {
                along(b.center, b.axes[1], core * f64::from(i) / f64::from(samples.max(1)))
            };
            let distances = (-samples..=samples).map(|i| a.distance(half, point(i)));
            radius - distances.fold(f64::MAX, f64::min)
        }
        (Solid::Capsule { .. }, Solid::Box(_)) => depth(b, a),
        (Solid::Capsule { half: first, radius: r }, Solid::Capsule { half: second, radius: s }) => {
            r + s - between_segments((a.center, a.axes[1], first), (b.center, b.axes[1], second))
        }
    }
}

/// Distance between two segments: centre, unit direction, half length.
fn between_segments((p, u, a): (V, V, f64), (q, v, b): (V, V, f64)) -> f64 {
    let (off, cosine) = (sub(q, p), dot(u, v));
    let (along_u, along_v) = (dot(off, u), dot(off, v));
    let sine_squared = 1.0 - cosine * cosine;
    let s = if sine_squared > 1e-12 { (along_u - cosine * along_v) / sine_squared } else { 0.0 };
    let s = s.clamp(-a, a);
    let t = (s * cosine - along_v).clamp(-b, b);
    let s = (t * cosine + along_u).clamp(-a, a);
    length(sub(along(q, v, t), along(p, u, s)))
}

/// Deepest overlap of any two bodies of a scene, metres, if its moving bodies have these poses.
pub(super) fn deepest(staging: &Staging, seen: &Observation) -> f64 {
    let mut moving = seen.places.iter().zip(&seen.turns);
    let mut bodies: Vec<(bool, Posed)> = Vec::with_capacity(staging.bodies.len());
    for body in &staging.bodies {
        if body.fixed {
            let (place, turn) = (body.place.map(f64::from), quaternion(body.turn));
            bodies.push((true, Posed::new(body.form, place, turn)));
        } else if let Some((place, turn)) = moving.next() {
            bodies.push((false, Posed::new(body.form, *place, *turn)));
        }
    }
    let mut deepest = 0.0f64;
    for (i, (fixed, a)) in bodies.iter().enumerate() {
        for (still, b) in &bodies[i + 1..] {
            let (off, reach) = (sub(a.center, b.center), a.bound + b.bound);
            if !(*fixed && *still) && dot(off, off) < reach * reach {
                deepest = deepest.max(depth(a, b));
            }
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posed(form: Form, center: V, turn: [f32; 3]) -> Posed {
        Posed::new(form, center, quaternion(turn))
    }

    #[track_caller]
    fn assert_depth(a: &Posed, b: &Posed, expected: f64) {
        for found in [depth(a, b), depth(b, a)] {
            assert!((found - expected).abs() < 1e-4, "{found} instead of {expected}");
        }
    }

    #[test]
    fn depths_are_those_of_geometry() {
        let unit = posed(Form::Cuboid([0.5; 3]), [0.0; 3], [0.0; 3]);
        let turned = [0.0, std::f32::consts::FRAC_PI_4, 0.0];
        let edge = posed(Form::Cuboid([0.5; 3]), [1.1, 0.0, 0.0], turned);
        assert_depth(&unit, &edge, 0.5 + 0.5f64.sqrt() - 1.1);
        let ball = posed(Form::Ball(0.5), [0.0, 0.9, 0.0], [0.0; 3]);
        assert_depth(&unit, &ball, 0.1);
        let quarter = std::f32::consts::FRAC_PI_2;
        let lying = posed(Form::Capsule(1.0, 0.2), [0.0, 0.6, 0.0], [0.0, 0.0, quarter]);
        assert_depth(&unit, &lying, 0.1);
        let upright = posed(Form::Capsule(1.0, 0.2), [1.3, 0.5, 0.0], [0.0; 3]);
        assert_depth(&lying, &upright, 0.4 - 0.3);
        let apart = posed(Form::Capsule(1.0, 0.2), [0.0, 0.9, 0.0], [quarter, 0.0, 0.0]);
        assert_depth(&lying, &apart, 0.4 - 0.3);
        let far = posed(Form::Cuboid([0.5; 3]), [3.0, 0.0, 0.0], turned);
        assert!(depth(&unit, &far) < 0.0);
    }
}
