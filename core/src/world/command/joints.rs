//! Commands about joints. A joint wakes its bodies when it changes; it is removed with either of them.

use crate::data::Id;
use crate::math::{Q20, Real};
use crate::world::errors::CommandError;
use crate::world::joint::{JointDef, JointId, check_length};
use crate::world::registry::joints::{JointCountRow, JointRow};
use crate::world::rows::{BodyIndex, BodyKind};
use crate::world::{BodyId, EventRow, World};

impl World {
    /// Adds a joint between two bodies, or between a body and the world.
    ///
    /// # Errors
    /// If a body does not exist, or a value is out of range.
    #[doc(alias("create_joint", "insert_joint", "AddConstraint"))]
    pub fn add_joint(&mut self, def: JointDef) -> Result<JointId, CommandError> {
        let number = self.joint_count(def.body.index());
        self.command(super::Command::AddJoint(Box::new(def)))?;
        Ok(JointId::new(def.body, number))
    }

    /// Removes a joint. Joints are also removed when one of their bodies is despawned.
    ///
    /// # Errors
    /// If the joint does not exist.
    pub fn remove_joint(&mut self, joint: JointId) -> Result<(), CommandError> {
        self.command(super::Command::RemoveJoint(joint)).map(drop)
    }

    /// Changes the length of a rod, metres.
    ///
    /// # Errors
    /// If the joint does not exist, or the length is out of range.
    pub fn set_joint_length(&mut self, joint: JointId, length: Real) -> Result<(), CommandError> {
        self.command(super::Command::SetJointLength(joint, length)).map(drop)
    }

    /// Disables or enables a joint. A disabled joint keeps its id and has no effect.
    ///
    /// # Errors
    /// If the joint does not exist.
    pub fn set_joint_enabled(&mut self, joint: JointId, enabled: bool) -> Result<(), CommandError> {
        self.command(super::Command::SetJointEnabled(joint, enabled)).map(drop)
    }

    /// The number of joints that a body ever had as their first body.
    fn joint_count(&self, body: BodyIndex) -> u32 {
        let count = self.work.list_row::<JointCountRow>(&self.store, body, ());
        count.map_or(0, |row| row.count)
    }

    pub(super) fn apply_add_joint(&mut self, def: &JointDef) -> Result<(), CommandError> {
        self.hot_of(def.body)?;
        if let Some(other) = def.other {
            self.hot_of(other)?;
            if other == def.body {
                return Err(CommandError::JoinedToItself(other));
            }
        }
        def.check()?;
        let body = def.body.index();
        let number = self.joint_count(body);
        let count = number.checked_add(1).ok_or(CommandError::TooManyJoints(def.body))?;
        let row = JointRow {
            body,
            number,
            other: def.other.map_or(body, BodyId::index),
            kind: def.kind,
            enabled: def.enabled,
            collides: def.collides,
            anchors: def.anchors,
            length: def.length,
            impulse: Q20::ZERO,
        };
        self.work.set_list_row(&mut self.store, JointCountRow { body, count });
        self.work.set_joint(&mut self.store, row);
        self.joint_changed(&row);
        self.owner_changed(&row);
        Ok(())
    }

    pub(super) fn apply_remove_joint(&mut self, joint: JointId) -> Result<(), CommandError> {
        let row = self.joint_row(joint)?;
        self.work.remove_joint(&mut self.store, &row);
        self.joint_changed(&row);
        self.owner_changed(&row);
        Ok(())
    }

    pub(super) fn change_joint(
        &mut self,
        joint: JointId,
        change: impl FnOnce(&mut JointRow) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let old = self.joint_row(joint)?;
        let mut row = old;
        change(&mut row)?;
        // A command that changes nothing wakes no body.
        if row != old {
            self.work.set_joint(&mut self.store, row);
            self.joint_changed(&row);
        }
        Ok(())
    }

    pub(super) fn change_joint_length(
        &mut self,
        joint: JointId,
        length: Real,
    ) -> Result<(), CommandError> {
        self.change_joint(joint, |row| {
            row.length = length;
            check_length(length)
        })
    }

    fn joint_row(&self, joint: JointId) -> Result<JointRow, CommandError> {
        let live = self.work.is_live(joint.body().0);
        let row = live.then(|| {
            self.work.list_row::<JointRow>(&self.store, joint.body().index(), joint.number())
        });
        row.flatten().copied().ok_or(CommandError::NoSuchJoint(joint))
    }

    /// Wakes the dynamic bodies of a joint, and marks them as changed; if there is none, the first body.
    fn joint_changed(&mut self, row: &JointRow) {
        let dynamic = |world: &Self, body: BodyIndex| {
            world.work.cold(&world.store, body).kind == BodyKind::Dynamic
        };
        let mut any = false;
        for body in [row.body, row.other] {
            if dynamic(self, body) {
                self.work.wake(&mut self.store, body, &mut self.pending.woken);
                self.mark_changed(body);
                any = true;
            }
        }
        if !any {
            self.mark_changed(row.body);
        }
    }

    /// Marks the first body of an added or removed joint as changed: it has the number of its joints.
    fn owner_changed(&mut self, row: &JointRow) {
        if self.work.cold(&self.store, row.body).kind != BodyKind::Dynamic {
            self.mark_changed(row.body);
        }
    }

    /// Wakes the sleeping bodies that a joint connects to a fixed or kinematic body.
    pub(super) fn wake_joined(&mut self, index: BodyIndex) {
        let Self { work, store, pending, .. } = self;
        let others: Vec<_> = work.joints_of(store, index).map(|row| row.partner(index)).collect();
        others.into_iter().for_each(|other| work.wake(store, other, &mut pending.woken));
    }

    /// Removes the joints of a body that is despawned.
    pub(super) fn remove_joints_of(&mut self, index: BodyIndex) {
        let rows: Vec<JointRow> = self.work.joints_of(&self.store, index).copied().collect();
        for row in rows {
            let id = |body: BodyIndex| -> Id {
                self.work.id_at(body).expect("the bodies of a joint are alive")
            };
            let event = EventRow::joint_removed(row.joint(), [id(row.body), id(row.other)]);
            self.pending.joints_lost.push(event);
            self.joint_changed(&row);
            self.work.remove_joint(&mut self.store, &row);
        }
    }
}
