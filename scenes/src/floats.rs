//! Vectors of floats for measurements of worlds from outside, which must share no arithmetic with the engine.
#![allow(clippy::disallowed_types, reason = "measurements, not simulation")]

/// Vector.
pub type V = [f64; 3];

/// Dot product.
#[must_use]
pub fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a − b.
#[must_use]
pub fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Cross product.
#[must_use]
pub fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
