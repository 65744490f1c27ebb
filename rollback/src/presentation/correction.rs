//! Error smoothing: fades the difference between the drawn pose and the corrected one, per body. `poses` decides when a
//! correction begins.
//!
//! A correction is a function of its age alone, and ages add up exactly, so the frame rate does not change it.

use super::half::{left_after, progress, seconds};
use super::sample::Motion;
use core::time::Duration;
use isostep_core::{Quat, Real, Transform, Vec3, real};

/// Errors below this are zero: 61 µm, and as many microradians.
const TINY: Real = real!(0.00006103515625);

/// Method of error smoothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// No smoothing: the body snaps to its pose.
    Off,
    /// The error is an offset of the drawn pose that halves in each half life. Fast at first; suits most bodies.
    Decay {
        /// Time in which the error halves.
        half_life: Duration,
    },
    /// Projective velocity blending: the drawn pose moves on with a velocity blended from the old to the new one, and
    /// converges to the true path over a fixed time, exactly. It keeps its speed at first, so it suits thrown and
    /// driven bodies.
    Project {
        /// Duration of the blend.
        over: Duration,
    },
}

/// Smoothing of a body's errors, and the limits beyond which it snaps.
///
/// ```
/// use core::time::Duration;
/// use isostep_core::real;
/// use isostep_rollback::presentation::Smoothing;
/// let car = Smoothing { limit: real!(10), ..Smoothing::project(Duration::from_millis(150)) };
/// assert_ne!(car, Smoothing::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Smoothing {
    /// Method.
    pub method: Method,
    /// Position error beyond which the body snaps, in metres.
    pub limit: Real,
    /// Rotation error beyond which the body snaps, in radians; 4 smooths all, since none exceeds π.
    pub turn_limit: Real,
}

impl Smoothing {
    /// No smoothing.
    pub const OFF: Self = Self::by(Method::Off);

    /// Decays an offset with a half life. A half life of zero is no smoothing.
    pub const fn decay(half_life: Duration) -> Self {
        Self::by(Method::Decay { half_life })
    }

    /// Blends velocities projectively over a fixed time.
    pub const fn project(over: Duration) -> Self {
        Self::by(Method::Project { over })
    }

    /// Default limits for bodies of about a metre: 4 m, any rotation.
    const fn by(method: Method) -> Self {
        Self { method, limit: real!(4), turn_limit: real!(4) }
    }
}

/// An offset with a half life of 50 ms: a tenth is left after 166 ms.
impl Default for Smoothing {
    fn default() -> Self {
        Self::decay(Duration::from_millis(50))
    }
}

/// Remaining correction of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Correction {
    #[default]
    None,
    Decaying {
        half_life: Duration,
        age: Duration,
        /// Offset at age 0: metres and a rotation vector.
        shift: Vec3,
        turn: Vec3,
    },
    Projected {
        over: Duration,
        age: Duration,
        /// Drawn pose at age 0.
        start: Transform,
        old: Motion,
        new: Motion,
    },
}

impl Correction {
    /// Begins a correction from the drawn pose to the path.
    pub(super) fn begin(
        smoothing: &Smoothing,
        drawn: (Transform, Motion),
        path: (Transform, Motion),
    ) -> Self {
        let shift = drawn.0.translation - path.0.translation;
        let turn = (drawn.0.rotation * path.0.rotation.inverse()).to_rotation_vector();
        let (far, wide) = (shift.length(), turn.length());
        if far > smoothing.limit || wide > smoothing.turn_limit || (far < TINY && wide < TINY) {
            return Self::None;
        }
        let age = Duration::ZERO;
        match smoothing.method {
            Method::Off => Self::None,
            Method::Decay { half_life } => Self::Decaying { half_life, age, shift, turn },
            Method::Project { over } => {
                Self::Projected { over, age, start: drawn.0, old: drawn.1, new: path.1 }
            }
        }
    }

    /// Returns the drawn pose for a pose on the path.
    pub(super) fn apply(&self, path: Transform) -> Transform {
        match *self {
            Self::None => path,
            Self::Decaying { half_life, age, shift, turn } => {
                let left = left_after(age, half_life);
                let turn = turn * left;
                let rotation = if turn.is_zero() {
                    path.rotation
                } else {
                    Quat::from_rotation_vector(turn) * path.rotation
                };
                Transform::new(path.translation + shift * left, rotation)
            }
            Self::Projected { over, age, start, old, new } => {
                let done = progress(age, over);
                between(old.lerp(&new, done).project(start, seconds(age)), path, done)
            }
        }
    }

    /// Returns the motion of the drawn pose.
    pub(super) fn motion(&self, path: Transform, motion: Motion) -> Motion {
        let Self::Projected { over, age, start, old, new } = *self else { return motion };
        let done = progress(age, over);
        let projected = old.lerp(&new, done).project(start, seconds(age));
        // The derivative of p·(1 − s) + q·s with p = start + lerp(old, new, s)·t and s = t/T.
        let was = old.lerp(&new, done * 2);
        let blend = was.lerp(&motion, done);
        let span = seconds(over).max(TINY);
        let turn = (path.rotation * projected.rotation.inverse()).to_rotation_vector();
        Motion {
            velocity: blend.velocity + (path.translation - projected.translation) / span,
            spin: blend.spin + turn / span,
        }
    }

    /// Advances the age, and ends a finished correction.
    pub(super) fn pass(&mut self, time: Duration) {
        match self {
            Self::None => return,
            Self::Decaying { age, .. } | Self::Projected { age, .. } => {
                *age = age.saturating_add(time);
            }
        }
        let over = match *self {
            Self::None => true,
            Self::Decaying { half_life, age, shift, turn } => {
                let left = left_after(age, half_life);
                (shift * left).length() < TINY && (turn * left).length() < TINY
            }
            Self::Projected { over, age, .. } => age >= over,
        };
        if over {
            *self = Self::None;
        }
    }
}

/// Returns true if two poses differ by less than [`TINY`].
pub(super) fn alike(a: Transform, b: Transform) -> bool {
    a == b
        || (a.translation.distance(b.translation) < TINY
            && (a.rotation * b.rotation.inverse()).to_rotation_vector().length() < TINY)
}

/// Interpolates between two poses along the shorter arc; exact at 0 and 1.
pub(super) fn between(from: Transform, to: Transform, t: Real) -> Transform {
    if t <= Real::ZERO {
        return from;
    }
    if t >= Real::ONE {
        return to;
    }
    let rotation = if from.rotation == to.rotation {
        from.rotation
    } else {
        from.rotation.nlerp(to.rotation, t)
    };
    Transform::new(from.translation.lerp(to.translation, t), rotation)
}
