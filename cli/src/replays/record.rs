//! Plays a match of scripted players, as fast as it goes, and records it.

use super::progress::Meter;
use super::writer::FileWriter;
use super::{CommandError, path};
use clap::ArgMatches;
use isostep_determinism_tests::games::{ARENA_GAME, ArenaName, ArenaSize, arena_input};
use isostep_rollback::replay::{Recorder, RecorderConfig};
use isostep_rollback::{PlayerId, Session, SessionConfig, Tick, Time};
use serde_json::json;
use std::io::Write;

const TICKS_A_SECOND: u32 = 60;
/// Ticks between two looks at the clock.
const CHUNK: u32 = 60;

pub(super) fn run(arguments: &ArgMatches, out: &mut impl Write) -> Result<bool, CommandError> {
    let default = "it has a default";
    let players = *arguments.get_one("players").expect(default);
    let props = *arguments.get_one("props").expect(default);
    let seed = *arguments.get_one("seed").expect(default);
    let seconds: u32 = *arguments.get_one("seconds").expect(default);
    let file = path(arguments, "file");
    let name = ArenaName { size: ArenaSize { players, props }, seed };

    let mut arena = name.arena();
    let config = (0..players).fold(SessionConfig::new(), |config, _| config.local());
    let failed = |error: &dyn std::error::Error| CommandError::Play(error.to_string());
    let mut session = Session::start(config, &mut arena).map_err(|error| failed(&error))?;
    let config = RecorderConfig { assets: vec![name.asset()], ..RecorderConfig::new(ARENA_GAME) };
    let recorder = Recorder::start(config, &session, &arena);
    let mut recorder = recorder.map_err(|error| failed(&error))?;
    let writer = FileWriter::create(file);
    let mut writer =
        writer.map_err(|error| CommandError::Open { path: file.to_path_buf(), error })?;
    let total = seconds * TICKS_A_SECOND;
    let mut meter = Meter::start(total);
    for tick in (0..total).map(Tick) {
        for player in (0..players).map(PlayerId) {
            let input = arena_input(seed, player, tick);
            session.local_input(player, input).map_err(|error| failed(&error))?;
        }
        let time = Time::from_millis(u64::from(tick.0) * 1000 / u64::from(TICKS_A_SECOND));
        session.advance(time).run(&mut arena).map_err(|error| failed(&error))?;
        recorder.record(&session, &arena);
        writer.pump(|| recorder.poll_bytes());
        if tick.0 % CHUNK == 0 {
            meter.at(tick.0);
        }
    }
    recorder.finish(&session, &arena);
    let stats = recorder.stats();
    let end = writer.finish(|| recorder.poll_bytes());
    end.map_err(|error| CommandError::Write { path: file.to_path_buf(), error })?;
    let rate = meter.end(total);
    let (ticks, bytes) = (stats.ticks, stats.bytes);
    let states = stats.keyframe_bytes;
    if arguments.get_flag("json") {
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
        return Ok(true);
    }
    let name = file.display();
    writeln!(out, "{name}: {ticks} ticks in {bytes} bytes, {states} of them keyframes")?;
    writeln!(out, "  {rate:.0} ticks a second")?;
    if stats.gaps > 0 {
        writeln!(out, "  the disk was too slow: {} stretches are missing", stats.gaps)?;
    }
    Ok(true)
}
