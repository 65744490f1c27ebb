//! Narrow phase: from two posed shapes to a manifold of a normal and at most four points. Pure functions, without bodies
//! or ids.
//!
//! Coordinates are relative to the first shape, so the result does not depend on the position in the world. Round shapes and
//! half spaces are computed in Q32.32 with wide products, two boxes in 32 bits with an exponent that fits the pair (`pairs/cuboid.rs`).

mod clip;
mod crop;
mod frame;
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "shapes that need it follow; tests compare it with oracles")
)]
mod gjk;
mod pairs;
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "shapes that need it follow; tests compare it with oracles")
)]
mod polyhedra;
mod reduce;
mod sat;
mod scale;

#[cfg(test)]
pub(crate) mod tests;

use crate::data::FixedVec;
use crate::math::length_squared;
use crate::shape::{Extent, MAX_SIZE, Shape};
use frame::{Raw, Rotation, Unit};
use pairs::Found;
pub(crate) use pairs::{Flat, flat};

/// A shape with its pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posed<'a> {
    pub(crate) shape: &'a Shape,
    /// Its [`Shape::extent`]. Cached, because it needs a square root.
    pub(crate) extent: Extent,
    /// World position of the shape's origin, raw Q32.32.
    pub(crate) center: [i64; 3],
    /// Rows of its rotation matrix, raw Q1.30: column j is the shape's axis j in world coordinates.
    pub(crate) rotation: [[i32; 3]; 3],
}

impl<'a> Posed<'a> {
    /// Creates a posed shape.
    pub(crate) fn new(shape: &'a Shape, center: [i64; 3], rotation: [[i32; 3]; 3]) -> Self {
        Self { shape, extent: shape.extent(), center, rotation }
    }
}

/// Contact manifold of two shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifold {
    /// Unit vector in world coordinates from the first shape to the second, raw Q1.30.
    pub(crate) normal: [i32; 3],
    pub(crate) points: FixedVec<Point, 4>,
}

/// A point of a manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Point {
    /// Position midway between the two surfaces, relative to the first shape's centre in world directions, raw Q32.32.
    pub(crate) at: [i64; 3],
    /// Distance of the surfaces along the normal, raw Q32.32; negative for an overlap.
    pub(crate) separation: i64,
    /// Id of the features that define the point, to match it on the next tick.
    pub(crate) feature: u32,
}

/// Computes the manifold of two shapes. Points with a separation of at most `margin` (raw Q32.32) are reported, so a positive
/// margin includes speculative contacts; a face contact of two boxes within it has all its points up to twice the margin. The manifold is empty if the shapes are further apart. The margin is clamped to the
/// range from zero to the largest size.
pub(crate) fn collide(a: &Posed<'_>, b: &Posed<'_>, margin: i64) -> Manifold {
    collide_moving(a, b, margin, [0; 3])
}

/// Computes the manifold of two shapes that move. `displacement` is the motion of the second relative to the first in a tick, raw
/// Q32.32. It prevents ghost collisions at the seams of flush tiles: two boxes that overlap slightly along several faces use a
/// face along which they already overlapped one displacement earlier, and a sphere or capsule that crosses the edge of a face at its own
/// level uses the normal of that face.
pub(crate) fn collide_moving(
    a: &Posed<'_>,
    b: &Posed<'_>,
    margin: i64,
    displacement: [i64; 3],
) -> Manifold {
    let mut pair = Pair::new(a, b, margin);
    if out_of_reach([a.extent, b.extent], pair.delta, pair.margin) {
        return Manifold::default();
    }
    pair.displacement = displacement;
    match pairs::find(a.shape, b.shape) {
        Found::InOrder(functions) => (functions.manifold)(&pair, a.shape, b.shape),
        Found::Swapped(functions) => {
            (functions.manifold)(&pair.swapped(), b.shape, a.shape).swapped(pair.delta)
        }
        Found::Never => Manifold::default(),
    }
}

/// A direction from the first shape to the second and their separation along it, if that is within `reach`: the distance, or for
/// two boxes a lower bound of it from the separating axes. Moving shapes can't touch before they have closed this gap.
pub(crate) fn gap(a: &Posed<'_>, b: &Posed<'_>, reach: i64) -> Option<([i32; 3], i64)> {
    let pair = Pair::new(a, b, reach);
    if out_of_reach([a.extent, b.extent], pair.delta, pair.margin) {
        return None;
    }
    match pairs::find(a.shape, b.shape) {
        Found::InOrder(functions) => (functions.gap)(&pair, a.shape, b.shape),
        Found::Swapped(functions) => {
            let (normal, gap) = (functions.gap)(&pair.swapped(), b.shape, a.shape)?;
            Some((normal.map(|c| -c), gap))
        }
        Found::Never => None,
    }
}

/// Returns whether two shapes with these bounding radii are further apart than `margin` at any rotation. `delta` is the vector
/// from the first centre to the second. The same early out as in [`collide`], before rotations are computed.
#[inline]
pub(crate) fn out_of_reach(extents: [Extent; 2], delta: [i64; 3], margin: i64) -> bool {
    match extents {
        [Extent::Radius(a), Extent::Radius(b)] => apart(delta, a.to_bits() + b.to_bits() + margin),
        _ => false,
    }
}

/// Common data of all pairs.
struct Pair {
    turn_a: Rotation,
    turn_b: Rotation,
    /// From the first centre to the second. Unless one shape is unbounded, each component is below 2¹⁵ m: pairs further apart are
    /// rejected before.
    delta: Raw,
    margin: i64,
    /// Motion of the second shape relative to the first in a tick.
    displacement: Raw,
    extents: [Extent; 2],
}

impl Pair {
    #[inline(always)]
    fn new(a: &Posed<'_>, b: &Posed<'_>, margin: i64) -> Self {
        Self {
            turn_a: a.rotation,
            turn_b: b.rotation,
            delta: frame::sub(b.center, a.center),
            margin: margin.clamp(0, MAX_SIZE.to_bits()),
            displacement: [0; 3],
            extents: [a.extent, b.extent],
        }
    }

    /// The pair with its shapes exchanged.
    fn swapped(&self) -> Self {
        let [a, b] = self.extents;
        Self {
            turn_a: self.turn_b,
            turn_b: self.turn_a,
            delta: self.delta.map(i64::wrapping_neg),
            margin: self.margin,
            displacement: self.displacement.map(|c| -c),
            extents: [b, a],
        }
    }

    /// A manifold of one point, or an empty one if the point is beyond the margin.
    fn single(&self, normal: Unit, point: Point) -> Manifold {
        let mut manifold = Manifold { normal, ..Manifold::default() };
        self.push(&mut manifold, point);
        manifold.or_empty()
    }

    fn push(&self, manifold: &mut Manifold, point: Point) {
        if point.separation <= self.margin {
            // No pair function adds more than four points.
            let _ = manifold.points.push(point);
        }
    }
}

impl Manifold {
    /// Normal and least separation. It is the gap of shapes whose manifold has their exact distance.
    fn gap(&self) -> Option<(Unit, i64)> {
        let least = self.points.iter().map(|point| point.separation).min()?;
        Some((self.normal, least))
    }

    /// Replaces a manifold without points by the default, so that all empty manifolds are equal.
    fn or_empty(self) -> Self {
        if self.points.is_empty() { Self::default() } else { self }
    }

    /// The same contact with the shapes exchanged. `delta` is the vector from the new first centre to the old one.
    fn swapped(mut self, delta: Raw) -> Self {
        self.normal = self.normal.map(|c| -c);
        for point in self.points.iter_mut() {
            point.at = frame::add(point.at, delta);
        }
        self
    }
}

/// Returns whether the centres are further apart than `reach`. Tests components first, because their squares might overflow.
fn apart(delta: Raw, reach: i64) -> bool {
    let Ok(reach) = u64::try_from(reach) else { return true };
    delta.iter().any(|c| c.unsigned_abs() > reach)
        || length_squared(delta) > u128::from(reach) * u128::from(reach)
}

/// Preference for faces: a face is chosen over edges if it is worse by at most this. Faces give more points and keep their feature
/// ids longer. 4 mm, and less for shapes thinner than a quarter of a metre. `thickness` is the smallest half extent or radius of
/// the two shapes.
fn face_preference(thickness: i64) -> i64 {
    const MOST: i64 = 1 << 24;
    MOST.min(thickness >> 5)
}

/// Overlap along a face, or distance, up to which boxes that move graze: a millimetre, and less for boxes thinner than 32 mm. A box that
/// slides has sunk in by g/(2π·f)² for its contact frequency f, 0.09 mm at 60 ticks a second and 0.35 mm at 30, and this must be more. For
/// boxes that hardly move, an eighth of it: in a heap of planks the larger depth leaves contacts that rock. `thickness` is the smallest
/// half extent of the two boxes.
fn grazing_depth(thickness: i64) -> i64 {
    const MOST: i64 = 1 << 22;
    MOST.min(thickness >> 4)
}
