//! One line of a scene's golden: size and digests of a tick's state.

use crate::scenes::Size;
use core::fmt::Write as _;
use isostep_core::digest::ShortDigest;
use isostep_core::internals::StateSection;
use isostep_core::world::World;

/// Sections in column order.
pub(super) const SECTIONS: [StateSection; StateSection::ALL.len()] = StateSection::ALL;

/// The columns of digests in a file. A section that a state may lack has one only if a line of the file has its digest, so a new
/// kind of state changes no golden of scenes without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns([bool; SECTIONS.len()]);

impl Columns {
    /// The columns that these lines need.
    pub(super) fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let mut columns = Self(SECTIONS.map(|section| !section.is_optional()));
        for row in rows {
            let digests = columns.0.iter_mut().zip(row.sections);
            digests.for_each(|(column, digest)| *column |= digest.is_some());
        }
        columns
    }

    /// The columns that a line of names has.
    pub(super) fn named(names: &str) -> Self {
        // At least two spaces separate the columns; a name may have one.
        let names: Vec<&str> = names.split("  ").map(str::trim).collect();
        Self(SECTIONS.map(|section| !section.is_optional() || names.contains(&section.name())))
    }

    /// The positions of their sections.
    fn positions(self) -> impl Iterator<Item = usize> {
        (0..SECTIONS.len()).filter(move |at| self.0[*at])
    }
}

/// Stands for the digest of a section that the state lacks.
const MISSING: &str = "-";

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
    /// First eight bytes of each section's digest: enough to name the one that differs. `None` for a section that the state lacks.
    pub sections: [Option<u64>; SECTIONS.len()],
}

impl Row {
    /// Computes the line of a world.
    pub fn of(size: Size, world: &World) -> Self {
        let mut encoded = Vec::new();
        world.encode(&mut encoded);
        let tree = world.digest_tree();
        let sections = SECTIONS.map(|section| {
            let [a, b, c, d, e, f, g, h, ..] = tree.get(section.name())?.digest().to_bytes();
            Some(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
        });
        let (tick, bytes) = (world.tick().0, encoded.len() as u64);
        Self { size, tick, bytes, root: tree.root().short(), sections }
    }

    /// Column names, padded.
    pub(super) fn header(columns: Columns) -> String {
        let names = columns.positions().map(|at| format!("{:<16}", SECTIONS[at].name()));
        let names = names.collect::<Vec<_>>().join("  ");
        format!("{:<5}  {:>5}  {:>7}  {:<32}  {names}", "size", "tick", "bytes", "root")
            .trim_end()
            .to_owned()
    }

    /// Parses a printed line; the error describes the problem.
    pub(super) fn parse(line: &str, columns: Columns) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let count = 4 + columns.positions().count();
        let [size, tick, bytes, root, sections @ ..] = &words[..] else {
            return Err(format!("it has {} columns, not {count}", words.len()));
        };
        if words.len() != count {
            return Err(format!("it has {} columns, not {count}", words.len()));
        }
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
            sections: [None; SECTIONS.len()],
        };
        for (at, &text) in columns.positions().zip(sections) {
            let section = SECTIONS[at];
            if text == MISSING && section.is_optional() {
                continue;
            }
            let digest = Some(text)
                .filter(|text| text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit()))
                .and_then(|text| u64::from_str_radix(text, 16).ok());
            let name = section.name();
            row.sections[at] = Some(digest.ok_or_else(|| {
                format!("the digest of {name} `{text}` is not 16 hexadecimal digits")
            })?);
        }
        Ok(row)
    }

    /// The line as text.
    pub(super) fn line(&self, columns: Columns) -> String {
        let Self { size, tick, bytes, root, sections } = self;
        let mut line = format!("{:<5}  {tick:>5}  {bytes:>7}  {root}", size.name());
        for at in columns.positions() {
            let digest = sections[at].map(|digest| format!("{digest:016x}"));
            let digest = digest.as_deref().unwrap_or(MISSING);
            write!(line, "  {digest:<16}").expect("text can always grow");
        }
        line.truncate(line.trim_end().len());
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep_core::digest::Digest;

    /// A line with a digest for each of these sections.
    fn row(sections: [bool; SECTIONS.len()]) -> Row {
        let (size, root) = (Size::Small, Digest::of(b"root").short());
        let sections = sections.map(|has| has.then_some(0xfeed));
        Row { size, tick: 8, bytes: 300, root, sections }
    }

    #[test]
    fn required_sections_always_have_a_column() {
        let names: Vec<_> =
            SECTIONS.iter().filter(|at| !at.is_optional()).map(|at| at.name()).collect();
        assert_eq!(names, ["world", "ids", "bodies", "traits", "contacts", "events"]);
        let header = Row::header(Columns::of([]));
        assert_eq!(header.split_whitespace().skip(4).collect::<Vec<_>>(), names);
        assert_eq!(Columns::named(&header), Columns::of([]));
    }

    #[test]
    fn optional_sections_have_a_column_if_a_line_has_them() {
        let with = row([true; SECTIONS.len()]);
        let without = row(SECTIONS.map(|section| !section.is_optional()));
        for rows in [vec![without, without], vec![with, without]] {
            let columns = Columns::of(&rows);
            let header = Row::header(columns);
            assert_eq!(Columns::named(&header), columns);
            for row in rows {
                assert_eq!(Row::parse(&row.line(columns), columns), Ok(row));
                assert!(!row.line(columns).ends_with(' '));
            }
        }
    }
}
