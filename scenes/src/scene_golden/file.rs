//! A golden's file: column names, then a line for each tick of each size.

use super::row::{Columns, Row};
use super::ticks;
use crate::scenes::{NAMES, Size};
use core::fmt;

/// All lines of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneGolden {
    /// Name of the scene.
    pub name: &'static str,
    /// A line for each tick, size after size.
    pub rows: Vec<Row>,
}

/// A golden file that can't be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseSceneError {
    /// File name.
    pub file: String,
    /// Line number, from 1.
    pub line: usize,
    /// Description of the problem.
    pub what: String,
}

impl fmt::Display for ParseSceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, what } = self;
        write!(f, "{file}, line {line}: {what}; take the file from the last good commit")
    }
}

impl core::error::Error for ParseSceneError {}

impl SceneGolden {
    /// Parses a scene's file; errors use `file` as its name. Every expected line must be present, in order, with none added.
    ///
    /// # Errors
    /// A line is missing, superfluous or malformed; the error names it.
    pub fn parse(name: &str, file: &str, text: &str) -> Result<Self, ParseSceneError> {
        let fail = |line, what| ParseSceneError { file: file.to_owned(), line, what };
        let name = NAMES.into_iter().find(|known| *known == name);
        let name = name.ok_or_else(|| fail(1, "there is no such scene".to_owned()))?;
        let mut lines = (1..).zip(text.lines());
        let names = lines.next().map_or("", |(_, line)| line);
        let columns = Columns::named(names);
        let header = Row::header(columns);
        if names != header {
            return Err(fail(1, format!("it is not the names of the columns, `{header}`")));
        }
        let mut rows = Vec::new();
        let wanted =
            Size::ALL.into_iter().flat_map(|size| ticks(size).map(move |tick| (size, tick)));
        for (size, tick) in wanted {
            let wanted = format!("the line of {} at tick {tick}", size.name());
            let number = rows.len() + 2;
            let (_, line) =
                lines.next().ok_or_else(|| fail(number, format!("{wanted} is missing")))?;
            let row = Row::parse(line, columns).map_err(|what| fail(number, what))?;
            if (row.size, row.tick) != (size, tick) {
                return Err(fail(number, format!("it is not {wanted}")));
            }
            rows.push(row);
        }
        if Columns::of(&rows) != columns {
            return Err(fail(1, "it has a column without a digest".to_owned()));
        }
        match lines.next() {
            None => Ok(Self { name, rows }),
            Some((number, _)) => Err(fail(number, "it is one too many".to_owned())),
        }
    }
}

impl fmt::Display for SceneGolden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = Columns::of(&self.rows);
        writeln!(f, "{}", Row::header(columns))?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{}", row.line(columns)))
    }
}
