//! Conversions to and from `glam`, for rendering and authoring. Part of the float boundary, like
//! `float.rs`.
#![allow(clippy::disallowed_types, reason = "float conversions are the boundary of the simulation")]

use super::{FloatError, FloatRotationError, Quat, Real, Transform, Vec3};

impl TryFrom<glam::Vec3> for Vec3 {
    type Error = FloatError;
    fn try_from(v: glam::Vec3) -> Result<Self, FloatError> {
        Self::try_from(v.as_dvec3())
    }
}

impl TryFrom<glam::DVec3> for Vec3 {
    type Error = FloatError;
    fn try_from(v: glam::DVec3) -> Result<Self, FloatError> {
        Ok(Self::new(Real::from_f64(v.x)?, Real::from_f64(v.y)?, Real::from_f64(v.z)?))
    }
}

impl From<Vec3> for glam::Vec3 {
    fn from(v: Vec3) -> Self {
        Self::new(v.x.to_f32(), v.y.to_f32(), v.z.to_f32())
    }
}

impl From<Vec3> for glam::DVec3 {
    fn from(v: Vec3) -> Self {
        Self::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64())
    }
}

impl TryFrom<glam::Quat> for Quat {
    type Error = FloatRotationError;
    fn try_from(q: glam::Quat) -> Result<Self, FloatRotationError> {
        Self::try_from(q.as_dquat())
    }
}

impl TryFrom<glam::DQuat> for Quat {
    type Error = FloatRotationError;
    fn try_from(q: glam::DQuat) -> Result<Self, FloatRotationError> {
        let part = Real::from_f64;
        Ok(Self::from_xyzw(part(q.x)?, part(q.y)?, part(q.z)?, part(q.w)?)?)
    }
}

impl From<Quat> for glam::Quat {
    fn from(q: Quat) -> Self {
        Self::from_array(q.to_xyzw().map(Real::to_f32))
    }
}

impl From<Quat> for glam::DQuat {
    fn from(q: Quat) -> Self {
        Self::from_array(q.to_xyzw().map(Real::to_f64))
    }
}

impl From<Transform> for glam::Affine3A {
    fn from(t: Transform) -> Self {
        Self::from_rotation_translation(t.rotation.into(), t.translation.into())
    }
}
