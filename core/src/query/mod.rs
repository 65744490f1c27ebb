//! Queries of the world: `&self`, from any thread between steps, at the current tick and at every held one.
//!
//! - `step/candidates.rs` gives the shapes that may meet a region, at a [`Moment`].
//! - `filter.rs`: [`QueryFilter`], the shapes that a query may hit, as data.
//! - `segment.rs`: the region of a ray, with exact tests of boxes.
//! - `ray.rs`: ray casts.
//!
//! **A result is a pure function of the state.** Trees and lists only choose candidates; each candidate is tested with its rows at
//! the moment, and equal results are ordered by shape key.

mod filter;
mod ray;
mod segment;

pub use filter::QueryFilter;
pub use ray::RayHit;

use crate::step::candidates::Moment;
use crate::step::{At, Placed};
use crate::world::BodyId;
use crate::world::frame::Place;
use crate::world::rows::{ShapeKey, ShapeRow, body_of};

/// A shape that a filter admits, at a moment.
pub(crate) struct Target<'a> {
    pub(crate) row: &'a ShapeRow,
    pub(crate) placed: Placed,
}

impl<'a> Moment<'a> {
    /// Returns a candidate with its pose; `None` if it does not exist at the moment, its body is disabled, or the filter excludes it.
    pub(crate) fn target(&self, key: ShapeKey, filter: &QueryFilter) -> Option<Target<'a>> {
        let index = body_of(key);
        if !self.frame.has_page(index) {
            return None;
        }
        let store = &self.world.store;
        let (page, place) = (self.frame.cold_page(store, index), Place::of(index).row);
        let body = &page.rows[place];
        if page.live >> place & 1 == 0 || !body.enabled {
            return None;
        }
        let row = page.shape(place, key.ordinal())?;
        if !filter.admits(&self.world.def.layers, body.kind, row) {
            return None;
        }
        if filter.excluded().is_some() && filter.excluded() == self.body(key) {
            return None;
        }
        let at = At::of(self.frame.hot(store, index));
        Some(Target { row, placed: Placed::new(&at, body.local_center, row) })
    }

    /// Id of the body of a shape.
    pub(crate) fn body(&self, key: ShapeKey) -> Option<BodyId> {
        self.frame.id_at(body_of(key)).map(BodyId)
    }
}
