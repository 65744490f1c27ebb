//! `derive(Input)` against a copy of the trait: field by field, whatever the shape of the struct.

mod rollback {
    use serde::{Serialize, de::DeserializeOwned};
    use std::fmt::Debug;

    pub(crate) trait Input:
        Copy + Default + PartialEq + Debug + Serialize + DeserializeOwned + 'static
    {
        fn hold(last: Self) -> Self;
        fn merge(older: Self, newer: Self) -> Self;
        fn carry(_older: Self, _newer: Self) -> Option<Self> {
            None
        }
    }

    pub(crate) mod internals {
        use super::Input;

        pub(crate) fn carry_part<I: Input + Default>(older: I, newer: I, any: &mut bool) -> I {
            let carried = I::carry(older, newer);
            *any |= carried.is_some();
            carried.unwrap_or_default()
        }
    }

    /// Presses: gone when held, either when merged, the second one carried.
    impl Input for bool {
        fn hold(_: Self) -> Self {
            false
        }

        fn merge(older: Self, newer: Self) -> Self {
            older | newer
        }

        fn carry(older: Self, newer: Self) -> Option<Self> {
            (older & newer).then_some(true)
        }
    }

    /// Levels: stay when held, the newer one when merged.
    impl Input for i8 {
        fn hold(last: Self) -> Self {
            last
        }

        fn merge(_: Self, newer: Self) -> Self {
            newer
        }
    }
}

use isostep_derive::Input;
use rollback::Input as _;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Input)]
#[input(crate = rollback)]
struct Pad {
    walk: i8,
    r#do: bool,
    sticks: Pair<i8, bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Input)]
#[input(crate = crate::derive::input::rollback)]
struct Pair<A, B>(A, B);

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, Input)]
#[input(crate = rollback)]
struct Unit;

#[test]
fn hold_and_merge_go_field_by_field() {
    let older = Pad { walk: 3, r#do: true, sticks: Pair(4, true) };
    let newer = Pad { walk: 5, r#do: false, sticks: Pair(6, false) };
    assert_eq!(Pad::hold(older), Pad { walk: 3, r#do: false, sticks: Pair(4, false) });
    let both = Pad { walk: 5, r#do: true, sticks: Pair(6, true) };
    assert_eq!(Pad::merge(older, newer), both);
}

#[test]
fn what_both_have_is_carried_and_nothing_else() {
    let (older, newer) =
        (Pad { r#do: true, walk: 3, ..Pad::default() }, Pad { r#do: true, ..Pad::default() });
    assert_eq!(Pad::carry(older, newer), Some(Pad { r#do: true, ..Pad::default() }));
    assert_eq!(Pad::carry(older, Pad::default()), None);
}

#[test]
fn a_player_without_input_is_one() {
    assert_eq!(Unit::merge(Unit::hold(Unit), Unit), Unit);
}
