//! Numbers: the same bits on every machine.
//!
//! | type | what it is |
//! | --- | --- |
//! | [`Real`], [`Vec3`], [`Transform`], [`Aabb`] | positions and everything a game writes: Q32.32 |
//! | [`Quat`] | orientations: four Q1.30 |
//! | [`Mat3`], [`Sym3`] | frames and inertia tensors: Q32.32 |
//! | [`Lane`], [`Wide`] | the solver's 32-bit operands and 64-bit sums |
//!
//! Products are wide and round once, to nearest with ties toward +∞. Floats appear in `rim.rs` and,
//! as a seed whose result is exact whatever it was, in `root.rs`.

mod aabb;
#[cfg(feature = "glam")]
mod glam;
mod lane;
mod mat3;
mod principal;
mod quat;
mod real;
mod rim;
mod root;
mod text;
mod transform;
mod trig;
mod vec3;
mod wide;

#[cfg(feature = "glam")]
pub use self::glam::FloatRotationError;
pub(crate) use root::{Scaled, isqrt, length_squared, sqrt_nearest};

pub use aabb::{Aabb, InvertedBox};
#[cfg(feature = "check-narrowing")]
pub use lane::rounding_ties;
pub use lane::{Lane, Q20, Q22, Q24, Q30, Wide};
pub use mat3::{Mat3, Sym3};
pub(crate) use quat::Turn;
pub use quat::{NotUnit, Quat};
pub use real::Real;
pub use rim::FloatError;
pub use text::ParseRealError;
pub use transform::Transform;
pub use vec3::{Vec3, ZeroLength};
pub(crate) use wide::{Divisor, Rate, round_shift, saturate};
