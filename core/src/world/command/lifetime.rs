//! Spawning and despawning.

use crate::data::ClaimError;
use crate::world::def::BodyDef;
use crate::world::errors::CommandError;
use crate::world::frame::{Place, stream_ids};
use crate::world::rows::{ColdRow, HotRow, ShapeRow};
use crate::world::spawn::rows;
use crate::world::{BodyId, World};
use std::sync::Arc;

/// Rows of a body that has no id yet.
struct NewRows {
    hot: HotRow,
    cold: ColdRow,
    /// Without their row in the page, which follows from the id.
    shapes: Vec<ShapeRow>,
}

impl NewRows {
    fn new(def: &BodyDef) -> Result<Self, CommandError> {
        def.check()?;
        let shapes: Vec<_> =
            def.shapes.iter().zip(0..).map(|(shape, i)| ShapeRow::new(0, i, shape)).collect();
        let (hot, cold) = rows(def, &shapes)?;
        Ok(Self { hot, cold, shapes })
    }
}

impl World {
    pub(super) fn apply_spawn(
        &mut self,
        stream: u8,
        def: &BodyDef,
    ) -> Result<BodyId, CommandError> {
        let rows = NewRows::new(def)?;
        let ids = &mut self.work.stream(stream).ids;
        let id = BodyId(Arc::make_mut(ids).allocate()?);
        Ok(self.insert(id, rows))
    }

    /// Spawns a body with an id that the game chooses.
    pub(super) fn apply_spawn_with_id(
        &mut self,
        body: BodyId,
        def: &BodyDef,
    ) -> Result<BodyId, CommandError> {
        let rows = NewRows::new(def)?;
        let refused = |error: ClaimError| match error {
            ClaimError::Taken(by) => CommandError::IdTaken(BodyId(by)),
            ClaimError::Used => CommandError::IdUsed(body),
            ClaimError::OutOfRange => CommandError::IdOutOfRange(body),
        };
        let number = body.stream();
        // The stream is created last: a refused command leaves no trace.
        match self.work.streams.get(usize::from(number)) {
            Some(stream) => stream.ids.check_claim(body.0),
            None => stream_ids(number).check_claim(body.0),
        }
        .map_err(refused)?;
        Arc::make_mut(&mut self.work.stream(number).ids).claim(body.0).map_err(refused)?;
        Ok(self.insert(body, rows))
    }

    /// Adds the rows of a body that has an id.
    fn insert(&mut self, id: BodyId, rows: NewRows) -> BodyId {
        let NewRows { hot, cold, mut shapes } = rows;
        self.work.make_page(&mut self.store, id.index());
        *self.work.hot_mut(&mut self.store, id.index()) = hot;
        let row = Place::of(id.index()).row;
        let page = self.work.cold_page_mut(&mut self.store, id.index());
        page.live |= 1 << row;
        page.rows[row] = cold;
        let start = page.shapes.partition_point(|shape| usize::from(shape.row) < row);
        shapes.iter_mut().for_each(|shape| shape.row = row as u8);
        page.shapes.splice(start..start, shapes);
        self.mark_changed(id.index());
        self.pending.void.insert(id.index());
        id
    }

    pub(super) fn apply_despawn(&mut self, body: BodyId) -> Result<(), CommandError> {
        self.hot_of(body)?;
        let (index, place) = (body.index(), Place::of(body.index()));
        self.wake_affected(index);
        self.remove_joints_of(index);
        self.pending.void.insert(index);
        self.pending.forces.remove(index);
        Arc::make_mut(&mut self.work.streams[place.stream].ids).free(body.0);
        self.work.remove_rows(&mut self.store, index);
        self.mark_changed(index);
        Ok(())
    }
}
