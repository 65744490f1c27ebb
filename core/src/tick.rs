//! Ticks: numbers of states and inputs, of a world and of a session.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};
use serde::{Deserialize, Serialize};

/// Number of a state, counted from the start of a world or a match. The step of tick *t* reads the state of *t* and the inputs of
/// *t*, and computes the state of *t + 1*.
#[doc(alias = "Frame")]
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Tick(pub u32);

impl Tick {
    /// Returns the following tick.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// Returns the preceding tick; `None` at tick 0.
    #[doc(hidden)]
    #[must_use]
    pub const fn previous(self) -> Option<Self> {
        match self.0.checked_sub(1) {
            Some(tick) => Some(Self(tick)),
            None => None,
        }
    }

    /// Returns the ticks since an earlier one; 0 if it is later.
    pub const fn since(self, earlier: Self) -> u32 {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<u32> for Tick {
    type Output = Self;
    fn add(self, ticks: u32) -> Self {
        Self(self.0.saturating_add(ticks))
    }
}

impl AddAssign<u32> for Tick {
    fn add_assign(&mut self, ticks: u32) {
        *self = *self + ticks;
    }
}

/// Saturates at tick 0.
impl Sub<u32> for Tick {
    type Output = Self;
    fn sub(self, ticks: u32) -> Self {
        Self(self.0.saturating_sub(ticks))
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
