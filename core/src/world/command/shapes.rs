//! Commands that change a body's shapes.

use crate::world::errors::CommandError;
use crate::world::frame::Place;
use crate::world::rows::ShapeRow;
use crate::world::{BodyId, World};

impl World {
    pub(super) fn shape_change(
        &mut self,
        body: BodyId,
        ordinal: u8,
        change: impl FnOnce(&mut ShapeRow),
    ) -> Result<(), CommandError> {
        self.hot_of(body)?;
        let (index, row) = (body.index(), Place::of(body.index()).row);
        let page = self.work.cold_page(&self.store, index);
        let is_it = |shape: &ShapeRow| usize::from(shape.row) == row && shape.ordinal == ordinal;
        let place = page.shapes.iter().position(is_it).ok_or(CommandError::NoSuchShape(ordinal))?;
        self.wake_affected(index);
        change(&mut self.work.cold_page_mut(&mut self.store, index).shapes[place]);
        self.mark_changed(index);
        Ok(())
    }
}
