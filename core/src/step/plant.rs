//! Rules broken on purpose: each of these makes a result depend on something outside its cluster, and the tests must
//! notice. Only in builds with `test-internals`.

use crate::world::rows::PairKey;
use std::collections::BTreeMap;

/// A broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// The solver sees how many contacts the whole world has.
    GlobalCounter,
    /// A contact's colour starts at its place among all contacts.
    IndexOrder,
    /// Colours are chosen so that they are used equally often.
    BalancedColours,
    /// A contact keeps the colour that it had.
    RememberedColours,
    /// While a cluster is solved, a body of another one is read.
    ReadOutside,
}

/// What planted faults remember.
#[derive(Debug, Default)]
pub(crate) struct Soil {
    counts: [u32; 8],
    colours: BTreeMap<u64, usize>,
}

impl Plant {
    /// The colour of a contact instead of the least that is not used.
    pub(crate) fn colour(self, soil: &mut Soil, used: u64, key: PairKey, place: usize) -> usize {
        let free = |colour: &usize| used >> colour & 1 == 0;
        let least = used.trailing_ones() as usize;
        let colour = match self {
            Self::IndexOrder => (place % 2..8).find(free).unwrap_or(least),
            Self::BalancedColours => {
                (0..8).filter(free).min_by_key(|colour| soil.counts[*colour]).unwrap_or(least)
            }
            Self::RememberedColours => {
                soil.colours.get(&key.0).copied().filter(free).unwrap_or(least)
            }
            Self::GlobalCounter | Self::ReadOutside => least,
        };
        soil.counts[colour.min(7)] += 1;
        soil.colours.insert(key.0, colour);
        colour
    }
}
