//! A tick as bytes for files and wires: whole, or as what changed since another tick. [`crate::pack`] makes them small, this
//! says what is in them and, before anything of a world changes, whether it can be.
//!
//! ```text
//! frame ──rows──▶ what is left after a prediction (`predict.rs`, `write.rs`) ──pack──▶ bytes
//! bytes ──unpack──▶ rows, by the same predictions (`read.rs`) ──check (`check.rs`)──▶ frame
//! ```
//!
//! What follows from other rows is predicted from them and costs nothing: the geometry of a contact is what the narrow phase
//! makes of the poses that it was made at, which mostly are the poses of the bodies; a body is where its velocity led.

mod check;
mod predict;
mod read;
mod write;

use super::World;
use super::arrive::Route;
use super::page_bytes::layout_hash;
use super::timeline::Timeline;
use crate::digest::ShortDigest;
use crate::history::HistoryError;
use crate::pack::{self, Effort, UnpackError};

/// Most bytes that the rows of a snapshot may have when unpacked, unless told otherwise: about 200,000 bodies in contact.
pub const SNAPSHOT_LIMIT: usize = 256 << 20;

/// Why a snapshot can't be restored. The world is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It does not begin like a snapshot.
    #[error("this is no snapshot of a world: it does not begin like one")]
    Magic,
    /// Another version of the format.
    #[error("the snapshot has format version {found}; this build reads {known}")]
    Version {
        /// Version found.
        found: u8,
        /// Version of this build.
        known: u8,
    },
    /// The bytes end too early.
    #[error("the snapshot is cut off; ask for it again")]
    Truncated,
    /// It is a delta against a tick that is not held.
    #[error("the snapshot is a delta against a tick that is not held; ask for a keyframe: {0}")]
    Baseline(HistoryError),
    /// It is a delta against another state than the one that is held.
    #[error(
        "the snapshot is a delta against {needed} and tick {tick} is {given} here; ask for a keyframe"
    )]
    WrongBaseline {
        /// The baseline's tick.
        tick: u32,
        /// Digest of the right baseline.
        needed: ShortDigest,
        /// Digest of what is held.
        given: ShortDigest,
    },
    /// What is in it can't be unpacked.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// A table that there must be once is missing, there twice, or not made of whole rows.
    #[error("the table of {table} in the snapshot is missing or broken")]
    Table {
        /// Which.
        table: &'static str,
    },
    /// A row that no world has.
    #[error("row {row} of the {table} in the snapshot can't be: {what}")]
    Row {
        /// Its table.
        table: &'static str,
        /// Its number there.
        row: u32,
        /// What is wrong with it.
        what: &'static str,
    },
}

const MAGIC: [u8; 4] = *b"ISNP";
const VERSION: u8 = 1;

impl World {
    /// A tick that is held, as bytes: whole, or as what changed since another one, which whoever restores it must have.
    ///
    /// # Errors
    /// When one of the ticks is not held.
    ///
    /// ```
    /// use isostep_core::{shape::Shape, world::{BodyDef, World, WorldDef}, real};
    /// let mut world = World::new(WorldDef::default())?;
    /// world.spawn(BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?))?;
    /// world.step();
    /// let keyframe = world.snapshot(1, None)?;
    /// world.step();
    /// let delta = world.snapshot(2, Some(1))?;
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
    /// When the tables of the state are longer than 4 GB.
    pub fn snapshot(&self, tick: u32, baseline: Option<u32>) -> Result<Vec<u8>, HistoryError> {
        let state = self.state_at(tick)?;
        let base = baseline.map(|tick| self.state_at(tick)).transpose()?;
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        out.push(u8::from(base.is_some()));
        if let Some(base) = base {
            out.extend(base.tick.to_le_bytes());
            out.extend(base.digest_tree().root().short().to_bytes());
        }
        let image = write::image(state, base);
        let empty = base.map(write::keys);
        let empty = empty.as_ref().map(pack::Unpacked::image);
        let packed = pack::pack(layout_hash(), image.image(), empty, Effort::Small);
        out.extend(packed.expect("tables are whole rows and shorter than 4 GB"));
        Ok(out)
    }

    /// Becomes the state of a snapshot: definition, tick, bodies, contacts and all. What came before is forgotten, pinned
    /// ticks and commands included; how far this world can be rewound, and how it computes ticks again, stays.
    ///
    /// It goes on exactly as the world did that the snapshot was taken of. Bytes from anywhere are fine.
    ///
    /// # Errors
    /// When the bytes are no snapshot, are damaged, or hold what no world can be. The world is as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), SnapshotError> {
        self.restore_within(snapshot, SNAPSHOT_LIMIT)
    }

    /// Like [`restore`](Self::restore), for rows of at most this many bytes when unpacked; about as much memory again is
    /// needed while they are read.
    ///
    /// # Errors
    /// As for [`restore`](Self::restore).
    pub fn restore_within(&mut self, snapshot: &[u8], limit: usize) -> Result<(), SnapshotError> {
        let (baseline, packed) = open(snapshot)?;
        // What is not even a pack is not worth looking at a baseline.
        pack::inspect(packed)?;
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
        let unpacked = pack::unpack(packed, layout_hash(), empty, limit)?;
        let read = read::state(&unpacked, base)?;
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

type Baseline = Option<(u32, ShortDigest)>;

/// The baseline's tick and digest, if it is a delta, and the pack.
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
    Ok((Some((u32::from_le_bytes(*tick), ShortDigest::from_bytes(*digest))), rest))
}

#[cfg(feature = "test-support")]
impl World {
    /// The tables of a snapshot as they are before packing, so that tests can reach what lies behind its digests.
    ///
    /// # Errors
    /// When one of the ticks is not held.
    pub fn snapshot_tables(
        &self,
        tick: u32,
        baseline: Option<u32>,
    ) -> Result<pack::Unpacked, HistoryError> {
        let base = baseline.map(|tick| self.state_at(tick)).transpose()?;
        Ok(write::image(self.state_at(tick)?, base))
    }

    /// Restores from such tables.
    ///
    /// # Errors
    /// As for [`restore`](Self::restore).
    pub fn restore_tables(
        &mut self,
        tables: &pack::Unpacked,
        baseline: Option<u32>,
    ) -> Result<(), SnapshotError> {
        let base = baseline.map(|tick| self.state_at(tick)).transpose();
        let base = base.map_err(SnapshotError::Baseline)?;
        let read = read::state(tables, base)?;
        self.become_state(read);
        Ok(())
    }
}
