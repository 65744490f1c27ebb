//! Coordinates of a pair: 32-bit integers with as many fractional bits as the sizes of the pair allow.

use super::frame::Raw;

const MOST_FRACTION_BITS: u32 = 28;
/// Coordinates of a pair are below 2 to this power.
pub(super) const COORDINATE_BITS: u32 = 30;

/// Conversion between raw Q32.32 and the pair's 32-bit coordinates.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) shift: u32,
}

impl Scale {
    /// Chooses the scale. All coordinates of a pair are bounded by the sum of all half extents and the distance of the centres. By
    /// component, that distance is bounded by the first box's extent plus the second's reach.
    pub(super) fn fitting(half_a: Raw, half_b: Raw, reach: i64) -> Self {
        let extent = 2 * half_a.iter().sum::<i64>() + half_b.iter().sum::<i64>() + 4 * reach;
        Self::of_extent(extent, COORDINATE_BITS)
    }

    /// The finest scale at which a length has at most `bits` bits.
    pub(super) fn of_extent(extent: i64, bits: u32) -> Self {
        let length = 64 - extent.leading_zeros();
        Self { shift: length.saturating_sub(bits).max(32 - MOST_FRACTION_BITS) }
    }

    #[inline]
    pub(super) fn narrow(self, raw: i64) -> i32 {
        ((raw + (1 << (self.shift - 1))) >> self.shift) as i32
    }

    #[inline]
    pub(super) fn widen(self, short: i32) -> i64 {
        i64::from(short) << self.shift
    }
}
