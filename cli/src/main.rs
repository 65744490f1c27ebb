//! The command `isostep`: reads arguments and hands over to the subcommand. Exit codes: 0 all is well, 1 something
//! went wrong or was found wrong, 2 the command was misused; `bench`, `check`, `demo`, `match` and `replay` give 2 for all
//! that keeps them from their work.
#![forbid(unsafe_code)]

mod bench;
mod check;
mod demo;
mod lab;
mod matches;
mod play;
mod replays;
mod settings;

use clap::Command;
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Prints help or what is wrong, and exits with 0 or 2.
    let arguments = command().get_matches();
    match arguments.subcommand() {
        Some(("bench", arguments)) => bench::run(arguments).unwrap_or_else(|error| fail(&error, 2)),
        Some(("check", arguments)) => check::run(arguments).unwrap_or_else(|error| fail(&error, 2)),
        Some(("demo", arguments)) => demo::run(arguments).unwrap_or_else(|error| fail(&error, 2)),
        Some(("lab", arguments)) => match lab::run(arguments) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error @ lab::LabError::Setting(_)) => fail(&error, 2),
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
    Command::new("isostep")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Multiplayer games in which every machine computes the same world, bit for bit")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(bench::command())
        .subcommand(check::command())
        .subcommand(demo::command())
        .subcommand(lab::command())
        .subcommand(matches::command())
        .subcommand(replays::command())
        .after_help("Example:\n  isostep lab")
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
        assert_eq!(code(&["demo", "--seconds", "2", "--net", "wifi", "--link", "1-2:mobile"]), 0);
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
            &["demo", "--net", "dialup"],
            &["demo", "--seconds", "0"],
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
