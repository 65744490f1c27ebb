//! Conversions to and from `mint`, the types that math libraries of any version share. Part of the float boundary, like `float.rs`.
#![allow(clippy::disallowed_types, reason = "float conversions are the boundary of the simulation")]

use super::{FloatError, FloatRotationError, Quat, Vec3};

macro_rules! vectors {
    ($($theirs:ident)+) => {$(
        impl TryFrom<mint::$theirs<f32>> for Vec3 {
            type Error = FloatError;
            fn try_from(v: mint::$theirs<f32>) -> Result<Self, FloatError> {
                Self::try_from([v.x, v.y, v.z])
            }
        }

        impl From<Vec3> for mint::$theirs<f32> {
            fn from(v: Vec3) -> Self {
                <[f32; 3]>::from(v).into()
            }
        }
    )+};
}

vectors! { Vector3 Point3 }

impl TryFrom<mint::Quaternion<f32>> for Quat {
    type Error = FloatRotationError;
    fn try_from(q: mint::Quaternion<f32>) -> Result<Self, FloatRotationError> {
        Self::try_from([q.v.x, q.v.y, q.v.z, q.s])
    }
}

impl From<Quat> for mint::Quaternion<f32> {
    fn from(q: Quat) -> Self {
        <[f32; 4]>::from(q).into()
    }
}
