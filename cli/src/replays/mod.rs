//! `isostep replay`: recordings of the arena. Exit codes: 0 all is the same, 1 something differs, 2 a file can't be read or
//! written.
//!
//! - `arena`: which arena a recording is of.
//! - `record`: plays a match of scripted players and records it.
//! - `writer`: a thread that appends to a file, so that no tick waits for the disk.

mod arena;
mod record;
mod writer;

use arena::Settings;
use clap::{Arg, ArgMatches, Command, value_parser};
use isostep_determinism_tests::games::Arena;
use isostep_rollback::replay::{
    CompareError, Player, Replay, ReplayError, Stream, Verifier, compare,
};
use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const EXAMPLE: &str = "\
Example:
  isostep replay record evening.isoreplay --seconds 60
  isostep replay verify evening.isoreplay
  isostep replay compare here.isoreplay there.isoreplay";

/// Ticks between two looks at the clock.
const CHUNK: u32 = 120;

/// What keeps it from its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("{}: {error}", path.display())]
    Open { path: PathBuf, error: io::Error },
    #[error("{}: {error}", path.display())]
    Replay { path: PathBuf, error: ReplayError },
    #[error("{}: it is a recording, but of no arena; use the program that made it", .0.display())]
    NoArena(PathBuf),
    #[error("the match can't be played: {0}")]
    Play(String),
    #[error("{}: the recording ends early ({error}); the match went on. Make room, or choose another place", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("the result can't be printed: {0}")]
    Print(#[from] io::Error),
}

type Recording = Replay<Stream<BufReader<File>>>;

pub(crate) fn command() -> Command {
    let file = |name: &'static str| {
        let file = Arg::new(name).value_name("FILE").value_parser(value_parser!(PathBuf));
        file.required(true)
    };
    let number = |name: &'static str, default: &'static str| {
        Arg::new(name).long(name).value_name("N").default_value(default)
    };
    let players = number("players", "2").value_parser(value_parser!(u8).range(1..=32));
    let props = number("props", "6").value_parser(value_parser!(u16).range(..=500));
    let seed = number("seed", "1").value_parser(value_parser!(u64));
    let seconds = number("seconds", "60").value_parser(value_parser!(u32).range(1..=86_400));
    let record = Command::new("record")
        .about("Plays a match of scripted players in the arena and records it")
        .arg(file("file").help("Where to put the recording"))
        .arg(players.help("How many play, 1 to 32"))
        .arg(props.help("How many things lie about"))
        .arg(seed.help("Decides the arena and what players do"))
        .arg(seconds.help("How long the match is"));
    let info = Command::new("info")
        .about("Says what is in a recording")
        .arg(file("file").help("A recording"));
    let verify = Command::new("verify")
        .about("Computes a recording again and compares every digest; exits with 1 if one differs")
        .arg(file("file").help("A recording"));
    let compare = Command::new("compare")
        .about("Finds where two recordings of one match part; exits with 1 if they do")
        .arg(file("file").help("A recording"))
        .arg(file("other").help("Another machine's recording of the same match"));
    Command::new("replay")
        .about("Records matches of the arena, verifies and compares recordings")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([record, info, verify, compare])
        .after_help(EXAMPLE)
}

pub(crate) fn run(arguments: &ArgMatches) -> Result<ExitCode, CommandError> {
    let same = match arguments.subcommand() {
        Some(("record", arguments)) => record::run(arguments)?,
        Some(("info", arguments)) => info(path(arguments, "file"))?,
        Some(("verify", arguments)) => verify(path(arguments, "file"))?,
        Some(("compare", arguments)) => {
            compare_files(path(arguments, "file"), path(arguments, "other"))?
        }
        _ => true,
    };
    Ok(ExitCode::from(u8::from(!same)))
}

fn path<'a>(arguments: &'a ArgMatches, name: &str) -> &'a PathBuf {
    arguments.get_one(name).expect("it is required")
}

fn at(path: &Path) -> impl Fn(ReplayError) -> CommandError + '_ {
    |error| CommandError::Replay { path: path.to_path_buf(), error }
}

fn open(path: &Path) -> Result<Recording, CommandError> {
    let file = File::open(path);
    let file = file.map_err(|error| CommandError::Open { path: path.to_path_buf(), error })?;
    Replay::open(Stream(BufReader::new(file))).map_err(at(path))
}

/// The arena that a recording is of, as it was before the kick-off.
fn arena_of(replay: &Recording, path: &Path) -> Result<Arena, CommandError> {
    if replay.info().game != arena::GAME {
        return Err(at(path)(ReplayError::OtherGame));
    }
    let settings = Settings::read(&replay.info().assets);
    Ok(settings.ok_or_else(|| CommandError::NoArena(path.to_path_buf()))?.arena())
}

fn info(path: &Path) -> Result<bool, CommandError> {
    let replay = open(path)?;
    let info = replay.info();
    let out = &mut io::stdout().lock();
    let (first, last) = (replay.first(), replay.last());
    let seconds = info.tick_length.as_secs_f64() * f64::from(last.since(first));
    writeln!(out, "{}: ticks {first} to {last}, {seconds:.1} s", path.display())?;
    info.assets.iter().try_for_each(|(name, _)| writeln!(out, "  played with: {name}"))?;
    writeln!(out, "  seats: {}, {} changes", info.seats, replay.seat_changes().len())?;
    writeln!(out, "  keyframes: {}", replay.keyframes().count())?;
    writeln!(out, "  a digest every {} ticks", info.digest_every)?;
    let missing = last.since(first) - replay.ticks();
    if missing > 0 {
        writeln!(out, "  {missing} ticks are missing")?;
    }
    if !replay.is_finished() {
        writeln!(out, "  not finished; {} bytes at its end can't be read", replay.lost_bytes())?;
    }
    Ok(true)
}

fn verify(path: &Path) -> Result<bool, CommandError> {
    let replay = open(path)?;
    let arena = arena_of(&replay, path)?;
    let (first, last) = (replay.first(), replay.last());
    let tick_length = replay.info().tick_length;
    let player = Player::new(replay, arena::GAME, arena).map_err(at(path))?;
    let mut verifier = Verifier::new(player).map_err(at(path))?;
    let start = Instant::now();
    let rate = |ticks: u32| f64::from(ticks) / start.elapsed().as_secs_f64().max(1e-6);
    let bar = io::stderr().is_terminal();
    let mut shown = start;
    while !verifier.advance(CHUNK).map_err(at(path))? {
        if bar && shown.elapsed().as_millis() >= 100 {
            shown = Instant::now();
            let done = verifier.tick().since(first);
            let part = u64::from(done) * 40 / u64::from(last.since(first).max(1));
            let filled = "#".repeat(part as usize);
            eprint!("\r[{filled:<40}] tick {}, {:.0} ticks/s ", verifier.tick(), rate(done));
        }
    }
    if bar {
        eprintln!();
    }
    let found = verifier.found();
    let out = &mut io::stdout().lock();
    if let Some(mismatch) = &found.mismatch {
        writeln!(out, "{}: {mismatch}", path.display())?;
        return Ok(false);
    }
    let rate = rate(found.ticks);
    let times = rate * tick_length.as_secs_f64();
    let (ticks, digests) = (found.ticks, found.digests);
    writeln!(out, "{}: {ticks} ticks are right, by {digests} digests", path.display())?;
    writeln!(out, "  {rate:.0} ticks a second, {times:.0} times as fast as played")?;
    if found.gaps > 0 {
        writeln!(out, "  {} stretches were not recorded", found.gaps)?;
    }
    Ok(true)
}

fn compare_files(left: &Path, right: &Path) -> Result<bool, CommandError> {
    let (a, b) = (open(left)?, open(right)?);
    let arenas = (arena_of(&a, left)?, arena_of(&b, right)?);
    let parting = compare(a, b, arena::GAME, arenas).map_err(|error| match error {
        CompareError::Left(error) => at(left)(error),
        CompareError::Right(error) => at(right)(error),
    })?;
    let out = &mut io::stdout().lock();
    match &parting {
        None => writeln!(out, "the same, as far as both go")?,
        Some(parting) => {
            writeln!(out, "left: {}, right: {}", left.display(), right.display())?;
            writeln!(out, "{parting}")?;
        }
    }
    Ok(parting.is_none())
}
