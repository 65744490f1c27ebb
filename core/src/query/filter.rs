//! Filters of queries: plain data, so that a query is a function of its arguments and the state.

use crate::world::rows::ShapeRow;
use crate::world::{BodyId, BodyKind, Filter, Layers, NoSuchLayer};

/// Shapes that a query may hit. By default all but sensors. Disabled bodies are never hit.
///
/// ```
/// use isostep_core::world::{BodyKind, Filter, QueryFilter};
/// const WALLS: u32 = 1 << 3;
/// let sight = QueryFilter::default().layers(WALLS).kinds([BodyKind::Fixed]);
/// // Everything that a bullet on layer 5 would collide with.
/// let bullet = QueryFilter::default().colliding_with(Filter { layer: 5, group: 0 })?;
/// # Ok::<(), isostep_core::world::NoSuchLayer>(())
/// ```
#[doc(alias("QueryFilterFlags", "b2QueryFilter"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct QueryFilter {
    /// Bit i: shapes on layer i.
    layers: u32,
    collider: Option<Filter>,
    /// Fixed, kinematic, dynamic.
    kinds: [bool; 3],
    sensors: bool,
    excluded: Option<BodyId>,
}

impl Default for QueryFilter {
    /// All shapes but sensors.
    fn default() -> Self {
        Self { layers: u32::MAX, collider: None, kinds: [true; 3], sensors: false, excluded: None }
    }
}

impl QueryFilter {
    /// Hits only shapes on these layers: bit i stands for layer i.
    #[doc(alias("mask", "maskBits"))]
    pub const fn layers(mut self, mask: u32) -> Self {
        self.layers = mask;
        self
    }

    /// Hits only shapes that a shape with this filter would collide with, by the world's [`Layers`] and by groups.
    ///
    /// # Errors
    /// If the layer does not exist.
    #[doc(alias = "groups")]
    pub const fn colliding_with(mut self, filter: Filter) -> Result<Self, NoSuchLayer> {
        if filter.layer >= 32 {
            return Err(NoSuchLayer(filter.layer));
        }
        self.collider = Some(filter);
        Ok(self)
    }

    /// Hits only bodies of these kinds.
    #[doc(alias("exclude_fixed", "exclude_dynamic", "only_dynamic", "only_fixed"))]
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = BodyKind>) -> Self {
        self.kinds = [false; 3];
        for kind in kinds {
            self.kinds[place(kind)] = true;
        }
        self
    }

    /// Hits sensors, too.
    #[doc(alias = "exclude_sensors")]
    pub const fn sensors(mut self) -> Self {
        self.sensors = true;
        self
    }

    /// Does not hit this body, such as the one that casts the ray. It replaces the body of an earlier call; a stale id excludes no
    /// body.
    #[doc(alias = "exclude_rigid_body")]
    pub const fn exclude(mut self, body: BodyId) -> Self {
        self.excluded = Some(body);
        self
    }

    /// Returns whether the filter admits any sensors.
    pub(crate) const fn has_sensors(&self) -> bool {
        self.sensors
    }

    pub(crate) const fn excluded(&self) -> Option<BodyId> {
        self.excluded
    }

    /// Returns whether the filter admits a shape of a body of some kind.
    pub(crate) fn admits(&self, layers: &Layers, kind: BodyKind, shape: &ShapeRow) -> bool {
        (self.sensors || !shape.sensor)
            && self.kinds[place(kind)]
            && self.layers >> shape.filter.layer & 1 == 1
            && self.collider.is_none_or(|collider| layers.allow(collider, shape.filter))
    }
}

const fn place(kind: BodyKind) -> usize {
    match kind {
        BodyKind::Fixed => 0,
        BodyKind::Kinematic => 1,
        BodyKind::Dynamic => 2,
    }
}
