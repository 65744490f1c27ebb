//! What a tick says of a body that is drawn.

use super::correction::Smoothing;
use crate::tick::Tick;
use isostep_core::{Quat, Real, Transform, Vec3};

/// How a pose changes: of its origin, so that a pose can be projected along it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Motion {
    /// Velocity of the origin, m/s.
    pub velocity: Vec3,
    /// Angular velocity, rad/s.
    pub spin: Vec3,
}

impl Motion {
    /// A pose after this many seconds of it; before, if they are negative.
    ///
    /// ```
    /// use isostep_core::{Transform, Vec3, real};
    /// use isostep_rollback::presentation::Motion;
    /// let motion = Motion { velocity: Vec3::X, ..Motion::default() };
    /// assert_eq!(motion.project(Transform::IDENTITY, real!(-2)), Transform::at(Vec3::from_ints(-2, 0, 0)));
    /// ```
    pub fn project(&self, pose: Transform, seconds: Real) -> Transform {
        let turn = self.spin * seconds;
        let rotation = if turn.is_zero() {
            pose.rotation
        } else {
            Quat::from_rotation_vector(turn) * pose.rotation
        };
        Transform::new(pose.translation + self.velocity * seconds, rotation)
    }

    /// Between two motions, `t` from 0 to 1.
    pub(super) fn lerp(&self, other: &Self, t: Real) -> Self {
        Self {
            velocity: self.velocity.lerp(other.velocity, t),
            spin: self.spin.lerp(other.spin, t),
        }
    }
}

/// What a tick says of one body: fill in what you know.
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
    /// Whose.
    pub key: K,
    /// Where it is on this tick.
    pub now: Transform,
    /// Where it was on the tick before, *as computed now*: after a rollback that is not where it was thought to be.
    /// Without it the last sample counts, or after a rollback its motion back from `now`.
    pub before: Option<Transform>,
    /// How it moves.
    pub motion: Motion,
    /// The newest tick whose step put it elsewhere on purpose, as far as that is known; at least for the ticks that
    /// were just computed.
    pub jumped: Option<Tick>,
    /// How its errors fade, if not as everybody's.
    pub smoothing: Option<Smoothing>,
    /// Drawn from its first tick on, not from its second.
    pub at_once: bool,
}

impl<K> Sample<K> {
    /// A body that rests here, as far as is known.
    pub const fn new(key: K, now: Transform) -> Self {
        let motion = Motion { velocity: Vec3::ZERO, spin: Vec3::ZERO };
        Self { key, now, before: None, motion, jumped: None, smoothing: None, at_once: false }
    }

    /// Where it was on the tick before, as computed now.
    pub fn before(mut self, pose: Transform) -> Self {
        self.before = Some(pose);
        self
    }

    /// The velocity of its origin, m/s.
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.motion.velocity = velocity;
        self
    }

    /// Its angular velocity, rad/s.
    pub fn spin(mut self, spin: Vec3) -> Self {
        self.motion.spin = spin;
        self
    }

    /// The newest tick whose step put it elsewhere on purpose: neither interpolated nor smoothed across.
    pub fn jumped(mut self, tick: Tick) -> Self {
        self.jumped = Some(tick);
        self
    }

    /// How its errors fade.
    pub fn smoothed(mut self, smoothing: Smoothing) -> Self {
        self.smoothing = Some(smoothing);
        self
    }

    /// Draws it from its first tick on, where it appeared, instead of hiding it until there are two ticks to go
    /// between.
    pub fn shown_at_once(mut self) -> Self {
        self.at_once = true;
        self
    }
}
