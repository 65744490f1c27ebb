//! Conversions to and from arrays of floats, which every renderer takes. Part of the float boundary, like `float.rs`.
#![allow(clippy::disallowed_types, reason = "float conversions are the boundary of the simulation")]

use super::{FloatError, Quat, Real, Vec3, ZeroLength};

/// Error of converting a float rotation to a [`Quat`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FloatRotationError {
    /// A component is NaN, infinite or out of range.
    #[error(transparent)]
    Float(#[from] FloatError),
    /// All components are zero to within 2⁻³³.
    #[error(transparent)]
    ZeroLength(#[from] ZeroLength),
}

/// Components x, y, z.
impl TryFrom<[f32; 3]> for Vec3 {
    type Error = FloatError;
    fn try_from([x, y, z]: [f32; 3]) -> Result<Self, FloatError> {
        Ok(Self::new(Real::from_f32(x)?, Real::from_f32(y)?, Real::from_f32(z)?))
    }
}

/// Components x, y, z.
impl From<Vec3> for [f32; 3] {
    fn from(v: Vec3) -> Self {
        v.to_array().map(Real::to_f32)
    }
}

/// Components x, y, z, w. The result is normalized.
impl TryFrom<[f32; 4]> for Quat {
    type Error = FloatRotationError;
    fn try_from([x, y, z, w]: [f32; 4]) -> Result<Self, FloatRotationError> {
        let part = Real::from_f32;
        Ok(Self::from_xyzw(part(x)?, part(y)?, part(z)?, part(w)?)?)
    }
}

/// Components x, y, z, w.
impl From<Quat> for [f32; 4] {
    fn from(q: Quat) -> Self {
        q.to_xyzw().map(Real::to_f32)
    }
}
