//! One cell of the matrix and its line of text, which a target prints for the combined table.

use core::fmt;
use core::str::FromStr;

/// A scene, computed on one path on one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Instruction set and build. Empty in the target's own output.
    pub target: String,
    /// Lanes and threads.
    pub variant: String,
    /// Path to the ticks.
    pub path: String,
    /// Name and size of the scene.
    pub scene: String,
    /// Newest tick reached.
    pub ticks: u32,
    /// Short digest of that tick, or `-` if there is none.
    pub digest: String,
    /// Time in nanoseconds; 0 if not measured.
    pub nanos: u64,
    /// First difference, in one line; `None` if all is equal.
    pub difference: Option<String>,
}

/// A line that is not a valid cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseCellError {
    /// The line.
    pub line: String,
}

impl fmt::Display for ParseCellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a cell of the matrix: {:?}; let the target compute it anew", self.line)
    }
}

impl core::error::Error for ParseCellError {}

const WORD: &str = "cell";
const EQUAL: &str = "equal";

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variant, path, scene, ticks, digest, nanos, difference, .. } = self;
        let difference = difference.as_deref().unwrap_or(EQUAL).replace(['\t', '\n'], " ");
        write!(f, "{WORD}\t{variant}\t{path}\t{scene}\t{ticks}\t{digest}\t{nanos}\t{difference}")
    }
}

impl FromStr for Cell {
    type Err = ParseCellError;

    fn from_str(line: &str) -> Result<Self, ParseCellError> {
        let fields: Vec<_> = line.split('\t').collect();
        if let [WORD, variant, path, scene, ticks, digest, nanos, difference] = fields[..]
            && let (Ok(ticks), Ok(nanos)) = (ticks.parse(), nanos.parse())
        {
            Ok(Self {
                target: String::new(),
                variant: variant.to_owned(),
                path: path.to_owned(),
                scene: scene.to_owned(),
                ticks,
                digest: digest.to_owned(),
                nanos,
                difference: (difference != EQUAL).then(|| difference.to_owned()),
            })
        } else {
            Err(ParseCellError { line: line.to_owned() })
        }
    }
}

impl Cell {
    /// Returns true if a line claims to be a cell; all others are informational.
    pub fn is_line(line: &str) -> bool {
        line.split('\t').next() == Some(WORD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_survives_its_line() {
        let mut cell = Cell {
            target: String::new(),
            variant: "avx2, 8 threads".to_owned(),
            path: "rolled back".to_owned(),
            scene: "bin small".to_owned(),
            ticks: 120,
            digest: "00ff".to_owned(),
            nanos: 7,
            difference: None,
        };
        assert_eq!(cell.to_string().parse(), Ok(cell.clone()));
        cell.difference = Some("tick 3\tin bodies\n".to_owned());
        let read: Cell = cell.to_string().parse().expect("a cell");
        assert_eq!(read.difference.as_deref(), Some("tick 3 in bodies "));
    }

    #[test]
    fn malformed_cells_are_refused() {
        for line in ["", "cell", "cell\ta\tb\tc\tx\td\t1\tequal", "row\ta\tb\tc\t1\td\t1\tequal"] {
            assert!(line.parse::<Cell>().is_err(), "{line:?}");
        }
    }
}
