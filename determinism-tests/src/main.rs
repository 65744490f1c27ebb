//! Computes goldens on this machine and compares them with the committed ones.

use isostep_determinism_tests::{Golden, numbers};
use std::process::ExitCode;

const USAGE: &str = "usage: isostep-determinism-tests numbers [--mint]

  numbers   a million operations on numbers; prints a digest for each kind and compares it
  --mint    writes the golden file instead of comparing (run it from the repository's root)

exit codes: 0 equal, 1 different, 2 misuse";

const FILE: &str = "determinism-tests/goldens/numbers.txt";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["numbers"] => compare(&numbers::compute()),
        ["numbers", "--mint"] => mint(&numbers::compute()),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn compare(computed: &Golden) -> ExitCode {
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    print!("{computed}");
    let expected: Golden = match numbers::GOLDEN.parse() {
        Ok(golden) => golden,
        Err(error) => {
            eprintln!("{FILE}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let differences = expected.differences(computed);
    for difference in &differences {
        println!("differs:\n{difference}");
    }
    if differences.is_empty() {
        println!("numbers: equal to the golden ({} {profile})", std::env::consts::ARCH);
        ExitCode::SUCCESS
    } else {
        println!(
            "numbers: {} lines differ ({} {profile})",
            differences.len(),
            std::env::consts::ARCH
        );
        ExitCode::FAILURE
    }
}

fn mint(computed: &Golden) -> ExitCode {
    match std::fs::write(FILE, computed.to_string()) {
        Ok(()) => {
            println!(
                "wrote {FILE}; commit it with the change that needs it and nothing else, with SIM and why in the message"
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{FILE}: {error}; run this from the repository's root");
            ExitCode::from(2)
        }
    }
}
