//! `isostep demo`: the lab's match without a page. Equal settings give an equal match, with equal digests.
//! Exit codes: 0 the machines agree, or the desync is explained; 1 an unexplained desync; 2 misuse.
//!
//! - `tally`: counters of each machine; `show`: a live table, lines or a summary of them.

mod show;
mod tally;

use crate::play::{Note, Play, PlayError};
use crate::settings::{self, SettingError, Settings};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use isostep_rollback::sim_match::SimMatchError;
use isostep_viewer::internals::Switches;
use show::{Lines, Live, Silent, View};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tally::{Ending, Tally};

const EXAMPLE: &str = "\
Example:
  isostep demo --players 4 --net mobile --seconds 20
  isostep demo --cut 2@120 --flip 1@300
  isostep demo --net severe --save match.isoreplay && isostep replay verify match.isoreplay

Exit codes: 0 the machines agree, or the desync is explained; 1 an unexplained desync; 2 misuse";

const TICK: Duration = Duration::from_nanos(1_000_000_000 / 60);
const TICKS_A_SECOND: u32 = 60;
/// Seconds after the match in which packets in flight may arrive. A machine may have been
/// disconnected for two.
const MAX_SETTLING: u32 = 4;

/// Errors of `isostep demo`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error("the match can't be played: {0}")]
    Play(#[from] PlayError),
    #[error("{}: {error}; choose another path with --save", path.display())]
    Save { path: PathBuf, error: io::Error },
    #[error("the result can't be printed: {0}")]
    Print(#[from] io::Error),
}

pub(crate) fn command() -> Command {
    let flag = |name, help| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    let seconds = Arg::new("seconds").long("seconds").value_name("N").default_value("10");
    let seconds = seconds.value_parser(value_parser!(u32).range(1..=3600));
    let save = Arg::new("save").long("save").value_name("FILE");
    let save = save.value_parser(value_parser!(PathBuf));
    Command::new("demo")
        .about("Plays the lab's match without a page: a live table, and a summary")
        .long_about(
            "Plays a match of two to four simulated machines over a configurable bad network: as a live table \
             on a terminal, as a line a second elsewhere. The same settings give the same match, here and in \
             `isostep lab`, whose page copies them as a command.",
        )
        .arg(seconds.help("Length of the match in seconds, 1 to 3600"))
        .args(settings::arguments())
        .arg(save.help("Save the recording of machine 1, for isostep replay"))
        .arg(flag("fast", "Play at full speed, even on a terminal"))
        .arg(flag("json", "Print only the summary, as JSON"))
        .after_help(EXAMPLE)
}

pub(crate) fn run(arguments: &ArgMatches) -> Result<ExitCode, DemoError> {
    let settings = settings::from_arguments(arguments)?;
    let seconds = *arguments.get_one::<u32>("seconds").expect("it has a default");
    let save = arguments.get_one::<PathBuf>("save");
    let as_json = arguments.get_flag("json");
    let live = io::stdout().is_terminal() && !as_json;
    let paced = live && !arguments.get_flag("fast");
    let view: &mut dyn View = match () {
        () if as_json => &mut Silent::new(seconds * TICKS_A_SECOND),
        () if live => &mut Live::default(),
        () => &mut Lines::default(),
    };
    let ending = play(settings, seconds, paced, view, &mut io::stdout().lock())?;
    let mut out = crate::ResultOutput::new();
    if let Some(path) = save {
        let failed = |error| DemoError::Save { path: path.clone(), error };
        std::fs::write(path, &ending.recording).map_err(failed)?;
    }
    if as_json {
        writeln!(out, "{}", ending.json())?;
    } else {
        ending.print(live, &mut out)?;
        if let Some(path) = save {
            let (name, bytes) = (path.display(), ending.recording.len());
            writeln!(out, "{name}: {bytes} bytes; isostep replay verify {name}")?;
        }
    }
    Ok(if ending.is_fine() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Plays the match to its end.
fn play(
    settings: Settings,
    seconds: u32,
    paced: bool,
    view: &mut dyn View,
    out: &mut dyn Write,
) -> Result<Ending, DemoError> {
    let mut tally = Tally::new(&settings);
    let mut play = Play::new(settings)?;
    let begun = Instant::now();
    for number in 1..=seconds * TICKS_A_SECOND {
        let before = Instant::now();
        play.tick()?;
        let frame = play.frame(0, &Switches::default());
        tally.add(&frame, before.elapsed());
        for note in play.notes() {
            if tally.note(&note) {
                view.note(&note, out)?;
            }
        }
        view.frame(&tally, out)?;
        if paced {
            std::thread::sleep((TICK * number).saturating_sub(begun.elapsed()));
        }
    }
    // Saves before settling: the recording ends with the match.
    let recording = play.save_recording()?;
    let mut agreed = None;
    for _ in 0..MAX_SETTLING {
        play.settle()?;
        for note in play.notes() {
            if tally.note(&note) {
                view.note(&note, out)?;
            }
        }
        match play.fleet().agree() {
            Ok(found) => {
                agreed = Some(found);
                break;
            }
            // The explanation of a desync may need another second.
            Err(SimMatchError::Disagree { .. } | SimMatchError::State { .. }) => (),
            Err(error) => return Err(PlayError::from(error).into()),
        }
    }
    view.end(out)?;
    Ok(Ending { tally, agreed, recording })
}

/// Returns true if a note explains a desync.
const fn explains(note: &Note) -> bool {
    matches!(note, Note::Desync(_))
}
