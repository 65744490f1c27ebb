//! `Segment`: the region of a ray. Tests of boxes are exact for any origin and displacement: comparisons of products of 128 bits,
//! without divisions.

use crate::broad::Region;
use crate::math::{Aabb, Real, Vec3};

/// A segment, in coordinates of its own: along each axis from 0 at its origin to `length` at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    origin: [i64; 3],
    /// The displacement is negative along this axis.
    mirrored: [bool; 3],
    length: [u64; 3],
    /// Part of the length that may still have a result.
    limit: [u64; 3],
    /// Axis of the greatest length.
    longest: usize,
}

impl Segment {
    pub(crate) fn new(origin: Vec3, displacement: Vec3) -> Self {
        let displacement = displacement.to_bits();
        let length = displacement.map(i64::unsigned_abs);
        let mut longest = 0;
        for axis in 1..3 {
            if length[axis] > length[longest] {
                longest = axis;
            }
        }
        Self {
            origin: origin.to_bits(),
            mirrored: displacement.map(i64::is_negative),
            length,
            limit: length,
            longest,
        }
    }

    /// Limits the segment to boxes whose [`entry`](Self::entry) is at most this fraction.
    pub(crate) fn shorten(&mut self, fraction: Real) {
        let past = u128::from(fraction.to_bits().unsigned_abs()) + 1;
        // The entry is rounded down, so it is greater than the fraction if near · 2³² ≥ (fraction + 1) · length.
        self.limit = self.length.map(|length| {
            let last = (past * u128::from(length)).saturating_sub(1) >> 32;
            last.min(u128::from(length)) as u64
        });
    }

    /// Returns the least fraction, rounded down, at which the segment is in a box, if it meets it.
    pub(crate) fn entry(&self, bounds: &Aabb) -> Option<Real> {
        let near = self.clip(bounds)?;
        let fraction = |axis: usize| match self.length[axis] {
            0 => 0,
            length => ((u128::from(near[axis]) << 32) / u128::from(length)) as i64,
        };
        Some(Real::from_bits(fraction(0).max(fraction(1)).max(fraction(2))))
    }

    /// Returns the coordinates at which the segment enters a box along each axis; `None` if it does not meet the box.
    #[inline]
    fn clip(&self, bounds: &Aabb) -> Option<[u64; 3]> {
        let (min, max) = (bounds.min().to_bits(), bounds.max().to_bits());
        let (mut near, mut far) = ([0; 3], [0; 3]);
        for axis in 0..3 {
            let origin = self.origin[axis];
            // Saturation concerns boxes beyond the end of any segment.
            let (from, to) = if self.mirrored[axis] {
                (origin.saturating_sub(max[axis]), origin.saturating_sub(min[axis]))
            } else {
                (min[axis].saturating_sub(origin), max[axis].saturating_sub(origin))
            };
            if to < 0 || from.max(0).unsigned_abs() > self.limit[axis] {
                return None;
            }
            near[axis] = from.max(0).unsigned_abs();
            far[axis] = to.unsigned_abs().min(self.length[axis]);
        }
        // Entered along each axis before it is left along another: near / length ≤ far / length.
        let before = |a: usize, b: usize| {
            u128::from(near[a]) * u128::from(self.length[b])
                <= u128::from(far[b]) * u128::from(self.length[a])
        };
        let meets = before(0, 1)
            && before(1, 0)
            && before(0, 2)
            && before(2, 0)
            && before(1, 2)
            && before(2, 1);
        meets.then_some(near)
    }
}

impl Region for Segment {
    #[inline]
    fn meets(&self, bounds: &Aabb) -> bool {
        self.clip(bounds).is_some()
    }

    #[inline]
    fn prefers_second(&self, [a, b]: [&Aabb; 2]) -> bool {
        let axis = self.longest;
        let middle = |bounds: &Aabb| {
            (bounds.min().to_bits()[axis] >> 1) + (bounds.max().to_bits()[axis] >> 1)
        };
        (middle(b) < middle(a)) != self.mirrored[axis]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    /// Returns the least fraction at which a segment is in a box, as a quotient of whole numbers.
    fn exact(origin: [i64; 3], displacement: [i64; 3], bounds: &Aabb) -> Option<(BigInt, BigInt)> {
        let (mut low, mut high) = ((0.into(), 1.into()), (1.into(), 1.into()));
        let less = |a: &(BigInt, BigInt), b: &(BigInt, BigInt)| &a.0 * &b.1 < &b.0 * &a.1;
        for axis in 0..3 {
            let [min, max] = [bounds.min(), bounds.max()]
                .map(|corner| BigInt::from(corner.to_bits()[axis]) - BigInt::from(origin[axis]));
            let displacement = BigInt::from(displacement[axis]);
            if displacement == 0.into() {
                if min > 0.into() || max < 0.into() {
                    return None;
                }
                continue;
            }
            let (from, to) = if displacement > 0.into() {
                ((min, displacement.clone()), (max, displacement))
            } else {
                ((-max, -&displacement), (-min, -displacement))
            };
            if less(&low, &from) {
                low = from;
            }
            if less(&to, &high) {
                high = to;
            }
        }
        (!less(&high, &low)).then_some(low)
    }

    fn coordinate() -> impl Strategy<Value = i64> {
        prop_oneof![
            3 => (-6..6i64).prop_map(|metres| metres << 32),
            3 => -(8i64 << 32)..(8i64 << 32),
            1 => -9..9i64,
            1 => any::<i64>().prop_map(|bits| bits >> 1),
        ]
    }

    proptest! {
        #[test]
        fn a_box_is_met_as_in_exact_arithmetic(
            origin in [coordinate(), coordinate(), coordinate()],
            displacement in [coordinate(), coordinate(), coordinate()],
            corners in [[coordinate(), coordinate(), coordinate()], [coordinate(), coordinate(), coordinate()]],
        ) {
            let bounds = Aabb::around(corners.map(Vec3::from_bits)).expect("two points");
            let segment = Segment::new(Vec3::from_bits(origin), Vec3::from_bits(displacement));
            let expected = exact(origin, displacement, &bounds);
            prop_assert_eq!(segment.meets(&bounds), expected.is_some());
            let down = expected.map(|(above, below)| {
                i64::try_from((above << 32) / below).expect("at most one")
            });
            prop_assert_eq!(segment.entry(&bounds).map(Real::to_bits), down);
        }

        #[test]
        fn a_shortened_segment_meets_the_boxes_that_it_enters_in_time(
            origin in [coordinate(), coordinate(), coordinate()],
            displacement in [coordinate(), coordinate(), coordinate()],
            corners in [[coordinate(), coordinate(), coordinate()], [coordinate(), coordinate(), coordinate()]],
            fraction in 0..=1i64 << 32,
        ) {
            let bounds = Aabb::around(corners.map(Vec3::from_bits)).expect("two points");
            let mut segment = Segment::new(Vec3::from_bits(origin), Vec3::from_bits(displacement));
            segment.shorten(Real::from_bits(fraction));
            let in_time = exact(origin, displacement, &bounds)
                .is_some_and(|(above, below)| (above << 32) / below <= fraction.into());
            prop_assert_eq!(segment.meets(&bounds), in_time);
        }
    }
}
