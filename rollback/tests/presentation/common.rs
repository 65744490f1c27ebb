//! Shared by the tests.

use core::time::Duration;
use isostep_core::{Quat, Real, Transform, Vec3};
use isostep_rollback::RunReport;
use proptest::prelude::*;

pub(crate) const TICK: Duration = Duration::from_nanos(1_000_000_000 / 60);
pub(crate) const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 144);
pub(crate) const STEP: RunReport = RunReport { new: 1, resimulated: 0 };

/// A tick that came with a rollback.
pub(crate) const fn rollback(again: u32) -> RunReport {
    RunReport { new: 1, resimulated: again }
}

pub(crate) fn at(x: i32) -> Transform {
    Transform::at(Vec3::from_ints(x, 0, 0))
}

/// Within a metre or so of the origin, turned in any way.
pub(crate) fn pose() -> impl Strategy<Value = Transform> {
    let bits = || -(1i64 << 32)..1i64 << 32;
    let part = (bits(), bits(), bits(), bits(), bits(), bits());
    part.prop_map(|(x, y, z, a, b, c)| {
        let turn = Vec3::from_bits([a, b, c]) * Real::PI;
        Transform::new(Vec3::from_bits([x, y, z]), Quat::from_rotation_vector(turn))
    })
}

pub(crate) fn vector() -> impl Strategy<Value = Vec3> {
    let bits = || -(8i64 << 32)..8i64 << 32;
    (bits(), bits(), bits()).prop_map(|(x, y, z)| Vec3::from_bits([x, y, z]))
}

/// The angle between two rotations.
pub(crate) fn angle(a: Quat, b: Quat) -> Real {
    (a * b.inverse()).to_rotation_vector().length()
}
