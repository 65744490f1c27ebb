//! `isostep match`, and its alias `isostep token`: creates and shows the keys and signed documents of a match, as a
//! matchmaking service would. A token is useless without the roster signed with it, so all documents of a
//! match are created together.
//!
//! - `new`: a folder for the match, with a folder for each player.
//! - `show`: the content of a player's folder or of one file, without secrets.
//! - `key` (here): a single key, of a player or of a matchmaker.
//! - `dates`: times as text.

pub(crate) mod dates;
mod new;
mod show;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use isostep_netcode::OsEntropy;
use isostep_netcode::crypto::{
    CredentialsError, FileError, IssueError, MachineId, MatchmakerKey, PublicKey, StaticKey, Stored,
};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

const EXAMPLE: &str = "\
Example:
  isostep match new --game tanks --players 2 --out evening
  isostep match show evening/player-0
  isostep token show evening/player-0/token           (the same command by its other name; one file)

When a player keeps its secret to itself:
  isostep match key --out my.key                      (there; it prints the public half)
  isostep match new --game tanks --players 2 --holder 1=PUBLIC --out evening      (here)

Exit codes: 0 fine, 1 `show` found what is no good, 2 a file is no good, or the command was misused";
const NEW_EXAMPLE: &str = "\
Examples:
  isostep match new --game tanks --players 2 --out evening
  isostep match new --game tanks --players 4 --hours 2 --matchmaker matchmaker.key --out evening";
const SHOW_EXAMPLE: &str = "\
Examples:
  isostep match show evening/player-0
  isostep match show my.key --json

Exit codes: 0 one can play with it now, 1 it is no good, 2 it can't be read";
const KEY_EXAMPLE: &str = "\
Examples:
  isostep match key --out my.key
  isostep match key --matchmaker --out matchmaker.key      (for --matchmaker of `match new`)";

/// Errors of `isostep match`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MatchError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Issue(#[from] IssueError),
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    #[error("{} exists already: choose another path with --out, or move it away", .0.display())]
    Exists(PathBuf),
    #[error("{} can't be created ({error}): choose another path with --out", path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("--holder {0}=…: a match of {1} players has the machine ids 0 to {last}", last = .1 - 1)]
    NoMachine(u8, u8),
    #[error("--holder {0}=… is given twice: give each machine id one key")]
    Twice(u8),
    #[error("{}: neither a player's folder nor a key, token or roster; create them with `isostep match new`", .0.display())]
    Unknown(PathBuf),
    #[error("the clock of this machine is before 1970: set it")]
    Clock,
    #[error("the result can't be printed: {0}")]
    Print(#[from] io::Error),
}

pub(crate) fn command() -> Command {
    let path = |name: &'static str| Arg::new(name).value_parser(value_parser!(PathBuf));
    let out = |value, help| path("out").long("out").value_name(value).required(true).help(help);
    let game = Arg::new("game").long("game").value_name("NAME").required(true);
    let players = Arg::new("players").long("players").value_name("N").required(true);
    let hours = Arg::new("hours").long("hours").value_name("H").default_value("24");
    let holder = Arg::new("holder").long("holder").value_name("ID=PUBLIC");
    let matchmaker = path("matchmaker").long("matchmaker").value_name("FILE");
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let json = || flag("json").help("Print the report as one line of JSON");
    let new = Command::new("new")
        .about("Creates a match: a folder for each player, with its key and its token")
        .arg(game.help("Name of the game, as in its program"))
        .arg(players.value_parser(value_parser!(u8).range(2..=8)).help("Number of players, 2 to 8"))
        .arg(
            hours
                .value_parser(value_parser!(u32).range(1..=87_600))
                .help("Hours for which players can connect"),
        )
        .arg(out("DIR", "Folder to create"))
        .arg(matchmaker.help("Sign with this matchmaker.key instead of a new one"))
        .arg(
            holder
                .action(ArgAction::Append)
                .value_parser(parse_holder)
                .help("Use this public key for a machine id; its player has the secret key"),
        )
        .arg(json())
        .after_help(NEW_EXAMPLE);
    let show = Command::new("show")
        .about("Shows the content of a player's folder, without secrets; exits with 1 if it is not usable")
        .arg(
            path("path")
                .value_name("PATH")
                .required(true)
                .help("A player's folder, or one file: a key, a token, a roster"),
        )
        .arg(json())
        .after_help(SHOW_EXAMPLE);
    let key = Command::new("key")
        .about("Creates a player's key and prints its public half, for --holder")
        .arg(out("FILE", "File for the secret key"))
        .arg(flag("matchmaker").help("Create a key for signing matches, instead of a player's"))
        .arg(json())
        .after_help(KEY_EXAMPLE);
    Command::new("match")
        .visible_alias("token")
        .about("Creates and shows the keys and tokens of a match")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([new, show, key])
        .after_help(EXAMPLE)
}

pub(crate) fn run(arguments: &ArgMatches) -> Result<ExitCode, MatchError> {
    let out = &mut crate::ResultOutput::new();
    match arguments.subcommand() {
        Some(("new", arguments)) => new::run(arguments, unix_now()?, out)?,
        Some(("show", arguments)) => {
            let as_json = arguments.get_flag("json");
            let good = show::run(path(arguments, "path"), unix_now()?, as_json, out)?;
            return Ok(ExitCode::from(u8::from(!good)));
        }
        Some(("key", arguments)) => make_key(arguments, out)?,
        _ => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn make_key(arguments: &ArgMatches, out: &mut impl Write) -> Result<(), MatchError> {
    let (file, matchmaker) = (path(arguments, "out"), arguments.get_flag("matchmaker"));
    let public = if matchmaker {
        let key = MatchmakerKey::generate(&mut OsEntropy);
        key.save(file)?;
        key.public().to_string()
    } else {
        let key = StaticKey::generate(&mut OsEntropy);
        key.save(file)?;
        key.public().to_string()
    };
    let path = file.display();
    if arguments.get_flag("json") {
        let value = serde_json::json!({ "public_key": public, "secret": path.to_string(), "matchmaker": matchmaker });
        return Ok(writeln!(out, "{value}")?);
    }
    writeln!(out, "Your public key: {public}")?;
    if matchmaker {
        writeln!(out, "Sign matches with it: isostep match new --matchmaker {path} …")?;
        return Ok(writeln!(
            out,
            "Keep {path} secret: its holder can seat any player in any match."
        )?);
    }
    writeln!(out, "Send it to the creator of the match, for --holder ID=PUBLIC.")?;
    Ok(writeln!(out, "Keep {path} secret. Put it as `key` into the folder that you receive.")?)
}

fn path<'a>(arguments: &'a ArgMatches, name: &str) -> &'a PathBuf {
    arguments.get_one(name).expect("clap requires it")
}

fn unix_now() -> Result<u64, MatchError> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map(|since| since.as_secs()).map_err(|_| MatchError::Clock)
}

/// Parses `1=` followed by a public key in hex.
fn parse_holder(text: &str) -> Result<(MachineId, PublicKey), String> {
    let (machine, key) =
        text.split_once('=').ok_or("write the machine id, =, and the public key")?;
    let machine = machine.parse().map_err(|_| "the machine id before = is a number from 0 to 7")?;
    Ok((MachineId(machine), key.parse().map_err(|error| format!("{error}"))?))
}
