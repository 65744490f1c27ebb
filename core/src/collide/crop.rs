//! Cropping of a large box to the part around a small neighbour, so that the pair's coordinates have the neighbour's scale and
//! resolution.
//!
//! Cuts lie four reaches from the neighbour's centre, and a real face is within two. So along no axis is the exit through a cut as
//! short as through that face, and no contact point is near a cut.

use super::frame::Raw;

/// A box with its owner's axes, at an offset from the owner's centre.
pub(super) struct Crop {
    pub(super) offset: Raw,
    pub(super) half: Raw,
    /// Upper bound for the half extents of any crop of this pair; its exponent must fit it.
    pub(super) most: Raw,
}

/// Crops a box. `center` is the neighbour's centre in the box's frame, `reach` its bounding radius plus the margin.
pub(super) fn crop(half: Raw, center: Raw, reach: i64) -> Crop {
    // Deep inside, any face may be the closest one: the whole box is needed.
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
