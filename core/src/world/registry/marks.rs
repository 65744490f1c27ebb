//! A kind of row for tests of the registry: a mark is 70 numbers of a body. Commands that set the user data of a body to
//! `0x6d61_726b << 32 | seed` ("mark") mark the body, or remove its mark if the seed is 0.

use super::list::ListRow;
use crate::world::BodyId;
use crate::world::fields::{Parts, Row, RowText, Unit, Visitor};
use crate::world::frame::{Frame, Store};
use crate::world::page_bytes::State;
use crate::world::rows::BodyIndex;

/// Numbers of a mark.
const NUMBERS: usize = 70;

/// The mark of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkRow {
    body: BodyIndex,
    /// The first is not zero.
    numbers: [u32; NUMBERS],
}

impl Row for MarkRow {
    const KEY: usize = 4;

    fn blank() -> Self {
        Self { body: BodyIndex::default(), numbers: [0; NUMBERS] }
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        let Self { body, numbers } = self;
        v.body_index("body", Unit::Body, body);
        for (i, number) in numbers.iter_mut().enumerate() {
            v.enter("numbers", Some(i));
            v.u32("", Unit::Count, number);
            v.leave();
        }
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("mark of {}", row.body(0))
    }
}

impl ListRow for MarkRow {
    type Key = ();

    fn owner(&self) -> BodyIndex {
        self.body
    }

    fn key(&self) {}

    fn check(&self, _: State<'_>) -> Result<(), &'static str> {
        if self.numbers[0] == 0 { Err("its first number is zero") } else { Ok(()) }
    }
}

/// Marks a body if its new user data asks for it.
pub(crate) fn mark(frame: &mut Frame, store: &mut Store, body: BodyId, user_data: u64) {
    if user_data >> 32 != u64::from(u32::from_be_bytes(*b"mark")) {
        return;
    }
    let (body, seed) = (body.index(), user_data as u32);
    if seed == 0 {
        frame.remove_list_row::<MarkRow>(store, body, ());
    } else {
        let numbers = core::array::from_fn(|i| seed.wrapping_add(i as u32 * (seed % 3)));
        frame.set_list_row(store, MarkRow { body, numbers });
    }
}
