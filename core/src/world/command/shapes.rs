//! Commands that change a body's shapes. Mass, centre of mass, inertia and size follow, unless the game has set them.

use crate::math::Transform;
use crate::shape::Shape;
use crate::world::def::ShapeDef;
use crate::world::errors::CommandError;
use crate::world::frame::Place;
use crate::world::rows::{ShapeRow, shape_key};
use crate::world::weigh::Weight;
use crate::world::{BodyId, World};

/// Maximum number of shapes of a body. One ordinal stays unused, so that a count of ordinals fits a byte.
const MAX_SHAPES: usize = 255;

impl World {
    /// Changes a shape's surface. Its body keeps its weight.
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
        let place = page.shapes.iter().position(is_it);
        let place = place.ok_or(CommandError::NoSuchShape { body, shape: ordinal })?;
        self.wake_affected(index);
        change(&mut self.work.cold_page_mut(&mut self.store, index).shapes[place]);
        self.mark_changed(index);
        Ok(())
    }

    /// The lowest ordinal that no shape of a body has.
    pub(super) fn free_ordinal(&self, body: BodyId) -> Result<u8, CommandError> {
        let shapes = self.shapes_of(body)?;
        if shapes.len() == MAX_SHAPES {
            return Err(CommandError::TooManyShapes);
        }
        // Shapes are in the order of their ordinals.
        let gap = shapes.iter().zip(0..).find(|(shape, ordinal)| shape.ordinal != *ordinal);
        Ok(gap.map_or(shapes.len() as u8, |(_, ordinal)| ordinal))
    }

    pub(super) fn insert_shape(
        &mut self,
        body: BodyId,
        def: &ShapeDef,
    ) -> Result<(), CommandError> {
        let ordinal = self.free_ordinal(body)?;
        let mut shapes = self.shapes_of(body)?.to_vec();
        let row = Place::of(body.index()).row;
        let at = shapes.partition_point(|shape| shape.ordinal < ordinal);
        shapes.insert(at, ShapeRow::new(row, ordinal, def));
        self.change_shapes(body, &shapes, Some(def))
    }

    pub(super) fn delete_shape(&mut self, body: BodyId, ordinal: u8) -> Result<(), CommandError> {
        let mut shapes = self.shapes_of(body)?.to_vec();
        let at = position(body, &shapes, ordinal)?;
        shapes.remove(at);
        self.change_shapes(body, &shapes, None)?;
        self.pending.removed.push(shape_key(body.index(), ordinal));
        Ok(())
    }

    pub(super) fn change_geometry(
        &mut self,
        body: BodyId,
        ordinal: u8,
        shape: Shape,
    ) -> Result<(), CommandError> {
        self.redefine_shape(body, ordinal, |row| row.shape = shape)
    }

    pub(super) fn change_shape_pose(
        &mut self,
        body: BodyId,
        ordinal: u8,
        pose: Transform,
    ) -> Result<(), CommandError> {
        self.redefine_shape(body, ordinal, |row| row.pose = pose)
    }

    fn redefine_shape(
        &mut self,
        body: BodyId,
        ordinal: u8,
        change: impl FnOnce(&mut ShapeRow),
    ) -> Result<(), CommandError> {
        let mut shapes = self.shapes_of(body)?.to_vec();
        let at = position(body, &shapes, ordinal)?;
        let before = shapes[at];
        change(&mut shapes[at]);
        // As for velocities: a command that changes nothing wakes no body.
        if shapes[at] == before {
            return Ok(());
        }
        let def = shapes[at].def();
        self.change_shapes(body, &shapes, Some(&def))
    }

    fn shapes_of(&self, body: BodyId) -> Result<&[ShapeRow], CommandError> {
        self.hot_of(body)?;
        let page = self.work.cold_page(&self.store, body.index());
        Ok(page.shapes_of(Place::of(body.index()).row))
    }

    /// Replaces the shapes of a body; `new` is the one that was not checked yet. The origin and the velocity of each point stay.
    fn change_shapes(
        &mut self,
        body: BodyId,
        shapes: &[ShapeRow],
        new: Option<&ShapeDef>,
    ) -> Result<(), CommandError> {
        let cold = *self.work.cold(&self.store, body.index());
        new.map_or(Ok(()), |new| new.check(cold.kind))?;
        let (mass, inertia) = (cold.set_mass(), cold.inertia_source());
        let weight = Weight::new(cold.kind, shapes, mass, inertia, &cold)?;
        self.change_weight(body, &weight)?;
        let row = Place::of(body.index()).row;
        self.work.cold_page_mut(&mut self.store, body.index()).set_shapes(row, shapes);
        Ok(())
    }
}

fn position(body: BodyId, shapes: &[ShapeRow], ordinal: u8) -> Result<usize, CommandError> {
    let at = shapes.iter().position(|shape| shape.ordinal == ordinal);
    at.ok_or(CommandError::NoSuchShape { body, shape: ordinal })
}
