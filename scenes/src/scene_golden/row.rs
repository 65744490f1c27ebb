//! One line of a scene's golden: size and digests of a tick's state.

use crate::scenes::Size;
use core::fmt;
use isostep_core::digest::{Digest, ShortDigest};
use isostep_core::internals::Section;
use isostep_core::internals::StateSection;
use isostep_core::world::World;

/// Sections in column order.
pub(super) const SECTIONS: [StateSection; 6] = StateSection::ALL;

/// State of a scene on a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Size of the scene.
    pub size: Size,
    /// Tick of the state.
    pub tick: u32,
    /// Length of the encoded state, bytes.
    pub bytes: u64,
    /// First half of the digest tree's root.
    pub root: ShortDigest,
    /// First eight bytes of each section's digest: enough to name the one that differs.
    pub sections: [u64; SECTIONS.len()],
}

impl Row {
    /// Computes the line of a world.
    pub fn of(size: Size, world: &World) -> Self {
        let mut encoded = Vec::new();
        world.encode(&mut encoded);
        let tree = world.digest_tree();
        let sections = SECTIONS.map(|section| {
            let digest = tree.get(section.name()).map_or_else(Digest::default, Section::digest);
            let [a, b, c, d, e, f, g, h, ..] = digest.to_bytes();
            u64::from_be_bytes([a, b, c, d, e, f, g, h])
        });
        let (tick, bytes) = (world.tick().0, encoded.len() as u64);
        Self { size, tick, bytes, root: tree.root().short(), sections }
    }

    /// Column names, padded.
    pub(super) fn header() -> String {
        let names = SECTIONS.map(|section| format!("{:<16}", section.name())).join("  ");
        format!("{:<5}  {:>5}  {:>7}  {:<32}  {names}", "size", "tick", "bytes", "root")
            .trim_end()
            .to_owned()
    }

    /// Parses a printed line; the error describes the problem.
    pub(super) fn parse(line: &str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [size, tick, bytes, root, sections @ ..] = &words[..] else {
            return Err(format!("it has {} columns, not {}", words.len(), 4 + SECTIONS.len()));
        };
        let sections: [&str; SECTIONS.len()] = sections
            .try_into()
            .map_err(|_| format!("it has {} columns, not {}", words.len(), 4 + SECTIONS.len()))?;
        let number = |what, text: &str| {
            text.parse::<u64>().map_err(|_| format!("the {what} `{text}` is not a number"))
        };
        let mut row = Self {
            size: Size::from_name(size).ok_or_else(|| format!("there is no size `{size}`"))?,
            tick: number("tick", tick)?
                .try_into()
                .map_err(|_| format!("tick {tick} is too late"))?,
            bytes: number("size in bytes", bytes)?,
            root: root.parse().map_err(|error| format!("the root `{root}`: {error}"))?,
            sections: [0; SECTIONS.len()],
        };
        for ((digest, text), section) in row.sections.iter_mut().zip(sections).zip(SECTIONS) {
            let name = section.name();
            *digest = Some(text)
                .filter(|text| text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit()))
                .and_then(|text| u64::from_str_radix(text, 16).ok())
                .ok_or_else(|| {
                    format!("the digest of {name} `{text}` is not 16 hexadecimal digits")
                })?;
        }
        Ok(row)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, tick, bytes, root, sections } = self;
        write!(f, "{:<5}  {tick:>5}  {bytes:>7}  {root}", size.name())?;
        sections.iter().try_for_each(|digest| write!(f, "  {digest:016x}"))
    }
}
