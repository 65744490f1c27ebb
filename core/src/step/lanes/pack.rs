//! Packs: the constraints of eight contacts, one in each lane. All kernels read the same layout, whatever their width. A
//! lane's result does not depend on the other lanes.
//!
//! Contacts of a pack share no dynamic body. Empty lanes, and point rows that a contact does not have, are zero, so
//! their impulses are zero.

use crate::data::{FixedVec, Optional};
use crate::math::Lane;
use crate::step::constraint::{NormalRow, Row, ScalarContact, V};
use crate::step::index::{BatchRow, ContactIndex};

/// Lanes of a pack.
pub(crate) const WIDTH: usize = 8;

/// Row of all bodies at rest.
pub(crate) const STILL: BatchRow = BatchRow::new(0);
/// Row that empty lanes read and write.
pub(crate) const SPARE: BatchRow = BatchRow::new(1);

/// One value for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct Eight<const F: u32>(pub(crate) [i32; WIDTH]);

impl<const F: u32> Default for Eight<F> {
    fn default() -> Self {
        Self([0; WIDTH])
    }
}

impl<const F: u32> Eight<F> {
    #[inline(always)]
    pub(crate) const fn get(&self, lane: usize) -> Lane<F> {
        Lane::from_bits(self.0[lane])
    }

    #[inline(always)]
    pub(crate) const fn set(&mut self, lane: usize, value: Lane<F>) {
        self.0[lane] = value.to_bits();
    }
}

/// A vector for each lane.
pub(crate) type Eights<const F: u32> = [Eight<F>; 3];

/// [`Row`] for each lane.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct RowPack {
    pub(crate) arm: [Eights<30>; 2],
    pub(crate) response: [Eights<22>; 2],
}

/// Normal row of one point of each lane.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct PointPack {
    pub(crate) row: RowPack,
    /// Effective mass in reduced-mass units: 1 / (1 + J·M·J).
    pub(crate) effective_mass: Eight<30>,
    /// Effective mass times the softness.
    pub(crate) soft: Eight<30>,
    /// Limit of the push-out impulse in a substep.
    pub(crate) push: Eight<20>,
    pub(crate) separation: Eight<20>,
    pub(crate) impulse: Eight<20>,
    /// Part of the impulse that needs no overlap.
    pub(crate) preload: Eight<20>,
    pub(crate) total: Eight<20>,
    /// Couplings J·M·J with the points before it.
    pub(crate) coupling: [Eight<22>; 3],
    /// Coupling with the normal row of the mean point.
    pub(crate) mean_coupling: Eight<22>,
}

/// Angular row of each lane.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct AngularPack {
    pub(crate) row: RowPack,
    pub(crate) effective_mass: Eight<30>,
    pub(crate) impulse: Eight<20>,
    /// Bound as a multiple of the normal impulse.
    pub(crate) friction: Eight<30>,
    /// Largest impulse.
    pub(crate) cap: Eight<20>,
}

/// Lanes with slender bodies, by side.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Slender {
    /// Above zero for lanes with a slender body on this side.
    pub(crate) lanes: [Eight<30>; 2],
    /// True if any lane has one.
    pub(crate) any: [bool; 2],
}

/// Constraints of eight contacts.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Pack {
    /// Rows in the batch of the two bodies of each lane.
    pub(crate) bodies: [[BatchRow; WIDTH]; 2],
    pub(crate) normal: Eights<30>,
    pub(crate) tangents: [Eights<30>; 2],
    pub(crate) mass_fraction: Eight<30>,
    pub(crate) friction: Eight<30>,
    pub(crate) softness: Eight<30>,
    pub(crate) bias_rate: Eight<30>,
    /// Largest impulse of a point, and of a sliding row.
    pub(crate) impulse_cap: Eight<20>,
    pub(crate) sliding_cap: Eight<20>,
    /// Effective mass of the normal row of the mean point, over the number of points; zero for contacts of one point.
    pub(crate) mean_effective_mass: Eight<30>,
    pub(crate) sliding: [RowPack; 2],
    pub(crate) sliding_inverse: [Eight<30>; 3],
    /// Least effective mass of all sliding directions.
    pub(crate) least_sliding_mass: Eight<30>,
    pub(crate) sliding_impulse: [Eight<20>; 2],
    pub(crate) restitution: Eight<30>,
    /// Approach speed at the start of the tick, or of the fastest impact in it.
    pub(crate) approach: Eight<20>,
    /// Sum of the normal impulses of impacts in the tick, saturating.
    pub(crate) impact_impulse: Eight<20>,
    pub(crate) slender: Slender,
    /// Contact of each lane; none for an empty lane.
    pub(crate) contacts: [Optional<ContactIndex>; WIDTH],
    /// Number of points of each lane's contact.
    pub(crate) counts: [u8; WIDTH],
    /// Number of point rows: the maximum over the lanes.
    pub(crate) points: u32,
    /// Number of angular rows: none, the twist row, or the twist row and two rolling rows.
    pub(crate) angular: u32,
    /// True if the first body of every lane's contact is at rest and not dynamic: then half of the work is skipped.
    pub(crate) rests: bool,
}

impl Default for Pack {
    fn default() -> Self {
        Self {
            bodies: [[SPARE; WIDTH]; 2],
            normal: Default::default(),
            tangents: Default::default(),
            mass_fraction: Eight::default(),
            friction: Eight::default(),
            softness: Eight::default(),
            bias_rate: Eight::default(),
            impulse_cap: Eight::default(),
            sliding_cap: Eight::default(),
            mean_effective_mass: Eight::default(),
            sliding: Default::default(),
            sliding_inverse: Default::default(),
            least_sliding_mass: Eight::default(),
            sliding_impulse: Default::default(),
            restitution: Eight::default(),
            approach: Eight::default(),
            impact_impulse: Eight::default(),
            contacts: [Optional::none(); WIDTH],
            counts: [0; WIDTH],
            points: 0,
            angular: 0,
            slender: Slender::default(),
            rests: true,
        }
    }
}

impl Pack {
    /// Lists the lanes with a contact.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = (usize, ContactIndex)> {
        let lanes = self.contacts.into_iter().enumerate();
        lanes.filter_map(|(lane, contact)| Some((lane, contact.get()?)))
    }

    /// Extracts the contact of a lane for impacts.
    pub(crate) fn scalar_contact(&self, lane: usize, points: &[PointPack]) -> ScalarContact {
        let mut rows = FixedVec::new();
        for point in &points[..usize::from(self.counts[lane])] {
            let made = NormalRow {
                row: point.row.get(lane),
                effective_mass: point.effective_mass.get(lane),
                separation: point.separation.get(lane),
            };
            rows.push(made).expect("a contact has at most four points");
        }
        ScalarContact {
            bodies: self.bodies.map(|rows| rows[lane]),
            normal: get3(&self.normal, lane),
            tangents: [get3(&self.tangents[0], lane), get3(&self.tangents[1], lane)],
            mass_fraction: self.mass_fraction.get(lane),
            friction: self.friction.get(lane),
            impulse_cap: self.impulse_cap.get(lane),
            sliding_cap: self.sliding_cap.get(lane),
            points: rows,
            sliding: [self.sliding[0].get(lane), self.sliding[1].get(lane)],
            sliding_inverse: get3(&self.sliding_inverse, lane),
            least_sliding_mass: self.least_sliding_mass.get(lane),
            restitution: self.restitution.get(lane),
            approach: self.approach.get(lane),
            impact_impulse: self.impact_impulse.get(lane),
            sliding_impulse: [Lane::ZERO; 2],
            order: 0,
        }
    }
}

impl RowPack {
    fn get(&self, lane: usize) -> Row {
        Row {
            arm: [get3(&self.arm[0], lane), get3(&self.arm[1], lane)],
            response: [get3(&self.response[0], lane), get3(&self.response[1], lane)],
        }
    }
}

#[inline(always)]
pub(crate) fn put3<const F: u32>(to: &mut Eights<F>, lane: usize, value: &V<F>) {
    for (to, value) in to.iter_mut().zip(value) {
        to.set(lane, *value);
    }
}

#[inline(always)]
pub(crate) fn get3<const F: u32>(from: &Eights<F>, lane: usize) -> V<F> {
    [from[0].get(lane), from[1].get(lane), from[2].get(lane)]
}
