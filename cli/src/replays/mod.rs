//! `isostep replay`: recordings of the games that the command knows. Exit codes: 0 all is the same, 1 something differs, 2 a file can't be read or
//! written, or the command was misused.
//!
//! - `record`: plays a match of scripted players and records it; `writer`: a thread that appends to a file, so that no tick
//!   waits for the disk.
//! - `info`, `verify`, `compare`, `seek`, `play`: a file each; `look` is what the last two show.
//! - `viewer`: what `play` shows in a browser.
//! - `open`: opening a recording.

mod compare;
mod info;
mod look;
mod open;
mod play;
mod record;
mod seek;
mod verify;
mod viewer;
mod writer;

pub(crate) use play::Screen;

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

/// What keeps it from its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("{}: {error}; look whether the path is right and you may use it", path.display())]
    Open { path: PathBuf, error: io::Error },
    #[error("{}: {error}", path.display())]
    Replay { path: PathBuf, error: ReplayError },
    #[error("{}: {error}; {before}", path.display())]
    After { path: PathBuf, error: ReplayError, before: String },
    #[error("{}: it does not say how its match began; use the program that made it", .0.display())]
    NoSettings(PathBuf),
    #[error("the match can't be played: {0}")]
    Play(String),
    #[error(transparent)]
    Port(#[from] PortError),
    #[error("{}: the recording ends early ({error}); the match went on. Make room, or choose another place", path.display())]
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
    Arg::new("json").long("json").action(ArgAction::SetTrue).help("Reports as one line of JSON")
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
        .arg(players.help("How many play, 1 to 32"))
        .arg(props.help("How many things lie about"))
        .arg(seed.help("Decides the arena and what players do"))
        .arg(seconds.help("How long the match is"))
        .arg(other.help("Has a second machine play the match too, and puts its recording there"))
        .arg(fault.requires("other").help("The second machine computes one bit wrong on this tick"))
        .arg(json())
        .after_help("Example:\n  isostep replay record evening.isoreplay --players 4 --seconds 60")
}

fn info() -> Command {
    Command::new("info")
        .about("Says what is in a recording, also in one that was cut off")
        .arg(file("file", "A recording"))
        .arg(json())
        .after_help("Example:\n  isostep replay info evening.isoreplay")
}

fn verify() -> Command {
    Command::new("verify")
        .about("Computes a recording again and compares every digest; exits with 1 if one differs")
        .arg(file("file", "A recording"))
        .arg(json())
        .after_help("Example:\n  isostep replay verify evening.isoreplay")
}

fn compare() -> Command {
    Command::new("compare")
        .visible_alias("diff")
        .about("Finds where two recordings of one match part; exits with 1 if they do")
        .arg(file("file", "A recording"))
        .arg(file("other", "Another machine's recording of the same match"))
        .arg(json())
        .after_help("Example:\n  isostep replay compare here.isoreplay there.isoreplay")
}

fn seek() -> Command {
    let tick = Arg::new("tick").value_name("TICK").value_parser(value_parser!(u32));
    Command::new("seek")
        .about("Shows the digest and the bodies of one tick; exits with 1 if another digest is recorded")
        .arg(file("file", "A recording"))
        .arg(tick.required(true).help("Which tick; `isostep replay info` says which there are"))
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
                .help("How fast in a terminal, 0.25 to 64 times; -0.25 to -64 is backwards"),
        )
        .arg(from.help("Begins at this tick, if not at the start, or backwards at the end"))
        .arg(json().help("Prints a line of JSON for each second of the match"))
        .arg(web.help("Opens a viewer for a browser, and prints its address"))
        .arg(port.requires("web").help(
            "Where the viewer is served, 7879 unless told otherwise; 0 takes any free port",
        ))
        .after_help(
            "Example:\n  isostep replay play evening.isoreplay --rate 4 --from 1500\n  \
             isostep replay play evening.isoreplay --web",
        )
}

fn read_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().map_err(|_| "a number like 0.5 or 4 is needed".to_owned())?;
    let good = (0.25..=64.0).contains(&f64::abs(rate));
    if good { Ok(rate) } else { Err("0.25 to 64 can be had, or -0.25 to -64".to_owned()) }
}

pub(crate) fn run(arguments: &ArgMatches) -> Result<ExitCode, CommandError> {
    match report(arguments) {
        // SeatKind reads the first lines only has what they wanted.
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
    let out = &mut io::stdout().lock();
    match part {
        "record" => record::run(arguments, out),
        "info" => info::run(file, as_json, out),
        "verify" => verify::run(file, as_json, out),
        "compare" => compare::run([file, path(arguments, "other")], as_json, out),
        "seek" => seek::run(file, tick("tick").expect("it is required"), as_json, out),
        "play" if arguments.get_flag("web") => {
            let port = arguments.get_one("port").copied().unwrap_or(viewer::PORT);
            viewer::run(file, tick("from"), port, out)
        }
        "play" => {
            let rate = *arguments.get_one("rate").expect("it has a default");
            let live = io::stdout().is_terminal();
            let options = play::Options { rate, from: tick("from"), as_json, live };
            play::run(file, options, out)
        }
        _ => Ok(true),
    }
}

fn path<'a>(arguments: &'a ArgMatches, name: &str) -> &'a Path {
    arguments.get_one::<PathBuf>(name).expect("it is required")
}
