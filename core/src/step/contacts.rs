//! Contacts of a step: making one from two posed shapes, and carrying the last tick's impulses over. Which ones are kept
//! as they are is `keep.rs`'s matter.

use super::block::V;
use super::bodies::StepBody;
use super::levers::Arms;
use crate::collide::{Manifold, Point};
use crate::data::FixedVec;
use crate::math::{Q30, Real, Scaled, Vec3, round_shift};
use crate::world::rows::{ContactPoint, ContactRow};

/// A contact in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub(crate) row: ContactRow,
    /// Places of the two bodies among the step's.
    pub(crate) bodies: [u32; 2],
    /// Separation of each point now, raw metres.
    pub(crate) separations: [i64; 4],
    /// Half the thickness of the thinner shape, raw metres.
    pub(crate) size: i64,
    /// Where its levers were in the last step's, or past their end.
    pub(crate) known: u32,
    /// How far the first body goes until they meet, if they meet fast.
    pub(crate) lead: Vec3,
    /// Three of its points were pushed in the tick, or four, and it does not slide.
    pub(crate) stands: bool,
}

impl Contact {
    /// A contact from fresh geometry; `offset` leads from the first body's centre of mass to its shape's centre.
    #[inline(always)]
    pub(crate) fn from_manifold(
        manifold: &Manifold,
        mut row: ContactRow,
        places: [u32; 2],
        [a, b]: [&StepBody; 2],
        offset: [i64; 3],
        size: i64,
    ) -> Self {
        row.normal = manifold.normal;
        row.reference = b.center - a.center;
        row.rotations = [a.rotation, b.rotation];
        row.points = FixedVec::new();
        let mut separations = [0; 4];
        for (point, separation) in manifold.points.iter().zip(&mut separations) {
            let at = core::array::from_fn(|i| point.at[i].wrapping_add(offset[i]));
            let made = Point { at, ..*point };
            let fresh = ContactPoint::new(made, crate::math::Q20::ZERO);
            row.points.push(fresh).expect("a manifold has at most four points");
            *separation = point.separation;
        }
        Self {
            row,
            bodies: places,
            separations,
            size,
            known: u32::MAX,
            lead: Vec3::ZERO,
            stands: false,
        }
    }

    /// Takes impulses over from the last tick's contact: for each point from the nearest old one in the first
    /// body's frame, else from the one with the same feature.
    pub(crate) fn inherit(&mut self, old: &ContactRow, thickness: Real) {
        self.row.friction = old.friction;
        self.row.twist = old.twist;
        self.row.rolling = old.rolling;
        // One point for one with the same feature, whether it is near or not.
        if let ([new], [old]) = (&mut self.row.points[..], &old.points[..])
            && new.feature == old.feature
        {
            new.impulse = old.impulse;
            return;
        }
        let reach = thickness / Real::from_int(10);
        let local = |row: &ContactRow, point: &ContactPoint| {
            row.rotations[0].rotate_inverse(Vec3::from_bits(point.at))
        };
        let old_places: FixedVec<Vec3, 4> = collect(old.points.iter().map(|p| local(old, p)));
        let new_places: FixedVec<Vec3, 4> =
            collect(self.row.points.iter().map(|p| local(&self.row, p)));
        let mut used = [false; 4];
        for (j, place) in new_places.iter().enumerate() {
            let free = |i: &usize| !used[*i];
            let nearest = (0..old_places.len())
                .filter(free)
                .map(|i| (place.distance(old_places[i]), i))
                .filter(|(distance, _)| *distance < reach)
                .min();
            let feature = self.row.points[j].feature;
            let same =
                || (0..old.points.len()).filter(free).find(|i| old.points[*i].feature == feature);
            if let Some(i) = nearest.map(|(_, i)| i).or_else(same) {
                used[i] = true;
                self.row.points[j].impulse = old.points[i].impulse;
            }
        }
    }

    /// Arms of the points from both centres of mass, as the geometry was made.
    pub(crate) fn arms(&self) -> Arms {
        let reference = self.row.reference.to_bits();
        let mut of = FixedVec::new();
        for point in &self.row.points {
            let a = point.at;
            let b = [0, 1, 2].map(|i: usize| a[i].wrapping_sub(reference[i]));
            let _ = of.push([a, b]);
        }
        Arms { of }
    }

    /// Two directions across the normal and each other, the first along the slip of the surfaces if there is one:
    /// the octagon that bounds friction then brakes against the motion and not aside.
    pub(crate) fn tangents(&self, slip: V<20>) -> [V<30>; 2] {
        let n = self.row.normal;
        let first = self.slip_direction(slip).unwrap_or_else(|| any_across(n));
        [first, super::block::cross(&n.map(Q30::from_bits), &first)]
    }

    /// Direction of the slip in the contact's plane, if it is faster than ⅛ m/s. What is slower is as good as
    /// at rest, where a direction would only jitter.
    fn slip_direction(&self, slip: V<20>) -> Option<V<30>> {
        const SLOW: i64 = 1 << 17;
        let n = self.row.normal.map(Q30::from_bits);
        let along = super::block::dot(&n, &slip).round::<30, 20>();
        let across: [i64; 3] = core::array::from_fn(|i| {
            i64::from(slip[i].to_bits()) - i64::from(super::block::times(n[i], along).to_bits())
        });
        if across.iter().all(|c| c.abs() < SLOW) {
            return None;
        }
        let scaled = Scaled::new(across)?;
        Some([0, 1, 2].map(|i| Q30::from_bits(scaled.direction(i, 30) as i32)))
    }
}

/// A direction across the normal that depends on nothing else.
fn any_across(n: [i32; 3]) -> V<30> {
    // About 0.57: whatever the normal, one of the first two axes is at least that far from it.
    const FAR: i32 = 612_032_839;
    let axis = usize::from(n[0].abs() >= FAR);
    // The axis itself, when it lies across: what follows would find the same.
    if n[axis] == 0 {
        let mut first = [Q30::ZERO; 3];
        first[axis] = Q30::ONE;
        return first;
    }
    let across: [i64; 3] = core::array::from_fn(|i| {
        let unit = if i == axis { 1i64 << 60 } else { 0 };
        round_shift(i128::from(unit - i64::from(n[i]) * i64::from(n[axis])), 20) as i64
    });
    let first: [i32; 3] = Scaled::new(across)
        .map_or([1 << 30, 0, 0], |scaled| core::array::from_fn(|i| scaled.direction(i, 30) as i32));
    first.map(Q30::from_bits)
}

fn collect<T: Copy + Default>(items: impl Iterator<Item = T>) -> FixedVec<T, 4> {
    let mut list = FixedVec::new();
    for item in items {
        list.push(item).expect("a manifold has at most four points");
    }
    list
}
