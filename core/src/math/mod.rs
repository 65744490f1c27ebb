//! Fixed-point math with the same bits on every machine.
//!
//! | type | use |
//! | --- | --- |
//! | [`Real`], [`Vec3`], [`Transform`], [`Aabb`] | positions and everything a game writes: Q32.32 |
//! | [`Quat`] | orientations: four Q1.30 |
//! | [`Mat3`], [`Sym3`] | frames and inertia tensors: Q32.32 |
//! | [`Lane`], [`Wide`] | the solver's 32-bit operands and 64-bit sums |
//!
//! Products are wide and round once, to nearest with ties toward +∞. Floats appear only in
//! `float.rs` and `glam.rs` (conversions) and in `root.rs` (a seed that cannot change the result).

pub(crate) mod aabb;
mod arrays;
mod float;
#[cfg(feature = "glam")]
mod glam;
pub(crate) mod lane;
pub(crate) mod mat3;
#[cfg(feature = "mint")]
mod mint;
mod principal;
mod quat;
mod real;
mod root;
mod text;
mod transform;
mod trig;
mod u256;
mod vec3;
mod wide;

pub use arrays::FloatRotationError;
pub(crate) use root::{Scaled, isqrt, length_squared, sqrt_nearest};

pub(crate) use aabb::Aabb;
pub use float::FloatError;
pub(crate) use lane::{Lane, Q20, Q22, Q30, Wide};
#[cfg(feature = "check-narrowing")]
pub use lane::{rounding_ties, without_narrowing_checks};
pub(crate) use mat3::{Mat3, Sym3};
pub(crate) use quat::Turn;
pub use quat::{NotUnit, Quat};
pub use real::Real;
pub use text::ParseRealError;
pub use transform::Transform;
pub(crate) use u256::U256;
pub use vec3::{Vec3, ZeroLength};
pub(crate) use wide::{Divisor, Rate, round_shift, saturate};
