//! State of a drawn body on a tick.

use super::correction::Smoothing;
use crate::Tick;
use isostep_core::{Quat, Real, Transform, Vec3};

/// Velocity of a pose, at its origin, for extrapolation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Motion {
    /// Velocity of the origin, m/s.
    pub velocity: Vec3,
    /// Angular velocity, rad/s.
    pub spin: Vec3,
}

impl Motion {
    /// Extrapolates a pose by this many seconds; backwards if they are negative.
    ///
    /// ```
    /// use isostep_core::{Transform, Vec3, real};
    /// use isostep_rollback::presentation::Motion;
    /// let motion = Motion { velocity: Vec3::X, ..Motion::default() };
    /// assert_eq!(motion.project(Transform::IDENTITY, real!(-2)), Transform::at(Vec3::from_ints(-2, 0, 0)));
    /// ```
    #[doc(hidden)]
    pub fn project(&self, pose: Transform, seconds: Real) -> Transform {
        let turn = self.spin * seconds;
        let rotation = if turn.is_zero() {
            pose.rotation
        } else {
            Quat::from_rotation_vector(turn) * pose.rotation
        };
        Transform::new(pose.translation + self.velocity * seconds, rotation)
    }

    /// Interpolates between two motions, `t` from 0 to 1.
    pub(super) fn lerp(&self, other: &Self, t: Real) -> Self {
        Self {
            velocity: self.velocity.lerp(other.velocity, t),
            spin: self.spin.lerp(other.spin, t),
        }
    }
}

/// State of one body on a tick. Optional parts improve the result.
///
/// ```
/// use isostep_core::{Transform, Vec3};
/// use isostep_rollback::{Tick, presentation::{Sample, Smoothing}};
/// let sample = Sample::new("ball", Transform::IDENTITY)
///     .velocity(Vec3::X)
///     .jumped(Tick(70))
///     .smoothed(Smoothing::OFF);
/// assert_eq!(sample.jumped, Some(Tick(70)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Sample<K> {
    /// Key of the body.
    pub key: K,
    /// Pose on this tick.
    pub now: Transform,
    /// Pose on the tick before, *as computed now*: a rollback may have changed it. Without it the last sample is used,
    /// or after a rollback an extrapolation back from `now`.
    pub before: Option<Transform>,
    /// Velocity.
    pub motion: Motion,
    /// Newest tick whose step teleported the body, as far as known; at least among the ticks that were just stepped.
    pub jumped: Option<Tick>,
    /// Smoothing of this body; `None` for the default.
    pub smoothing: Option<Smoothing>,
    /// Draw it from its first tick on, not from its second.
    pub at_once: bool,
}

impl<K> Sample<K> {
    /// Creates a sample of a body at rest.
    pub const fn new(key: K, now: Transform) -> Self {
        let motion = Motion { velocity: Vec3::ZERO, spin: Vec3::ZERO };
        Self { key, now, before: None, motion, jumped: None, smoothing: None, at_once: false }
    }

    /// Sets the pose on the tick before, as computed now.
    pub fn before(mut self, pose: Transform) -> Self {
        self.before = Some(pose);
        self
    }

    /// Sets the velocity of the origin, m/s.
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.motion.velocity = velocity;
        self
    }

    /// Sets the angular velocity, rad/s.
    pub fn spin(mut self, spin: Vec3) -> Self {
        self.motion.spin = spin;
        self
    }

    /// Sets the newest tick whose step teleported the body: neither interpolated nor smoothed across.
    pub fn jumped(mut self, tick: Tick) -> Self {
        self.jumped = Some(tick);
        self
    }

    /// Sets the smoothing of this body.
    pub fn smoothed(mut self, smoothing: Smoothing) -> Self {
        self.smoothing = Some(smoothing);
        self
    }

    /// Draws the body from its first tick on, instead of hiding it until there are two ticks to interpolate.
    pub fn shown_at_once(mut self) -> Self {
        self.at_once = true;
        self
    }
}
