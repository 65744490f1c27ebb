//! A stick of two axes in integer steps, so that every machine sees the same deflection.

use super::Input;
use isostep_core::math::FloatError;
use isostep_core::{Real, Vec3};
use serde::{Deserialize, Serialize};

/// Steps from the centre to full deflection.
const FULL: i8 = 127;

/// A thumb stick, or any two axes from −1 to 1, in steps of 1/127.
///
/// As an [`Input`] it is a level. When two samples share a tick, the one with the larger deflection wins (the newer one
/// if they are equal), so that a flick between two ticks is seen; the next tick corrects the level.
///
/// ```
/// use isostep_rollback::{Input, Stick};
/// use isostep_core::Real;
///
/// let flick = Stick::from_f32(-1.0, 0.0).unwrap();
/// assert_eq!(flick.x(), Real::from_int(-1));
/// assert_eq!(Input::merge(flick, Stick::CENTRE), flick);
/// assert!(Stick::from_f32(f32::NAN, 0.0).is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Steps", into = "Steps")]
pub struct Stick {
    x: i8,
    y: i8,
}

impl Stick {
    /// The stick at rest.
    pub const CENTRE: Self = Self { x: 0, y: 0 };

    /// Creates a stick from steps, −127 to 127 each; `None` for −128, which has no opposite.
    pub const fn from_steps(x: i8, y: i8) -> Option<Self> {
        if x == i8::MIN || y == i8::MIN { None } else { Some(Self { x, y }) }
    }

    /// Creates a stick from device values, −1 to 1 each, rounded to the nearest step. Values beyond are clamped, since
    /// devices overshoot.
    ///
    /// # Errors
    /// For NaN, infinities and values beyond ±2³¹.
    #[allow(clippy::disallowed_types, reason = "the boundary: devices report floats")]
    pub fn from_f32(x: f32, y: f32) -> Result<Self, FloatError> {
        Ok(Self { x: steps(Real::from_f32(x)?), y: steps(Real::from_f32(y)?) })
    }

    /// Returns the first axis, −1 to 1: steps / 127, rounded once.
    pub const fn x(self) -> Real {
        Real::ratio(self.x as i32, FULL as i32)
    }

    /// Returns the second axis, −1 to 1: steps / 127, rounded once.
    pub const fn y(self) -> Real {
        Real::ratio(self.y as i32, FULL as i32)
    }

    /// Returns both axes, and 0 for the third.
    pub const fn to_vec(self) -> Vec3 {
        Vec3::new(self.x(), self.y(), Real::ZERO)
    }

    /// Returns both axes in steps, −127 to 127.
    pub const fn to_steps(self) -> [i8; 2] {
        [self.x, self.y]
    }

    /// Returns the stick, or the centre if the deflection is below this many steps (of 127).
    #[must_use]
    pub const fn with_dead_zone(self, steps: u8) -> Self {
        if self.lean() < steps as i32 * steps as i32 { Self::CENTRE } else { self }
    }

    /// Squared deflection, in steps.
    const fn lean(self) -> i32 {
        let (x, y) = (self.x as i32, self.y as i32);
        x * x + y * y
    }
}

/// Rounds symmetrically about 0: halves away from zero.
fn steps(axis: Real) -> i8 {
    let size = axis.abs().min(Real::ONE) * i32::from(FULL);
    let size = size.round().floor_to_int() as i8;
    if axis.is_negative() { -size } else { size }
}

impl Input for Stick {
    fn hold(last: Self) -> Self {
        last
    }

    fn merge(older: Self, newer: Self) -> Self {
        if older.lean() > newer.lean() { older } else { newer }
    }
}

/// Encoded form.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Stick")]
struct Steps {
    x: i8,
    y: i8,
}

impl From<Stick> for Steps {
    fn from(stick: Stick) -> Self {
        Self { x: stick.x, y: stick.y }
    }
}

impl TryFrom<Steps> for Stick {
    type Error = &'static str;
    fn try_from(steps: Steps) -> Result<Self, Self::Error> {
        Self::from_steps(steps.x, steps.y).ok_or("a stick's steps go from -127 to 127")
    }
}
