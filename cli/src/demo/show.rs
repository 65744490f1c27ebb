//! Output of a match: on a terminal, in a pipe, and as a summary.

use super::TICKS_A_SECOND;
use super::tally::{Ending, Row, Tally};
use crate::drawable::score_text;
use crate::play::{Note, Verdict};
use crate::progress::Meter;
use crate::replays::Screen;
use std::io::{self, Write};

/// Frames between two redraws.
const REDRAW_EVERY: u32 = 6;

/// Output while a match runs.
pub(super) trait View {
    fn frame(&mut self, tally: &Tally, out: &mut dyn Write) -> io::Result<()>;
    fn note(&mut self, note: &Note, out: &mut dyn Write) -> io::Result<()>;
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// Progress only, for reports that must stay clean.
pub(super) struct Silent {
    meter: Option<Meter>,
}

impl Silent {
    pub(super) fn new(frames: u32) -> Self {
        Self { meter: Some(Meter::start(frames)) }
    }
}

impl View for Silent {
    fn frame(&mut self, tally: &Tally, _: &mut dyn Write) -> io::Result<()> {
        if let Some(meter) =
            self.meter.as_mut().filter(|_| tally.frames.is_multiple_of(TICKS_A_SECOND))
        {
            meter.at(tally.frames);
        }
        Ok(())
    }

    fn note(&mut self, _: &Note, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        self.meter.take().map(|meter| meter.end(0));
        Ok(())
    }
}

/// One line a second.
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

/// A table that is redrawn in place, with the newest notes below it.
#[derive(Default)]
pub(super) struct Live {
    screen: Screen,
}

impl View for Live {
    fn frame(&mut self, tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
        if tally.frames % REDRAW_EVERY != 1 {
            return Ok(());
        }
        let seconds = f64::from(tally.frames) / f64::from(TICKS_A_SECOND);
        let mut lines = vec![
            tally.command.clone(),
            format!("{seconds:.1} s, points {}, {}", score_text(&tally.score), verdict(tally)),
        ];
        lines.extend(table(&tally.rows));
        // The number of lines is constant, so that each redraw covers the one before.
        let last = tally.notes.len().saturating_sub(4);
        let notes = tally.notes[last..].iter().map(|note| format!("  {note}"));
        lines.extend(notes.chain(std::iter::repeat(String::new())).take(4));
        // Disables line wrap: a wrapped line would change the number of lines.
        out.write_all(b"\x1b[?7l")?;
        self.screen.draw(&lines, out)?;
        out.write_all(b"\x1b[?7h")
    }

    fn note(&mut self, _: &Note, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Clears the table; the summary replaces it.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.screen.clear(out)
    }
}

fn verdict(tally: &Tally) -> String {
    let Tally { compared, verdict, rows, .. } = tally;
    match verdict {
        Verdict::Unknown => "no tick compared yet".to_owned(),
        Verdict::Agree => {
            let all =
                if rows.len() == 2 { "both".to_owned() } else { format!("all {}", rows.len()) };
            format!("{all} agree on tick {compared}: {}", rows[0].digest)
        }
        Verdict::Differ => format!("machines DIFFER on tick {compared}"),
    }
}

/// A few figures of each machine, in machine order.
fn figures(tally: &Tally) -> String {
    let of = |value: &dyn Fn(&Row) -> u64| {
        let values: Vec<_> = tally.rows.iter().map(|row| value(row).to_string()).collect();
        values.join("/")
    };
    let (ticks, rollbacks) = (of(&|row| row.tick.into()), of(&|row| row.rollbacks.into()));
    let (again, stalls) = (of(&|row| row.again), of(&|row| row.stalls));
    format!("ticks {ticks}, rollbacks {rollbacks}, resimulated {again}, stalls {stalls}")
}

/// Table of all machines. `depth` has mean and maximum, `resimulated` counts ticks, `bodies`
/// the bodies in them.
fn table(rows: &[Row]) -> Vec<String> {
    let head = format!(
        "{:>7} {:>6} {:>9} {:>9} {:>9} {:>11} {:>7} {:>6} {:>5} {:>7} {:>8} {:>8}  {}",
        "machine",
        "tick",
        "confirmed",
        "rollbacks",
        "depth",
        "resimulated",
        "bodies",
        "stalls",
        "delay",
        "ticks/s",
        "clock Hz",
        "bytes/s",
        "ms p50 ≤ p99",
    );
    let row = |(row, number): (&Row, u32)| {
        format!(
            "{number:>7} {:>6} {:>9} {:>9} {:>4.1} ≤ {:>2} {:>11} {:>7} {:>6} {:>5} {:>7.2} {:>8.2} {:>8}  {:>6.2} ≤ {:.2}",
            row.tick,
            row.confirmed,
            row.rollbacks,
            row.mean_depth(),
            row.deepest,
            row.again,
            row.redone,
            row.stalls,
            row.delay,
            row.speed(),
            f64::from(row.millihertz) / 1000.0,
            row.bytes * u64::from(TICKS_A_SECOND) / row.frames().max(1),
            row.millis(50),
            row.millis(99),
        )
    };
    std::iter::once(head).chain(rows.iter().zip(1..).map(row)).collect()
}

impl Ending {
    /// Prints the summary. `notes` adds the events; pass false if they were printed during the
    /// match.
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
        writeln!(
            out,
            "Bytes are those of the simulated datagrams, not of the encrypted packets that WIRE.md specifies."
        )?;
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
                writeln!(
                    out,
                    "The machines end in different bits; the report above explains the desync."
                )
            }
            None => {
                writeln!(out, "The machines end in DIFFERENT bits, and the desync is unexplained.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn tally() -> Tally {
        let mut tally = Tally::new(&Settings::default());
        tally.frames = 61;
        tally
    }

    #[test]
    fn a_live_table_redraws_in_place_and_is_cleared_at_the_end() {
        let (mut live, mut out) = (Live::default(), Vec::new());
        live.frame(&tally(), &mut out).unwrap();
        let lines = String::from_utf8_lossy(&out).lines().count() - 1;
        live.frame(&tally(), &mut out).unwrap();
        live.end(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("1.0 s, points 0:0, no tick compared yet"), "{text:?}");
        assert_eq!(text.matches(&format!("\x1b[{lines}A")).count(), 2, "{text:?}");
        assert!(text.ends_with("\x1b[J"));
    }

    #[test]
    fn a_desync_is_accepted_only_with_an_explanation() {
        let ending = Ending { tally: tally(), agreed: None, recording: Vec::new() };
        assert!(!ending.is_fine());
        let mut out = Vec::new();
        ending.print(false, &mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().contains("the desync is unexplained"));
    }
}
