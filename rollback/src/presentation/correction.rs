//! How an error fades: between what was drawn and what turned out to be true, per body. `poses` decides when one begins.
//!
//! A correction is a function of its age alone, and ages add up exactly, so how frames cut the time makes no difference.

use super::half::{left_after, progress, seconds};
use super::sample::Motion;
use core::time::Duration;
use isostep_core::{Quat, Real, Transform, Vec3, real};

/// Errors below this are gone: 61 µm, and as many microradians.
const TINY: Real = real!(0.00006103515625);

/// The way in which an error fades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// It does not: the body is drawn where it is, and jumps.
    Off,
    /// The error stays as an offset of the drawn pose, and half of what is left goes in each half life. Quick at first;
    /// good for most things.
    Decay {
        /// How long half of it takes.
        half_life: Duration,
    },
    /// Projective velocity blending: from the pose that was drawn, moved on with a velocity that turns from the old one
    /// into the new one, to the true path, over a fixed time; then exact. It keeps its pace at first, so it looks best
    /// for what is thrown and driven.
    Project {
        /// How long it takes.
        over: Duration,
    },
}

/// How the errors of a body fade, and which don't.
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
    /// The way.
    pub method: Method,
    /// Larger errors are not smoothed, in metres: the body is drawn where it is at once.
    pub limit: Real,
    /// Larger errors are not smoothed, in radians; 4 for any, since none is larger than π.
    pub turn_limit: Real,
}

impl Smoothing {
    /// No smoothing.
    pub const OFF: Self = Self::by(Method::Off);

    /// An offset that halves in each half life. A half life of nothing is no smoothing.
    pub const fn decay(half_life: Duration) -> Self {
        Self::by(Method::Decay { half_life })
    }

    /// Projective velocity blending over a fixed time.
    pub const fn project(over: Duration) -> Self {
        Self::by(Method::Project { over })
    }

    /// Limits that suit bodies of about a metre: 4 m, any turn.
    const fn by(method: Method) -> Self {
        Self { method, limit: real!(4), turn_limit: real!(4) }
    }
}

/// An offset with a half life of 50 ms: gone to a tenth in 166 ms.
impl Default for Smoothing {
    fn default() -> Self {
        Self::decay(Duration::from_millis(50))
    }
}

/// What is left to correct of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Correction {
    #[default]
    None,
    Decaying {
        half_life: Duration,
        age: Duration,
        /// At age 0, metres and a rotation vector.
        shift: Vec3,
        turn: Vec3,
    },
    Projected {
        over: Duration,
        age: Duration,
        /// What was drawn at age 0.
        start: Transform,
        old: Motion,
        new: Motion,
    },
}

impl Correction {
    /// From what was drawn to a path that is elsewhere.
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

    /// What is drawn of a path.
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

    /// How what is drawn of a path moves.
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

    /// Lets time pass; what is over is gone.
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

/// Whether two poses are so close that nobody sees it.
pub(super) fn alike(a: Transform, b: Transform) -> bool {
    a == b
        || (a.translation.distance(b.translation) < TINY
            && (a.rotation * b.rotation.inverse()).to_rotation_vector().length() < TINY)
}

/// Between two poses, along the shorter arc; exactly the one or the other at 0 and 1.
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
