//! Input of a player for a tick: the [`Input`] trait, ready-made parts, encoding, and commands.
//!
//! Samples of a device come in; the session orders inputs by tick.

mod buttons;
mod codec;
mod commands;
mod newest;
mod stick;
mod tick_bytes;

pub use buttons::{Button, Buttons, NoSuchButton};
pub use codec::{InputCodec, InputCodecError, InputReadError, MAX_INPUT_BYTES};
pub use commands::{
    CommandAssembler, CommandConfig, CommandConfigError, CommandQueue, CommandQueueError, Commands,
    PayloadError, check_payload,
};
pub use newest::NewestWins;
pub use stick::Stick;
pub(crate) use tick_bytes::{put_record, put_tick, take_tick};

use core::fmt::Debug;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// One player's input for one tick: small, plain data of a fixed width.
///
/// It consists of *levels* (a button is down, a stick leans left) and *edges* (a button went down since the previous
/// sample). A session creates inputs for ticks without a sample, and merges two samples that share a tick; this trait
/// defines both:
///
/// - [`Default`] is "nothing touched"; merged with a newer sample, it adds nothing.
/// - [`hold`](Self::hold) keeps levels and clears edges. It is idempotent: `hold(hold(x)) == hold(x)`.
/// - [`merge`](Self::merge) takes the levels of the newer sample and the edges of both, so that no press is lost when
///   the input delay is lowered.
///
/// Both must be pure functions: every machine calls them and must get the same bits. A struct of parts forwards the
/// calls to its fields; tuples up to four and arrays up to 32 do so already. Types that [`InputCodec`] refuses can't be
/// inputs.
///
/// ```
/// use isostep_rollback::{Button, Buttons, Input, Stick};
/// use serde::{Deserialize, Serialize};
///
/// const JUMP: Button<2> = Button::at::<0>();
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
/// struct Pad {
///     buttons: Buttons<2>,
///     walk: Stick,
/// }
///
/// impl Input for Pad {
///     fn hold(last: Self) -> Self {
///         Self { buttons: Input::hold(last.buttons), walk: Input::hold(last.walk) }
///     }
///     fn merge(older: Self, newer: Self) -> Self {
///         Self {
///             buttons: Input::merge(older.buttons, newer.buttons),
///             walk: Input::merge(older.walk, newer.walk),
///         }
///     }
/// }
///
/// let tap = Pad { buttons: Buttons::none().press(JUMP).release(JUMP), ..Pad::default() };
/// assert!(Pad::merge(tap, Pad::default()).buttons.pressed(JUMP));
/// assert!(!Pad::hold(tap).buttons.pressed(JUMP));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an input or a part of one",
    label = "not an `Input`: how it is held and merged is not known",
    note = "wrap plain data that may be replaced by the newest sample: `NewestWins<{Self}>`",
    note = "for something that is pressed, take a button of `Buttons<N>`; for a direction, `Stick`",
    note = "a struct of such parts derives `isostep::Input`, beside Clone, Copy, Debug, Default, PartialEq, Serialize and Deserialize"
)]
pub trait Input:
    Copy + Default + PartialEq + Debug + Serialize + DeserializeOwned + 'static
{
    /// Returns the input of a tick without a sample: levels stay, edges are cleared.
    #[must_use]
    fn hold(last: Self) -> Self;

    /// Merges two samples that share a tick: no press may be lost.
    #[must_use]
    fn merge(older: Self, newer: Self) -> Self;

    /// Returns the edges of two samples that do not fit into [`merge`](Self::merge): the second press of a button that
    /// both have. They are merged with the next tick.
    #[must_use]
    fn carry(older: Self, newer: Self) -> Option<Self> {
        let _ = (older, newer);
        None
    }
}

/// Carries one part of a struct; a part without a carry adds its default.
#[doc(hidden)]
pub fn carry_part<I: Input>(older: I, newer: I, any: &mut bool) -> I {
    let carried = I::carry(older, newer);
    *any |= carried.is_some();
    carried.unwrap_or_default()
}

/// Input of a player who sends nothing.
impl Input for () {
    fn hold((): Self) -> Self {}
    fn merge((): Self, (): Self) -> Self {}
}

macro_rules! tuples {
    ($(($($part:ident $place:tt),+))+) => {$(
        /// Merges part by part.
        impl<$($part: Input),+> Input for ($($part,)+) {
            fn hold(last: Self) -> Self {
                ($($part::hold(last.$place),)+)
            }
            fn merge(older: Self, newer: Self) -> Self {
                ($($part::merge(older.$place, newer.$place),)+)
            }
            fn carry(older: Self, newer: Self) -> Option<Self> {
                let mut any = false;
                let parts = ($(carry_part(older.$place, newer.$place, &mut any),)+);
                any.then_some(parts)
            }
        }
    )+};
}

tuples! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) }

macro_rules! arrays {
    ($($n:literal)+) => {$(
        /// Merges element by element.
        impl<T: Input> Input for [T; $n] {
            fn hold(last: Self) -> Self {
                last.map(T::hold)
            }
            fn merge(older: Self, newer: Self) -> Self {
                core::array::from_fn(|place| T::merge(older[place], newer[place]))
            }
            fn carry(older: Self, newer: Self) -> Option<Self> {
                let mut any = false;
                let parts =
                    core::array::from_fn(|place| carry_part(older[place], newer[place], &mut any));
                any.then_some(parts)
            }
        }
    )+};
}

// Listed, since serde implements arrays only for literal lengths.
arrays! { 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 }
