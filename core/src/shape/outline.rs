//! Parts of outlines, the lines that debug draw shows for a shape. Each kind's file joins them to its own outline.

use crate::math::{Real, Vec3};
use core::ops::RangeInclusive;

/// Receives the ends of a line.
pub(crate) type Draw<'a> = dyn FnMut(Vec3, Vec3) + 'a;

/// Lines of a full circle. The middle of a line is 0.9 % of the radius inside the circle.
pub(super) const CIRCLE: i32 = 24;

/// An ellipse arc around `center`, with the conjugate radii `x` and `y`: the points at these multiples of 1/24 turn, joined by lines.
pub(super) fn arc(
    center: Vec3,
    [x, y]: [Vec3; 2],
    steps: RangeInclusive<i32>,
    draw: &mut Draw<'_>,
) {
    let point = |step: i32| {
        let (sin, cos) = (Real::TAU * step / CIRCLE).sin_cos();
        center + x * cos + y * sin
    };
    let mut start = point(*steps.start());
    for step in steps.skip(1) {
        let end = point(step);
        draw(start, end);
        start = end;
    }
}

/// The twelve edges of a box, each from its lower end.
pub(crate) fn box_edges(min: Vec3, max: Vec3, draw: &mut Draw<'_>) {
    let (low, high) = (min.to_array(), max.to_array());
    for axis in 0..3 {
        for side in 0..4 {
            let mut start = low;
            for (k, bit) in [(axis + 1) % 3, (axis + 2) % 3].into_iter().zip([1, 2]) {
                start[k] = if side & bit == 0 { low[k] } else { high[k] };
            }
            let mut end = start;
            end[axis] = high[axis];
            let [start, end] = [start, end].map(|[x, y, z]| Vec3::new(x, y, z));
            draw(start, end);
        }
    }
}

#[cfg(test)]
mod tests;
