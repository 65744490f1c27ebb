//! `isostep replay`: recordings of the games that the command knows. Exit codes: 0 equal, 1 different,
//! 2 a file can't be read or written, or misuse.
//!
//! - `record`: plays and records a match of scripted players; `writer`: a thread that appends to a file, so that no
//!   tick waits for the disk.
//! - `info`, `verify`, `compare`, `seek`, `play`: one file each; `view` is the output of the last two.
//! - `viewer`: `play` in a browser.
//! - `open`: opening a recording.

mod compare;
mod info;
mod open;
mod play;
mod record;
mod seek;
mod verify;
mod view;
mod viewer;
mod writer;

pub(crate) use play::Screen;

use crate::ResultOutput;
use crate::web::PortError;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use isostep_rollback::Tick;
use isostep_rollback::replay::ReplayError;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  isostep replay record evening.isoreplay --seconds 60
  isostep replay verify evening.isoreplay
  isostep replay compare here.isoreplay there.isoreplay

Exit codes: 0 all is the same, 1 something differs, 2 a file is no good, or the command was misused";

/// Errors of `isostep replay`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("{}: {error}; check the path and its permissions", path.display())]
    Open { path: PathBuf, error: io::Error },
    #[error("{}: a folder, not a recording; give the path of one file in it", .0.display())]
    Folder(PathBuf),
    #[error("{}: {error}", path.display())]
    Replay { path: PathBuf, error: ReplayError },
    #[error("{}: {error}; {before}", path.display())]
    After { path: PathBuf, error: ReplayError, before: String },
    #[error("{}: its initial state is unknown; use the program that recorded it", .0.display())]
    NoSettings(PathBuf),
    #[error("the match can't be played: {0}")]
    Play(String),
    #[error(transparent)]
    Port(#[from] PortError),
    #[error(transparent)]
    Serve(#[from] isostep_viewer::ServeError),
    #[error("{}: the recording ends early ({error}); the match continued. Free some space, or choose another path", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("the result can't be printed: {0}")]
    Print(#[from] io::Error),
}

pub(crate) fn command() -> Command {
    Command::new("replay")
        .about("Records matches of the arena; plays, verifies and compares recordings of it and of the lab")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([record(), info(), verify(), compare(), seek(), play()])
        .after_help(EXAMPLE)
}

fn file(name: &'static str, help: &'static str) -> Arg {
    let file = Arg::new(name).value_name("FILE").value_parser(value_parser!(PathBuf));
    file.required(true).help(help)
}

fn json() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print the report as one line of JSON")
}

fn record() -> Command {
    let number = |name: &'static str, default: &'static str| {
        Arg::new(name).long(name).value_name("N").default_value(default)
    };
    let players = number("players", "2").value_parser(value_parser!(u8).range(1..=32));
    let props = number("props", "6").value_parser(value_parser!(u16).range(..=500));
    let seed = number("seed", "1").value_parser(value_parser!(u64));
    let seconds = number("seconds", "60").value_parser(value_parser!(u32).range(1..=86_400));
    let other = Arg::new("other").long("other").value_name("FILE");
    let other = other.value_parser(value_parser!(PathBuf));
    let fault = Arg::new("fault").long("fault").value_name("TICK").value_parser(value_parser!(u32));
    Command::new("record")
        .about("Plays a match of scripted players in the arena and records it")
        .arg(file("file", "Where to put the recording"))
        .arg(players.help("Number of players, 1 to 32"))
        .arg(props.help("Number of props"))
        .arg(seed.help("Seed of the arena and of the players' scripts"))
        .arg(seconds.help("Length of the match in seconds"))
        .arg(other.help("Also record the match on a second machine, into this file"))
        .arg(fault.requires("other").help("Flip one bit on the second machine on this tick"))
        .arg(json())
        .after_help("Example:\n  isostep replay record evening.isoreplay --players 4 --seconds 60")
}

fn info() -> Command {
    Command::new("info")
        .about("Lists the content of a recording, even of a truncated one")
        .arg(file("file", "A recording"))
        .arg(json())
        .after_help("Example:\n  isostep replay info evening.isoreplay")
}

fn verify() -> Command {
    Command::new("verify")
        .about("Resimulates a recording and compares every digest; exits with 1 if one differs")
        .arg(file("file", "A recording"))
        .arg(json())
        .after_help("Example:\n  isostep replay verify evening.isoreplay")
}

fn compare() -> Command {
    Command::new("compare")
        .visible_alias("diff")
        .about("Finds the first difference between two recordings of one match; exits with 1 if there is one")
        .arg(file("file", "A recording"))
        .arg(file("other", "Another machine's recording of the same match"))
        .arg(json())
        .after_help("Example:\n  isostep replay compare here.isoreplay there.isoreplay")
}

fn seek() -> Command {
    let tick = Arg::new("tick").value_name("TICK").value_parser(value_parser!(u32));
    Command::new("seek")
        .about("Shows the digest and the bodies of one tick; exits with 1 if the recorded digest differs")
        .arg(file("file", "A recording"))
        .arg(tick.required(true).help("Tick to show; `isostep replay info` prints their range"))
        .arg(json())
        .after_help("Example:\n  isostep replay seek evening.isoreplay 1500")
}

fn play() -> Command {
    let rate = Arg::new("rate").long("rate").value_name("R").default_value("1");
    let rate = rate.allow_negative_numbers(true);
    let from = Arg::new("from").long("from").value_name("TICK").value_parser(value_parser!(u32));
    let web = Arg::new("web").long("web").action(ArgAction::SetTrue);
    let web = web.conflicts_with_all(["rate", "json"]);
    let port = Arg::new("port").long("port").value_name("PORT").value_parser(value_parser!(u16));
    Command::new("play")
        .about("Plays a recording: in a terminal, as lines, or in a browser with a timeline to drag")
        .long_about(
            "Plays a recording: a live table in a terminal, a line for each second of it elsewhere. With --web it is \
             drawn in a browser, with a timeline to drag, at any speed, backwards too. The page is served on this \
             computer only; nothing is downloaded.",
        )
        .arg(file("file", "A recording"))
        .arg(
            rate.value_parser(read_rate)
                .help("Speed on a terminal, 0.25 to 64; -0.25 to -64 is backwards"),
        )
        .arg(from.help("First tick; by default the start, or the end if backwards"))
        .arg(json().help("Print a line of JSON for each second of the match"))
        .arg(web.help("Serve a viewer for a browser and print its address"))
        .arg(port.requires("web").help(
            "Port of the viewer, 7879 by default; 0 selects a free one",
        ))
        .after_help(
            "Example:\n  isostep replay play evening.isoreplay --rate 4 --from 1500\n  \
             isostep replay play evening.isoreplay --web",
        )
}

fn read_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().map_err(|_| "a number like 0.5 or 4 is needed".to_owned())?;
    let good = (0.25..=64.0).contains(&f64::abs(rate));
    if good { Ok(rate) } else { Err("give 0.25 to 64, or -0.25 to -64".to_owned()) }
}

pub(crate) fn run(arguments: &ArgMatches) -> Result<ExitCode, CommandError> {
    match report(arguments) {
        // A closed pipe is no error.
        Err(CommandError::Print(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(ExitCode::SUCCESS)
        }
        same => Ok(ExitCode::from(u8::from(!same?))),
    }
}

fn report(arguments: &ArgMatches) -> Result<bool, CommandError> {
    let Some((part, arguments)) = arguments.subcommand() else { return Ok(true) };
    let (file, as_json) = (path(arguments, "file"), arguments.get_flag("json"));
    let tick = |name| arguments.get_one::<u32>(name).copied().map(Tick);
    let out = &mut ResultOutput::new();
    match part {
        "record" => record::run(arguments, out),
        "info" => info::run(file, as_json, out),
        "verify" => verify::run(file, as_json, out),
        "compare" => compare::run([file, path(arguments, "other")], as_json, out),
        "seek" => seek::run(file, tick("tick").expect("it is required"), as_json, out),
        "play" if arguments.get_flag("web") => {
            let port = arguments.get_one("port").copied().unwrap_or(viewer::PORT);
            viewer::run(file, tick("from"), port, &mut out.0)
        }
        "play" => {
            let rate = *arguments.get_one("rate").expect("it has a default");
            let live = io::stdout().is_terminal();
            let options = play::Options { rate, from: tick("from"), as_json, live };
            // Without a reader there is nothing to play for.
            play::run(file, options, &mut out.0)
        }
        _ => Ok(true),
    }
}

fn path<'a>(arguments: &'a ArgMatches, name: &str) -> &'a Path {
    arguments.get_one::<PathBuf>(name).expect("it is required")
}
