//! Input part without edges: the newest sample wins. The wrapper makes that choice explicit.

use super::Input;
use core::fmt::Debug;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Any plain data as an [`Input`] whose newest sample wins: when two samples share a tick, the older one is lost.
///
/// Suitable for a level (the mouse position, the selected weapon), not for an event.
///
/// ```
/// use isostep_rollback::{Input, NewestWins};
/// assert_eq!(Input::merge(NewestWins(3u8), NewestWins(4)), NewestWins(4));
/// assert_eq!(Input::hold(NewestWins(4u8)), NewestWins(4));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NewestWins<T>(pub T);

impl<T> Input for NewestWins<T>
where
    T: Copy + Default + PartialEq + Debug + Serialize + DeserializeOwned + 'static,
{
    fn hold(last: Self) -> Self {
        last
    }

    fn merge(_: Self, newer: Self) -> Self {
        newer
    }
}
