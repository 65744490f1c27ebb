//! Contacts of a step: constructs one from the manifold of two posed shapes and transfers the last tick's impulses.
//! `recycle.rs` decides which contacts are recycled instead.

use super::arms::{ArmIndex, Arms};
use super::bodies::StepBody;
use super::constraint::V;
use super::index::{BodyPlace, ContactIndex};
use crate::collide::{Manifold, Point};
use crate::data::{Column, FixedVec, Optional};
use crate::math::{Q20, Q30, Real, Scaled, Vec3, round_shift};
use crate::world::rows::{ContactPoint, ContactRow};

/// Contact during a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub(crate) row: ContactRow,
    /// Places of the two bodies in the step's columns.
    pub(crate) bodies: [BodyPlace; 2],
    /// Current separation of each point, raw metres.
    pub(crate) separations: [i64; 4],
    /// Half the thickness of the thinner shape, raw metres.
    pub(crate) size: i64,
    /// Its arms in the arm cache of the last step, if they are there.
    pub(crate) known: Optional<ArmIndex>,
    /// Displacement of the first body until the impact, for fast approaches.
    pub(crate) lead: Vec3,
    /// Bit i is set if point i was pushed in the tick.
    pub(crate) pushed: u8,
    /// A point was pushed, and friction holds the contact against sliding and twisting.
    pub(crate) sticks: bool,
}

/// The contacts of a step.
pub(super) type ContactColumn = Column<ContactIndex, Contact>;

impl Contact {
    /// Returns whether at least three points were pushed in the tick, and it does not slide.
    pub(crate) const fn stands(&self) -> bool {
        self.sticks && self.pushed.count_ones() >= 3
    }

    /// Constructs a contact from a new manifold; `offset` is the vector from the first body's centre of mass to its
    /// shape's centre.
    #[inline(always)]
    pub(crate) fn from_manifold(
        manifold: &Manifold,
        mut row: ContactRow,
        places: [BodyPlace; 2],
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
            let fresh = ContactPoint::new(made, Q20::ZERO, Q20::ZERO);
            row.points.push(fresh).expect("a manifold has at most four points");
            *separation = point.separation;
        }
        Self {
            row,
            bodies: places,
            separations,
            size,
            known: Optional::none(),
            lead: Vec3::ZERO,
            pushed: 0,
            sticks: false,
        }
    }

    /// Takes impulses from the last tick's contact. Each point takes them from the nearest old point in the first body's
    /// frame, else from the one with the same feature.
    pub(crate) fn inherit(&mut self, old: &ContactRow, thickness: Real) {
        self.row.friction = old.friction;
        self.row.twist = old.twist;
        self.row.rolling = old.rolling;
        // Single points with the same feature match at any distance.
        if let ([new], [old]) = (&mut self.row.points[..], &old.points[..])
            && new.feature == old.feature
        {
            (new.impulse, new.preload) = (old.impulse, old.preload);
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
                let ContactPoint { impulse, preload, .. } = old.points[i];
                (self.row.points[j].impulse, self.row.points[j].preload) = (impulse, preload);
            }
        }
    }

    /// Arms of the points from both centres of mass, at the poses of the manifold.
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

    /// Returns two tangents, orthogonal to the normal and to each other. The first is along the slip velocity if there
    /// is one: there the polygon that bounds friction is exact.
    pub(crate) fn tangents(&self, slip: V<20>) -> [V<30>; 2] {
        let n = self.row.normal;
        let first = self.slip_direction(slip).unwrap_or_else(|| any_across(n));
        [first, super::constraint::cross(&n.map(Q30::from_bits), &first)]
    }

    /// Direction of the slip velocity in the contact plane, if it is faster than ⅛ m/s. At lower speeds the direction
    /// would only jitter.
    fn slip_direction(&self, slip: V<20>) -> Option<V<30>> {
        const SLOW: i64 = 1 << 17;
        let n = self.row.normal.map(Q30::from_bits);
        let along = super::constraint::dot(&n, &slip).round::<30, 20>();
        let across: [i64; 3] = core::array::from_fn(|i| {
            i64::from(slip[i].to_bits())
                - i64::from(super::constraint::times(n[i], along).to_bits())
        });
        if across.iter().all(|c| c.abs() < SLOW) {
            return None;
        }
        let scaled = Scaled::new(across)?;
        Some([0, 1, 2].map(|i| Q30::from_bits(scaled.direction(i, 30) as i32)))
    }
}

/// Returns a tangent that depends on the normal only.
fn any_across(n: [i32; 3]) -> V<30> {
    // About 0.57: for any normal, one of the first two axes has a smaller component than this.
    const FAR: i32 = 612_032_839;
    let axis = usize::from(n[0].abs() >= FAR);
    // An axis orthogonal to the normal is used directly; the general case gives the same result.
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
