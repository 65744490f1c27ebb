//! Computes goldens on this machine and compares them with the committed ones; runs a scene and
//! prints its cost.

mod matrix_command;
mod scenes_command;

use isostep_core::Phase;
use isostep_core::internals::Lanes;
use isostep_determinism_tests::{faults, numbers, recording, smoothness};
use isostep_scenes::{Golden, scenes};
use std::process::ExitCode;

const USAGE: &str = "usage: isostep-determinism-tests COMMAND

  numbers [--mint]      a million operations on numbers; prints a digest for each kind and compares it
  scenes [--small] [--full] [--scene NAME] [--goldens FOLDER] [--mint]
                        plays scenes and compares size and digests at ticks that double; names the first tick and the
                        sections that differ. --small: the small size, 600 ticks; --full: the full size, 10,000 ticks (use
                        a release build); neither: the small size, and the first 64 ticks of the full one
  scenes --scene NAME [--small | --full] --dump TICK FILE
                        writes the whole state of a scene on a tick (default: small)
  scenes --against-dump FILE
                        plays the dump's scene to its tick here and names every entity and field that differs
  replay [--mint]       verifies the golden recording, records its match anew and compares the bytes; damages copies of it,
                        which must be detected
  replay verify FILE    verifies any recording of an arena
  replay record FILE    records the golden match
  matrix [--slow | --native | --long] [--scene NAME]
                        every scene on every path of this target; prints a cell for each and compares it.
                        --slow: fewer ticks; --native: also 10,000 ticks of full scenes; --long: everything
  faults [--mint]       games with injected faults that only a comparison with another machine detects: the expected ones must differ here
  scene NAME [TICKS [LANES]]
                        runs one scene (default: 600 ticks, widest lanes) and prints tick, digest, counts and
                        microseconds by phase; NAME is pyramid, stacks, bin, arena, cradle, rack, dominoes, tumbler,
                        storm, sleepers, far or extremes
  smoothness [SECONDS]  how far drawn bodies jump at 144 pictures a second in arena matches (30 s) over links from
                        perfect to severe, without smoothing and with each kind of it
  --mint                writes the golden files instead of comparing (run it from the repository's root)

exit codes: 0 equal, 1 different, 2 misuse, or a file that can't be read";

const RECORDING: &str = "determinism-tests/goldens/arena.isoreplay";

const NUMBERS: &str = "determinism-tests/goldens/numbers.txt";
const FAULTS: &str = "determinism-tests/goldens/planted.txt";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["scene", name] => run_scene(name, "600", None),
        ["scene", name, ticks] => run_scene(name, ticks, None),
        ["scene", name, ticks, lanes] => run_scene(name, ticks, Some(lanes)),
        ["matrix", ref options @ ..] => {
            matrix_command::run(options).unwrap_or_else(|| misuse(USAGE))
        }
        ["numbers"] => compare_numbers(),
        ["numbers", "--mint"] => mint(NUMBERS, &numbers::compute()),
        ["scenes", ref options @ ..] => scenes_command::run(options),
        ["faults"] => print_faults(),
        ["faults", "--mint"] => mint(FAULTS, &faults::cross_target::compute()),
        ["replay"] => compare_recording(),
        ["replay", "--mint"] => match write_recording(RECORDING) {
            Ok(()) => {
                println!("wrote {RECORDING}; its commit says SIM or REPLAY, and why");
                ExitCode::SUCCESS
            }
            Err(error) => misuse(&format!("{error}; run this from the repository's root")),
        },
        ["replay", "record", file] => match write_recording(file) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => misuse(&error),
        },
        ["replay", "verify", file] => verify_recording(file),
        ["smoothness"] => print_smoothness("30"),
        ["smoothness", seconds] => print_smoothness(seconds),
        _ => misuse(USAGE),
    }
}

fn misuse(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::from(2)
}

const fn profile() -> &'static str {
    if cfg!(debug_assertions) { "debug" } else { "release" }
}

fn compare_recording() -> ExitCode {
    let report = match recording::Report::of(recording::GOLDEN) {
        Ok(report) => report,
        Err(error) => return misuse(&format!("the match can't be recorded: {error}")),
    };
    println!("lanes: {}", Lanes::widest().name());
    print!("{report}");
    let (arch, profile) = (std::env::consts::ARCH, profile());
    if report.differences.is_empty() {
        println!("replay: equal to the golden ({arch} {profile})");
        ExitCode::SUCCESS
    } else {
        println!("replay: {} things differ ({arch} {profile})", report.differences.len());
        ExitCode::FAILURE
    }
}

fn write_recording(file: &str) -> Result<(), String> {
    let bytes = recording::record().map_err(|error| error.to_string())?;
    std::fs::write(file, bytes).map_err(|error| format!("{file}: {error}"))
}

fn verify_recording(file: &str) -> ExitCode {
    let bytes = std::fs::read(file).map_err(|error| error.to_string());
    let found =
        bytes.and_then(|bytes| recording::verify_file(&bytes).map_err(|error| error.to_string()));
    match found {
        Err(error) => misuse(&format!("{file}: {error}")),
        Ok(found) => match found.mismatch {
            None => {
                let (ticks, digests) = (found.ticks, found.digests);
                println!("{file}: {ticks} ticks are correct, by {digests} digests");
                ExitCode::SUCCESS
            }
            Some(mismatch) => {
                println!("{file}: differs:\n{mismatch}");
                ExitCode::FAILURE
            }
        },
    }
}

fn compare_numbers() -> ExitCode {
    let computed = numbers::compute();
    print!("{computed}");
    let expected: Golden = match numbers::GOLDEN.parse() {
        Ok(golden) => golden,
        Err(error) => return misuse(&format!("{NUMBERS}: {error}")),
    };
    let differences = expected.differences(&computed);
    for difference in &differences {
        println!("differs:\n{difference}");
    }
    let (arch, profile) = (std::env::consts::ARCH, profile());
    if differences.is_empty() {
        println!("numbers: equal to the golden ({arch} {profile})");
        ExitCode::SUCCESS
    } else {
        println!("numbers: {} lines differ ({arch} {profile})", differences.len());
        ExitCode::FAILURE
    }
}

fn print_faults() -> ExitCode {
    match faults::cross_target::Report::new() {
        Ok(report) => {
            print!("{report}");
            if report.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => misuse(&error),
    }
}

fn mint(file: &str, golden: &Golden) -> ExitCode {
    match std::fs::write(file, golden.to_string()) {
        Ok(()) => {
            println!("wrote {file}; its commit says SIM and why");
            ExitCode::SUCCESS
        }
        Err(error) => misuse(&format!("{file}: {error}; run this from the repository's root")),
    }
}

fn print_smoothness(seconds: &str) -> ExitCode {
    let Ok(seconds @ 1..=3600) = seconds.parse::<u32>() else { return misuse(USAGE) };
    match smoothness::table(seconds, 1) {
        Ok(table) => {
            print!("{table}");
            ExitCode::SUCCESS
        }
        Err(error) => misuse(&error.to_string()),
    }
}

/// Runs a scene and prints a row at every tenth of it.
#[allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a program outside the simulation: it reads the clock for its table"
)]
fn run_scene(name: &str, ticks: &str, lanes: Option<&str>) -> ExitCode {
    let (Some(mut scene), Ok(ticks)) = (scenes::build(name, 1), ticks.parse::<u32>()) else {
        return misuse(USAGE);
    };
    if let Some(name) = lanes {
        let lanes = Lanes::available().find(|lanes| lanes.name() == name);
        if !lanes.is_some_and(|lanes| scene.world.set_lanes(lanes)) {
            let here: Vec<_> = Lanes::available().map(Lanes::name).collect();
            return misuse(&format!("no lanes {name:?} here; there are {}", here.join(", ")));
        }
    }
    let start = std::time::Instant::now();
    let mut clock = || start.elapsed().as_nanos() as u64;
    let mut spent = [0u64; Phase::ALL.len()];
    print!("  tick  digest            bodies  pairs  contacts  points  kept ");
    Phase::ALL.iter().for_each(|phase| print!("{:>12}", format!("{phase:?}")));
    println!("   (mean µs a step)");
    let every = (ticks / 10).max(1);
    for tick in 1..=ticks {
        scene.act();
        let report = scene.world.step_timed(Some(&mut clock));
        spent.iter_mut().zip(report.nanoseconds).for_each(|(sum, ns)| *sum += ns);
        if tick % every == 0 {
            print!(
                "{tick:>6}  {}  {:>6}  {:>5}  {:>8}  {:>6}  {:>3} %",
                &scene.digest().to_hex()[..16],
                report.bodies,
                report.pairs,
                report.contacts,
                report.points,
                report.recycled * 100 / report.contacts.max(1),
            );
            for sum in &mut spent {
                print!("{:>11.1} ", *sum as f64 / 1000.0 / f64::from(every));
                *sum = 0;
            }
            println!();
        }
    }
    ExitCode::SUCCESS
}
