//! Principal axes of a symmetric matrix, by integer Jacobi rotations. Used for mass properties, not
//! by the solver.

use super::{Quat, Real, Sym3, Vec3};

/// Sweeps over the three off-diagonal entries. Each sweep of Jacobi's method squares the largest
/// entry, so four reach the last bit. The other four are for repeated eigenvalues.
const SWEEPS: usize = 8;

impl Sym3 {
    /// Returns the rotation P and the diagonal d with S = P·diag(d)·Pᵀ. The columns of P are the
    /// principal axes.
    ///
    /// A diagonal matrix gives the identity and its own diagonal, exactly. Otherwise each entry is
    /// within about 2⁻²⁸ of the largest.
    ///
    /// ```
    /// use isostep_core::{Quat, Real, Vec3, real};
    /// use isostep_core::internals::Sym3;
    /// let turn = Quat::from_rotation_vector(Vec3::new(real!(0.5), real!(1), real!(-0.25)));
    /// let inertia = Sym3::diagonal(Vec3::from_ints(1, 2, 4)).rotated(turn);
    /// let (axes, diagonal) = inertia.principal();
    /// let again = Sym3::diagonal(diagonal).rotated(axes);
    /// let error = (again.diagonal - inertia.diagonal).length() + (again.off - inertia.off).length();
    /// assert!(error < Real::from_bits(1 << 8), "{error}");
    /// ```
    pub fn principal(self) -> (Quat, Vec3) {
        let (mut axes, mut turned) = (Quat::IDENTITY, self);
        for _ in 0..SWEEPS {
            if turned.off == Vec3::ZERO {
                break;
            }
            for axis in 0..3 {
                let turn = Quat::from_rotation_vector(unit(axis) * turned.angle(axis));
                axes *= turn;
                turned = self.rotated(axes.inverse());
            }
        }
        (axes, turned.diagonal)
    }

    /// The rotation angle about an axis that zeroes the matching off-diagonal entry, within ±45°.
    fn angle(&self, axis: usize) -> Real {
        let (off, d) = (self.off.to_array()[axis], self.diagonal.to_array());
        let (first, second) = (d[(axis + 1) % 3], d[(axis + 2) % 3]);
        if off == Real::ZERO {
            return Real::ZERO;
        }
        // tan 2φ = 2·off / (first − second); the smaller of the two solutions.
        let (rise, run) = (off + off, first - second);
        let (rise, run) = if run.is_negative() { (-rise, -run) } else { (rise, run) };
        Real::atan2(rise, run) * Real::HALF
    }
}

fn unit(axis: usize) -> Vec3 {
    [Vec3::X, Vec3::Y, Vec3::Z][axis]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(limit: i64) -> impl Strategy<Value = Vec3> {
        [-limit..limit, -limit..limit, -limit..limit].prop_map(Vec3::from_bits)
    }

    proptest! {
        #[test]
        fn principal_axes_reconstruct_the_matrix(
            diagonal in [1i64..1 << 33, 1i64..1 << 33, 1i64..1 << 33],
            vector in parts(3 << 32),
        ) {
            let of = Sym3::diagonal(Vec3::from_bits(diagonal));
            let matrix = of.rotated(Quat::from_rotation_vector(vector));
            let (axes, found) = matrix.principal();
            let again = Sym3::diagonal(found).rotated(axes);
            let (d, o) = (again.diagonal - matrix.diagonal, again.off - matrix.off);
            prop_assert!(d.length() + o.length() < Real::from_bits(1 << 8), "{} {}", d, o);
            // The eigenvalues themselves, in any order.
            let (mut found, mut expected) = (found.to_bits(), diagonal);
            found.sort();
            expected.sort();
            for (a, b) in found.iter().zip(expected) {
                prop_assert!((a - b).abs() < 1 << 7, "{found:?} {expected:?}");
            }
        }

        #[test]
        fn a_diagonal_matrix_is_returned_unchanged(diagonal in parts(i64::MAX)) {
            prop_assert_eq!(Sym3::diagonal(diagonal).principal(), (Quat::IDENTITY, diagonal));
        }
    }
}
