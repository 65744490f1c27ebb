//! Where the points of contacts lie about the centres of mass, over the bounding sizes. A contact that is kept has the same points
//! as in the last tick, so what was found then is found again here: it is scratch, and taken only where all that it follows
//! from is the same, bit for bit.

use super::constraint::{V, map3};
use super::contacts::Contact;
use super::lanes::pack::{Pack, WIDTH};
use crate::data::FixedVec;
use crate::math::Q30;
use crate::world::rows::PairKey;

/// All that arms follow from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Source {
    /// The points about the first body, raw metres.
    points: [[i64; 3]; 4],
    /// The second body about the first.
    reference: [i64; 3],
    /// Bounding sizes are two to these.
    exponents: [i8; 2],
    count: u8,
    /// Whether the points resist turning.
    twists: bool,
}

/// Arms over the bounding sizes of both bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScaledArms {
    /// Of each point.
    pub(super) of: [[V<30>; 2]; 4],
    /// Their mean.
    pub(super) center: [V<30>; 2],
    /// The mean distance of several points from their centre, if they resist turning.
    pub(super) twist: [Q30; 2],
}

/// Scaled arms, and what they were found from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    source: Source,
    pub(super) arms: ScaledArms,
}

impl Known {
    /// The arms of a contact: as known, or found anew.
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
        // Where two bodies stand differs first when a contact was made anew.
        self.reference == contact.row.reference.to_bits()
            && usize::from(self.count) == contact.row.points.len()
            && self.exponents == exponents
            && self.twists == twists(contact)
            && self.differs(contact) == 0
    }

    /// Zero if the points are the same. All are looked at: nearly always they are.
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

/// Whether several points resist turning, with their friction.
fn twists(contact: &Contact) -> bool {
    contact.row.points.len() > 1 && contact.row.mixed.friction != Q30::ZERO
}

impl ScaledArms {
    /// The same arms after the bodies turned by these small rotation vectors, Q30, each component below 2²⁷.
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

/// A length in raw metres as a share of 2^exponent m, clamped to ±1.15: arms reach past the bounding size by a margin, and those
/// of grains and of the immovable further. Three such components are shorter than 2, so no product with a direction
/// overflows.
#[inline(always)]
pub(super) fn scaled_length(length: i64, exponent: i8) -> Q30 {
    let shift = 2 + i32::from(exponent);
    let scaled = if shift > 0 {
        // What is cut here is far beyond the limit even when shifted, and leaves room for the rounding bit.
        let length = length.clamp(-(1 << 62), 1 << 62);
        (length + (1 << (shift - 1))) >> shift
    } else {
        length.saturating_mul(1 << -shift)
    };
    Q30::from_bits(scaled.clamp(-LIMIT, LIMIT) as i32)
}

/// What is known of the contacts of a step, for the next one: by pack and lane, since packs are filled side by side.
#[derive(Debug, Default)]
pub(crate) struct ArmCache {
    /// Of the last step.
    last: Vec<Known>,
    /// Of this one.
    next: Vec<Known>,
    /// Keys of the last step's contacts in their order, and where in `last` they are.
    places: Vec<(PairKey, u32)>,
}

impl ArmCache {
    /// Tells each contact where its arms were in the last step.
    pub(super) fn find(&self, contacts: &mut [Contact]) {
        let mut places = self.places.iter().peekable();
        for contact in contacts {
            let key = contact.row.key;
            // Both lists ascend, but for what woke: that is found anew.
            while places.next_if(|(known, _)| *known < key).is_some() {}
            let place = places.next_if(|(known, _)| *known == key);
            contact.known = place.map_or(u32::MAX, |(_, place)| *place);
        }
    }

    /// The last step's arms, and room for this one's: one for each lane of its packs.
    pub(super) fn turn(
        &mut self,
        contacts: &[Contact],
        packs: &[Pack],
    ) -> (&[Known], &mut [Known]) {
        self.places.clear();
        self.places.extend(contacts.iter().map(|contact| (contact.row.key, u32::MAX)));
        for (number, pack) in packs.iter().enumerate() {
            for (lane, contact) in pack.lanes() {
                self.places[contact].1 = (number * WIDTH + lane) as u32;
            }
        }
        core::mem::swap(&mut self.last, &mut self.next);
        // What is there is written over, or no contact's.
        self.next.resize(packs.len() * WIDTH, Known::default());
        (&self.last, &mut self.next)
    }
}

/// Arms of the points from both centres of mass, raw metres.
pub(crate) struct Arms {
    pub(crate) of: FixedVec<[[i64; 3]; 2], 4>,
}

impl Arms {
    /// The mean arm.
    pub(super) fn center(&self) -> [[i64; 3]; 2] {
        [0, 1].map(|side: usize| {
            core::array::from_fn(|i| self.mean(self.of.iter().map(|arms| arms[side][i])))
        })
    }

    /// The mean of a number for each point, rounded towards zero.
    #[inline(always)]
    fn mean(&self, of: impl Iterator<Item = i64> + Clone) -> i64 {
        match of.clone().try_fold(0, i64::checked_add) {
            // Dividing by constants spares the division.
            Some(sum) => match self.of.len() {
                0 | 1 => sum,
                2 => sum / 2,
                3 => sum / 3,
                _ => sum / 4,
            },
            None => self.wide_mean(of),
        }
    }

    /// The same for arms of a plane that reach to the end of the world, whose sum has no room in 64 bits.
    #[cold]
    fn wide_mean(&self, of: impl Iterator<Item = i64>) -> i64 {
        let sum: i128 = of.map(i128::from).sum();
        (sum / self.of.len().max(1) as i128) as i64
    }

    /// The mean distance of the points from their centre.
    fn spread(&self, center: &[[i64; 3]; 2]) -> i64 {
        let distance = |arm: &[[i64; 3]; 2]| {
            let off: [i64; 3] = core::array::from_fn(|i| arm[0][i].wrapping_sub(center[0][i]));
            crate::math::sqrt_nearest(crate::math::length_squared(off)) as i64
        };
        self.mean(self.of.iter().map(distance))
    }
}
