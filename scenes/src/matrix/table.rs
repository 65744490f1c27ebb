//! The matrix as a table: a row for each target, variant and path, a column for each scene. Cells
//! show seconds, or the first difference.

use super::Cell;
use core::fmt;
use std::collections::BTreeSet;

/// All cells of all targets, and the skipped targets.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Cells in row order.
    pub cells: Vec<Cell>,
    /// Skipped targets with the reason.
    pub skipped: Vec<(String, String)>,
}

impl Table {
    /// Adds a target's output; malformed cells become differences.
    pub fn add(&mut self, target: &str, text: &str) {
        for line in text.lines().filter(|line| Cell::is_line(line)) {
            let cell = line.parse().unwrap_or_else(|error: super::ParseCellError| Cell {
                target: String::new(),
                variant: "?".to_owned(),
                path: "?".to_owned(),
                scene: "?".to_owned(),
                ticks: 0,
                digest: "-".to_owned(),
                nanos: 0,
                difference: Some(error.to_string()),
            });
            self.cells.push(Cell { target: target.to_owned(), ..cell });
        }
    }

    /// Returns true if there are cells and all are equal.
    pub fn is_equal(&self) -> bool {
        !self.cells.is_empty() && self.differences().next().is_none()
    }

    /// Cells that differ.
    pub fn differences(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(|cell| cell.difference.is_some())
    }

    /// Scenes in order of appearance; sizes and lengths are listed below the name.
    fn scenes(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let names = self.cells.iter().map(|cell| name(&cell.scene));
        names.filter(|name| seen.insert(*name)).collect()
    }

    /// Target, variant, path and ticks of each row, in order of appearance, with its cells.
    fn rows(&self) -> Vec<([&str; 4], Vec<&Cell>)> {
        let mut rows: Vec<([&str; 4], Vec<&Cell>)> = Vec::new();
        for cell in &self.cells {
            let size = cell.scene.split_once(' ').map_or("", |(_, size)| size);
            let key = [&cell.target[..], &cell.variant, &cell.path, size];
            match rows.iter_mut().find(|row| row.0 == key) {
                Some(row) => row.1.push(cell),
                None => rows.push((key, vec![cell])),
            }
        }
        rows
    }
}

fn name(scene: &str) -> &str {
    scene.split(' ').next().unwrap_or(scene)
}

/// Seconds to about two digits, or the tick of the first difference.
fn short(cell: &Cell) -> String {
    match &cell.difference {
        None if cell.nanos == 0 => "equal".to_owned(),
        None => {
            let tenths = cell.nanos.div_ceil(10_000_000);
            format!("{}.{:02}", tenths / 100, tenths % 100)
        }
        Some(difference) => difference
            .split(|c: char| !c.is_ascii_digit())
            .find(|number| !number.is_empty() && difference.contains(&format!("tick {number}")))
            .map_or_else(|| "DIFFERS".to_owned(), |tick| format!("≠ t{tick}")),
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scenes = self.scenes();
        let head = ["target", "variant", "path", "size", "ticks"].map(str::to_owned);
        let mut lines: Vec<Vec<String>> =
            vec![head.into_iter().chain(scenes.iter().map(|scene| (*scene).to_owned())).collect()];
        let mut last = ["", ""];
        for ([target, variant, path, size], cells) in self.rows() {
            // Repeated values are left blank.
            let labels = if target != last[0] {
                [target, variant]
            } else if variant != last[1] {
                ["", variant]
            } else {
                ["", ""]
            };
            last = [target, variant];
            let ticks = cells.iter().map(|cell| cell.ticks).max().unwrap_or(0).to_string();
            let mut line: Vec<String> =
                [labels[0], labels[1], path, size].map(str::to_owned).into();
            line.push(ticks);
            line.extend(scenes.iter().map(|scene| {
                let found = cells.iter().find(|cell| name(&cell.scene) == *scene);
                found.map_or_else(|| "·".to_owned(), |cell| short(cell))
            }));
            lines.push(line);
        }
        let widths: Vec<usize> = (0..lines[0].len())
            .map(|i| lines.iter().map(|line| line[i].chars().count()).max().unwrap_or(0))
            .collect();
        for line in &lines {
            for (i, (text, &width)) in line.iter().zip(&widths).enumerate() {
                let gap = if i == 0 { "" } else { "  " };
                let cell =
                    if i < 4 { format!("{text:<width$}") } else { format!("{text:>width$}") };
                write!(f, "{gap}{cell}")?;
            }
            writeln!(f)?;
        }
        for (target, reason) in &self.skipped {
            writeln!(f, "{target}: skipped: {reason}")?;
        }
        for cell in self.differences() {
            let Cell { target, variant, path, scene, difference, .. } = cell;
            let difference = difference.as_deref().unwrap_or_default();
            writeln!(f, "differs: {target}, {variant}, {path}, {scene}: {difference}")?;
        }
        let (all, different) = (self.cells.len(), self.differences().count());
        let targets: BTreeSet<&str> = self.cells.iter().map(|cell| &cell.target[..]).collect();
        let plural = if targets.len() == 1 { "" } else { "s" };
        write!(f, "{all} cells on {} target{plural}: {} equal", targets.len(), all - different)?;
        write!(f, ", {different} different")?;
        match self.skipped.len() {
            0 => writeln!(f),
            skipped => writeln!(f, "; {skipped} of all targets skipped"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "words for people\n\
        cell\tavx2\tstraight\tbin small\t600\t00ff\t1230000000\tequal\n\
        cell\tavx2\tstraight\track small\t600\t00fe\t0\tequal\n\
        cell\tavx2\trolled back\tbin small\t37\t00ff\t5\ttick 37 is the first that differs, in bodies\n";

    #[test]
    fn a_table_has_a_row_for_each_path_and_a_column_for_each_scene() {
        let mut table = Table::default();
        table.add("x86_64", TEXT);
        table.skipped.push(("s390x".to_owned(), "no compiler".to_owned()));
        let text = table.to_string();
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["target", "variant", "path", "size", "ticks", "bin", "rack"]);
        assert_eq!(lines[1], ["x86_64", "avx2", "straight", "small", "600", "1.23", "equal"]);
        assert_eq!(lines[2], ["rolled", "back", "small", "37", "≠", "t37", "·"]);
        assert!(text.contains("s390x: skipped: no compiler"), "{text}");
        assert!(
            text.ends_with("3 cells on 1 target: 2 equal, 1 different; 1 of all targets skipped\n")
        );
        assert!(!table.is_equal());
    }

    #[test]
    fn empty_and_unreadable_tables_are_not_equal() {
        assert!(!Table::default().is_equal());
        let mut table = Table::default();
        table.add("x", "cell\tbroken");
        assert!(!table.is_equal());
    }
}
