//! The registry of state: every section, table and kind of page, one line each. Paging, sharing, copying, comparing, encoding,
//! digests, explanations, snapshots and golden columns follow from these lines.
//!
//! - `sections`: parts of the state that have a digest of their own, and the tables of their pages.
//! - `pages`: kinds of pages that every 32 bodies have one of, and the section that consists of them.
//! - `lists`: kinds of rows that few bodies have. Each is a section with one table. Without rows it adds nothing to digests, snapshots
//!   and goldens, so a new kind changes none of them.
//!
//! The order of the lines is that of golden columns and of the tables in snapshots: a new list is the last, but before that of the
//! tests, which only some builds have. CONTRIBUTING.md describes how to add one.

#[macro_use]
mod generate;
pub(crate) mod joints;
mod kind;
mod list;
#[cfg(feature = "test-internals")]
pub(crate) mod marks;
mod placed;

pub(crate) use kind::{PageKind, TableRow, TableVisitor};
#[cfg(feature = "test-support")]
pub(crate) use list::ListRow;
pub(crate) use list::{ListVisitor, Listed};

use super::events::EventRow;
use super::fields::{Field, IdRow, Keyed, OverrideRow, Row, RowText, WorldRow, layout};
use super::page_bytes::{PagePlace, SectionDigests, State};
use super::pages::{PageRef, Pages};
use super::rows::{
    BodyIndex, ColdPage, ColdRow, ContactPage, ContactRow, HotPage, HotRow, Overlap, ShapeRow,
};
use crate::data::IdPool;
use std::sync::Arc;

state_rows! {
    sections {
        /// Definition of the world, and tick.
        World "world" { World "world": WorldRow, Overrides "pairs of materials": OverrideRow }
        /// Ids in use, and generations.
        Ids "ids" { Ids "ids": IdRow }
        /// Poses, velocities and sleep.
        Bodies "bodies" { Bodies "bodies": Keyed<HotRow> }
        /// Values that only commands change: kind, mass, damping, shapes.
        Traits "traits" { Traits "traits": Keyed<ColdRow>, Shapes "shapes": Keyed<ShapeRow> }
        /// Contacts and sensor overlaps.
        Contacts "contacts" { Contacts "contacts": ContactRow, Overlaps "overlaps": Overlap }
        /// Events of the step.
        Events "events" { Events "events": EventRow }
    }
    pages {
        hot: HotPage => Bodies,
        cold: ColdPage => Traits,
        contacts: ContactPage => Contacts,
    }
    lists {
        /// Resting bodies that a commit placed, until the next step.
        Placed "placed" placed: placed::PlacedRow,
        /// Numbers of joints that bodies ever had.
        JointCounts "joint counts" joint_counts: joints::JointCountRow,
        /// Joints.
        Joints "joints" joints: joints::JointRow,
        /// Second ends of joints.
        JointEnds "joint ends" joint_ends: joints::JointEndRow,
        /// Numbers that the tests of this registry give to bodies.
        #[cfg(feature = "test-internals")]
        Marks "marks" marks: marks::MarkRow,
    }
}
