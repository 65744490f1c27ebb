//! A large box as a small neighbour sees it: only the part around the neighbour, so that the pair's coordinates
//! are as small, and as fine, as the neighbour.
//!
//! The cuts lie four reaches from the neighbour's centre while a real face lies within two. So along no axis is
//! the way out through a cut as short as through that face, and no contact point comes near a cut.

use super::frame::Raw;

/// A box with its axes along its owner's, at an offset from the owner's centre.
pub(super) struct Crop {
    pub(super) offset: Raw,
    pub(super) half: Raw,
    /// Half extents of any crop of this pair: what its exponent must fit.
    pub(super) most: Raw,
}

/// `center` is the neighbour's in the box's frame, `reach` its bounding radius and the margin.
pub(super) fn crop(half: Raw, center: Raw, reach: i64) -> Crop {
    // Deep inside, any face may be the nearest: nothing can be left out.
    let near_a_face = (0..3).any(|k| half[k] - center[k].abs() <= 2 * reach);
    if !near_a_face {
        return Crop { offset: [0; 3], half, most: half };
    }
    let window = 4 * reach;
    let low: Raw = core::array::from_fn(|k| (-half[k]).max(center[k] - window));
    let high: Raw = core::array::from_fn(|k| half[k].min(center[k] + window));
    Crop {
        offset: core::array::from_fn(|k| (low[k] + high[k]) >> 1),
        half: core::array::from_fn(|k| (high[k] - low[k]) >> 1),
        most: half.map(|h| h.min(window)),
    }
}
