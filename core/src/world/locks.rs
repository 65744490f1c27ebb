//! Locked degrees of freedom of a body.

use core::ops::{BitOr, BitOrAssign};
use serde::{Deserialize, Serialize};

/// A set of locked degrees of freedom: translation along, and rotation about, the axes of the world. Only a dynamic body obeys its locks.
///
/// Impulses along, and torques about, locked axes have no effect. The response about the free axes is that of the body without locks:
/// locked rows and columns of the inverse inertia are zero, as in Rapier and Jolt.
///
/// ```
/// use isostep_core::world::{BodyDef, Locks};
/// // A door: it turns about y and does nothing else.
/// let door = BodyDef::dynamic().lock(Locks::TRANSLATION | Locks::ROTATION_X | Locks::ROTATION_Z);
/// assert!(door.locks.contains(Locks::TRANSLATION_X));
/// assert!(!door.locks.contains(Locks::ROTATION));
/// // Off its hinges.
/// assert_eq!(door.locks.without(Locks::TRANSLATION | Locks::ROTATION), Locks::NONE);
/// ```
#[doc(alias("LockedAxes", "MotionLocks", "AllowedDOFs"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
#[must_use]
pub struct Locks(u8);

impl Locks {
    /// Nothing is locked.
    pub const NONE: Self = Self(0);
    /// Translation along x.
    pub const TRANSLATION_X: Self = Self(1);
    /// Translation along y.
    pub const TRANSLATION_Y: Self = Self(1 << 1);
    /// Translation along z.
    pub const TRANSLATION_Z: Self = Self(1 << 2);
    /// Translation along all axes.
    pub const TRANSLATION: Self = Self(0b111);
    /// Rotation about x.
    pub const ROTATION_X: Self = Self(1 << 3);
    /// Rotation about y.
    pub const ROTATION_Y: Self = Self(1 << 4);
    /// Rotation about z.
    pub const ROTATION_Z: Self = Self(1 << 5);
    /// Rotation about all axes.
    pub const ROTATION: Self = Self(0b111_000);
    /// Motion out of the plane of x and y: only translation along x and y and rotation about z are free.
    pub const PLANE_XY: Self = Self(0b011_100);
    /// Motion out of the plane of x and z: only translation along x and z and rotation about y are free.
    pub const PLANE_XZ: Self = Self(0b101_010);
    /// Motion out of the plane of y and z: only translation along y and z and rotation about x are free.
    pub const PLANE_YZ: Self = Self(0b110_001);
    /// All degrees of freedom.
    pub const ALL: Self = Self(0b111_111);

    /// Returns whether all of these degrees of freedom are locked.
    #[must_use]
    pub const fn contains(self, locks: Self) -> bool {
        self.0 & locks.0 == locks.0
    }

    /// Returns these locks without others, locked or not.
    pub const fn without(self, locks: Self) -> Self {
        Self(self.0 & !locks.0)
    }

    /// Bit i locks translation along axis i, bit 3 + i rotation about it.
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// The locks with these bits; `None` if a bit has no axis.
    pub(crate) const fn from_bits(bits: u8) -> Option<Self> {
        if bits <= Self::ALL.0 { Some(Self(bits)) } else { None }
    }
}

impl BitOr for Locks {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Locks {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl TryFrom<u8> for Locks {
    type Error = &'static str;
    fn try_from(bits: u8) -> Result<Self, Self::Error> {
        Self::from_bits(bits)
            .ok_or("locks have six bits; the data is damaged or from another version")
    }
}

impl From<Locks> for u8 {
    fn from(locks: Locks) -> Self {
        locks.0
    }
}
