//! The command `isostep`: reads arguments and hands over to the subcommand. Exit codes: 0 all is well, 1 something
//! went wrong or was found wrong, 2 the command was misused; `bench`, `check`, `match` and `replay` give 2 for all
//! that keeps them from their work.
#![forbid(unsafe_code)]

mod bench;
mod check;
mod lab;
mod matches;
mod replays;

use clap::{Arg, ArgMatches, Command, value_parser};
use lab::Lab;
use lab::control::{MAX_SEED, Settings};
use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

const LAB_EXAMPLE: &str = "\
Example:
  isostep lab --players 3 --seed 7
  then open the address that it prints; http://127.0.0.1:7878/ unless told otherwise";

fn main() -> ExitCode {
    // Prints help or what is wrong, and exits with 0 or 2.
    let arguments = command().get_matches();
    match arguments.subcommand() {
        Some(("bench", arguments)) => bench::run(arguments).unwrap_or_else(|error| fail(&error, 2)),
        Some(("check", arguments)) => check::run(arguments).unwrap_or_else(|error| fail(&error, 2)),
        Some(("lab", arguments)) => match run_lab(arguments) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error, 1),
        },
        Some(("match", arguments)) => {
            matches::run(arguments).unwrap_or_else(|error| fail(&error, 2))
        }
        Some(("replay", arguments)) => {
            replays::run(arguments).unwrap_or_else(|error| fail(&error, 2))
        }
        _ => ExitCode::SUCCESS,
    }
}

fn fail(error: &dyn Error, code: u8) -> ExitCode {
    eprintln!("isostep: {error}");
    ExitCode::from(code)
}

fn command() -> Command {
    let port = Arg::new("port").long("port").value_name("PORT").default_value("7878");
    let port = port.value_parser(value_parser!(u16)).help("Where to serve; 0 takes any free port");
    let players = Arg::new("players").long("players").value_name("N").default_value("2");
    let players = players.value_parser(value_parser!(u8).range(2..=4));
    let seed = Arg::new("seed").long("seed").value_name("N").default_value("1");
    let seed = seed.value_parser(value_parser!(u64).range(..=MAX_SEED));
    let lab = Command::new("lab")
        .about("Plays a match on several machines over a bad network, to watch in a browser")
        .long_about(
            "Plays a match on two to four simulated machines over a network that you make as bad as you like, and \
             shows what each of them sees. Serves one page on this computer only; nothing is downloaded.",
        )
        .arg(port)
        .arg(players.help("How many machines play, 2 to 4"))
        .arg(seed.help("Decides the arena and all chance of the network"))
        .after_help(LAB_EXAMPLE);
    Command::new("isostep")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Multiplayer games in which every machine computes the same world, bit for bit")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(bench::command())
        .subcommand(check::command())
        .subcommand(lab)
        .subcommand(matches::command())
        .subcommand(replays::command())
        .after_help("Example:\n  isostep lab")
}

fn run_lab(arguments: &ArgMatches) -> Result<(), lab::LabError> {
    let number = |name| *arguments.get_one::<u64>(name).expect("it has a default");
    let port = *arguments.get_one::<u16>("port").expect("it has a default");
    let players = *arguments.get_one::<u8>("players").expect("it has a default");
    let settings = Settings { seed: number("seed"), players, ..Settings::default() };
    let lab = Lab::open(port, settings)?;
    // Whoever started it may read the address from a pipe, and close it then.
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "The lab is open: http://{}/\nPress Ctrl+C to close it.", lab.address());
    let _ = out.flush();
    drop(out);
    lab.serve()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arguments_are_well_formed() {
        super::command().debug_assert();
    }

    #[test]
    fn misuse_is_told_from_fine() {
        let code = |arguments: &[&str]| {
            let all = ["isostep"].iter().chain(arguments);
            super::command().try_get_matches_from(all).map_or_else(|error| error.exit_code(), |_| 0)
        };
        assert_eq!(code(&["lab", "--port", "0", "--players", "4", "--seed", "12"]), 0);
        assert_eq!(code(&["lab", "--help"]), 0);
        assert_eq!(code(&["bench", "--quick", "--scene", "bin", "--json", "a", "--html", "b"]), 0);
        assert_eq!(code(&["match", "new", "--game", "tanks", "--players", "2", "--out", "x"]), 0);
        for wrong in [
            &["lab", "--players", "5"][..],
            &["bench", "--scene", "storm"],
            &["bench", "--json"],
            &["bench", "--fast"],
            &["bench", "pyramid"],
            &["lab", "--port", "99999"],
            &["lab", "--seed", "-1"],
            &["match"],
            &["match", "new", "--game", "tanks", "--players", "9", "--out", "x"],
            &["match", "new", "--game", "tanks", "--players", "2"],
            &["match", "new", "--game", "tanks", "--players", "2", "--out", "x", "--holder", "1"],
            &["match", "show"],
            &["lap"],
            &[],
        ] {
            assert_eq!(code(wrong), 2, "{wrong:?}");
        }
    }
}
