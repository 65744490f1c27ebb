//! A match on a terminal, in a pipe, and at its end.

use super::TICKS_A_SECOND;
use super::tally::{Ending, Row, Tally};
use crate::play::{Note, Verdict};
use crate::replays::Screen;
use std::io::{self, Write};

/// Frames between two pictures.
const PICTURE_EVERY: u32 = 6;

/// How a match is shown while it goes on.
pub(super) trait View {
    fn frame(&mut self, tally: &Tally, out: &mut dyn Write) -> io::Result<()>;
    fn note(&mut self, note: &Note, out: &mut dyn Write) -> io::Result<()>;
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// Not at all.
pub(super) struct Silent;

impl View for Silent {
    fn frame(&mut self, _: &Tally, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn note(&mut self, _: &Note, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// A line a second.
#[derive(Default)]
pub(super) struct Lines {
    begun: bool,
}

impl View for Lines {
    fn frame(&mut self, tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
        if !self.begun {
            self.begun = true;
            writeln!(out, "{}", tally.command)?;
        }
        if tally.frames.is_multiple_of(TICKS_A_SECOND) {
            let seconds = tally.frames / TICKS_A_SECOND;
            writeln!(out, "{seconds:>4} s  {}  {}", verdict(tally), figures(tally))?;
        }
        Ok(())
    }

    fn note(&mut self, note: &Note, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "        {note}")
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// A table that is drawn over itself, with the last notes below.
#[derive(Default)]
pub(super) struct Live {
    screen: Screen,
}

impl View for Live {
    fn frame(&mut self, tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
        if tally.frames % PICTURE_EVERY != 1 {
            return Ok(());
        }
        let seconds = f64::from(tally.frames) / f64::from(TICKS_A_SECOND);
        let [blue, red] = tally.goals;
        let mut lines = vec![
            tally.command.clone(),
            format!("{seconds:.1} s, blue {blue}, red {red}, {}", verdict(tally)),
        ];
        lines.extend(table(&tally.rows));
        // As many lines each time, so that nothing is left of the picture before.
        let last = tally.notes.len().saturating_sub(4);
        let notes = tally.notes[last..].iter().map(|note| format!("  {note}"));
        lines.extend(notes.chain(std::iter::repeat(String::new())).take(4));
        self.screen.draw(&lines, &mut &mut *out)
    }

    fn note(&mut self, _: &Note, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// The summary takes the table's place.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.screen.clear(out)
    }
}

fn verdict(tally: &Tally) -> String {
    let Tally { compared, verdict, rows, .. } = tally;
    match verdict {
        Verdict::Unknown => "no tick compared yet".to_owned(),
        Verdict::Agree => format!("all agree on tick {compared}: {}", rows[0].digest),
        Verdict::Differ => format!("machines DIFFER on tick {compared}"),
    }
}

/// A few figures of all machines, in the order of machines.
fn figures(tally: &Tally) -> String {
    let of = |value: &dyn Fn(&Row) -> u64| {
        let values: Vec<_> = tally.rows.iter().map(|row| value(row).to_string()).collect();
        values.join("/")
    };
    let (ticks, rollbacks) = (of(&|row| row.tick.into()), of(&|row| row.rollbacks.into()));
    let (again, stalls) = (of(&|row| row.again), of(&|row| row.stalls));
    format!("ticks {ticks}, rollbacks {rollbacks}, ticks again {again}, stalls {stalls}")
}

fn table(rows: &[Row]) -> Vec<String> {
    let head = format!(
        "{:>7} {:>6} {:>9} {:>9} {:>11} {:>11} {:>12} {:>6} {:>5} {:>7} {:>9} {:>13}",
        "machine",
        "tick",
        "confirmed",
        "rollbacks",
        "mean depth",
        "ticks again",
        "bodies again",
        "stalls",
        "delay",
        "ticks/s",
        "bytes/s",
        "ms p50 / p99",
    );
    let row = |(row, number): (&Row, u32)| {
        format!(
            "{number:>7} {:>6} {:>9} {:>9} {:>6.1} ≤ {:>2} {:>11} {:>12} {:>6} {:>5} {:>7.2} {:>9} {:>6.2} / {:.2}",
            row.tick,
            row.confirmed,
            row.rollbacks,
            row.mean_depth(),
            row.deepest,
            row.again,
            row.redone,
            row.stalls,
            row.delay,
            f64::from(row.millihertz) / 1000.0,
            row.bytes * u64::from(TICKS_A_SECOND) / row.frames().max(1),
            row.millis(50),
            row.millis(99),
        )
    };
    std::iter::once(head).chain(rows.iter().zip(1..).map(row)).collect()
}

impl Ending {
    /// `notes`: with what happened, where that was not printed on the way.
    pub(super) fn print(&self, notes: bool, out: &mut dyn Write) -> io::Result<()> {
        let tally = &self.tally;
        writeln!(out)?;
        for line in table(&tally.rows) {
            writeln!(out, "{line}")?;
        }
        writeln!(out)?;
        for note in tally.notes.iter().filter(|_| notes) {
            writeln!(out, "  {note}")?;
        }
        if tally.notes_left_out > 0 {
            writeln!(out, "  and {} more of the same kind", tally.notes_left_out)?;
        }
        let (median, most) = (tally.millis(50), tally.millis(99));
        writeln!(
            out,
            "{} frames of all machines took {median:.2} ms each, {most:.2} at p99",
            tally.frames
        )?;
        match self.agreed {
            Some((tick, digest)) => {
                let count = tally.rows.len();
                writeln!(out, "All {count} machines have the same bits on tick {tick}: {digest}")
            }
            None if self.is_fine() => {
                writeln!(out, "The machines end in different bits, and the report above says why.")
            }
            None => writeln!(out, "The machines end in DIFFERENT bits, and nobody can tell why."),
        }
    }
}
