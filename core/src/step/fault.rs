//! Rules broken on purpose: each of these makes a result depend on something outside its island, and the tests must
//! notice. And disorder in what must not matter. Only in builds with `test-internals`.

use super::lanes::pack::{AngularPack, NO_CONTACT, Pack, PointPack, RowPack, WIDTH};
use crate::world::rows::PairKey;
use std::collections::BTreeMap;

/// A broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The solver sees how many contacts the whole world has.
    GlobalCounter,
    /// A contact's colour starts at its place among all contacts.
    IndexOrder,
    /// Colours are chosen so that they are used equally often.
    BalancedColours,
    /// A contact keeps the colour that it had.
    RememberedColours,
    /// While an island is solved, a body of another one is read.
    ReadOutside,
    /// The sixth lane of every pack has impulses that are rounded otherwise.
    SkewedLane,
    /// Arms of the last tick are taken without a look at what they follow from.
    StaleArms,
}

/// What planted faults remember.
#[derive(Debug, Default)]
pub(crate) struct FaultState {
    counts: [u32; 8],
    colours: BTreeMap<u64, usize>,
}

impl Fault {
    /// The colour of a contact instead of the least that is not used.
    pub(crate) fn colour(
        self,
        fault_state: &mut FaultState,
        used: u64,
        key: PairKey,
        place: usize,
    ) -> usize {
        let free = |colour: &usize| used >> colour & 1 == 0;
        let least = used.trailing_ones() as usize;
        let colour = match self {
            Self::IndexOrder => (place % 2..8).find(free).unwrap_or(least),
            Self::BalancedColours => (0..8)
                .filter(free)
                .min_by_key(|colour| fault_state.counts[*colour])
                .unwrap_or(least),
            Self::RememberedColours => {
                fault_state.colours.get(&key.0).copied().filter(free).unwrap_or(least)
            }
            Self::GlobalCounter | Self::ReadOutside | Self::SkewedLane | Self::StaleArms => least,
        };
        fault_state.counts[colour.min(7)] += 1;
        fault_state.colours.insert(key.0, colour);
        colour
    }
}

/// Lanes in another order, and nonsense where there is no contact: nothing of it may show.
#[derive(Debug, Default)]
pub(crate) struct Disorder {
    pub(crate) random: Option<crate::Rng>,
}

impl Disorder {
    /// Shuffles what `may` be shuffled.
    pub(crate) fn shuffle(&mut self, order: &mut [(u64, u32)], may: impl Fn(u64) -> bool) {
        let Some(random) = &mut self.random else { return };
        for last in (1..order.len() as u32).rev() {
            let other = random.below(last + 1).expect("not empty");
            let (a, b) = (last as usize, other as usize);
            if may(order[a].0) && may(order[b].0) {
                order.swap(a, b);
            }
        }
    }

    /// Puts nonsense into the lanes that no contact fills.
    pub(crate) fn poison(
        &mut self,
        packs: &mut [Pack],
        points: &mut [PointPack],
        angular: &mut [AngularPack],
    ) {
        let Some(random) = &mut self.random else { return };
        let (mut points, mut angular) = (points.iter_mut(), angular.iter_mut());
        for pack in packs {
            let mut points: Vec<_> = points.by_ref().take(pack.points as usize).collect();
            let mut angular: Vec<_> = angular.by_ref().take(pack.angular as usize).collect();
            for lane in (0..WIDTH).filter(|lane| pack.contacts[*lane] == NO_CONTACT) {
                let mut poison = |value: &mut [i32; WIDTH]| value[lane] = random.next_u32() as i32;
                let row = |row: &mut RowPack, poison: &mut dyn FnMut(&mut [i32; WIDTH])| {
                    row.arm.iter_mut().flatten().for_each(|value| poison(&mut value.0));
                    row.response.iter_mut().flatten().for_each(|value| poison(&mut value.0));
                };
                pack.normal.iter_mut().for_each(|value| poison(&mut value.0));
                pack.tangents.iter_mut().flatten().for_each(|value| poison(&mut value.0));
                poison(&mut pack.mass_fraction.0);
                poison(&mut pack.friction.0);
                poison(&mut pack.softness.0);
                poison(&mut pack.bias_rate.0);
                poison(&mut pack.impulse_cap.0);
                poison(&mut pack.restitution.0);
                pack.sliding_inverse.iter_mut().for_each(|value| poison(&mut value.0));
                pack.sliding_impulse.iter_mut().for_each(|value| poison(&mut value.0));
                pack.sliding.iter_mut().for_each(|sliding| row(sliding, &mut poison));
                for point in &mut points {
                    row(&mut point.row, &mut poison);
                    poison(&mut point.effective_mass.0);
                    poison(&mut point.soft.0);
                    poison(&mut point.push.0);
                    poison(&mut point.separation.0);
                    poison(&mut point.impulse.0);
                    poison(&mut point.total.0);
                    point.coupling.iter_mut().for_each(|value| poison(&mut value.0));
                }
                for turn in &mut angular {
                    row(&mut turn.row, &mut poison);
                    poison(&mut turn.effective_mass.0);
                    poison(&mut turn.impulse.0);
                    poison(&mut turn.friction.0);
                }
            }
        }
    }
}
