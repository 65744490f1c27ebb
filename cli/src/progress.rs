//! Progress of long work: one line on a terminal, cleared at the end. Shows nothing during the
//! first second or without a terminal. Written to stderr, so that reports on stdout stay clean.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Shorter work shows nothing.
const SHOW_AFTER: Duration = Duration::from_secs(1);
/// Time between two redraws.
const REDRAW: Duration = Duration::from_millis(100);
const BAR: u64 = 40;

/// Status of work of unknown length.
pub(crate) struct StatusLine {
    start: Instant,
    line: Line<io::Stderr>,
}

impl StatusLine {
    pub(crate) fn start() -> Self {
        Self { start: Instant::now(), line: Line::stderr() }
    }

    /// Shows the current step.
    pub(crate) fn update(&mut self, words: &str) {
        let elapsed = self.start.elapsed();
        self.line.show(elapsed, Duration::ZERO, || format!("{:4} s  {words}", elapsed.as_secs()));
    }

    /// Clears the line.
    pub(crate) fn end(mut self) {
        self.line.end();
    }
}

/// Progress bar of work with a known number of ticks.
pub(crate) struct Meter {
    start: Instant,
    total: u32,
    line: Line<io::Stderr>,
}

impl Meter {
    pub(crate) fn start(total: u32) -> Self {
        Self { start: Instant::now(), total, line: Line::stderr() }
    }

    /// Sets the number of finished ticks.
    pub(crate) fn at(&mut self, done: u32) {
        let (elapsed, total) = (self.start.elapsed(), self.total);
        self.line.show(elapsed, REDRAW, || bar(elapsed, done, total));
    }

    /// Clears the bar and returns the rate in ticks a second.
    pub(crate) fn end(mut self, done: u32) -> f64 {
        self.line.end();
        rate(self.start.elapsed(), done)
    }
}

fn rate(elapsed: Duration, done: u32) -> f64 {
    f64::from(done) / elapsed.as_secs_f64().max(1e-6)
}

fn bar(elapsed: Duration, done: u32, total: u32) -> String {
    let filled = u64::from(done.min(total)) * BAR / u64::from(total.max(1));
    let (filled, rate) = ("#".repeat(filled as usize), rate(elapsed, done));
    format!("[{filled:<40}] {done} of {total} ticks, {rate:.0} ticks/s ")
}

/// Last line of a terminal. Write errors are ignored: the line is only informational.
struct Line<W> {
    out: W,
    terminal: bool,
    /// Time of the last redraw.
    shown: Option<Duration>,
}

impl Line<io::Stderr> {
    fn stderr() -> Self {
        Self { out: io::stderr(), terminal: io::stderr().is_terminal(), shown: None }
    }
}

impl<W: Write> Line<W> {
    fn show(&mut self, elapsed: Duration, wait: Duration, words: impl FnOnce() -> String) {
        let next = self.shown.map_or(SHOW_AFTER, |shown| shown + wait);
        if self.terminal && elapsed >= next {
            self.shown = Some(elapsed);
            let _ = write!(self.out, "\r{}\x1b[K", words());
            let _ = self.out.flush();
        }
    }

    fn end(&mut self) {
        if self.shown.is_some() {
            let _ = write!(self.out, "\r\x1b[K");
            let _ = self.out.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of work that reports progress every tenth of a second.
    fn rendered(terminal: bool, tenths: u32) -> String {
        let mut line = Line { out: Vec::new(), terminal, shown: None };
        for at in 1..=tenths {
            let elapsed = Duration::from_millis(100) * at;
            line.show(elapsed, REDRAW, || bar(elapsed, at, 200));
        }
        line.end();
        String::from_utf8(line.out).expect("text")
    }

    #[test]
    fn short_work_shows_nothing() {
        assert_eq!(rendered(true, 9), "");
    }

    #[test]
    fn a_terminal_shows_one_line_that_is_cleared_at_the_end() {
        let text = rendered(true, 100);
        assert!(
            text.contains(
                "[####################                    ] 100 of 200 ticks, 10 ticks/s"
            )
        );
        assert!(!text.contains('\n') && text.ends_with("\r\x1b[K"), "{text:?}");
    }

    #[test]
    fn without_a_terminal_nothing_is_printed() {
        assert_eq!(rendered(false, 200), "");
    }
}
