//! Cached contact arms: points about the centres of mass, over the bounding sizes. A recycled contact has the same
//! points as in the last tick, so its arms are reused. Scratch: reused only if every input is bit-identical.

use super::constraint::{V, map3};
use super::contacts::{Contact, ContactColumn};
use super::index::ContactIndex;
use super::inertia::Inertia;
use super::lanes::pack::{Pack, WIDTH};
use crate::data::index::index_types;
use crate::data::{Column, FixedVec, Optional, TypedIndex};
use crate::math::Q30;
use crate::world::rows::PairKey;

/// Inputs of the arms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Source {
    /// Points about the first body, raw metres.
    points: [[i64; 3]; 4],
    /// Second centre of mass from the first.
    reference: [i64; 3],
    /// Bounding sizes are two to these powers, metres.
    exponents: [i8; 2],
    count: u8,
    /// True if the points resist twisting.
    twists: bool,
}

/// Arms over the bounding sizes of both bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScaledArms {
    /// Arms of each point.
    pub(super) of: [[V<30>; 2]; 4],
    /// Mean arm.
    pub(super) center: [V<30>; 2],
    /// Mean distance of several points from their centre, if they resist twisting.
    pub(super) twist: [Q30; 2],
}

/// Cache entry: scaled arms and their inputs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    source: Source,
    pub(super) arms: ScaledArms,
}

impl Known {
    /// Returns the cached arms of a contact if the inputs are equal, or computes them.
    #[inline(always)]
    pub(super) fn of(contact: &Contact, exponents: [i8; 2], last: Option<&Self>) -> Self {
        if let Some(last) = last.filter(|last| last.source.is_of(contact, exponents)) {
            return *last;
        }
        let source = Source::new(contact, exponents);
        Self { source, arms: ScaledArms::new(contact, &source) }
    }
}

impl Source {
    fn new(contact: &Contact, exponents: [i8; 2]) -> Self {
        let mut points = [[0; 3]; 4];
        for (to, point) in points.iter_mut().zip(&contact.row.points) {
            *to = point.at;
        }
        Self {
            points,
            reference: contact.row.reference.to_bits(),
            exponents,
            count: contact.row.points.len() as u8,
            twists: twists(contact),
        }
    }

    #[inline(always)]
    fn is_of(&self, contact: &Contact, exponents: [i8; 2]) -> bool {
        // The relative position usually differs first when a contact has a new manifold.
        self.reference == contact.row.reference.to_bits()
            && usize::from(self.count) == contact.row.points.len()
            && self.exponents == exponents
            && self.twists == twists(contact)
            && self.differs(contact) == 0
    }

    /// Returns zero if the points are equal. No early exit: nearly always they are.
    #[inline(always)]
    fn differs(&self, contact: &Contact) -> i64 {
        let mut differs = 0;
        for (known, is) in self.points.iter().zip(&contact.row.points) {
            for i in 0..3 {
                differs |= known[i] ^ is.at[i];
            }
        }
        differs
    }
}

/// Returns whether several points resist twisting by friction.
fn twists(contact: &Contact) -> bool {
    contact.row.points.len() > 1 && contact.row.mixed.friction != Q30::ZERO
}

impl ScaledArms {
    /// Arms after the bodies turned by these small rotation vectors, Q30, each component below 2²⁷.
    #[inline(never)]
    pub(super) fn turned(&self, turns: [[i64; 3]; 2]) -> Self {
        let mut turned = *self;
        for (side, turn) in turns.iter().enumerate() {
            let by = |arm: &V<30>| -> V<30> {
                let arm = map3(arm, |c| i64::from(c.to_bits()));
                let part = |i: usize, j: usize, k: usize| {
                    let moved = arm[k] + ((turn[i] * arm[j] - turn[j] * arm[i]) >> 30);
                    Q30::from_bits(moved.clamp(-LIMIT, LIMIT) as i32)
                };
                [part(1, 2, 0), part(2, 0, 1), part(0, 1, 2)]
            };
            turned.center[side] = by(&self.center[side]);
            for (to, arms) in turned.of.iter_mut().zip(&self.of) {
                to[side] = by(&arms[side]);
            }
        }
        turned
    }

    /// Arms at which no row exceeds its format, whatever its direction. All arms of a body are halved alike, so that their mean remains
    /// the mean.
    #[inline(never)]
    pub(super) fn bounded(&self, inertias: [&Inertia; 2]) -> Self {
        let mut bounded = *self;
        for (side, inertia) in
            inertias.into_iter().enumerate().filter(|(_, inertia)| inertia.exceeds)
        {
            let all = || self.of.iter().map(|arms| arms[side]).chain([self.center[side]]);
            let times = all().map(|arm| inertia.halvings_of_arm(&arm)).max().unwrap_or(0);
            for arm in bounded.of.iter_mut().chain([&mut bounded.center]) {
                arm[side] = map3(&arm[side], |c| Q30::from_bits(c.to_bits() >> times));
            }
        }
        bounded
    }

    #[inline(never)]
    fn new(contact: &Contact, source: &Source) -> Self {
        let arms = contact.arms();
        let center = arms.center();
        let scaled = |arm: &[[i64; 3]; 2]| {
            [0, 1].map(|side: usize| map3(&arm[side], |c| scaled_length(c, source.exponents[side])))
        };
        let mut of = [[[Q30::ZERO; 3]; 2]; 4];
        for (to, arm) in of.iter_mut().zip(&arms.of) {
            *to = scaled(arm);
        }
        let spread = if source.twists { arms.spread(&center) } else { 0 };
        let twist = source.exponents.map(|exponent| scaled_length(spread, exponent));
        Self { of, center: scaled(&center), twist }
    }
}

/// Largest component of an arm, Q30.
const LIMIT: i64 = (115 << 30) / 100;

/// Scales a length in raw metres by 2^−exponent, clamped to ±1.15. Arms exceed the bounding size by a margin; those of
/// very small and of immovable bodies exceed it further. Three such components are shorter than 2, so no product with a
/// direction overflows.
#[inline(always)]
pub(super) fn scaled_length(length: i64, exponent: i8) -> Q30 {
    let shift = 2 + i32::from(exponent);
    let scaled = if shift > 0 {
        // Values clamped here are far beyond the limit even when shifted; the clamp leaves room for the rounding bit.
        let length = length.clamp(-(1 << 62), 1 << 62);
        (length + (1 << (shift - 1))) >> shift
    } else {
        length.saturating_mul(1 << -shift)
    };
    Q30::from_bits(scaled.clamp(-LIMIT, LIMIT) as i32)
}

index_types! {
    /// Index of a contact's arms in the arm cache: 8·pack + lane.
    ArmIndex;
}

/// Arm cache of a step, for the next one. Indexed by pack and lane, since several threads fill packs.
#[derive(Debug, Default)]
pub(crate) struct ArmCache {
    /// Entries of the last step.
    last: Column<ArmIndex, Known>,
    /// Entries of this step.
    next: Column<ArmIndex, Known>,
    /// Keys of the last step's contacts in order, each with its index in `last`.
    places: Column<ContactIndex, (PairKey, Optional<ArmIndex>)>,
}

impl ArmCache {
    /// Sets [`Contact::known`] of each contact.
    pub(super) fn find(&self, contacts: &mut ContactColumn) {
        let mut places = self.places.iter().peekable();
        for contact in contacts {
            let key = contact.row.key;
            // Both lists ascend, except for contacts of woken bodies: those miss the cache and are recomputed.
            while places.next_if(|(known, _)| *known < key).is_some() {}
            let place = places.next_if(|(known, _)| *known == key);
            contact.known = place.map_or_else(Optional::none, |(_, place)| *place);
        }
    }

    /// Swaps the buffers. Returns the last step's entries, and entries of this step to write: one for each lane of its
    /// packs.
    pub(super) fn turn(
        &mut self,
        contacts: &ContactColumn,
        packs: &[Pack],
    ) -> (&Column<ArmIndex, Known>, &mut [Known]) {
        self.places.clear();
        self.places.extend(contacts.iter().map(|contact| (contact.row.key, Optional::none())));
        for (number, pack) in packs.iter().enumerate() {
            for (lane, contact) in pack.lanes() {
                let arms = ArmIndex::from_position(number * WIDTH + lane);
                self.places[contact].1 = Optional::some(arms);
            }
        }
        core::mem::swap(&mut self.last, &mut self.next);
        // Old entries are overwritten, or belong to empty lanes.
        self.next.resize(packs.len() * WIDTH, Known::default());
        (&self.last, self.next.as_mut_slice())
    }
}

/// Arms of the points from both centres of mass, raw metres.
pub(crate) struct Arms {
    pub(crate) of: FixedVec<[[i64; 3]; 2], 4>,
}

impl Arms {
    /// Returns the mean arm.
    pub(super) fn center(&self) -> [[i64; 3]; 2] {
        [0, 1].map(|side: usize| {
            core::array::from_fn(|i| self.mean(self.of.iter().map(|arms| arms[side][i])))
        })
    }

    /// Mean of one number for each point, rounded toward zero.
    #[inline(always)]
    fn mean(&self, of: impl Iterator<Item = i64> + Clone) -> i64 {
        match of.clone().try_fold(0, i64::checked_add) {
            // Constant divisors avoid a division instruction.
            Some(sum) => match self.of.len() {
                0 | 1 => sum,
                2 => sum / 2,
                3 => sum / 3,
                _ => sum / 4,
            },
            None => self.wide_mean(of),
        }
    }

    /// Mean for sums that overflow 64 bits: arms of a plane may reach to the world limit.
    #[cold]
    fn wide_mean(&self, of: impl Iterator<Item = i64>) -> i64 {
        let sum: i128 = of.map(i128::from).sum();
        (sum / self.of.len().max(1) as i128) as i64
    }

    /// Returns the mean distance of the points from their centre.
    fn spread(&self, center: &[[i64; 3]; 2]) -> i64 {
        let distance = |arm: &[[i64; 3]; 2]| {
            let off: [i64; 3] = core::array::from_fn(|i| arm[0][i].wrapping_sub(center[0][i]));
            crate::math::sqrt_nearest(crate::math::length_squared(off)) as i64
        };
        self.mean(self.of.iter().map(distance))
    }
}
