//! Commands that change the settings of a body or of the world.

use crate::data::IndexSet;
use crate::math::{Real, Vec3};
use crate::shape::MassError;
use crate::world::def::check_gravity;
use crate::world::errors::CommandError;
use crate::world::frame::Place;
use crate::world::rows::{BodyIndex, BodyKind, ColdRow, STAYS_AWAKE, ShapeRow, body_of};
use crate::world::weigh::{InertiaSource, Weight};
use crate::world::{BodyId, World};

impl World {
    pub(super) fn change_kind(&mut self, body: BodyId, kind: BodyKind) -> Result<(), CommandError> {
        self.hot_of(body)?;
        if kind == BodyKind::Dynamic {
            let (page, row) =
                (self.work.cold_page(&self.store, body.index()), Place::of(body.index()).row);
            let unbounded = |shape: &ShapeRow| shape.shape.is_unbounded();
            if page.shapes_of(row).iter().any(unbounded) {
                return Err(MassError::HalfSpace.into());
            }
            if page.rows[row].mass == Real::ZERO {
                return Err(CommandError::NoMass);
            }
        }
        self.cold_change(body, |cold| cold.kind = kind)?;
        if kind == BodyKind::Fixed {
            let hot = self.work.hot_mut(&mut self.store, body.index());
            (hot.velocity, hot.spin) = Default::default();
            self.work.mark_active(&self.store, body.index());
        }
        self.pending.void.insert(body.index());
        Ok(())
    }

    /// Changes a body's row, and wakes all bodies that this can affect.
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

    /// Changes values of a body's row that no other body depends on, nor its own motion. Wakes no body.
    pub(super) fn quiet_change(
        &mut self,
        body: BodyId,
        change: impl FnOnce(&mut ColdRow),
    ) -> Result<(), CommandError> {
        self.hot_of(body)?;
        let row = Place::of(body.index()).row;
        change(&mut self.work.cold_page_mut(&mut self.store, body.index()).rows[row]);
        Ok(())
    }

    pub(super) fn change_mass(
        &mut self,
        body: BodyId,
        mass: Option<Real>,
        inertia: Option<Vec3>,
    ) -> Result<(), CommandError> {
        self.hot_of(body)?;
        let (page, row) =
            (self.work.cold_page(&self.store, body.index()), Place::of(body.index()).row);
        let cold = &page.rows[row];
        let inertia = inertia.map_or(InertiaSource::Shapes, InertiaSource::Moments);
        let weight = Weight::new(cold.kind, page.shapes_of(row), mass, inertia, cold)?;
        self.change_weight(body, &weight)
    }

    /// Sets mass, centre of mass and inertia. The origin stays in place, and the velocity of each point of the body is unchanged.
    pub(super) fn change_weight(
        &mut self,
        body: BodyId,
        weight: &Weight,
    ) -> Result<(), CommandError> {
        let hot =
            self.hot_of(body)?.reweighed(self.work.cold(&self.store, body.index()), weight)?;
        self.cold_change(body, |cold| weight.write(cold))?;
        let row = self.work.hot_mut(&mut self.store, body.index());
        (row.center, row.velocity, row.spin) = (hot.center, hot.velocity, hot.spin);
        // Impulses for warm starting are in units of the reduced mass.
        self.pending.void.insert(body.index());
        Ok(())
    }

    pub(super) fn change_gravity(&mut self, gravity: Vec3) -> Result<(), CommandError> {
        check_gravity(gravity)?;
        if gravity != self.work.gravity {
            self.work.gravity = gravity;
            self.work.wake_all(&mut self.store, &mut self.pending.woken);
        }
        Ok(())
    }

    /// Puts a body to sleep, with all dynamic bodies that contacts of the last step connect to it.
    pub(super) fn sleep_island(&mut self, body: BodyId) -> Result<(), CommandError> {
        if self.hot_of(body)?.is_asleep() {
            return Ok(());
        }
        let may = |index: &BodyIndex| {
            let cold = self.work.cold(&self.store, *index);
            let sleeps = cold.flags & STAYS_AWAKE == 0;
            cold.kind == BodyKind::Dynamic && cold.enabled && sleeps
        };
        if !may(&body.index()) {
            return Err(CommandError::CannotSleep(body));
        }
        let (island, supports) = self.island_of(body.index());
        if let Some(other) = island.iter().find(|index| !may(index)) {
            let other = self.work.id_at(*other).map_or(body, BodyId);
            return Err(CommandError::CannotSleep(other));
        }
        // Their contacts are unknown until the step, so that nothing would wake them with their support.
        let changed: IndexSet<BodyIndex> = self.pending.changed.iter().copied().collect();
        if let Some(other) = island.iter().chain(&supports).find(|index| changed.contains(**index))
        {
            let other = self.work.id_at(*other).map_or(body, BodyId);
            return Err(CommandError::ChangedThisTick(other));
        }
        self.work.put_to_sleep(&mut self.store, &island);
        supports.into_iter().for_each(|index| self.scratch.add_support(index));
        for &index in &island {
            self.pending.slept.insert(index);
            self.pending.forces.remove(index);
        }
        // A body that was woken before on this tick has not woken.
        let slept = &self.pending.slept;
        self.pending.woken.retain(|index| !slept.contains(*index));
        self.scratch.activity_changed.extend_from_slice(&island);
        Ok(())
    }

    /// A body and the dynamic bodies connected to it by contacts of the last step, ascending; then the other bodies in contact with
    /// them.
    fn island_of(&self, body: BodyIndex) -> (Vec<BodyIndex>, Vec<BodyIndex>) {
        let mut edges: Vec<(BodyIndex, BodyIndex)> = Vec::new();
        for row in self.all_contact_rows() {
            let [a, b] = row.key.shapes().map(body_of);
            edges.extend([(a, b), (b, a)]);
        }
        for [a, b] in self.joint_edges() {
            edges.extend([(a, b), (b, a)]);
        }
        edges.sort();
        edges.dedup();
        let dynamic =
            |index: BodyIndex| self.work.cold(&self.store, index).kind == BodyKind::Dynamic;
        let (mut island, mut supports, mut at) = (vec![body], Vec::new(), 0);
        let mut known: IndexSet<BodyIndex> = core::iter::once(body).collect();
        while let Some(&index) = island.get(at) {
            at += 1;
            let start = edges.partition_point(|edge| edge.0 < index);
            let around =
                edges[start..].iter().take_while(|edge| edge.0 == index).map(|edge| edge.1);
            // The bodies that a sleeping one fell asleep with need not touch it any more.
            let row = self.work.hot(&self.store, index);
            for other in around.chain(row.is_asleep().then_some(row.next)) {
                if known.insert(other) {
                    if dynamic(other) { island.push(other) } else { supports.push(other) }
                }
            }
        }
        island.sort();
        (island, supports)
    }
}
