//! Comparison of machines that share no network: writes this machine's digests to a file, or
//! compares this machine with such a file.

use super::{CheckError, code};
use isostep_rollback::check::{Comparison, Digests};
use isostep_scenes::matrix::digests_of;
use isostep_scenes::scenes::NAMES;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

const FORMAT: &str = "isostep-check";
const VERSION: u32 = 1;
/// Ticks of each scene: by default, and with `--long`.
const TICKS: [u32; 2] = [120, 600];

/// Content of a digest file.
#[derive(Serialize, Deserialize)]
struct Emitted {
    format: String,
    version: u32,
    /// Description of the machine that wrote the file; informational only.
    machine: String,
    scenes: Vec<Digests>,
}

fn machine() -> String {
    let (arch, os) = (std::env::consts::ARCH, std::env::consts::OS);
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    format!("{arch} {os}, {build}, {} lanes", isostep_core::internals::Lanes::widest().name())
}

pub(super) fn emit(path: &Path, only: Option<&str>, long: bool) -> Result<ExitCode, CheckError> {
    let failed = |error| CheckError::Write { path: path.to_owned(), error };
    // Opens the file before computing, which takes a while.
    let mut file = fs::File::create(path).map_err(failed)?;
    let names = NAMES.into_iter().filter(|name| only.is_none_or(|only| only == *name));
    let scenes = names
        .map(|name| digests_of(name, TICKS[usize::from(long)]).map_err(CheckError::NoDigest))
        .collect::<Result<Vec<Digests>, CheckError>>()?;
    let emitted =
        Emitted { format: FORMAT.to_owned(), version: VERSION, machine: machine(), scenes };
    let text = serde_json::to_string(&emitted).map_err(io::Error::from)?;
    file.write_all(text.as_bytes()).and_then(|()| file.write_all(b"\n")).map_err(failed)?;
    let (scenes, machine) = (emitted.scenes.len(), emitted.machine);
    let name = path.display();
    writeln!(
        io::stdout(),
        "{name}: digests of {scenes} scenes on {machine}\n  on another machine: isostep check --against {name}"
    )?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<Emitted, CheckError> {
    let foreign = |why: String| CheckError::NotADigestList { path: path.to_owned(), why };
    let text = fs::read_to_string(path)
        .map_err(|error| CheckError::Read { path: path.to_owned(), error })?;
    let emitted: Emitted =
        serde_json::from_str(&text).map_err(|error| foreign(error.to_string()))?;
    if emitted.format != FORMAT {
        return Err(foreign(format!("its format is {:?}", emitted.format)));
    }
    if emitted.version != VERSION {
        let (found, known) = (emitted.version, VERSION);
        let why = format!(
            "its format is version {found}, this build reads {known}; use the same version on both machines"
        );
        return Err(CheckError::NotComparable { path: path.to_owned(), why });
    }
    if emitted.scenes.is_empty() {
        return Err(foreign("it has no scenes".to_owned()));
    }
    Ok(emitted)
}

pub(super) fn against(
    path: &Path,
    only: Option<&str>,
    long: bool,
    as_json: bool,
) -> Result<ExitCode, CheckError> {
    let emitted = read(path)?;
    let not = |why: String| CheckError::NotComparable { path: path.to_owned(), why };
    let mut found: Vec<(String, Comparison)> = Vec::new();
    for theirs in &emitted.scenes {
        let name = theirs.game.split(' ').next().unwrap_or_default();
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let ticks = theirs.ticks.last().map_or(0, |last| last.tick.0).min(TICKS[1]);
        let ticks = if long { ticks } else { ticks.min(TICKS[0]) };
        let ours = digests_of(name, ticks)
            .map_err(|_| not(format!("there is no scene {:?} here", theirs.game)))?;
        let compared =
            ours.compare(theirs).map_err(|error| not(format!("{}: {error}", theirs.game)))?;
        found.push((theirs.game.clone(), compared));
    }
    if found.is_empty() {
        return Err(not(format!("it has no scene {:?}", only.unwrap_or_default())));
    }
    let equal = found.iter().all(|(_, compared)| compared.is_equal());
    let mut out = crate::ResultOutput::new();
    if as_json {
        let scenes: Vec<_> = found
            .iter()
            .map(|(scene, compared)| json!({ "scene": scene, "equal": compared.is_equal(), "found": compared.to_string() }))
            .collect();
        writeln!(
            out,
            "{}",
            json!({ "equal": equal, "here": machine(), "there": emitted.machine, "scenes": scenes })
        )?;
    } else {
        writeln!(out, "here:  {}\nthere: {}", machine(), emitted.machine)?;
        for (scene, compared) in &found {
            writeln!(out, "{scene:<16} {compared}")?;
        }
        let words = if equal { "all scenes are equal" } else { "they differ" };
        writeln!(out, "{words}")?;
    }
    Ok(code(equal))
}
