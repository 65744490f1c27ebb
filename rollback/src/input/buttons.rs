//! Up to 64 buttons: held, and pressed since the previous sample.

use super::Input;
use core::fmt;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::SerializeTupleStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One button of a [`Buttons<N>`]. Its index is always valid.
///
/// ```
/// use isostep_rollback::Button;
/// const JUMP: Button<4> = Button::at::<0>();
/// assert_eq!(Button::<4>::new(0), Some(JUMP));
/// assert_eq!(Button::<4>::new(4), None);
/// ```
/// ```compile_fail
/// use isostep_rollback::Button;
/// const JUMP: Button<4> = Button::at::<4>();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Button<const N: usize>(u8);

impl<const N: usize> Button<N> {
    /// Returns the button at a constant index; an index out of range does not compile.
    pub const fn at<const PLACE: usize>() -> Self {
        const { assert!(PLACE < N && N <= 64, "there is no such button") }
        Self(PLACE as u8)
    }

    /// Returns the button at an index; `None` if it is out of range.
    pub const fn new(place: usize) -> Option<Self> {
        if place < N && place < 64 { Some(Self(place as u8)) } else { None }
    }

    const fn bit(self) -> u64 {
        1 << self.0
    }
}

/// Error: bits are set beyond the last button of a [`Buttons<N>`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "bits {extra:#x} are set, but there are only {count} buttons; raise the N of Buttons<N> or mask them"
)]
pub struct NoSuchButton {
    /// The bits beyond the last button.
    pub extra: u64,
    /// Number of buttons.
    pub count: usize,
}

/// `N` buttons, 1 to 64: those *held* now, and those *pressed* since the previous sample, so that a tap shorter than a
/// tick is seen.
///
/// - Sample by events: start with [`Input::hold`] of the previous sample, then [`press`](Self::press) and
///   [`release`](Self::release).
/// - Computed inputs: [`down`](Self::down).
/// - Sample by levels: [`next`](Self::next) of the previous sample.
/// - Read in a step: [`held`](Self::held), [`pressed`](Self::pressed), [`released`](Self::released).
///
/// ```
/// use isostep_rollback::{Button, Buttons, Input};
/// const JUMP: Button<2> = Button::at::<0>();
/// const FIRE: Button<2> = Button::at::<1>();
///
/// let first = Buttons::none().press(JUMP);
/// assert!(first.held(JUMP) && first.pressed(JUMP));
/// let second = first.next(0b11).unwrap();
/// assert!(second.held(JUMP) && !second.pressed(JUMP) && second.pressed(FIRE));
/// let third = Buttons::hold(second).release(FIRE);
/// assert!(third.released(second, FIRE));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Buttons<const N: usize> {
    held: u64,
    pressed: u64,
}

impl<const N: usize> Buttons<N> {
    /// Encoded bytes of one set.
    const BYTES: usize = {
        assert!(N >= 1 && N <= 64, "Buttons<N> has 1 to 64 buttons");
        N.div_ceil(8)
    };
    const MASK: u64 = u64::MAX >> (64 - N);
    // The number of buttons is part of the name, so that codecs with different numbers differ in their schema.
    const NAME_BYTES: [u8; 11] = {
        let mut name = *b"Buttons<00>";
        name[8] += (N / 10) as u8;
        name[9] += (N % 10) as u8;
        name
    };
    const NAME: &'static str = match core::str::from_utf8(&Self::NAME_BYTES) {
        Ok(name) => name,
        Err(_) => "Buttons",
    };

    /// No button held or pressed.
    ///
    /// ```compile_fail
    /// let too_many = isostep_rollback::Buttons::<65>::none();
    /// ```
    pub const fn none() -> Self {
        const { assert!(Self::BYTES > 0) }
        Self { held: 0, pressed: 0 }
    }

    /// Presses a button, held already or not.
    #[must_use]
    pub const fn press(self, button: Button<N>) -> Self {
        Self { held: self.held | button.bit(), pressed: self.pressed | button.bit() }
    }

    /// Holds a button down, without pressing it: for inputs that are computed anew on each tick, such as a bot's. A
    /// [press](Self::press) on each tick is another press on each tick, and every prediction of it is wrong.
    ///
    /// ```
    /// use isostep_rollback::{Button, Buttons, Input};
    /// const RUN: Button<1> = Button::at::<0>();
    /// let down = Buttons::none().down(RUN);
    /// assert!(down.held(RUN) && !down.pressed(RUN));
    /// assert_eq!(Buttons::hold(down), down); // what other machines predict
    /// ```
    #[must_use]
    pub const fn down(self, button: Button<N>) -> Self {
        Self { held: self.held | button.bit(), pressed: self.pressed }
    }

    /// Releases a button. It stays pressed in this sample.
    #[must_use]
    pub const fn release(self, button: Button<N>) -> Self {
        Self { held: self.held & !button.bit(), pressed: self.pressed }
    }

    /// Returns the next sample from the held buttons; bit 0 is the first. Buttons held there and not here are pressed.
    ///
    /// # Errors
    /// If bits beyond the last button are set.
    pub const fn next(self, held: u64) -> Result<Self, NoSuchButton> {
        let extra = held & !Self::MASK;
        if extra == 0 {
            Ok(Self { held, pressed: held & !self.held })
        } else {
            Err(NoSuchButton { extra, count: N })
        }
    }

    /// Returns true if a button is held.
    pub const fn held(self, button: Button<N>) -> bool {
        self.held & button.bit() != 0
    }

    /// Returns true if a button was pressed since the previous sample, even if it is released again.
    pub const fn pressed(self, button: Button<N>) -> bool {
        self.pressed & button.bit() != 0
    }

    /// Returns true if a button is up that was held in the previous sample or pressed since.
    pub const fn released(self, previous: Self, button: Button<N>) -> bool {
        (previous.held | self.pressed) & !self.held & button.bit() != 0
    }

    /// Returns the held buttons; bit 0 is the first.
    pub const fn bits(self) -> u64 {
        self.held
    }

    /// Returns the pressed buttons; bit 0 is the first.
    pub const fn pressed_bits(self) -> u64 {
        self.pressed
    }
}

impl<const N: usize> Input for Buttons<N> {
    fn hold(last: Self) -> Self {
        Self { held: last.held, pressed: 0 }
    }

    fn merge(older: Self, newer: Self) -> Self {
        Self { held: newer.held, pressed: older.pressed | newer.pressed }
    }

    fn carry(older: Self, newer: Self) -> Option<Self> {
        let twice = older.pressed & newer.pressed;
        (twice != 0).then_some(Self { held: newer.held, pressed: twice })
    }
}

/// Bytes of the held set, then of the pressed set, low buttons first.
impl<const N: usize> Serialize for Buttons<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple_struct(Self::NAME, 2 * Self::BYTES)?;
        for set in [self.held, self.pressed] {
            for byte in &set.to_le_bytes()[..Self::BYTES] {
                tuple.serialize_field(byte)?;
            }
        }
        tuple.end()
    }
}

impl<'de, const N: usize> Deserialize<'de> for Buttons<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple_struct(Self::NAME, 2 * Self::BYTES, Sets)
    }
}

struct Sets<const N: usize>;

impl<'de, const N: usize> Visitor<'de> for Sets<N> {
    type Value = Buttons<N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes for two sets of {N} buttons", 2 * Buttons::<N>::BYTES)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut bytes: A) -> Result<Self::Value, A::Error> {
        let mut sets = [0; 2];
        for (at, set) in sets.iter_mut().enumerate() {
            for place in 0..Buttons::<N>::BYTES {
                let missing = || A::Error::invalid_length(at * Buttons::<N>::BYTES + place, &self);
                let byte: u8 = bytes.next_element()?.ok_or_else(missing)?;
                *set |= u64::from(byte) << (8 * place);
            }
        }
        let [held, pressed] = sets;
        let extra = (held | pressed) & !Buttons::<N>::MASK;
        if extra != 0 {
            return Err(A::Error::custom(NoSuchButton { extra, count: N }));
        }
        Ok(Buttons { held, pressed })
    }
}
