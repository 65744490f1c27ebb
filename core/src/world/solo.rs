//! A subset of a world's bodies in a world of their own. For tests of locality.

use super::frame::{Frame, Place, Store};
use super::registry::joints::{JointEndRow, JointRow};
use super::registry::{ListRow, ListVisitor, Listed, Table};
use super::rows::{BodyIndex, ContactRow, Overlap, body_of};
use super::{BodyId, Pending, World};
use core::convert::Infallible;
use std::collections::BTreeSet;

impl World {
    /// Copies these bodies and their contacts with each other into a world that has nothing else. Ids stay, and this tick's commands
    /// are included.
    #[must_use]
    pub fn solo(&self, bodies: &[BodyId]) -> Self {
        let chosen: BTreeSet<BodyIndex> = bodies.iter().map(|id| id.index()).collect();
        let mut store = Store::default();
        let base = copy(self.base(), &self.store, &mut store, &chosen);
        let work = copy(&self.work, &self.store, &mut store, &chosen);
        let of = |list: &[BodyIndex]| -> Vec<BodyIndex> {
            list.iter().copied().filter(|index| chosen.contains(index)).collect()
        };
        let pending = Pending {
            changed: of(&self.pending.changed),
            changed_set: of(&self.pending.changed).into_iter().collect(),
            void: self.pending.void.iter().filter(|index| chosen.contains(index)).collect(),
            woken: of(&self.pending.woken),
            removed: self.pending.removed.clone(),
            slept: self.pending.slept.iter().filter(|index| chosen.contains(index)).collect(),
            forces: self.pending.forces.among(|index| chosen.contains(&index)),
            joints_lost: self.pending.joints_lost.clone(),
        };
        Self { pending, ..self.with_state(store, base, work) }
    }

    /// Returns all rows, contacts, overlaps and events of these bodies, as text by name.
    pub fn rows_among(&self, bodies: &[BodyId]) -> Vec<(String, String)> {
        let chosen: BTreeSet<BodyIndex> = bodies.iter().map(|id| id.index()).collect();
        let mut rows = Vec::new();
        for &index in &chosen {
            rows.push((
                format!("hot {index:?}"),
                format!("{:?}", self.work.hot(&self.store, index)),
            ));
            rows.push((format!("active {index:?}"), self.work.is_active(index).to_string()));
        }
        let mut lists = RowsOf { world: self, chosen: &chosen, rows: &mut rows };
        let Ok(()) = Table::each_list(&mut lists);
        for stream in &self.work.streams {
            for page in &stream.contacts {
                let page = self.store.contacts.get(*page);
                let contacts = page.rows.iter().filter(|row| among(&chosen, row));
                rows.extend(
                    contacts.map(|row| (format!("contact {:?}", row.key), format!("{row:?}"))),
                );
                let overlaps = page.overlaps.iter().filter(|overlap| inside(&chosen, overlap));
                rows.extend(overlaps.map(|overlap| (format!("{overlap:?}"), String::new())));
            }
        }
        let events = self.work.events.iter();
        let events =
            events.filter(|row| row.bodies.iter().all(|id| chosen.contains(&BodyIndex::of(*id))));
        rows.extend(
            events.map(|row| (format!("{:?} {:?}", row.kind, row.key), format!("{row:?}"))),
        );
        rows
    }
}

/// Adds the rows of bodies in lists, as text by name.
struct RowsOf<'a> {
    world: &'a World,
    chosen: &'a BTreeSet<BodyIndex>,
    rows: &'a mut Vec<(String, String)>,
}

impl ListVisitor for RowsOf<'_> {
    type Error = Infallible;

    fn list<R: Listed>(&mut self) -> Result<(), Infallible> {
        let World { work, store, .. } = self.world;
        for &index in self.chosen {
            let among =
                |row: &&R| row.partner().is_none_or(|partner| self.chosen.contains(&partner));
            let rows = work.rows_of::<R>(store, index).iter().filter(among);
            let named = rows.map(|row| {
                (
                    format!("{:?} {index:?} {:?}", <R as Listed>::TABLE, row.key()),
                    format!("{row:?}"),
                )
            });
            self.rows.extend(named);
        }
        Ok(())
    }
}

fn among(chosen: &BTreeSet<BodyIndex>, row: &ContactRow) -> bool {
    row.key.shapes().iter().all(|shape| chosen.contains(&body_of(*shape)))
}

fn inside(chosen: &BTreeSet<BodyIndex>, overlap: &Overlap) -> bool {
    [overlap.own, overlap.other].iter().all(|shape| chosen.contains(&body_of(*shape)))
}

/// Drops the joints of a body with others that are not chosen.
fn drop_joints(
    frame: &mut Frame,
    store: &mut Store,
    index: BodyIndex,
    chosen: &BTreeSet<BodyIndex>,
) {
    let joints = frame.rows_of::<JointRow>(store, index).to_vec();
    for row in joints.iter().filter(|row| !chosen.contains(&row.other)) {
        frame.remove_list_row::<JointRow>(store, index, row.number);
    }
    let ends = frame.rows_of::<JointEndRow>(store, index).to_vec();
    for row in ends.iter().filter(|row| !chosen.contains(&row.first)) {
        frame.remove_list_row::<JointEndRow>(store, index, row.key());
    }
}

/// Copies the rows of chosen bodies into new pages.
fn copy(from: &Frame, pages: &Store, store: &mut Store, chosen: &BTreeSet<BodyIndex>) -> Frame {
    let mut frame = Frame { gravity: from.gravity, ..Frame::default() };
    for (number, stream) in from.streams.iter().enumerate() {
        frame.stream(number as u8).ids = stream.ids.clone();
    }
    for &index in chosen {
        let Place { stream, page, .. } = Place::of(index);
        let Some(contacts) = from.contact_page(pages, index) else { continue };
        frame.make_page(store, index);
        let (other, to) = (&from.streams[stream], &mut frame.streams[stream]);
        to.copy_rows(store, (other, pages), page, index);
        frame.mark_active(store, index);
        drop_joints(&mut frame, store, index, chosen);
        let to = frame.contact_page_mut(store, index);
        if to.rows.is_empty() && to.overlaps.is_empty() {
            to.rows.extend(contacts.rows.iter().filter(|row| among(chosen, row)));
            to.overlaps.extend(contacts.overlaps.iter().filter(|overlap| inside(chosen, overlap)));
        }
    }
    frame
}
