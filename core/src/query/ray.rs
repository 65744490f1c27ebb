//! Ray casts: the first shape that a ray hits.

use super::QueryFilter;
use super::segment::Segment;
use crate::math::{Real, Vec3};
use crate::shape::ray::ray_cast;
use crate::step::candidates::Moment;
use crate::world::rows::ShapeKey;
use crate::world::{BodyId, Past, World};

/// Hit of a ray.
#[doc(alias("RayIntersection", "RayResult", "RayCastResult"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RayHit {
    /// Body that is hit.
    pub body: BodyId,
    /// Number of the shape in its body.
    pub shape: u8,
    /// Fraction of the displacement, 0 to 1, at which the ray enters the shape.
    #[doc(alias("time_of_impact", "toi"))]
    pub fraction: Real,
    /// The point there: origin + displacement × fraction.
    pub point: Vec3,
    /// Outward unit normal of the shape's surface there; zero if the ray starts inside the shape.
    pub normal: Vec3,
}

impl World {
    /// Returns the first hit of a ray, a segment from `origin` to `origin + displacement`, with this tick's commands applied;
    /// `None` if it hits no shape that the filter admits. Of equal fractions the hit with the lowest body index, then the lowest
    /// shape number, is the first. A ray that touches a surface hits it, and one that starts inside a shape hits it at fraction 0.
    ///
    /// The displacement has any length and is not normalised: fractions are relative to it. Fractions have a resolution of 2⁻³², so
    /// the point is within 1 µm on a ray of 1 km. Any origin and displacement are valid; a point beyond the range of [`Real`]
    /// saturates.
    ///
    /// The result is a function of the state, the same on every machine and after a rewind, a restore or a command. A world without
    /// a step since it was created, cloned or restored tests all of its shapes; others search a tree.
    /// [`Past::cast_ray`] does the same at a held tick, outside of a game's step.
    ///
    /// ```
    /// use isostep_core::{Vec3, real, shape::Shape, world::{BodyDef, QueryFilter, World, WorldDef}};
    /// let mut world = World::new(WorldDef::default())?;
    /// let ball = world.spawn(BodyDef::fixed().at(Vec3::X * real!(5)).shape(Shape::sphere(real!(1))?))?;
    /// let hit = world.cast_ray(Vec3::ZERO, Vec3::X * real!(8), &QueryFilter::default()).unwrap();
    /// assert_eq!((hit.body, hit.fraction, hit.normal), (ball, real!(0.5), -Vec3::X));
    /// let others = QueryFilter::default().exclude(ball);
    /// assert_eq!(world.cast_ray(Vec3::ZERO, Vec3::X * real!(8), &others), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("raycast", "ray_cast", "cast_ray_and_get_normal", "CastRay", "castRayClosest"))]
    pub fn cast_ray(
        &self,
        origin: Vec3,
        displacement: Vec3,
        filter: &QueryFilter,
    ) -> Option<RayHit> {
        let moment = Moment { world: self, frame: &self.work, tick: self.tick };
        moment.cast_ray(origin, displacement, filter)
    }
}

impl Past<'_> {
    /// Returns the first hit of a ray at this tick, as [`World::cast_ray`] does. As all of [`World::past`], it is for use outside of
    /// a game's step: there a past tick may be missing on some machines.
    ///
    /// ```
    /// use isostep_core::{Tick, Transform, Vec3, real, shape::Shape, world::{BodyDef, QueryFilter, World, WorldDef}};
    /// let mut world = World::new(WorldDef::default())?;
    /// let ball = world.spawn(BodyDef::fixed().at(Vec3::X * real!(5)).shape(Shape::sphere(real!(1))?))?;
    /// world.step();
    /// world.teleport(ball, Transform::at(Vec3::Z * real!(9)))?;
    /// world.step();
    /// let ahead = Vec3::X * real!(8);
    /// assert_eq!(world.cast_ray(Vec3::ZERO, ahead, &QueryFilter::default()), None);
    /// let before = world.past(Tick(1))?.cast_ray(Vec3::ZERO, ahead, &QueryFilter::default());
    /// assert_eq!(before.unwrap().body, ball);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_ray(
        &self,
        origin: Vec3,
        displacement: Vec3,
        filter: &QueryFilter,
    ) -> Option<RayHit> {
        self.moment().cast_ray(origin, displacement, filter)
    }
}

/// First hit so far.
#[derive(Clone, Copy)]
struct First {
    fraction: Real,
    key: ShapeKey,
    normal: Vec3,
}

impl Moment<'_> {
    fn cast_ray(&self, origin: Vec3, displacement: Vec3, filter: &QueryFilter) -> Option<RayHit> {
        let mut segment = Segment::new(origin, displacement);
        let mut first: Option<First> = None;
        self.candidates(filter.has_sensors(), &mut segment, |segment, key| {
            let Some(target) = self.target(key, filter) else { return };
            let Some(entry) = segment.entry(&target.placed.bounds(&target.row.shape)) else {
                return;
            };
            let Some(hit) = ray_cast(&target.row.shape, target.placed.pose(), origin, displacement)
            else {
                return;
            };
            // A shape is not hit before the ray enters its bounds, so a box that is entered after the first hit may be skipped
            // whatever the rounding of `ray_cast`.
            let fraction = hit.fraction.max(entry);
            if first.is_none_or(|first| (fraction, key) < (first.fraction, first.key)) {
                first = Some(First { fraction, key, normal: hit.normal });
                segment.shorten(fraction);
            }
        });
        let First { fraction, key, normal } = first?;
        let body = self.body(key)?;
        let point = origin.zip(displacement * fraction, Real::saturating_add);
        Some(RayHit { body, shape: key.ordinal(), fraction, point, normal })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_possible_from_any_thread() {
        fn is_shared<T: Sync>() {}
        is_shared::<World>();
        is_shared::<Past<'_>>();
    }
}
