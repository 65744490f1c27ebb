//! The manifold of two shapes of the world, computed from their rows.

use super::rows::ShapeRow;
use crate::collide::{Manifold, Posed, collide_moving};
use crate::math::{Q30, Quat, Vec3};
use crate::step::MARGIN;

/// Two shapes with the centres of mass of their bodies in the bodies' frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapePair<'a> {
    pub(super) shapes: [&'a ShapeRow; 2],
    pub(super) centers: [Vec3; 2],
}

impl ShapePair<'_> {
    /// Computes the manifold; its points are relative to the first body's centre of mass. `reference` is the vector from there to the
    /// second one's, and `displacement` the motion of the second body relative to the first in a tick.
    pub(super) fn manifold(
        &self,
        reference: Vec3,
        rotations: [Quat; 2],
        displacement: Vec3,
    ) -> Manifold {
        let offset = |i: usize| {
            let local = self.shapes[i].pose.translation - self.centers[i];
            if local == Vec3::ZERO { local } else { rotations[i].rotate(local) }
        };
        let posed = |i: usize, center: Vec3| {
            let ShapeRow { shape, pose, .. } = self.shapes[i];
            let rows = (rotations[i] * pose.rotation).to_lanes();
            Posed::new(shape, center.to_bits(), rows.map(|row| row.map(Q30::to_bits)))
        };
        let first = offset(0);
        let (a, b) = (posed(0, first), posed(1, reference + offset(1)));
        let mut manifold = collide_moving(&a, &b, MARGIN.to_bits(), displacement.to_bits());
        for point in manifold.points.iter_mut() {
            point.at = core::array::from_fn(|i| point.at[i].wrapping_add(first.to_bits()[i]));
        }
        manifold
    }
}
