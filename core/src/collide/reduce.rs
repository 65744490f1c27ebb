//! Manifold reduction to four points: the deepest point or nearly so, the one furthest from it, and the furthest on either side of
//! the line between them. They span nearly the whole area and always include the deepest point.

use super::clip::Corner;
use super::sat::product;
use crate::data::FixedVec;

/// Indices of the chosen corners: none if all are higher than `margin`, else among those no higher than twice the margin. With the
/// margin as the limit of each corner, a box that falls flat and is tilted by a hair would have one corner within it, land on that and spin.
/// The first choice moves to a later corner only if that is
/// deeper by more than `slack`, so that a flat contact keeps its points.
pub(super) fn choose<const N: usize>(
    polygon: &FixedVec<Corner, N>,
    margin: i32,
    slack: i32,
) -> FixedVec<usize, 4> {
    let mut low = FixedVec::<usize, N>::new();
    if polygon.iter().all(|corner| corner.height > margin) {
        return FixedVec::new();
    }
    let margin = margin.saturating_mul(2);
    for (index, corner) in polygon.iter().enumerate() {
        if corner.height <= margin {
            let _ = low.push(index);
        }
    }
    if let Ok(all) = FixedVec::try_from(&*low) {
        return all;
    }
    let corner = |index: usize| &polygon[index];
    let deepest = first_best(&low, |i| -i64::from(corner(i).height), i64::from(slack));
    let origin = corner(deepest);
    let furthest = first_best(&low, |i| square(origin, corner(i)), 0);
    let end = corner(furthest);
    let left = first_best(&low, |i| area(origin, end, corner(i)), 0);
    let right = first_best(&low, |i| -area(origin, end, corner(i)), 0);
    let mut chosen = FixedVec::new();
    for index in [deepest, furthest, left, right] {
        if !chosen.contains(&index) {
            // At most four.
            let _ = chosen.push(index);
        }
    }
    let true_deepest = first_best(&low, |i| -i64::from(corner(i).height), i64::from(slack >> 8));
    if !chosen.contains(&true_deepest) {
        // The deepest point replaces its neighbour, which spans nearly the same area.
        let near = first_best(
            &[0, 1, 2, 3][..chosen.len()],
            |c| -square(corner(chosen[c]), corner(true_deepest)),
            0,
        );
        chosen[near] = true_deepest;
    }
    chosen
}

/// The first index whose score is not exceeded by a later one by more than `slack`.
fn first_best(indices: &[usize], score: impl Fn(usize) -> i64, slack: i64) -> usize {
    let mut best = indices[0];
    for &index in &indices[1..] {
        if score(index) > score(best) + slack {
            best = index;
        }
    }
    best
}

/// Squared distance, halved: differences are below 2³¹, so squares and areas are halved before they are added.
fn square(a: &Corner, b: &Corner) -> i64 {
    let (x, y) = (b.at[0] - a.at[0], b.at[1] - a.at[1]);
    (product(x, x) >> 1) + (product(y, y) >> 1)
}

fn area(a: &Corner, b: &Corner, c: &Corner) -> i64 {
    let (bx, by) = (b.at[0] - a.at[0], b.at[1] - a.at[1]);
    let (cx, cy) = (c.at[0] - a.at[0], c.at[1] - a.at[1]);
    (product(cx, by) >> 1) - (product(cy, bx) >> 1)
}
