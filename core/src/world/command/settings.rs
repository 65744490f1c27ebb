//! Commands that change a body's settings.

use crate::math::Real;
use crate::shape::{Geometry, MassError};
use crate::world::errors::CommandError;
use crate::world::frame::Place;
use crate::world::rows::{BodyKind, ColdRow, ShapeRow};
use crate::world::{BodyId, World};

impl World {
    pub(super) fn change_kind(&mut self, body: BodyId, kind: BodyKind) -> Result<(), CommandError> {
        self.hot_of(body)?;
        if kind == BodyKind::Dynamic {
            let (page, row) =
                (self.work.cold_page(&self.store, body.index()), Place::of(body.index()).row);
            if page.rows[row].mass == Real::ZERO {
                return Err(CommandError::NoMass);
            }
            let plane = |shape: &ShapeRow| *shape.shape.geometry() == Geometry::HalfSpace;
            if page.shapes_of(row).iter().any(plane) {
                return Err(MassError::HalfSpace.into());
            }
        }
        self.cold_change(body, |cold| cold.kind = kind)?;
        if kind == BodyKind::Static {
            let hot = self.work.hot_mut(&mut self.store, body.index());
            (hot.velocity, hot.spin) = Default::default();
            self.work.mark_active(&self.store, body.index());
        }
        self.pending.void.insert(body.index());
        Ok(())
    }

    pub(super) fn cold_change(
        &mut self,
        body: BodyId,
        change: impl FnOnce(&mut ColdRow),
    ) -> Result<(), CommandError> {
        self.hot_of(body)?;
        self.wake_affected(body.index());
        let row = Place::of(body.index()).row;
        let page = self.work.cold_page_mut(&mut self.store, body.index());
        change(&mut page.rows[row]);
        self.mark_changed(body.index());
        Ok(())
    }
}
