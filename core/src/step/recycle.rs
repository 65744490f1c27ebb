//! Recycled contacts. While the bodies of a contact hardly move, its normal and arms stay fixed and only the separation
//! is recomputed, always from the poses at which the manifold was made. Stacks depend on it: a tilted box does not tilt
//! its support force (docs/solver.md).
//!
//! The decision to recycle is part of the simulation, and [`Recycling::moved_little`] makes it, exact to the bit. For
//! bodies at rest a cheap sufficient condition (`surely_moved_little`) nearly always gives the same answer; a test
//! compares the two.

use super::bodies::StepBody;
use crate::math::{Quat, Real, Turn, Vec3, isqrt};
use crate::world::rows::ContactRow;

/// Parameters of the decision, besides the bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recycling {
    /// Limit of the relative motion.
    pub(super) tolerance: Real,
    /// Radius that converts rotation to motion.
    pub(super) extent: Real,
    /// Largest separation of a contact point.
    pub(super) margin: i64,
}

/// cos² of half the angle that a body may turn, 3°, Q60. A stack that sways must not tilt its support forces.
const TURNED_LITTLE: i64 = 1_152_131_485_000_000_000;

/// cos² of half the angle that a kinematic body may turn, ½°, Q60. A load on a tilting platform slips and tips at the angle of the
/// platform, not at the one at which its manifold was made.
const TILTED_LITTLE: i64 = 1_152_899_554_000_000_000;

/// Sine of half the angle that a body may turn about the contact normal, ¼°, Q30. Such a turn tilts no stack, but fixed
/// arms on a turntable point along old directions and push bodies on it outwards.
const TWISTED_LITTLE: i64 = 2_342_500;

/// Relative pose of two bodies: the second centre from the first, and both rotations.
#[derive(Clone, Copy, Debug)]
struct Poses {
    relative: Vec3,
    rotations: [Quat; 2],
}

impl Recycling {
    /// Returns new separations of an old contact, if its bodies hardly moved against each other and a point is within
    /// the margin.
    #[inline]
    pub(super) fn separations(
        &self,
        old: &ContactRow,
        [a, b]: [&StepBody; 2],
        [turn_a, turn_b]: [&Turn; 2],
    ) -> Option<[i64; 4]> {
        let was = Poses { relative: old.reference, rotations: old.rotations };
        let is = Poses { relative: b.center - a.center, rotations: [a.rotation, b.rotation] };
        if !self.surely_moved_little(&was, &is) && !self.moved_little(&was, &is) {
            return None;
        }
        if (0..2).any(|side| twisted(old.normal, was.rotations[side], is.rotations[side])) {
            return None;
        }
        let tilted = |side: usize| {
            let (was, is) = (was.rotations[side], is.rotations[side]);
            was != is && !turned_at_most(is.to_bits(), was.to_bits(), TILTED_LITTLE)
        };
        if !a.dynamic && tilted(0) || !b.dynamic && tilted(1) {
            return None;
        }
        // n·(R·R₀ᵀ·r) is (R₀·Rᵀ·n)·r: turn the normal back once instead of every arm forward.
        let n = old.normal;
        let normal =
            Vec3::from_bits([i64::from(n[0]) << 2, i64::from(n[1]) << 2, i64::from(n[2]) << 2]);
        let normal_a = turned_back(normal, [was.rotations[0], is.rotations[0]], turn_a);
        let normal_b = turned_back(normal, [was.rotations[1], is.rotations[1]], turn_b);
        let apart = normal.dot(is.relative - was.relative);
        let slight = within(normal_a, SLIGHT) && within(normal_b, SLIGHT);
        let mut separations = [0; 4];
        let mut near = false;
        for (point, separation) in old.points.iter().zip(&mut separations) {
            let arm_a = Vec3::from_bits(point.at);
            let arm_b = arm_a - old.reference;
            let change = if slight && within(arm_a, SHORT) && within(arm_b, SHORT) {
                apart + short_dot(normal_b, arm_b) - short_dot(normal_a, arm_a)
            } else {
                apart + normal_b.dot(arm_b) - normal_a.dot(arm_a)
            };
            *separation = point.separation.saturating_add(change.to_bits());
            near |= *separation <= self.margin;
        }
        near.then_some(separations)
    }

    /// Returns whether two bodies moved so little against each other, and each turned so little, that their contact is
    /// recycled.
    #[inline(never)]
    fn moved_little(&self, was: &Poses, is: &Poses) -> bool {
        let ([a0, b0], [a, b]) = (was.rotations, is.rotations);
        if !turned_little(a.to_bits(), a0.to_bits()) || !turned_little(b.to_bits(), b0.to_bits()) {
            return false;
        }
        let moved = a.rotate_inverse(is.relative) - a0.rotate_inverse(was.relative);
        let turned = half_angle_sine((a.inverse() * b).to_bits(), (a0.inverse() * b0).to_bits());
        moved.length() + turned * self.extent * Real::from_int(2) < self.tolerance
    }

    /// Cheap sufficient condition for [`Self::moved_little`].
    ///
    /// With d the change of the relative position r, and q the sum of the changes of a rotation's components:
    /// |Rᵀr − R₀ᵀr₀| ≤ |d| + |R − R₀|·|r₀|, and a matrix changes by 6q at most, because its entries are quadratic in
    /// the components. The sine of half the angle between two relative rotations is at most q + q' of the two bodies.
    /// But it is computed from a cosine of 30 bits, whose rounding alone may give 2⁻¹³ for equal rotations.
    #[inline]
    fn surely_moved_little(&self, was: &Poses, is: &Poses) -> bool {
        // Sums of magnitudes are no less than lengths. Raw metres; vectors beyond 2¹³ m are left to the exact rule.
        let sum = |v: Vec3| {
            let [x, y, z] = v.to_bits();
            let most = x.unsigned_abs() | y.unsigned_abs() | z.unsigned_abs();
            (most < 1 << 45).then(|| x.abs() + y.abs() + z.abs())
        };
        let changed = |i: usize| {
            let (was, is) = (was.rotations[i].to_bits(), is.rotations[i].to_bits());
            let part = |k: usize| (i64::from(is[k]) - i64::from(was[k])).abs();
            part(0) + part(1) + part(2) + part(3)
        };
        let (Some(moved), Some(long)) = (sum(is.relative - was.relative), sum(was.relative)) else {
            return false;
        };
        let (turned_a, turned_b) = (changed(0), changed(1));
        // A half angle of 2⁻⁶ rad is a turn of 1.8°, below the limit.
        if moved >= self.tolerance.to_bits() || turned_a.max(turned_b) >= 1 << 24 {
            return false;
        }
        // Rotations have 30 fractional bits, lengths 32; 16 bits of the lengths leave room for the products.
        let swung = ((8 * turned_a) * ((long >> 16) + 1)) >> 14;
        let sine = turned_a + turned_b + (1 << 18);
        let extent = self.extent.to_bits();
        let rolled = ((2 * sine) * ((extent >> 16) + 1)) >> 14;
        // For rounding, and for rotations that are not quite normalised.
        let rounding = (moved >> 20) + 64;
        moved + swung + rolled + rounding < self.tolerance.to_bits()
    }
}

/// Change of the normal when it is turned back by a body's rotation from `was` to `is`; `turn` is the matrix of `is`.
#[inline(always)]
fn turned_back(normal: Vec3, [was, is]: [Quat; 2], turn: &Turn) -> Vec3 {
    // The identity matrix is exact, so the normal of a body that never turned does not change. Other rotations change it
    // in the last bits.
    if was == Quat::IDENTITY && is == Quat::IDENTITY {
        return Vec3::ZERO;
    }
    let back = turn.rotate_inverse(normal);
    let forth = if was == is { turn.rotate(back) } else { was.turn().rotate(back) };
    forth - normal
}

/// Returns whether a body has turned about the normal, from `was` to `is`, beyond [`TWISTED_LITTLE`].
#[inline]
fn twisted(normal: [i32; 3], was: Quat, is: Quat) -> bool {
    let (from, to) = (was.to_bits(), is.to_bits());
    // The sine of half the angle is at most the distance between the quaternions, and that at most this sum.
    let part = |k: usize| (i64::from(to[k]) - i64::from(from[k])).abs();
    if part(0) + part(1) + part(2) + part(3) <= TWISTED_LITTLE {
        return false;
    }
    let turned = (is * was.inverse()).to_bits();
    let along: i64 = (0..3).map(|k| i64::from(turned[k]) * i64::from(normal[k])).sum();
    (along >> 30).abs() > TWISTED_LITTLE
}

/// Bounds of [`short_dot`], as bits: changes of a normal below 2⁻⁵ and arms below 4 m. Their products fit 62 bits, and
/// three of them 64.
const SLIGHT: u32 = 27;
const SHORT: u32 = 34;

/// Returns whether each component is at least −2^`bits` and below 2^`bits`.
#[inline(always)]
fn within(v: Vec3, bits: u32) -> bool {
    let part = |c: i64| c.wrapping_add(1 << bits) as u64;
    let [x, y, z] = v.to_bits();
    (part(x) | part(y) | part(z)) >> (bits + 1) == 0
}

/// Same result as [`Vec3::dot`], for vectors within [`SLIGHT`] and [`SHORT`].
#[inline(always)]
fn short_dot(slight: Vec3, short: Vec3) -> Real {
    let ([a, b, c], [x, y, z]) = (slight.to_bits(), short.to_bits());
    // Rounded to nearest with ties up.
    Real::from_bits((a * x + b * y + c * z + (1 << 31)) >> 32)
}

/// Dot product of two unit quaternions with 30 fractional bits.
fn alignment(a: [i32; 4], b: [i32; 4]) -> i64 {
    let sum: i64 = a.iter().zip(b).map(|(a, b)| i64::from(*a) * i64::from(b)).sum();
    sum >> 30
}

fn turned_little(a: [i32; 4], b: [i32; 4]) -> bool {
    turned_at_most(a, b, TURNED_LITTLE)
}

/// Returns whether cos² of half the angle between two rotations is above a limit, Q60.
fn turned_at_most(a: [i32; 4], b: [i32; 4], limit: i64) -> bool {
    let cosine = alignment(a, b);
    cosine * cosine > limit
}

/// |sin| of half the angle between two rotations.
fn half_angle_sine(a: [i32; 4], b: [i32; 4]) -> Real {
    let cosine = alignment(a, b);
    let rest = ((1i64 << 60) - cosine * cosine).max(0) as u128;
    Real::from_bits((isqrt(rest) as i64) << 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rotation() -> impl Strategy<Value = Quat> {
        [any::<i32>(), any::<i32>(), any::<i32>(), any::<i32>()].prop_map(|parts| {
            let [x, y, z, w] = parts.map(|part| Real::from_bits(i64::from(part)));
            Quat::from_xyzw(x, y, z, w).unwrap_or(Quat::IDENTITY)
        })
    }

    /// Vectors of every length up to 2^`bits` ulps.
    fn vector(bits: u32) -> impl Strategy<Value = Vec3> {
        let part = -(1i64 << bits)..(1i64 << bits);
        ([part.clone(), part.clone(), part], 0..bits)
            .prop_map(|(parts, shift)| Vec3::from_bits(parts.map(|part| part >> shift)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50_000))]

        #[test]
        fn the_cheap_bound_accepts_only_what_the_exact_rule_accepts(
            relative in vector(46),
            rotations in [rotation(), rotation()],
            moved in vector(32),
            turned in [vector(28), vector(28)],
            carried in any::<bool>(),
            (extent, tolerance) in (0..1i64 << 44, 0..1i64 << 28),
            (small, tight) in (0..44u32, 0..20u32),
        ) {
            let was = Poses { relative, rotations };
            let turn = turned.map(Quat::from_rotation_vector);
            // Both turned together as one rigid body, or each on its own.
            let turn = if carried { [turn[0]; 2] } else { turn };
            let place = if carried { turn[0].rotate(relative) } else { relative };
            let is = Poses {
                relative: place + moved,
                rotations: [turn[0] * rotations[0], turn[1] * rotations[1]],
            };
            let recycling = Recycling {
                tolerance: Real::from_bits(tolerance >> tight),
                extent: Real::from_bits(extent >> small),
                margin: 0,
            };
            if recycling.surely_moved_little(&was, &is) {
                prop_assert!(recycling.moved_little(&was, &is));
            }
        }

        #[test]
        fn a_short_product_matches_the_wide_one(
            slight in vector(SLIGHT),
            short in vector(SHORT),
            extreme in any::<[bool; 6]>(),
        ) {
            // Some components at the limits of the range, where three products are largest.
            let end = |on: bool, bits: u32, value: Real| {
                if on { Real::from_bits(-(1 << bits)) } else { value }
            };
            let ([a, b, c], [x, y, z]) = (slight.to_array(), short.to_array());
            let [e0, e1, e2, e3, e4, e5] = extreme;
            let slight = Vec3::new(end(e0, SLIGHT, a), end(e1, SLIGHT, b), end(e2, SLIGHT, c));
            let short = Vec3::new(end(e3, SHORT, x), end(e4, SHORT, y), end(e5, SHORT, z));
            prop_assert!(within(slight, SLIGHT) && within(short, SHORT));
            prop_assert_eq!(short_dot(slight, short), slight.dot(short));
        }

        #[test]
        fn within_matches_a_range_check(v in vector(40), bits in 20..39u32) {
            let fits = |c: i64| (-(1i64 << bits)..1 << bits).contains(&c);
            prop_assert_eq!(within(v, bits), v.to_bits().into_iter().all(fits));
        }

        #[test]
        fn turning_a_normal_back_matches_two_rotations(
            was in rotation(), is in rotation(), same in 0..4u8, normal in vector(32),
        ) {
            let (was, is) = match same {
                0 => (was, was),
                1 => (Quat::IDENTITY, Quat::IDENTITY),
                2 => (Quat::IDENTITY, is),
                _ => (was, is),
            };
            let twice = was.rotate(is.rotate_inverse(normal)) - normal;
            prop_assert_eq!(turned_back(normal, [was, is], &is.turn()), twice);
        }
    }

    #[test]
    fn the_cheap_bound_accepts_resting_bodies() {
        let was = Poses { relative: Vec3::Y, rotations: [Quat::IDENTITY; 2] };
        let moved = Vec3::splat(Real::ratio(1, 1000));
        let turned = Quat::from_rotation_vector(Vec3::splat(Real::ratio(1, 2000)));
        let is = Poses { relative: Vec3::Y + moved, rotations: [turned, Quat::IDENTITY] };
        let recycling = Recycling { tolerance: Real::ratio(5, 100), extent: Real::ONE, margin: 0 };
        assert!(recycling.surely_moved_little(&was, &is));
    }
}
