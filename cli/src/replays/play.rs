//! `isostep replay play`: a recording as a live table on a terminal, or as one line a second of
//! match time elsewhere.

use super::CommandError;
use super::open::{KnownGame, PlaybackOf, at, known, playback};
use super::view::View;
use crate::drawable::{DrawableGame, score_text};
use isostep_rollback::Tick;
use isostep_rollback::replay::{ReplayError, Speed};
use isostep_scenes::games::Arena;
use isostep_scenes::games::tumble::rules::Tumble;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Time between two redraws.
const REDRAW_INTERVAL: Duration = Duration::from_millis(40);
/// Longest frame that is compensated for; after a longer one the playback runs slower than
/// requested.
const LATE: Duration = Duration::from_millis(120);

/// Resolution of the playback rate.
const FINENESS: u32 = 1000;

/// Options of `play`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Playback rate on a terminal; negative is backwards.
    pub(super) rate: f64,
    pub(super) from: Option<Tick>,
    pub(super) as_json: bool,
    /// Redraw a table in place, at the pace of the match.
    pub(super) live: bool,
}

pub(super) fn run(
    path: &Path,
    options: Options,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    match known(path)? {
        KnownGame::Arena => play::<Arena>(path, options, out),
        KnownGame::Tumble => play::<Tumble>(path, options, out),
    }
}

fn play<G: DrawableGame>(
    path: &Path,
    options: Options,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    let mut playback = playback::<G>(path)?;
    let end = playback.replay().last();
    let from = options.from.or_else(|| (options.rate < 0.0).then_some(end));
    if let Some(from) = from {
        playback.seek(from).map_err(at(path))?;
    }
    if options.live && !options.as_json {
        live(&mut playback, path, options.rate, out)?;
    } else {
        print(&mut playback, path, options, out)?;
    }
    Ok(true)
}

/// Seeks past a gap, in the direction of playback.
fn leap<G: DrawableGame>(
    playback: &mut PlaybackOf<G>,
    back: bool,
    error: ReplayError,
) -> Result<(), ReplayError> {
    match error {
        ReplayError::Gap { tick, .. } if back => playback.seek(tick),
        ReplayError::Gap { next: Some(next), .. } if !back => playback.seek(next),
        error => Err(error),
    }
}

/// Steps one tick or past a gap. Returns false at the end.
fn step<G: DrawableGame>(playback: &mut PlaybackOf<G>, back: bool) -> Result<bool, ReplayError> {
    let stepped = if back { playback.step_back() } else { playback.step() };
    stepped.or_else(|error| leap(playback, back, error).map(|()| true))
}

/// Prints at full speed: a line for each second of the match, and one for its end.
fn print<G: DrawableGame>(
    playback: &mut PlaybackOf<G>,
    path: &Path,
    options: Options,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let length = playback.replay().info().tick_length.as_secs_f64();
    let second = ((1.0 / length.max(1e-9)).round() as u32).max(1);
    let back = options.rate < 0.0;
    let ends = [playback.replay().first(), playback.replay().last()];
    loop {
        if playback.tick().0.is_multiple_of(second) || playback.tick() == ends[usize::from(!back)] {
            let look = View::shown(playback).map_err(at(path))?;
            if options.as_json {
                writeln!(out, "{}", look.json())?;
            } else {
                writeln!(out, "{}", look.line())?;
            }
        }
        if !step(playback, back).map_err(at(path))? {
            return Ok(());
        }
    }
}

/// Plays at the requested rate in a table that is redrawn in place. Ctrl+C ends it.
fn live<G: DrawableGame>(
    playback: &mut PlaybackOf<G>,
    path: &Path,
    rate: f64,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let last = playback.replay().last();
    let speed = Speed::new((rate * f64::from(FINENESS)).round() as i32, FINENESS);
    playback.set_speed(speed.unwrap_or(Speed::NORMAL));
    let mut screen = Screen::default();
    let mut before = Instant::now();
    loop {
        let look = View::shown(playback).map_err(at(path))?;
        screen.draw(&picture(&look, last, rate), out)?;
        std::thread::sleep(REDRAW_INTERVAL.saturating_sub(before.elapsed()));
        let now = Instant::now();
        let mut passed = now.duration_since(before).as_nanos() as u64;
        before = now;
        loop {
            let done = match playback.advance(passed) {
                Ok(done) => done,
                Err(error) => {
                    leap(playback, rate < 0.0, error).map_err(at(path))?;
                    break;
                }
            };
            if done.ended {
                let look = View::shown(playback).map_err(at(path))?;
                return Ok(screen.draw(&picture(&look, last, rate), out)?);
            }
            if done.left == 0 {
                break;
            }
            if now.elapsed() > LATE {
                playback.skip_due();
                break;
            }
            passed = 0;
        }
    }
}

fn picture(look: &View, last: Tick, rate: f64) -> Vec<String> {
    let View { tick, seconds, digest, score, .. } = look;
    let head = [
        format!("tick {tick} of {last}, {seconds:.1} s, {rate} times the original speed"),
        format!("digest {digest}, {}", score_text(score)),
    ];
    head.into_iter().chain(View::table(look.players())).collect()
}

/// Lines that are redrawn in place.
#[derive(Default)]
pub(crate) struct Screen {
    lines: usize,
}

impl Screen {
    pub(crate) fn draw(
        &mut self,
        lines: &[String],
        out: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let mut text = match self.lines {
            0 => String::new(),
            up => format!("\x1b[{up}A"),
        };
        for line in lines {
            text.push('\r');
            text.push_str(line);
            text.push_str("\x1b[K\n");
        }
        self.lines = lines.len();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Clears the last redraw.
    pub(crate) fn clear(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match std::mem::take(&mut self.lines) {
            0 => Ok(()),
            up => write!(out, "\x1b[{up}A\x1b[J"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Screen;

    #[test]
    fn a_frame_redraws_over_the_previous_one() {
        let (mut screen, mut out) = (Screen::default(), Vec::new());
        let lines = ["tick 1".to_owned(), "digest".to_owned()];
        screen.draw(&lines, &mut out).expect("memory takes all");
        assert_eq!(out, b"\rtick 1\x1b[K\n\rdigest\x1b[K\n");
        out.clear();
        screen.draw(&lines, &mut out).expect("memory takes all");
        assert!(out.starts_with(b"\x1b[2A\rtick 1\x1b[K\n"));
    }
}
