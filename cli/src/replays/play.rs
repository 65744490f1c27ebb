//! `isostep replay play`: a recording as a live table in a terminal, or as a line for each second of it elsewhere.

use super::CommandError;
use super::look::Look;
use super::open::{ArenaPlayer, at, player};
use isostep_rollback::Tick;
use isostep_rollback::replay::ReplayError;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Between two pictures.
const PICTURE: Duration = Duration::from_millis(40);
/// A picture that takes longer is shown as it is then: the match goes slower than was asked for.
const LATE: Duration = Duration::from_millis(120);

/// How to play.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Times as fast as it was played, for a terminal.
    pub(super) rate: f64,
    pub(super) from: Option<Tick>,
    pub(super) as_json: bool,
    /// A table that is drawn over and over, at the pace of the match.
    pub(super) live: bool,
}

pub(super) fn run(
    path: &Path,
    options: Options,
    out: &mut impl Write,
) -> Result<bool, CommandError> {
    let mut player = player(path)?;
    if let Some(from) = options.from {
        player.seek(from).map_err(at(path))?;
    }
    if options.live && !options.as_json {
        live(&mut player, path, options.rate, out)?;
    } else {
        print(&mut player, path, options.as_json, out)?;
    }
    Ok(true)
}

/// Makes the next tick, or goes on behind a gap; `false` at the end.
fn step(player: &mut ArenaPlayer) -> Result<bool, ReplayError> {
    match player.step() {
        Err(ReplayError::Gap { next: Some(next), .. }) => player.seek(next).map(|()| true),
        stepped => stepped,
    }
}

/// As fast as it goes: a line for each second of the match, and one for its end.
fn print(
    player: &mut ArenaPlayer,
    path: &Path,
    as_json: bool,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let length = player.replay().info().tick_length.as_secs_f64();
    let second = ((1.0 / length.max(1e-9)).round() as u32).max(1);
    loop {
        if player.tick().0.is_multiple_of(second) || player.tick() == player.replay().last() {
            let look = Look::at(player).map_err(at(path))?;
            if as_json {
                writeln!(out, "{}", look.json())?;
            } else {
                writeln!(out, "{}", look.line())?;
            }
        }
        if !step(player).map_err(at(path))? {
            return Ok(());
        }
    }
}

/// At a pace, in a table that is drawn over itself. Ctrl+C ends it.
fn live(
    player: &mut ArenaPlayer,
    path: &Path,
    rate: f64,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let length = player.replay().info().tick_length.as_secs_f64().max(1e-9);
    let mut screen = Screen::default();
    let mut due = 0.0;
    let mut before = Instant::now();
    loop {
        let last = player.replay().last();
        let look = Look::at(player).map_err(at(path))?;
        screen.draw(&picture(&look, last, rate), out)?;
        if look.tick == last {
            return Ok(());
        }
        std::thread::sleep(PICTURE.saturating_sub(before.elapsed()));
        let now = Instant::now();
        due += now.duration_since(before).as_secs_f64() * rate / length;
        before = now;
        while due >= 1.0 && step(player).map_err(at(path))? {
            due -= 1.0;
            if now.elapsed() > LATE {
                due = 0.0;
            }
        }
    }
}

fn picture(look: &Look, last: Tick, rate: f64) -> Vec<String> {
    let Look { tick, seconds, digest, goals: [blue, red], .. } = look;
    let head = [
        format!("tick {tick} of {last}, {seconds:.1} s, {rate} times as fast as played"),
        format!("digest {digest}, blue {blue}, red {red}"),
    ];
    head.into_iter().chain(Look::table(look.players())).collect()
}

/// Lines that are drawn over the ones before.
#[derive(Default)]
struct Screen {
    lines: usize,
}

impl Screen {
    fn draw(&mut self, lines: &[String], out: &mut impl Write) -> Result<(), CommandError> {
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
        Ok(out.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use super::Screen;

    #[test]
    fn a_picture_is_drawn_over_the_one_before() {
        let (mut screen, mut out) = (Screen::default(), Vec::new());
        let lines = ["tick 1".to_owned(), "digest".to_owned()];
        screen.draw(&lines, &mut out).expect("memory takes all");
        assert_eq!(out, b"\rtick 1\x1b[K\n\rdigest\x1b[K\n");
        out.clear();
        screen.draw(&lines, &mut out).expect("memory takes all");
        assert!(out.starts_with(b"\x1b[2A\rtick 1\x1b[K\n"));
    }
}
