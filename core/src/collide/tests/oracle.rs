//! Oracle of the narrow phase, in floats and by other methods: support functions, projections on the fifteen axes, ternary search.
//! Shares no code with the implementation.

use crate::collide::Posed;
use crate::math::{Quat, Real};
use crate::shape::{Geometry, Kind, Shape};

pub(crate) type V = [f64; 3];

/// A shape with its pose, owned.
#[derive(Clone, Copy)]
pub(crate) struct Body {
    pub(crate) shape: Shape,
    pub(crate) center: [i64; 3],
    pub(crate) rotation: [[i32; 3]; 3],
}

/// On one line, because proptest prints a page otherwise.
impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { shape, center, rotation } = self;
        write!(f, "{{ shape: {:?}, center: {center:?}, rotation: {rotation:?} }}", shape.geometry())
    }
}

impl Body {
    pub(crate) fn new(shape: Shape, center: V, rotation: Quat) -> Self {
        let rotation = rotation.to_lanes().map(|row| row.map(crate::math::Lane::to_bits));
        Self { shape, center: center.map(raw), rotation }
    }

    pub(crate) fn posed(&self) -> Posed<'_> {
        Posed::new(&self.shape, self.center, self.rotation)
    }

    pub(crate) fn moved(self, by: V) -> Self {
        let by = by.map(raw);
        Self { center: std::array::from_fn(|k| self.center[k] + by[k]), ..self }
    }

    pub(crate) fn axis(&self, j: usize) -> V {
        std::array::from_fn(|k| f64::from(self.rotation[k][j]) / f64::from(1 << 30))
    }

    /// Converts a vector to this body's frame.
    pub(crate) fn local(&self, v: V) -> V {
        std::array::from_fn(|j| dot(self.axis(j), v))
    }

    /// Support function: extent from the centre along a unit vector. Not for half spaces.
    pub(crate) fn support(&self, n: V) -> f64 {
        match *self.shape.geometry() {
            Geometry::Sphere { radius } => float(radius),
            Geometry::Capsule { half_length, radius } => {
                dot(self.axis(1), n).abs() * float(half_length) + float(radius)
            }
            Geometry::Cuboid { .. } => {
                (0..3).map(|j| dot(self.axis(j), n).abs() * self.half()[j]).sum()
            }
            Geometry::HalfSpace => 0.0,
        }
    }

    pub(crate) fn half(&self) -> V {
        let Geometry::Cuboid { half } = *self.shape.geometry() else { panic!("not a box") };
        half.to_array().map(float)
    }

    /// Signed distance of a point, relative to the centre, from the surface; negative inside.
    pub(crate) fn distance(&self, point: V) -> f64 {
        let local = self.local(point);
        match *self.shape.geometry() {
            Geometry::Sphere { radius } => length(local) - float(radius),
            Geometry::Capsule { half_length, radius } => {
                let h = float(half_length);
                let core = [0.0, local[1].clamp(-h, h), 0.0];
                length(sub(local, core)) - float(radius)
            }
            Geometry::Cuboid { .. } => {
                let beyond: V = std::array::from_fn(|k| local[k].abs() - self.half()[k]);
                let outside = length(beyond.map(|c| c.max(0.0)));
                outside + beyond[0].max(beyond[1]).max(beyond[2]).min(0.0)
            }
            Geometry::HalfSpace => local[1],
        }
    }

    /// The smallest half extent or radius.
    pub(crate) fn thickness(&self) -> f64 {
        match self.shape.geometry() {
            Geometry::HalfSpace => 4096.0,
            _ => float(self.shape.thickness()) / 2.0,
        }
    }

    pub(crate) fn radius(&self) -> f64 {
        self.shape.extent().radius().map_or(0.0, float)
    }
}

/// A shape of a kind, with random sizes.
pub(crate) fn sample(kind: Kind, size: &mut impl FnMut() -> f64) -> Shape {
    match kind {
        Kind::Sphere => super::sphere(size()),
        Kind::Cuboid => super::cuboid([size(), size(), size()]),
        Kind::Capsule => super::capsule(size(), size()),
        Kind::HalfSpace => Shape::HALF_SPACE,
    }
}

/// Separation of two shapes along a unit vector from the first to the second.
pub(crate) fn separation_along(a: &Body, b: &Body, n: V) -> f64 {
    dot(n, delta(a, b)) - a.support(n) - b.support(n)
}

/// The largest separation of two boxes along their fifteen axes.
pub(crate) fn fifteen_axes(a: &Body, b: &Body) -> f64 {
    let mut axes: Vec<V> = (0..3).flat_map(|k| [a.axis(k), b.axis(k)]).collect();
    for i in 0..3 {
        for j in 0..3 {
            let n = cross(a.axis(i), b.axis(j));
            // Parallel edges define no axis.
            if length(n) > 1e-6 {
                axes.push(n.map(|c| c / length(n)));
            }
        }
    }
    let both = axes.into_iter().flat_map(|n| [n, n.map(|c| -c)]);
    both.map(|n| separation_along(a, b, n)).fold(f64::MIN, f64::max)
}

/// Distance between a capsule's core (or a sphere's centre) and the other body's core or box. The distance is convex along a core,
/// so ternary search finds its minimum.
pub(crate) fn core_distance(round: &Body, other: &Body) -> f64 {
    let half = match *round.shape.geometry() {
        Geometry::Capsule { half_length, .. } => float(half_length),
        _ => 0.0,
    };
    let from = delta(other, round);
    let at = |t: f64| {
        let point: V = std::array::from_fn(|k| from[k] + round.axis(1)[k] * t);
        match other.shape.geometry() {
            Geometry::Cuboid { .. } => other.distance(point).max(0.0),
            _ => other.distance(point) + other.thickness(),
        }
    };
    let (mut low, mut high) = (-half, half);
    for _ in 0..200 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(a) <= at(b) { high = b } else { low = a }
    }
    at(low).min(at(high)).min(at(f64::midpoint(low, high)))
}

pub(crate) fn delta(a: &Body, b: &Body) -> V {
    std::array::from_fn(|k| metres(b.center[k] - a.center[k]))
}

pub(crate) fn raw(metres: f64) -> i64 {
    (metres * 2f64.powi(32)).round() as i64
}

pub(crate) fn metres(raw: i64) -> f64 {
    raw as f64 / 2f64.powi(32)
}

pub(crate) fn float(real: Real) -> f64 {
    metres(real.to_bits())
}

pub(crate) fn real(metres: f64) -> Real {
    Real::from_bits(raw(metres))
}

pub(crate) fn unit(n: [i32; 3]) -> V {
    n.map(|c| f64::from(c) / f64::from(1 << 30))
}

pub(crate) fn dot(a: V, b: V) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

pub(crate) fn sub(a: V, b: V) -> V {
    std::array::from_fn(|k| a[k] - b[k])
}

pub(crate) fn length(v: V) -> f64 {
    dot(v, v).sqrt()
}

pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
