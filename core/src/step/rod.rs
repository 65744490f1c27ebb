//! Constraint row of a rod, in scalar code, so that every SIMD width gives the same bits. docs/solver.md has the equations.
//!
//! The row is that of a contact point, but for its sign: it pushes and pulls. Directions and arms turn in every substep; the impulse of the
//! last substep, which bodies carry into the next one, turns with them. Values have 64 bits, because anchors may lie far outside of a body.

use super::constraint::{Motion, SPEED_CAP, V};
use super::index::{BatchRow, JointIndex};
use super::inertia::Inertia;
use super::lanes::pack::STILL;
use super::prepare::{Softness, separation_speed};
use super::rows::RowsMut;
use crate::math::{Q20, Q30, isqrt};
use crate::world::registry::joints::{IMPULSE_LIMIT, JointRow};

/// A vector of raw values.
type Raw = [i64; 3];

/// Values that all rods of a step share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    pub(super) softness: Softness,
    /// Substeps a second.
    pub(super) rate: i64,
    /// Seconds in a substep, Q44.
    time: i64,
}

impl Shared {
    pub(super) const fn new(softness: Softness, rate: i64) -> Self {
        Self { softness, rate, time: ((1 << 44) + rate / 2) / rate }
    }

    /// The distance that a sum of substep velocities covers, raw metres.
    fn distance(&self, sum: i64) -> i64 {
        // Q20 times Q44, to Q32.
        shifted(i128::from(sum) * i128::from(self.time), 32)
    }
}

/// One of the two bodies of a rod.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// Row of the body in its batch.
    pub(super) body: BatchRow,
    /// Size exponent of the body.
    pub(super) exponent: i8,
    /// Mass fraction, raw Q30.
    pub(super) fraction: i64,
    pub(super) inertia: Inertia,
    /// Vector from the centre of mass to the anchor, raw metres.
    pub(super) arm: Raw,
    /// Part of the body's angular displacement that the arm has followed.
    pub(super) followed: Raw,
    /// Angular Jacobian and response, raw Q30.
    pub(super) jacobian: Raw,
    pub(super) response: Raw,
}

/// Constraint row of a rod.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rod {
    pub(super) joint: JointIndex,
    pub(super) ends: [End; 2],
    /// Vector between the centres of mass at the start of the tick, raw metres.
    pub(super) apart: Raw,
    /// Raw metres.
    pub(super) length: i64,
    /// Unit vector from the first anchor to the second, raw Q30.
    pub(super) direction: Raw,
    /// Effective mass in reduced-mass units, Q48.
    pub(super) effective_mass: i64,
    /// Excess of the distance over the length, over the substep length, raw Q20.
    pub(super) excess: i64,
    /// Raw Q20.
    pub(super) impulse: i64,
}

/// Shifts right and rounds to nearest, ties up; saturates.
fn shifted(value: i128, shift: u32) -> i64 {
    crate::math::saturate(crate::math::round_shift(value, shift))
}

fn cross(a: &Raw, b: &Raw) -> [i128; 3] {
    let part = |i: usize, j: usize| {
        i128::from(a[i]) * i128::from(b[j]) - i128::from(a[j]) * i128::from(b[i])
    };
    [part(1, 2), part(2, 0), part(0, 1)]
}

fn dot(a: &Raw, b: &Raw) -> i128 {
    (0..3).map(|i| i128::from(a[i]) * i128::from(b[i])).sum()
}

impl End {
    /// Turns the arm by what the body has turned since. The Cayley transform keeps its length.
    fn follow(&mut self, displacement: &[i64; 6], shared: &Shared) {
        let turned: Raw = core::array::from_fn(|i| displacement[3 + i] - self.followed[i]);
        if turned == [0; 3] {
            return;
        }
        self.followed = [displacement[3], displacement[4], displacement[5]];
        // Half the angle, Q32 radians: at most 2¹⁸, for the smallest bodies at the speed cap.
        let half = turned.map(|sum| {
            let angle = i128::from(sum) * i128::from(shared.time);
            shifted(angle, (33 + i32::from(self.exponent)) as u32)
        });
        let across = cross(&half, &self.arm).map(|c| shifted(c, 32));
        let twice = cross(&half, &across).map(|c| shifted(c, 32));
        // 1 + |t|², Q32.
        let scale = (1i128 << 32) + (dot(&half, &half) >> 32);
        for i in 0..3 {
            let change = (i128::from(across[i]) + i128::from(twice[i])) << 33;
            self.arm[i] = self.arm[i].saturating_add((change / scale) as i64);
        }
    }

    /// Computes the Jacobian and the response.
    fn fill(&mut self, direction: &Raw) {
        if self.fraction == 0 {
            return;
        }
        // Q32 times Q30 over 2^exponent, to Q30. Exponents are -12 to 14.
        let shift = (32 + i32::from(self.exponent)) as u32;
        let mut jacobian = cross(&self.arm, direction).map(|c| shifted(c, shift));
        // An anchor beyond a thousand times the size of its body counts as nearer: what follows must fit.
        while jacobian.iter().any(|c| c.abs() > JACOBIAN_LIMIT) {
            jacobian = jacobian.map(|c| c >> 1);
        }
        let Inertia { rows, slender, .. } = &self.inertia;
        let rows = rows.map(|row| row.map(|c| i64::from(c.to_bits())));
        let columns: [Raw; 3] = core::array::from_fn(|k| [rows[0][k], rows[1][k], rows[2][k]]);
        // The rows of slender bodies are the root W of M = W·Wᵀ.
        let seen = if *slender {
            columns.map(|column| shifted(dot(&column, &jacobian), 22))
        } else {
            jacobian
        };
        self.response = rows.map(|row| {
            let response = shifted(dot(&row, &seen), 22);
            shifted(i128::from(response) * i128::from(self.fraction), 30)
        });
        self.jacobian = jacobian;
    }
}

/// Largest component of a Jacobian, raw Q30: 2¹⁰.
const JACOBIAN_LIMIT: i64 = 1 << 40;

impl Rod {
    /// The row of a joint; [`start`](Self::start) computes the rest.
    pub(super) fn new(joint: JointIndex, row: &JointRow, ends: &[End; 2], apart: Raw) -> Self {
        Self {
            joint,
            ends: *ends,
            apart,
            length: row.length.to_bits(),
            direction: [1 << 30, 0, 0],
            effective_mass: 0,
            excess: 0,
            impulse: i64::from(row.impulse.to_bits()),
        }
    }

    /// Computes direction, Jacobians, responses, effective mass and excess from the arms, and the displacements of the centres.
    fn fill(&mut self, displacements: [&[i64; 6]; 2], shared: &Shared) {
        let [a, b] = displacements;
        let [first, second] = &mut self.ends;
        let vector: Raw = core::array::from_fn(|i| {
            self.apart[i] + shared.distance(b[i] - a[i]) + second.arm[i] - first.arm[i]
        });
        let square: u128 = vector.iter().map(|c| u128::from(c.unsigned_abs()).pow(2)).sum();
        let distance = isqrt(square) as i64;
        // Anchors that coincide keep the last direction.
        if distance > 0 {
            let shift = (64 - distance.leading_zeros()).saturating_sub(32);
            self.direction = vector.map(|c| ((c >> shift) << 30) / (distance >> shift));
        }
        self.excess = i64::from(separation_speed(distance - self.length, shared.rate).to_bits());
        let mut own = 1i128 << 60;
        for end in [first, second] {
            end.fill(&self.direction);
            own += dot(&end.response, &end.jacobian);
        }
        // Q60 to Q40; the quotient is Q48.
        self.effective_mass = ((1i128 << 88) / (own >> 20).max(1 << 40)) as i64;
    }

    /// Makes the row for the start of a tick.
    pub(super) fn start(&mut self, shared: &Shared) {
        self.fill([&[0; 6]; 2], shared);
    }

    /// Turns the row to the present poses, and the impulse that the bodies carry with it.
    fn turn(&mut self, rows: &mut RowsMut<'_>, shared: &Shared) {
        let displacements = self.ends.map(|end| rows.displacement[end.body]);
        for (end, displacement) in self.ends.iter_mut().zip(&displacements) {
            end.follow(displacement, shared);
        }
        let before = *self;
        self.fill([&displacements[0], &displacements[1]], shared);
        let less = |new: &Raw, old: &Raw| core::array::from_fn(|i| new[i] - old[i]);
        let direction = less(&self.direction, &before.direction);
        let responses =
            [0, 1].map(|i: usize| less(&self.ends[i].response, &before.ends[i].response));
        self.push(self.impulse, &direction, &responses, rows);
    }

    /// Applies an impulse along the row.
    fn apply(&self, impulse: i64, rows: &mut RowsMut<'_>) {
        let responses = self.ends.map(|end| end.response);
        self.push(impulse, &self.direction, &responses, rows);
    }

    fn push(&self, impulse: i64, direction: &Raw, responses: &[Raw; 2], rows: &mut RowsMut<'_>) {
        if impulse == 0 {
            return;
        }
        let scaled = |v: &Raw| -> Raw {
            core::array::from_fn(|i| shifted(i128::from(v[i]) * i128::from(impulse), 30))
        };
        let push = scaled(direction);
        let fraction = i128::from(self.ends[0].fraction);
        let first = push.map(|c| shifted(i128::from(c) * fraction, 30));
        let second: Raw = core::array::from_fn(|i| push[i] - first[i]);
        for (side, (end, linear)) in self.ends.iter().zip([first, second]).enumerate() {
            if end.fraction == 0 {
                continue;
            }
            let angular = scaled(&responses[side]);
            let Motion { linear: velocity, angular: spin } = rows.motions[end.body];
            let sum = |v: &V<20>, gain: &Raw| -> Raw {
                core::array::from_fn(|i| {
                    let v = i64::from(v[i].to_bits());
                    if side == 0 { v.saturating_sub(gain[i]) } else { v.saturating_add(gain[i]) }
                })
            };
            rows.motions[end.body] = Motion {
                linear: capped(sum(&velocity, &linear)),
                angular: halved(sum(&spin, &angular)),
            };
        }
    }

    /// Relative velocity of the anchors along the row, raw Q20.
    fn speed(&self, rows: &RowsMut<'_>) -> i64 {
        let along = |end: &End| {
            let Motion { linear, angular } = rows.motions[end.body];
            let raw = |v: V<20>| v.map(|c| i64::from(c.to_bits()));
            dot(&self.direction, &raw(linear)) + self.turning(end, &raw(angular))
        };
        let [first, second] = &self.ends;
        shifted(along(second) - along(first), 30)
    }

    /// The part of the anchor's velocity that the spin contributes.
    fn turning(&self, end: &End, spin: &Raw) -> i128 {
        if end.fraction > 0 {
            return dot(&end.jacobian, spin);
        }
        // A kinematic body has a spin and no response.
        let shift = (32 + i32::from(end.exponent)) as u32;
        let jacobian = cross(&end.arm, &self.direction).map(|c| shifted(c, shift));
        dot(&jacobian, spin)
    }

    /// Solves the row: with bias if it is soft, else rigid and without.
    fn solve(&mut self, softness: Option<&Softness>, rows: &mut RowsMut<'_>) {
        let speed = self.speed(rows);
        let old = self.impulse;
        let part =
            |factor: Q30, value: i64| shifted(i128::from(factor.to_bits()) * i128::from(value), 30);
        let stopping =
            |speed: i64| shifted(i128::from(self.effective_mass) * i128::from(speed), 48);
        let impulse = match softness {
            None => old - stopping(speed),
            Some(Softness { softness, bias_rate }) => {
                let target = speed.saturating_add(part(*bias_rate, self.excess));
                part(*softness, old - stopping(target))
            }
        };
        let limit = i64::from(IMPULSE_LIMIT);
        self.impulse = impulse.clamp(-limit, limit);
        self.apply(self.impulse - old, rows);
    }
}

/// Applies the impulses of the last tick.
pub(super) fn warm_start(rods: &[Rod], rows: &mut RowsMut<'_>) {
    rods.iter().for_each(|rod| rod.apply(rod.impulse, rows));
}

/// Turns all rows to the present poses.
pub(super) fn turn(rods: &mut [Rod], rows: &mut RowsMut<'_>, shared: &Shared) {
    rods.iter_mut().for_each(|rod| rod.turn(rows, shared));
}

/// Runs a Gauss-Seidel pass with bias.
pub(super) fn biased(rods: &mut [Rod], rows: &mut RowsMut<'_>, shared: &Shared) {
    rods.iter_mut().for_each(|rod| rod.solve(Some(&shared.softness), rows));
}

/// Runs a relaxation pass.
pub(super) fn relax(rods: &mut [Rod], rows: &mut RowsMut<'_>) {
    rods.iter_mut().for_each(|rod| rod.solve(None, rows));
}

fn capped(v: Raw) -> V<20> {
    let cap = i64::from(SPEED_CAP.to_bits());
    v.map(|c| Q20::from_bits(c.clamp(-cap, cap) as i32))
}

/// Halves a spin until it is within the cap, so that it keeps its direction.
fn halved(mut v: Raw) -> V<20> {
    let cap = i64::from(SPEED_CAP.to_bits());
    while v.iter().any(|c| c.unsigned_abs() > cap.unsigned_abs()) {
        v = v.map(|c| c / 2);
    }
    capped(v)
}

impl End {
    /// The end at the world, or at a body at rest that nothing moves.
    pub(super) const fn at_rest(arm: Raw) -> Self {
        Self {
            body: STILL,
            exponent: 0,
            fraction: 0,
            inertia: Inertia::NONE,
            arm,
            followed: [0; 3],
            jacobian: [0; 3],
            response: [0; 3],
        }
    }
}
