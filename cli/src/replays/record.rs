//! Plays a match of scripted players at full speed and records it; optionally on two machines, with
//! a fault on the second.

use super::writer::FileWriter;
use super::{CommandError, path};
use crate::progress::Meter;
use clap::ArgMatches;
use isostep_rollback::replay::{Recorder, RecorderConfig, RecorderStats};
use isostep_rollback::{PlayerId, Session, SessionConfig, Tick, Time};
use isostep_scenes::games::{ARENA_GAME, Arena, ArenaName, ArenaSize, arena_input};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

const TICKS_A_SECOND: u32 = 60;
/// Ticks between two progress updates.
const CHUNK: u32 = 60;

/// A machine that plays the match. It receives all inputs in time.
struct Machine<'a> {
    file: &'a Path,
    name: ArenaName,
    arena: Arena,
    session: Session<Arena>,
    recorder: Recorder<Arena>,
    writer: FileWriter,
    /// Tick of the injected fault.
    fault: Option<Tick>,
}

fn failed(error: impl std::error::Error) -> CommandError {
    CommandError::Play(error.to_string())
}

impl<'a> Machine<'a> {
    fn start(name: ArenaName, file: &'a Path, fault: Option<Tick>) -> Result<Self, CommandError> {
        let mut arena = name.arena();
        let config = (0..name.size.players).fold(SessionConfig::new(), |config, _| config.local());
        let session = Session::start(config, &mut arena).map_err(failed)?;
        let assets = vec![name.asset()];
        let config = RecorderConfig { assets, ..RecorderConfig::new(ARENA_GAME) };
        let recorder = Recorder::start(config, &session, &arena).map_err(failed)?;
        let writer = FileWriter::create(file);
        let writer =
            writer.map_err(|error| CommandError::Open { path: file.to_path_buf(), error })?;
        Ok(Self { file, name, arena, session, recorder, writer, fault })
    }

    fn play(&mut self, tick: Tick) -> Result<(), CommandError> {
        for player in (0..self.name.size.players).map(PlayerId) {
            let input = arena_input(self.name.seed, player, tick);
            self.session.local_input(player, input).map_err(failed)?;
        }
        if self.fault == Some(tick) {
            self.arena.players_mut()[0].kicks ^= 1;
        }
        let time = Time::from_millis(u64::from(tick.0) * 1000 / u64::from(TICKS_A_SECOND));
        self.session.advance(time).run(&mut self.arena).map_err(failed)?;
        self.recorder.record(&self.session, &self.arena);
        self.writer.pump(|| self.recorder.poll_bytes());
        Ok(())
    }

    fn finish(mut self) -> Result<(&'a Path, RecorderStats), CommandError> {
        self.recorder.finish(&self.session, &self.arena);
        let end = self.writer.finish(|| self.recorder.poll_bytes());
        let path = self.file;
        end.map_err(|error| CommandError::Write { path: path.to_path_buf(), error })?;
        Ok((path, self.recorder.stats()))
    }
}

pub(super) fn run(arguments: &ArgMatches, out: &mut impl Write) -> Result<bool, CommandError> {
    let default = "it has a default";
    let players = *arguments.get_one("players").expect(default);
    let props = *arguments.get_one("props").expect(default);
    let seed = *arguments.get_one("seed").expect(default);
    let seconds: u32 = *arguments.get_one("seconds").expect(default);
    let other = arguments.get_one::<PathBuf>("other");
    let fault = arguments.get_one::<u32>("fault").copied().map(Tick);
    let name = ArenaName { size: ArenaSize { players, props }, seed };
    let total = seconds * TICKS_A_SECOND;
    if let Some(fault) = fault.filter(|fault| fault.0 >= total) {
        let why = format!(
            "the fault's tick {fault} is outside of the match, which has 0 to {}",
            total - 1
        );
        return Err(CommandError::Play(why));
    }
    let file = path(arguments, "file");
    if other.is_some_and(|other| is_same_file(other, file)) {
        let why = "both machines would write the same file; give --other another path";
        return Err(CommandError::Play(why.to_owned()));
    }

    let mut machines = vec![Machine::start(name, file, None)?];
    if let Some(other) = other {
        machines.push(Machine::start(name, other, fault)?);
    }
    let mut meter = Meter::start(total);
    for tick in (0..total).map(Tick) {
        machines.iter_mut().try_for_each(|machine| machine.play(tick))?;
        if tick.0 % CHUNK == 0 {
            meter.at(tick.0);
        }
    }
    let ended: Vec<_> = machines.into_iter().map(Machine::finish).collect::<Result<_, _>>()?;
    let rate = meter.end(total);
    let as_json = arguments.get_flag("json");
    for (file, stats) in ended {
        report((file, stats), rate, as_json, out)?;
    }
    Ok(true)
}

/// Returns whether two paths name one file, which may not exist yet.
fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (std::fs::metadata(a), std::fs::metadata(b)) {
        use std::os::unix::fs::MetadataExt;
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    resolved(a) == resolved(b)
}

/// Absolute path of the file that creating `path` would write: without symbolic links, even if their target does not exist.
fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many links as Linux follows.
    for _ in 0..40 {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return path };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match folder.canonicalize() {
        Ok(folder) => folder.join(name),
        Err(_) => path,
    }
}

fn report(
    (file, stats): (&Path, RecorderStats),
    rate: f64,
    as_json: bool,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let (ticks, bytes) = (stats.ticks, stats.bytes);
    let states = stats.keyframe_bytes;
    if as_json {
        let report = json!({
            "file": file.display().to_string(),
            "ticks": ticks,
            "bytes": bytes,
            "keyframes": stats.keyframes,
            "keyframe_bytes": states,
            "gaps": stats.gaps,
            "ticks_per_second": rate,
        });
        writeln!(out, "{report}")?;
        return Ok(());
    }
    let name = file.display();
    writeln!(out, "{name}: {ticks} ticks in {bytes} bytes, {states} of them keyframes")?;
    writeln!(out, "  {rate:.0} ticks a second")?;
    if stats.gaps > 0 {
        writeln!(out, "  the disk was too slow: {} ranges are missing", stats.gaps)?;
    }
    Ok(())
}
