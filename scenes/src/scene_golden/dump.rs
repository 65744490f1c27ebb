//! A scene's whole state on a tick as a file, so that another machine can name the differing entity
//! and field.
//!
//! It holds the pages that digests cover, unpacked: a snapshot omits derivable values, and those
//! are of interest when two machines compute different ones.

use super::last_tick;
use crate::scenes::{Size, Spec};
use core::fmt;
use isostep_core::HistoryError;
use isostep_core::Tick;
use isostep_core::internals::{ExplainError, RowDifference, StateSection};
use isostep_core::world::World;
use serde::{Deserialize, Serialize};

/// Header of a dump; the digit is the version.
const MAGIC: &[u8] = b"isostep dump 1\n";

/// State of a golden's scene on a tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    spec: Spec,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Content {
    scene: String,
    size: String,
    seed: u64,
    tick: u32,
    pages: Vec<Page>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Page {
    section: String,
    number: u32,
    bytes: Vec<u8>,
}

/// Errors of creating or reading a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DumpError {
    /// The file has no dump header.
    NoDump,
    /// The file is truncated, damaged, or of another version of this program.
    Damaged,
    /// The file's scene does not exist.
    NoSuchScene(String),
    /// The tick is later than the golden's last.
    TooLate {
        /// Requested tick.
        tick: u32,
        /// Last tick.
        last: u32,
    },
    /// The tick is not held.
    History(HistoryError),
    /// A page of the file can't be read.
    Page(ExplainError),
}

impl fmt::Display for DumpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDump => {
                write!(f, "this is no dump of a scene; make one with `--dump TICK FILE`")
            }
            Self::Damaged => write!(f, "the dump is cut off or damaged; make it anew"),
            Self::NoSuchScene(name) => {
                write!(f, "the dump is of {name}, which is no scene here; use the same version")
            }
            Self::TooLate { tick, last } => {
                write!(f, "tick {tick} is too late; this size goes to {last}")
            }
            Self::History(error) => error.fmt(f),
            Self::Page(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for DumpError {}

impl Dump {
    /// Plays a scene of the goldens to a tick and takes its state.
    ///
    /// # Errors
    /// The tick is later than the golden's last.
    pub fn play(spec: Spec, tick: u32) -> Result<Self, DumpError> {
        Self::of(spec, &played(spec, tick)?)
    }

    /// Takes the state of a world that is this scene.
    ///
    /// # Errors
    /// The world does not hold its own tick, which does not happen.
    pub fn of(spec: Spec, world: &World) -> Result<Self, DumpError> {
        let tick = world.tick();
        let mut pages = Vec::new();
        for (name, content) in world.digest_tree().sections() {
            let Some(section) = StateSection::from_name(name) else { continue };
            for &(number, _) in content.pages() {
                let bytes = world.page_bytes(tick, section, number).map_err(DumpError::History)?;
                pages.push(Page { section: name.to_owned(), number, bytes });
            }
        }
        let (scene, size) = (spec.name().to_owned(), spec.size().name().to_owned());
        Ok(Self { spec, content: Content { scene, size, seed: spec.seed(), tick: tick.0, pages } })
    }

    /// Scene of the dump.
    pub const fn spec(&self) -> Spec {
        self.spec
    }

    /// Tick of the dump.
    pub const fn tick(&self) -> u32 {
        self.content.tick
    }

    /// Encodes the dump as a file.
    ///
    /// # Panics
    /// Never: plain data can be written.
    pub fn to_bytes(&self) -> Vec<u8> {
        let start = MAGIC.to_vec();
        postcard::to_extend(&self.content, start).expect("plain data fits into memory")
    }

    /// Decodes a dump. Accepts untrusted bytes.
    ///
    /// # Errors
    /// The bytes are no dump.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DumpError> {
        let content = bytes.strip_prefix(MAGIC).ok_or(DumpError::NoDump)?;
        let (content, rest): (Content, _) =
            postcard::take_from_bytes(content).map_err(|_| DumpError::Damaged)?;
        if !rest.is_empty() {
            return Err(DumpError::Damaged);
        }
        let size = Size::from_name(&content.size);
        let spec = size.and_then(|size| Spec::named(&content.scene, size, content.seed));
        let name = || format!("{} {}", content.scene, content.size);
        let spec = spec.ok_or_else(|| DumpError::NoSuchScene(name()))?;
        if content.pages.iter().any(|page| StateSection::from_name(&page.section).is_none()) {
            return Err(DumpError::Damaged);
        }
        Ok(Self { spec, content })
    }

    /// Plays the same scene to the same tick here and returns every field that differs from the dump.
    ///
    /// # Errors
    /// A page of the dump can't be read, or its tick is too late.
    pub fn explain(&self) -> Result<Vec<RowDifference>, DumpError> {
        self.explain_against(&played(self.spec, self.content.tick)?)
    }

    /// Returns every field of a world that differs from the dump.
    ///
    /// # Errors
    /// A page of the dump can't be read, or the world is not at the dump's tick.
    pub fn explain_against(&self, world: &World) -> Result<Vec<RowDifference>, DumpError> {
        let ours = Self::of(self.spec, world)?;
        let mut found = Vec::new();
        for section in StateSection::ALL {
            let pages = |content: &Content| -> Vec<u32> {
                let own = content.pages.iter().filter(|page| page.section == section.name());
                own.map(|page| page.number).collect()
            };
            let mut numbers = [pages(&self.content), pages(&ours.content)].concat();
            numbers.sort();
            numbers.dedup();
            for number in numbers {
                let same = |page: &&Page| page.section == section.name() && page.number == number;
                let [theirs, ours] = [&self.content, &ours.content].map(|content| {
                    content.pages.iter().find(same).map_or(&[][..], |page| &page.bytes)
                });
                if theirs != ours {
                    let rows = world.explain(Tick(self.content.tick), section, number, theirs);
                    found.extend(rows.map_err(DumpError::Page)?);
                }
            }
        }
        Ok(found)
    }
}

/// Plays a scene of the goldens to a tick.
fn played(spec: Spec, tick: u32) -> Result<World, DumpError> {
    let last = last_tick(spec.size());
    if tick > last {
        return Err(DumpError::TooLate { tick, last });
    }
    let mut scene = spec.play();
    while scene.world.tick().0 < tick {
        scene.step();
    }
    Ok(scene.world)
}
