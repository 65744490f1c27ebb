//! Geometry in floats, independent of the engine: signed separation of two shapes with their poses.

use isostep_core::shape::{Geometry, Shape};
use isostep_core::{Real, Transform, Vec3};

type V = [f64; 3];

fn float(v: Vec3) -> V {
    v.to_array().map(Real::to_f64)
}

fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn scale(a: V, by: f64) -> V {
    a.map(|c| c * by)
}

fn sub(a: V, b: V) -> V {
    add(a, scale(b, -1.0))
}

fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}

/// A pose in floats: the images of the three axes, and the translation.
#[derive(Clone, Copy)]
pub(crate) struct Pose {
    axes: [V; 3],
    at: V,
}

impl Pose {
    pub(crate) fn new(pose: &Transform) -> Self {
        let [x, y, z, w] = pose.rotation.to_bits().map(|c| f64::from(c) / f64::from(1 << 30));
        let axes = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
            [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
            [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        Self { axes, at: float(pose.translation) }
    }

    fn turn(&self, v: V) -> V {
        (0..3).fold([0.0; 3], |sum, i| add(sum, scale(self.axes[i], v[i])))
    }

    /// The pose of something whose pose in this frame is `local`.
    pub(crate) fn then(&self, local: &Self) -> Self {
        Self { axes: local.axes.map(|axis| self.turn(axis)), at: add(self.at, self.turn(local.at)) }
    }
}

/// A shape with its pose: a core, and a radius around it.
#[derive(Clone, Copy)]
pub(crate) struct Solid {
    core: Core,
    radius: f64,
    /// Centre and radius of a ball around it; infinite for a plane.
    ball: (V, f64),
}

#[derive(Clone, Copy)]
enum Core {
    Segment(V, V),
    Cuboid { pose: Pose, half: V },
    Plane { at: V, normal: V },
}

impl Solid {
    pub(crate) fn new(shape: &Shape, pose: Pose) -> Self {
        let (core, radius) = match *shape.geometry() {
            Geometry::Sphere { radius } => (Core::Segment(pose.at, pose.at), radius.to_f64()),
            Geometry::Capsule { half_length, radius } => {
                let along = scale(pose.axes[1], half_length.to_f64());
                (Core::Segment(sub(pose.at, along), add(pose.at, along)), radius.to_f64())
            }
            Geometry::Cuboid { half } => (Core::Cuboid { pose, half: float(half) }, 0.0),
            Geometry::HalfSpace => (Core::Plane { at: pose.at, normal: pose.axes[1] }, 0.0),
            ref other => panic!("no geometry for {other:?}"),
        };
        let extent = match core {
            Core::Segment(a, b) => length(sub(a, b)) / 2.0 + radius,
            Core::Cuboid { half, .. } => length(half),
            Core::Plane { .. } => f64::INFINITY,
        };
        Self { core, radius, ball: (pose.at, extent) }
    }

    /// True for boxes: two of them may overlap by some millimetres along their edges before they have a contact point.
    pub(crate) const fn is_cuboid(&self) -> bool {
        matches!(self.core, Core::Cuboid { .. })
    }

    /// Least coordinate along a direction.
    fn least(&self, along: V) -> f64 {
        match self.core {
            Core::Segment(a, b) => dot(a, along).min(dot(b, along)) - self.radius,
            Core::Cuboid { pose, half } => {
                let extent: f64 = (0..3).map(|i| dot(pose.axes[i], along).abs() * half[i]).sum();
                dot(pose.at, along) - extent
            }
            Core::Plane { .. } => f64::NEG_INFINITY,
        }
    }
}

/// Distance of two shapes, or a lower bound of it; below zero if they overlap. Two boxes: the largest separation along an axis.
pub(crate) fn separation(a: &Solid, b: &Solid) -> f64 {
    let radii = a.radius + b.radius;
    let apart = length(sub(a.ball.0, b.ball.0)) - a.ball.1 - b.ball.1;
    if apart > 0.1 {
        return apart;
    }
    match (a.core, b.core) {
        (Core::Plane { .. }, Core::Plane { .. }) => f64::INFINITY,
        (Core::Plane { at, normal }, _) => b.least(normal) - dot(at, normal),
        (_, Core::Plane { .. }) | (Core::Segment(..), Core::Cuboid { .. }) => separation(b, a),
        (Core::Segment(p, q), Core::Segment(r, s)) => {
            let along = |from: V, to: V, t: f64| add(from, scale(sub(to, from), t));
            let distance = least(|t| least(|u| length(sub(along(p, q, t), along(r, s, u)))));
            distance - radii
        }
        (Core::Cuboid { pose, half }, Core::Segment(p, q)) => {
            let distance = least(|t| {
                let from = sub(add(p, scale(sub(q, p), t)), pose.at);
                let beyond = |i: usize| (dot(from, pose.axes[i]).abs() - half[i]).max(0.0);
                length([beyond(0), beyond(1), beyond(2)])
            });
            distance - radii
        }
        (Core::Cuboid { pose, .. }, Core::Cuboid { pose: other, .. }) => {
            let faces = pose.axes.into_iter().chain(other.axes);
            let edges = (0..9).map(|i| cross(pose.axes[i / 3], other.axes[i % 3]));
            let axes = faces.chain(edges.filter(|edge| length(*edge) > 1e-6));
            let apart = |axis: V| {
                let axis = scale(axis, 1.0 / length(axis));
                let back = scale(axis, -1.0);
                (a.least(axis) + b.least(back)).max(b.least(axis) + a.least(back))
            };
            axes.map(apart).fold(f64::NEG_INFINITY, f64::max)
        }
    }
}

/// Least value of a convex function on [0, 1].
fn least(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..48 {
        let (a, b) = (low + (high - low) * 0.4, low + (high - low) * 0.6);
        if f(a) < f(b) { high = b } else { low = a }
    }
    f(f64::midpoint(low, high)).min(f(0.0)).min(f(1.0))
}
