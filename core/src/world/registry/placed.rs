//! Bodies that a commit placed and that the next step would not look at, because they are asleep, fixed, or kinematic without a velocity.
//! The step handles them like bodies that commands changed on its tick: it finds their contacts and sensor overlaps, and wakes what
//! they touch. Without these rows a restored or rewound world would not know them.

use super::list::{ListRow, Listed};
use crate::world::World;
use crate::world::fields::{Parts, Row, RowText, Unit, Visitor};
use crate::world::page_bytes::State;
use crate::world::rows::{BodyIndex, BodyKind};

/// A body placed by a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlacedRow {
    body: BodyIndex,
}

impl Row for PlacedRow {
    const KEY: usize = 4;

    fn blank() -> Self {
        Self { body: BodyIndex::default() }
    }

    fn visit<V: Visitor>(&mut self, v: &mut V) {
        let Self { body } = self;
        v.body_index("body", Unit::Body, body);
    }

    fn entity(row: &RowText<'_>) -> String {
        format!("placed body {}", row.body(0))
    }
}

impl ListRow for PlacedRow {
    type Key = ();

    fn owner(&self) -> BodyIndex {
        self.body
    }

    fn key(&self) {}

    fn check(&self, _: State<'_>) -> Result<(), &'static str> {
        Ok(())
    }
}

impl World {
    /// Lists the changed bodies that the next step would not look at. A pair of them matters only if one of its bodies is not fixed. If
    /// all such bodies are listed anyway, as in the setup of a game, fixed ones need not be.
    pub(in crate::world) fn list_placed(&mut self) {
        let others_rest = self.bodies().map(|(id, _)| id.index()).any(|index| {
            let Self { work, store, pending, .. } = &*self;
            !work.is_active(index)
                && work.cold(store, index).kind != BodyKind::Fixed
                && !pending.changed_set.contains(index)
                && work.list_row::<PlacedRow>(store, index, ()).is_none()
        });
        let Self { work, store, pending, .. } = self;
        for &index in &pending.changed {
            let rests = work.id_at(index).is_some() && !work.is_active(index);
            if rests && (others_rest || work.cold(store, index).kind != BodyKind::Fixed) {
                work.set_list_row(store, PlacedRow { body: index });
            }
        }
    }

    /// Turns the placed bodies into changed ones. At the start of a step.
    pub(crate) fn take_placed(&mut self) {
        let Self { work, store, pending, scratch, .. } = self;
        let first = pending.changed.len();
        for stream in &work.streams {
            for page in PlacedRow::table(stream).iter().flatten() {
                let rows = PlacedRow::pages(store).get(*page).rows();
                pending.changed.extend(rows.iter().map(PlacedRow::owner));
            }
        }
        for &index in &pending.changed[first..] {
            pending.changed_set.insert(index);
            scratch.changed.push(index);
            work.remove_list_row::<PlacedRow>(store, index, ());
        }
    }
}
