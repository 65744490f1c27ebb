//! Snapshots: a tick as bytes for files and the network, either whole (a keyframe) or as a delta against another tick.
//! [`crate::pack`] compresses the tables. This module defines their content, and checks it before it changes the world.
//!
//! ```text
//! frame ──rows──▶ residues after prediction (`predict.rs`, `write.rs`) ──pack──▶ bytes
//! bytes ──unpack──▶ rows, by the same predictions (`read.rs`) ──check (`check.rs`)──▶ frame
//! ```
//!
//! Fields that follow from other rows are predicted from them and cost no bytes. The manifold of a contact is what the narrow
//! phase computes from the poses at its creation, which mostly are the poses of the bodies. The pose of a body follows from its
//! velocity and its pose in the baseline.

mod check;
mod predict;
mod read;
mod write;

pub(crate) use write::SnapshotRow;

use super::World;
use super::arrive::Route;
use super::page_bytes::layout_hash;
use super::registry::Table;
use super::timeline::Timeline;
use crate::Tick;
use crate::digest::ShortDigest;
use crate::history::HistoryError;
use crate::pack::{self, Effort, UnpackError};

/// Default limit for the unpacked rows of a snapshot, and for the state, bytes: about 200,000 bodies in contact.
pub const SNAPSHOT_LIMIT: usize = 256 << 20;

/// Error of [`World::restore`]. The world is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin with the header of a snapshot.
    #[error(
        "the data is not a world snapshot: its header is wrong; pass bytes from `World::snapshot`"
    )]
    Magic,
    /// The format version is not supported.
    #[error(
        "the snapshot has format version {found}, and this build reads {known}; use the build that wrote it"
    )]
    Version {
        /// Version of the snapshot.
        found: u8,
        /// Version that this build reads.
        known: u8,
    },
    /// The bytes end early.
    #[error("the snapshot is truncated; request it again")]
    Truncated,
    /// The snapshot is a delta, and its baseline tick is not held.
    #[error("the baseline of the delta snapshot is not held; request a keyframe: {0}")]
    Baseline(HistoryError),
    /// The snapshot is a delta, and this world has another state at the baseline tick.
    #[error(
        "the delta snapshot needs baseline {needed}, but tick {tick} is {given} here; request a keyframe"
    )]
    WrongBaseline {
        /// Tick of the baseline.
        tick: Tick,
        /// Digest of the expected baseline.
        needed: ShortDigest,
        /// Digest of this world's state at that tick.
        given: ShortDigest,
    },
    /// The tables can't be unpacked.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// The state would take more memory than the limit.
    #[error(
        "the state of the snapshot takes {bytes} bytes, and the limit is {limit}; raise the limit of `World::restore_within`, or reject the sender"
    )]
    TooLarge {
        /// Memory of the state.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A required table is missing, present twice, or does not consist of whole rows.
    #[error("table {table} of the snapshot is missing or malformed; request another snapshot")]
    Table {
        /// Name of the table.
        table: &'static str,
    },
    /// A row is invalid.
    #[error(
        "row {row} of table {table} in the snapshot is invalid: {what}; request another snapshot"
    )]
    Row {
        /// Name of the table.
        table: &'static str,
        /// Index of the row in the table.
        row: u32,
        /// Violated condition.
        what: &'static str,
    },
}

const MAGIC: [u8; 4] = *b"ISNP";
/// Version of the header and of the predictions. It does not move with the rows: the pack has a hash of their fields, and bytes of
/// another build are refused as [`UnpackError::Layout`]. It must move if `predict.rs`, or what it computes with, gives other values:
/// residues of old bytes would then restore another state. A test restores committed bytes to find that.
const VERSION: u8 = 1;

impl World {
    /// Returns a held tick as bytes: a keyframe, or a delta against a baseline tick that the restoring world must hold.
    ///
    /// # Errors
    /// If one of the ticks is not held.
    ///
    /// ```
    /// use isostep_core::{shape::Shape, world::{BodyDef, World, WorldDef}, Tick, real};
    /// let mut world = World::new(WorldDef::default())?;
    /// world.spawn(BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?))?;
    /// world.step();
    /// let keyframe = world.snapshot(Tick(1), None)?;
    /// world.step();
    /// let delta = world.snapshot(Tick(2), Some(Tick(1)))?;
    ///
    /// let mut other = World::new(WorldDef::default())?;
    /// assert!(other.restore(&delta).is_err());
    /// other.restore(&keyframe)?;
    /// other.restore(&delta)?;
    /// assert_eq!(other.digest(), world.digest());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If a table of the state exceeds 4 GB.
    pub fn snapshot(&self, tick: Tick, baseline: Option<Tick>) -> Result<Vec<u8>, HistoryError> {
        let state = self.state_at(tick)?;
        let base = baseline.map(|tick| self.state_at(tick)).transpose()?;
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        out.push(u8::from(base.is_some()));
        if let Some(base) = base {
            out.extend(base.tick.0.to_le_bytes());
            out.extend(base.digest_tree().root().short().to_bytes());
        }
        let image = write::image(state, base);
        let empty = base.map(write::keys);
        let empty = empty.as_ref().map(pack::Unpacked::image);
        let has = |table| image.segments.iter().any(|segment| segment.id() == table as u32);
        let packed = pack::pack(layout_hash(has), image.image(), empty, Effort::Small);
        out.extend(packed.expect("tables are whole rows and shorter than 4 GB"));
        Ok(out)
    }

    /// Replaces the state by a snapshot: definition, tick, bodies, contacts and events. Drops the history, pinned ticks and commands.
    /// Keeps the history length and the resimulation mode.
    ///
    /// The world continues exactly as the one that the snapshot was taken of. The bytes may come from an untrusted source.
    ///
    /// # Errors
    /// If the bytes are not a snapshot, are damaged, or contain an invalid state. The world is unchanged.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), SnapshotError> {
        self.restore_within(snapshot, SNAPSHOT_LIMIT)
    }

    /// Like [`restore`](Self::restore), with a limit in bytes for the unpacked rows, and another one of the same size for the state that
    /// they become. Both are compared with it before they are allocated.
    ///
    /// Bodies whose ids are adjacent share a block of memory for 32, so a few bodies with scattered ids take as much as many.
    ///
    /// # Errors
    /// As for [`restore`](Self::restore).
    pub fn restore_within(&mut self, snapshot: &[u8], limit: usize) -> Result<(), SnapshotError> {
        let (baseline, packed) = open(snapshot)?;
        // Validate the pack's header before the digest of the baseline, which costs more.
        let layout = known_layout(pack::inspect(packed)?.layout);
        let base = match baseline {
            None => None,
            Some((tick, needed)) => {
                let base = self.state_at(tick).map_err(SnapshotError::Baseline)?;
                let given = base.digest_tree().root().short();
                if given != needed {
                    return Err(SnapshotError::WrongBaseline { tick, needed, given });
                }
                Some(base)
            }
        };
        let empty = base.map(write::keys);
        let empty = empty.as_ref().map(pack::Unpacked::image);
        let unpacked = pack::unpack(packed, layout, empty, limit)?;
        let read = read::state(&unpacked, base, limit)?;
        self.become_state(read);
        Ok(())
    }

    fn become_state(&mut self, read: read::Read) {
        let read::Read { def, tick, frame, mut store } = read;
        let mut timeline = Timeline::new(self.timeline.len());
        timeline.restart(tick, &frame, &mut store);
        self.def = def;
        self.store = store;
        self.timeline = timeline;
        self.work = frame;
        self.arrive(tick, Route::Restart);
    }
}

/// Returns the hash that a snapshot has if this build knows its tables: `found`, or the hash without optional tables.
fn known_layout(found: u64) -> u64 {
    let optional: Vec<Table> = Table::ALL.into_iter().filter(|table| table.is_optional()).collect();
    let sets = 0..1u32 << optional.len();
    let hash = |set: u32| {
        layout_hash(|table| {
            optional.iter().position(|one| *one == table).is_some_and(|i| set >> i & 1 == 1)
        })
    };
    sets.map(hash).find(|hash| *hash == found).unwrap_or_else(|| hash(0))
}

type Baseline = Option<(Tick, ShortDigest)>;

/// Splits a snapshot into the tick and digest of its baseline, if it is a delta, and the pack.
fn open(snapshot: &[u8]) -> Result<(Baseline, &[u8]), SnapshotError> {
    if !MAGIC.starts_with(&snapshot[..snapshot.len().min(MAGIC.len())]) {
        return Err(SnapshotError::Magic);
    }
    let cut = SnapshotError::Truncated;
    let (&[_, _, _, _, found, kind], rest) = snapshot.split_first_chunk::<6>().ok_or(cut)?;
    if found != VERSION {
        return Err(SnapshotError::Version { found, known: VERSION });
    }
    match kind {
        0 => return Ok((None, rest)),
        1 => {}
        _ => return Err(SnapshotError::Magic),
    }
    let (tick, rest) = rest.split_first_chunk::<4>().ok_or(cut)?;
    let (digest, rest) = rest.split_first_chunk::<16>().ok_or(cut)?;
    Ok((Some((Tick(u32::from_le_bytes(*tick)), ShortDigest::from_bytes(*digest))), rest))
}

#[cfg(feature = "test-support")]
impl World {
    /// Returns the tables of a snapshot before packing, so that tests can modify them without a digest error.
    ///
    /// # Errors
    /// If one of the ticks is not held.
    pub fn snapshot_tables(
        &self,
        tick: Tick,
        baseline: Option<Tick>,
    ) -> Result<pack::Unpacked, HistoryError> {
        let base = baseline.map(|tick| self.state_at(tick)).transpose()?;
        Ok(write::image(self.state_at(tick)?, base))
    }

    /// Restores the state from such tables.
    ///
    /// # Errors
    /// As for [`restore`](Self::restore).
    pub fn restore_tables(
        &mut self,
        tables: &pack::Unpacked,
        baseline: Option<Tick>,
    ) -> Result<(), SnapshotError> {
        let base = baseline.map(|tick| self.state_at(tick)).transpose();
        let base = base.map_err(SnapshotError::Baseline)?;
        let read = read::state(tables, base, SNAPSHOT_LIMIT)?;
        self.become_state(read);
        Ok(())
    }
}
