//! Fault injection. Each fault makes a result depend on something outside its island, and the tests must detect it. Also
//! shuffles lanes and poisons empty ones, which must have no effect. Only in builds with `test-internals`.

use super::index::ContactIndex;
use super::lanes::pack::{AngularPack, Pack, PointPack, RowPack, WIDTH};
use crate::world::rows::PairKey;
use std::collections::BTreeMap;

/// Fault to inject into the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The push-out speed depends on the number of contacts in the whole world.
    GlobalCounter,
    /// The first colour of a contact depends on its index among all contacts.
    IndexOrder,
    /// Colours are balanced over the whole world.
    BalancedColours,
    /// A contact keeps its last colour.
    RememberedColours,
    /// A body of another island is read while an island is solved.
    ReadOutside,
    /// Impulses in the sixth lane of every pack are off by one bit.
    SkewedLane,
    /// Cached arms are used without a check of their inputs.
    StaleArms,
}

/// State of injected faults.
#[derive(Debug, Default)]
pub(crate) struct FaultState {
    counts: [u32; 8],
    colours: BTreeMap<u64, usize>,
}

impl Fault {
    /// Returns the colour of a contact, instead of the least unused one.
    pub(crate) fn colour(
        self,
        fault_state: &mut FaultState,
        used: u64,
        key: PairKey,
        contact: ContactIndex,
    ) -> usize {
        let free = |colour: &usize| used >> colour & 1 == 0;
        let least = used.trailing_ones() as usize;
        let colour = match self {
            Self::IndexOrder => (contact.get() as usize % 2..8).find(free).unwrap_or(least),
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

/// Random order of lanes, and random values in empty lanes. Neither may affect a result.
#[derive(Debug, Default)]
pub(crate) struct Disorder {
    pub(crate) random: Option<crate::Rng>,
}

impl Disorder {
    /// Shuffles the entries for which `may` is true.
    pub(crate) fn shuffle(&mut self, order: &mut [(u64, ContactIndex)], may: impl Fn(u64) -> bool) {
        let Some(random) = &mut self.random else { return };
        for last in (1..order.len() as u32).rev() {
            let other = random.below(last + 1).expect("not empty");
            let (a, b) = (last as usize, other as usize);
            if may(order[a].0) && may(order[b].0) {
                order.swap(a, b);
            }
        }
    }

    /// Writes random values into the lanes without a contact.
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
            for lane in (0..WIDTH).filter(|lane| pack.contacts[*lane].get().is_none()) {
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
                poison(&mut pack.sliding_cap.0);
                poison(&mut pack.restitution.0);
                pack.sliding_inverse.iter_mut().for_each(|value| poison(&mut value.0));
                poison(&mut pack.least_sliding_mass.0);
                pack.sliding_impulse.iter_mut().for_each(|value| poison(&mut value.0));
                pack.sliding.iter_mut().for_each(|sliding| row(sliding, &mut poison));
                for point in &mut points {
                    row(&mut point.row, &mut poison);
                    poison(&mut point.effective_mass.0);
                    poison(&mut point.soft.0);
                    poison(&mut point.push.0);
                    poison(&mut point.separation.0);
                    poison(&mut point.impulse.0);
                    poison(&mut point.preload.0);
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
