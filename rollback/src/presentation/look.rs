//! Look input: motion of a mouse or stick, sampled at the display rate, reaches the simulation by ticks. The camera
//! shows at once the motion that the simulation has not applied yet.
//!
//! Inputs carry a running total instead of differences. So a tick that is held, merged, repeated or delayed neither
//! loses nor doubles motion. Angles are integers: 2³² are a full turn, and they wrap.

use crate::input::Input;
use isostep_core::{Quat, Real, Vec3};
use serde::{Deserialize, Serialize};

/// Straight up or down: a quarter of a turn.
const QUARTER: i32 = 1 << 30;
/// Low bits of an angle that an input omits.
const STEP_BITS: u32 = 16;

/// A view direction, or a change of one: angles in 2⁻³² turns.
///
/// ```
/// use isostep_core::real;
/// use isostep_rollback::presentation::Look;
/// let up = Look::from_radians(real!(0), real!(1));
/// assert_eq!(up.turned(up).pitch, 1 << 30); // not further than straight up
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Look {
    /// Yaw about +y, from −z towards −x; wraps.
    pub yaw: i32,
    /// Pitch, up from the horizon.
    pub pitch: i32,
}

impl Look {
    /// Creates angles from radians, rounded to 2⁻³² turns; they wrap.
    pub fn from_radians(yaw: Real, pitch: Real) -> Self {
        // Bits of a Real by 2³² are at most 2⁹⁵.
        let units = |angle: Real| {
            let wide = i128::from(angle.to_bits()) << 32;
            let turn = i128::from(Real::TAU.to_bits());
            (wide + turn / 2).div_euclid(turn) as i32
        };
        Self { yaw: units(yaw), pitch: units(pitch) }
    }

    /// Returns yaw and pitch in radians, −π to π.
    pub fn to_radians(self) -> [Real; 2] {
        [self.yaw, self.pitch].map(|angle| Real::from_bits(i64::from(angle)) * Real::TAU)
    }

    /// Applies a change: yaw wraps, pitch is clamped at straight up and down.
    #[must_use]
    pub fn turned(self, by: Self) -> Self {
        let pitch = self.pitch.saturating_add(by.pitch).clamp(-QUARTER, QUARTER);
        Self { yaw: self.yaw.wrapping_add(by.yaw), pitch }
    }

    /// Returns the rotation of a camera that looks along −z with +y up.
    pub fn rotation(self) -> Quat {
        let [yaw, pitch] = self.to_radians();
        let about = |axis: Vec3, angle| Quat::from_rotation_vector(axis * angle);
        about(Vec3::Y, yaw) * about(Vec3::X, pitch)
    }
}

/// Look part of a player's input: total rotation since the start of the match, in 2⁻¹⁶ turns, wrapping.
///
/// Four bytes. As a part of an [`Input`] it is a level: the newest sample wins, and no motion is lost. Ignore it for
/// empty seats: their input is the default.
///
/// ```
/// use isostep_rollback::presentation::LookInput;
/// let (then, now) = (LookInput { yaw: i16::MAX, pitch: 0 }, LookInput { yaw: i16::MIN, pitch: 2 });
/// assert_eq!((now.since(then).yaw, now.since(then).pitch), (1 << 16, 2 << 16)); // a step and two
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LookInput {
    /// Total yaw.
    pub yaw: i16,
    /// Total pitch, not clamped.
    pub pitch: i16,
}

impl LookInput {
    /// Returns the rotation since an earlier input; correct up to half a turn.
    pub fn since(self, earlier: Self) -> Look {
        let change = |now: i16, then: i16| i32::from(now.wrapping_sub(then)) << STEP_BITS;
        Look { yaw: change(self.yaw, earlier.yaw), pitch: change(self.pitch, earlier.pitch) }
    }
}

impl Input for LookInput {
    fn hold(last: Self) -> Self {
        last
    }

    fn merge(_: Self, newer: Self) -> Self {
        newer
    }
}

/// View direction of a player, for the game's own state. The simulation applies each tick's [`LookInput`] to it, and
/// may turn [`look`](Self::look) itself (recoil, a teleport).
///
/// ```
/// use isostep_rollback::presentation::{LookInput, LookState};
/// let mut player = LookState::default();
/// for _ in 0..3 {
///     player.apply(LookInput { yaw: 5, pitch: 0 }); // held: turns once
/// }
/// assert_eq!(player.look.yaw, 5 << 16);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LookState {
    /// View direction.
    pub look: Look,
    /// Last applied input.
    pub seen: LookInput,
}

impl LookState {
    /// Applies the new rotation in the input of a tick.
    pub fn apply(&mut self, input: LookInput) {
        self.look = self.look.turned(input.since(self.seen));
        self.seen = input;
    }
}

/// Accumulates a local player's look motion, provides the input of the next tick, and adds to the camera the motion
/// that the simulation has not applied.
///
/// Each frame: [`sample`](Self::sample) for each report of the device; for each tick pass [`input`](Self::input) to
/// [`Session::local_input`](crate::Session::local_input), any number of times; just before drawing call
/// [`camera`](Self::camera).
///
/// ```
/// use isostep_rollback::presentation::{Look, LookAccumulator, LookState};
///
/// let mut mouse = LookAccumulator::new();
/// let mut player = LookState::default();
/// mouse.sample(Look { yaw: 100_000, pitch: 0 });
/// let sent = mouse.input();
/// // The simulation has not applied the input, but the camera has turned.
/// assert_eq!(mouse.camera(&player).yaw, 100_000);
/// mouse.sample(Look { yaw: 7, pitch: 0 });
/// player.apply(sent);
/// assert_eq!(player.look.yaw, 1 << 16); // one whole step
/// assert_eq!(mouse.camera(&player).yaw, 100_007);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookAccumulator {
    /// Total motion; both angles wrap.
    total: Look,
}

impl LookAccumulator {
    /// Creates an accumulator without motion.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds motion of the device.
    pub fn sample(&mut self, motion: Look) {
        self.total.yaw = self.total.yaw.wrapping_add(motion.yaw);
        self.total.pitch = self.total.pitch.wrapping_add(motion.pitch);
    }

    /// Returns the look input of a tick now: whole steps of the total, rounded down. The remainder stays for later
    /// ticks.
    pub fn input(&self) -> LookInput {
        let steps = |angle: i32| (angle >> STEP_BITS) as i16;
        LookInput { yaw: steps(self.total.yaw), pitch: steps(self.total.pitch) }
    }

    /// Returns the motion that the simulation has not applied: inputs in flight, and the remainder below a step. Exact
    /// up to half a turn.
    pub fn pending(&self, seen: LookInput) -> Look {
        let rest = |total: i32, seen: i16| total.wrapping_sub(i32::from(seen) << STEP_BITS);
        Look { yaw: rest(self.total.yaw, seen.yaw), pitch: rest(self.total.pitch, seen.pitch) }
    }

    /// Returns the camera's view direction: the simulated one, turned by the motion that is not applied yet.
    pub fn camera(&self, simulated: &LookState) -> Look {
        simulated.look.turned(self.pending(simulated.seen))
    }
}
