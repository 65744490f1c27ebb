//! Spawning and despawning.

use crate::world::def::BodyDef;
use crate::world::errors::CommandError;
use crate::world::frame::Place;
use crate::world::rows::{ColdRow, HotRow, ShapeRow};
use crate::world::spawn::{mass_properties, rows};
use crate::world::{BodyId, World};
use std::sync::Arc;

impl World {
    pub(super) fn apply_spawn(
        &mut self,
        stream: u8,
        def: &BodyDef,
    ) -> Result<BodyId, CommandError> {
        def.check()?;
        let properties = mass_properties(def)?;
        let (hot, cold) = rows(def, properties.as_ref())?;
        let ids = &mut self.work.stream(stream).ids;
        let id = BodyId(Arc::make_mut(ids).allocate()?);
        self.work.make_page(&mut self.store, id.index());
        *self.work.hot_mut(&mut self.store, id.index()) = hot;
        let row = Place::of(id.index()).row;
        let page = self.work.cold_page_mut(&mut self.store, id.index());
        page.live |= 1 << row;
        page.rows[row] = cold;
        let start = page.shapes.partition_point(|shape| usize::from(shape.row) < row);
        let shapes = def.shapes.iter().zip(0..).map(|(shape, ordinal)| ShapeRow {
            row: row as u8,
            ordinal,
            shape: shape.shape,
            pose: shape.pose,
            material: shape.material,
            filter: shape.filter,
        });
        page.shapes.splice(start..start, shapes);
        self.mark_changed(id.index());
        self.pending.void.insert(id.index());
        Ok(id)
    }

    pub(super) fn apply_despawn(&mut self, body: BodyId) -> Result<(), CommandError> {
        self.hot_of(body)?;
        let (index, place) = (body.index(), Place::of(body.index()));
        self.wake_affected(index);
        self.pending.void.insert(index);
        Arc::make_mut(&mut self.work.streams[place.stream].ids).free(body.0);
        *self.work.hot_mut(&mut self.store, index) = HotRow::default();
        let page = self.work.cold_page_mut(&mut self.store, index);
        page.live &= !(1 << place.row);
        page.rows[place.row] = ColdRow::default();
        page.shapes.retain(|shape| usize::from(shape.row) != place.row);
        self.mark_changed(index);
        Ok(())
    }
}
