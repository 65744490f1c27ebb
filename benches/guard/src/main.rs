//! Counts the instructions of hot work under callgrind and compares them with a committed file: unlike times, counts are stable.
//!
//! `cargo run --release -p isostep-guard` compares, `-- --mint` rewrites the file, `-- --slowdown` does a tenth more work, to
//! show that the guard can fail. `-- drive CASE` runs a case once; callgrind runs that. Exit codes: 0 unchanged (or the file is
//! for another compiler, which is reported), 1 a case grew, 2 no measurement was possible.
//!
//! - `cases.rs`: the work.
//! - `counts.rs`: the file, and the comparison.
#![forbid(unsafe_code)]

mod cases;
mod counts;

use counts::{Counts, TOLERANCE_PER_MILLE, Verdict};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        [] => check(false),
        ["--slowdown"] => check(true),
        ["--mint"] => mint(),
        ["drive", case] => drive(case, false),
        ["drive", case, "--slowdown"] => drive(case, true),
        _ => Err("usage: isostep-guard [--mint | --slowdown | drive CASE [--slowdown]]".to_owned()),
    };
    done.unwrap_or_else(|error| {
        eprintln!("isostep-guard: {error}");
        ExitCode::from(2)
    })
}

fn drive(case: &str, slowdown: bool) -> Result<ExitCode, String> {
    if cases::run(case, slowdown) {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(format!("there is no case {case}; there are {}", cases::NAMES.join(", ")))
    }
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("counts.txt")
}

fn check(slowdown: bool) -> Result<ExitCode, String> {
    let path = file();
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("{}: {error}; make it with --mint", path.display()))?;
    let wanted = Counts::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let now = measure(slowdown)?;
    let comparison = wanted.compare(&now);
    print!("{}", comparison.text);
    Ok(match comparison.verdict {
        Verdict::Same => {
            println!("Nothing grew by more than {} %.", TOLERANCE_PER_MILLE as f64 / 10.0);
            ExitCode::SUCCESS
        }
        Verdict::Elsewhere => {
            println!("WARNING: these counts prove nothing, the file was made with something else:");
            println!(
                "  file: {}\n  here: {}\nMint it anew when CI moves on.",
                wanted.with, now.with
            );
            ExitCode::SUCCESS
        }
        Verdict::Grown => {
            println!(
                "Something takes more instructions than it did. If that was meant, say why in a commit with: \
                 cargo run --release -p isostep-guard -- --mint"
            );
            ExitCode::from(1)
        }
    })
}

fn mint() -> Result<ExitCode, String> {
    let now = measure(false)?;
    std::fs::write(file(), now.to_string()).map_err(|error| error.to_string())?;
    print!("{now}");
    Ok(ExitCode::SUCCESS)
}

/// Counts all cases, each in a separate process under callgrind.
fn measure(slowdown: bool) -> Result<Counts, String> {
    if cfg!(debug_assertions) {
        return Err("this is a debug build; use --release".to_owned());
    }
    let valgrind = Command::new("valgrind").arg("--version").output();
    let valgrind = valgrind.map_err(|error| {
        format!("valgrind can't be started ({error}); install it: apt-get install valgrind")
    })?;
    let valgrind = String::from_utf8_lossy(&valgrind.stdout).trim().to_owned();
    let with = format!("{}, {}, {valgrind}", env!("GUARD_RUSTC"), cases::instructions());
    let mut counts = Counts { with, cases: Vec::new() };
    for case in cases::NAMES {
        eprintln!("counting {case}");
        counts.cases.push((case.to_owned(), callgrind(case, slowdown)?));
    }
    Ok(counts)
}

fn callgrind(case: &str, slowdown: bool) -> Result<u64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        // Counts only the measured region, not building and settling of a world.
        .arg("--toggle-collect=isostep_guard::cases::measured*")
        .arg(own)
        .args(["drive", case]);
    if slowdown {
        command.arg("--slowdown");
    }
    let done = command.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() {
        return Err(format!("{case} failed under valgrind:\n{said}"));
    }
    counts::collected(&said).ok_or_else(|| format!("valgrind counted nothing of {case}:\n{said}"))
}
