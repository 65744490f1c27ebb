//! Plays a match of scripted players, as fast as it goes, and records it.

use super::arena::{GAME, Settings};
use super::writer::FileWriter;
use super::{CommandError, path};
use clap::ArgMatches;
use isostep_determinism_tests::games::{ArenaSize, arena_input};
use isostep_rollback::replay::{Recorder, RecorderConfig};
use isostep_rollback::{PlayerId, Session, SessionConfig, Tick, Time};
use std::io::Write;

const TICKS_A_SECOND: u32 = 60;

pub(super) fn run(arguments: &ArgMatches) -> Result<bool, CommandError> {
    let default = "it has a default";
    let players = *arguments.get_one("players").expect(default);
    let props = *arguments.get_one("props").expect(default);
    let seed = *arguments.get_one("seed").expect(default);
    let seconds: u32 = *arguments.get_one("seconds").expect(default);
    let file = path(arguments, "file");
    let settings = Settings { size: ArenaSize { players, props }, seed };

    let mut arena = settings.arena();
    let config = (0..players).fold(SessionConfig::new(), |config, _| config.local());
    let failed = |error: &dyn std::error::Error| CommandError::Play(error.to_string());
    let mut session = Session::start(config, &mut arena).map_err(|error| failed(&error))?;
    let config = RecorderConfig { assets: vec![settings.asset()], ..RecorderConfig::new(GAME) };
    let recorder = Recorder::start(config, &session, &arena);
    let mut recorder = recorder.map_err(|error| failed(&error))?;
    let writer = FileWriter::create(file);
    let mut writer = writer.map_err(|error| CommandError::Open { path: file.clone(), error })?;
    for tick in (0..seconds * TICKS_A_SECOND).map(Tick) {
        for player in (0..players).map(PlayerId) {
            let input = arena_input(seed, player, tick);
            session.local_input(player, input).map_err(|error| failed(&error))?;
        }
        let time = Time::from_millis(u64::from(tick.0) * 1000 / u64::from(TICKS_A_SECOND));
        session.advance(time).run(&mut arena).map_err(|error| failed(&error))?;
        recorder.record(&session, &arena);
        writer.pump(|| recorder.poll_bytes());
    }
    recorder.finish();
    let stats = recorder.stats();
    let end = writer.finish(|| recorder.poll_bytes());
    end.map_err(|error| CommandError::Write { path: file.clone(), error })?;
    let (ticks, bytes) = (stats.ticks, stats.bytes);
    let states = stats.keyframe_bytes;
    let out = &mut std::io::stdout().lock();
    writeln!(
        out,
        "{}: {ticks} ticks in {bytes} bytes, {states} of them keyframes",
        file.display()
    )?;
    if stats.gaps > 0 {
        writeln!(out, "  the disk was too slow: {} stretches are missing", stats.gaps)?;
    }
    Ok(true)
}
