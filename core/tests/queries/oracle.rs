//! Ray casts by brute force in `f64`, over all bodies of a public view. Shares no geometry with the crate.
//!
//! A hit is bracketed: a shape that is grown by [`GROWTH`] is hit no later than the shape itself, a shrunk one no earlier. So
//! grazing rays need no tolerance of their own.

#![allow(clippy::disallowed_types, reason = "an oracle in floats")]

use isostep_core::shape::{Geometry, Shape};
use isostep_core::world::{Body, BodyId, BodyKind, Filter, RayHit, ShapeDef};
use isostep_core::{Quat, Real, Transform, Vec3};

type V = [f64; 3];

/// Metres. More than the rounding of poses and of the oracle, for scenes within a kilometre of the origin.
const GROWTH: f64 = 1e-5;

/// A filter in the oracle's own form.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) layers: u32,
    pub(crate) kinds: Vec<BodyKind>,
    pub(crate) sensors: bool,
    pub(crate) excluded: Option<BodyId>,
    /// A filter, and the layers that collide with its layer.
    pub(crate) collider: Option<(Filter, u32)>,
}

impl Wanted {
    fn admits(&self, id: BodyId, body: &Body<'_>, shape: &ShapeDef) -> bool {
        let bit = |mask: u32| mask & (1 << shape.filter.layer) != 0;
        let collides = match self.collider {
            None => true,
            Some((filter, layers)) => {
                bit(layers) && !(filter.group != 0 && filter.group == shape.filter.group)
            }
        };
        body.is_enabled()
            && bit(self.layers)
            && collides
            && self.kinds.contains(&body.kind())
            && (self.sensors || !shape.sensor)
            && self.excluded != Some(id)
    }
}

/// Compares the result of a ray cast with all shapes of a view.
pub(crate) fn check<'a>(
    bodies: impl Iterator<Item = (BodyId, Body<'a>)>,
    (origin, displacement): (Vec3, Vec3),
    wanted: &Wanted,
    found: Option<RayHit>,
) -> Result<(), String> {
    let (from, along) = (floats(origin), floats(displacement));
    let length = dot(along, along).sqrt();
    // Resolution of fractions, and of the conversion to floats.
    let slack = 1e-9 + GROWTH / length.max(1e-3);
    let mut seen = false;
    for (id, body) in bodies {
        for (number, shape) in body.shapes() {
            if !wanted.admits(id, &body, &shape) {
                continue;
            }
            let placed = Placed::new(body.pose(), &shape);
            let latest = placed.enter(from, along, -GROWTH);
            let Some(found) = found else {
                if let Some(at) = latest {
                    return Err(format!("missed {id} shape {number} at {at}"));
                }
                continue;
            };
            let fraction = found.fraction.to_f64();
            if let Some(at) = latest.filter(|at| *at < fraction - slack) {
                return Err(format!("{id} shape {number} is hit at {at}, before {found:?}"));
            }
            if (id, number) != (found.body, found.shape) {
                continue;
            }
            seen = true;
            let earliest = placed.enter(from, along, GROWTH);
            if !earliest.is_some_and(|at| at <= fraction + slack) {
                return Err(format!("{found:?} is early: {earliest:?}"));
            }
            placed.check_surface(from, along, &found)?;
        }
    }
    match found {
        Some(found) if !seen => Err(format!("{found:?} is not admitted or does not exist")),
        _ => Ok(()),
    }
}

/// A shape in world space.
struct Placed {
    shape: Shape,
    at: V,
    rotation: [f64; 4],
}

impl Placed {
    fn new(body: Transform, shape: &ShapeDef) -> Self {
        let outer = quaternion(body.rotation);
        let offset = rotate(outer, floats(shape.pose.translation));
        let at = add(floats(body.translation), offset);
        Self { shape: shape.shape, at, rotation: multiply(outer, quaternion(shape.pose.rotation)) }
    }

    fn local(&self, v: V) -> V {
        let [w, x, y, z] = self.rotation;
        rotate([w, -x, -y, -z], v)
    }

    /// Least fraction at which a segment is in the shape, grown by some length.
    fn enter(&self, from: V, along: V, growth: f64) -> Option<f64> {
        let (o, d) = (self.local(sub(from, self.at)), self.local(along));
        let span = match *self.shape.geometry() {
            Geometry::Sphere { radius } => ball(o, d, radius.to_f64() + growth),
            Geometry::Cuboid { half } => slabs(o, d, floats(half).map(|half| half + growth)),
            Geometry::Capsule { half_length, radius } => {
                let (h, r) = (half_length.to_f64(), radius.to_f64() + growth);
                let ends = [h, -h].map(|y| ball(sub(o, [0.0, y, 0.0]), d, r));
                let middle = tube(o, d, r).and_then(|a| common(a, slab(o[1], d[1], h)?));
                // Convex: the first part that is entered is where the whole is entered.
                ends.into_iter()
                    .chain([middle])
                    .flatten()
                    .filter_map(within)
                    .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            }
            Geometry::HalfSpace => below(o[1] - growth, d[1]),
            ref other => panic!("the oracle does not know {other:?}"),
        };
        within(span?).map(|span| span.0)
    }

    /// Distance of a point from the surface; negative inside.
    fn distance(&self, point: V) -> f64 {
        let p = self.local(sub(point, self.at));
        match *self.shape.geometry() {
            Geometry::Sphere { radius } => dot(p, p).sqrt() - radius.to_f64(),
            Geometry::Cuboid { half } => {
                let half = floats(half);
                let over = [0, 1, 2].map(|i| p[i].abs() - half[i]);
                let outside = over.map(|over| over.max(0.0));
                dot(outside, outside).sqrt() + over.into_iter().fold(f64::MIN, f64::max).min(0.0)
            }
            Geometry::Capsule { half_length, radius } => {
                let h = half_length.to_f64();
                let q = [p[0], p[1] - p[1].clamp(-h, h), p[2]];
                dot(q, q).sqrt() - radius.to_f64()
            }
            Geometry::HalfSpace => p[1],
            ref other => panic!("the oracle does not know {other:?}"),
        }
    }

    /// The point of a hit is on the surface, and the normal points away from it.
    fn check_surface(&self, from: V, along: V, hit: &RayHit) -> Result<(), String> {
        let (point, normal) = (floats(hit.point), floats(hit.normal));
        let expected = add(from, along.map(|part| part * hit.fraction.to_f64()));
        let off = sub(point, expected);
        if dot(off, off).sqrt() > 1e-6 {
            return Err(format!("{hit:?} is not at {expected:?}"));
        }
        // A grazing ray may be inside by the growth along a longer part.
        let tolerance = 1e-4 + dot(along, along).sqrt() * 1e-9;
        if hit.normal.is_zero() {
            let inside = hit.fraction.to_bits() == 0 && self.distance(from) < GROWTH;
            return if inside { Ok(()) } else { Err(format!("{hit:?} has no normal")) };
        }
        let distance = self.distance(point);
        if distance.abs() > tolerance {
            return Err(format!("the point of {hit:?} is {distance} m from the surface"));
        }
        if (dot(normal, normal).sqrt() - 1.0).abs() > 1e-6 {
            return Err(format!("the normal of {hit:?} is not a unit vector"));
        }
        let away = self.distance(add(point, normal.map(|part| part * 0.01)));
        if (away - distance - 0.01).abs() > tolerance {
            return Err(format!("the normal of {hit:?} does not point away: {away} m"));
        }
        Ok(())
    }
}

type Span = (f64, f64);

fn common(a: Span, b: Span) -> Option<Span> {
    let both = (a.0.max(b.0), a.1.min(b.1));
    (both.0 <= both.1).then_some(both)
}

/// The part of a span on the segment.
fn within(span: Span) -> Option<Span> {
    common(span, (0.0, 1.0))
}

fn slab(o: f64, d: f64, half: f64) -> Option<Span> {
    if d == 0.0 {
        return (o.abs() <= half).then_some((f64::MIN, f64::MAX));
    }
    let ends = [(-half - o) / d, (half - o) / d];
    Some((ends[0].min(ends[1]), ends[0].max(ends[1])))
}

fn slabs(o: V, d: V, half: V) -> Option<Span> {
    let [x, y, z] = [0, 1, 2].map(|axis| slab(o[axis], d[axis], half[axis]));
    common(common(x?, y?)?, z?)
}

fn below(o: f64, d: f64) -> Option<Span> {
    if d == 0.0 {
        return (o <= 0.0).then_some((f64::MIN, f64::MAX));
    }
    let crossed = -o / d;
    Some(if d < 0.0 { (crossed, f64::MAX) } else { (f64::MIN, crossed) })
}

fn ball(o: V, d: V, radius: f64) -> Option<Span> {
    quadratic(dot(d, d), dot(o, d), dot(o, o) - radius * radius)
}

fn tube(o: V, d: V, radius: f64) -> Option<Span> {
    let flat = |v: V| [v[0], 0.0, v[2]];
    ball(flat(o), flat(d), radius)
}

/// The span with a·t² + 2·b·t + c ≤ 0.
fn quadratic(a: f64, b: f64, c: f64) -> Option<Span> {
    if a == 0.0 {
        return (c <= 0.0).then_some((f64::MIN, f64::MAX));
    }
    let inside = b * b - a * c;
    (inside >= 0.0).then(|| ((-b - inside.sqrt()) / a, (-b + inside.sqrt()) / a))
}

fn floats(v: Vec3) -> V {
    v.to_array().map(Real::to_f64)
}

fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// w, x, y, z, of unit length.
fn quaternion(q: Quat) -> [f64; 4] {
    let [x, y, z, w] = q.to_xyzw().map(Real::to_f64);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    [w, x, y, z].map(|part| part / length)
}

fn rotate([w, x, y, z]: [f64; 4], v: V) -> V {
    let axis = [x, y, z];
    let once = cross(axis, v).map(|part| 2.0 * part);
    add(add(v, once.map(|part| w * part)), cross(axis, once))
}

fn multiply([w, x, y, z]: [f64; 4], [t, u, v, s]: [f64; 4]) -> [f64; 4] {
    let (a, b) = ([x, y, z], [u, v, s]);
    let [i, j, k] = add(add(b.map(|part| w * part), a.map(|part| t * part)), cross(a, b));
    [w * t - dot(a, b), i, j, k]
}
