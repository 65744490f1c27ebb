//! How far long work has come: a bar on a terminal, a line now and then elsewhere, nothing at all within the first second.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Work that is shorter shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two bars.
const REDRAW: Duration = Duration::from_millis(100);
/// Between two lines.
const REPEAT: Duration = Duration::from_secs(5);
const BAR: u64 = 40;

/// A clock, and the bar on the error output.
pub(crate) struct Meter {
    start: Instant,
    progress: Progress<io::Stderr>,
}

impl Meter {
    pub(crate) fn start(total: u32) -> Self {
        let terminal = io::stderr().is_terminal();
        let progress = Progress { out: io::stderr(), terminal, total, shown: None };
        Self { start: Instant::now(), progress }
    }

    /// So many ticks are done.
    pub(crate) fn at(&mut self, done: u32) {
        self.progress.at(self.start.elapsed(), done);
    }

    /// Takes the bar away; how many ticks a second it was.
    pub(crate) fn end(mut self, done: u32) -> f64 {
        self.progress.end();
        rate(self.start.elapsed(), done)
    }
}

fn rate(elapsed: Duration, done: u32) -> f64 {
    f64::from(done) / elapsed.as_secs_f64().max(1e-6)
}

struct Progress<W> {
    out: W,
    terminal: bool,
    total: u32,
    /// When something was shown last.
    shown: Option<Duration>,
}

impl<W: Write> Progress<W> {
    /// Who can't read it misses nothing: errors of the output are ignored.
    fn at(&mut self, elapsed: Duration, done: u32) {
        let wait = if self.terminal { REDRAW } else { REPEAT };
        let next = self.shown.map_or(PATIENCE, |shown| shown + wait);
        if elapsed < next {
            return;
        }
        self.shown = Some(elapsed);
        let (total, rate) = (self.total, rate(elapsed, done));
        let part = |of: u64| u64::from(done.min(total)) * of / u64::from(total.max(1));
        let _ = if self.terminal {
            let filled = "#".repeat(part(BAR) as usize);
            write!(self.out, "\r[{filled:<40}] {done} of {total} ticks, {rate:.0} ticks/s \x1b[K")
        } else {
            let percent = part(100);
            writeln!(self.out, "{done} of {total} ticks ({percent} %), {rate:.0} ticks/s")
        };
        let _ = self.out.flush();
    }

    fn end(&mut self) {
        if self.terminal && self.shown.is_some() {
            let _ = write!(self.out, "\r\x1b[K");
            let _ = self.out.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown for work that tells of itself every tenth of a second.
    fn shown(terminal: bool, tenths: u32) -> String {
        let mut progress = Progress { out: Vec::new(), terminal, total: 200, shown: None };
        (1..=tenths).for_each(|at| progress.at(Duration::from_millis(100) * at, at));
        progress.end();
        String::from_utf8(progress.out).expect("text")
    }

    #[test]
    fn short_work_shows_nothing() {
        assert_eq!(shown(true, 9), "");
        assert_eq!(shown(false, 9), "");
    }

    #[test]
    fn a_terminal_has_one_line_that_is_gone_in_the_end() {
        let text = shown(true, 100);
        assert!(text.contains("[####################                    ] 100 of 200 ticks"));
        assert!(!text.contains('\n') && text.ends_with("\r\x1b[K"), "{text:?}");
    }

    #[test]
    fn elsewhere_are_plain_lines_now_and_then() {
        let text = shown(false, 120);
        let lines: Vec<_> = text.lines().collect();
        let expected = [
            "10 of 200 ticks (5 %), 10 ticks/s",
            "60 of 200 ticks (30 %), 10 ticks/s",
            "110 of 200 ticks (55 %), 10 ticks/s",
        ];
        assert_eq!(lines, expected);
    }
}
