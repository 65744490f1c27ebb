//! The recording of a match as player one's machine saw it: from its start, or from where the last one was saved. It lies
//! in memory until somebody wants it as a file.

use super::Peer;
use crate::drawable::{DrawableGame, asset};
use isostep_rollback::Session;
use isostep_rollback::replay::{Recorder, RecorderConfig, ReplayError};
use isostep_scenes::games::tumble::rules::{Settings, Tumble};

/// More than an hour of four players. Then it ends, and what was recorded can be saved.
const MAX_BYTES: usize = 32 << 20;
/// Ticks between two keyframes: ten seconds. Each takes a millisecond to make.
const KEYFRAME_EVERY: u32 = 600;

pub(super) struct MatchRecording {
    recorder: Recorder<Peer>,
    file: Vec<u8>,
    first: u32,
    full: bool,
}

impl MatchRecording {
    /// Begins with the newest state that is final.
    pub(super) fn start(
        rules: Settings,
        session: &Session<Peer>,
        game: &Peer,
    ) -> Result<Self, ReplayError> {
        let config = RecorderConfig {
            assets: vec![asset(rules)],
            keyframe_every: KEYFRAME_EVERY,
            ..RecorderConfig::new(Tumble::GAME)
        };
        let recorder = Recorder::start(config, session, game)?;
        let first = recorder.recorded().0;
        Ok(Self { recorder, file: Vec::new(), first, full: false })
    }

    /// How many ticks are recorded.
    pub(super) fn ticks(&self) -> u32 {
        self.recorder.recorded().0 - self.first
    }

    /// Takes what has become final; `true` when that was the last that has room.
    pub(super) fn record(&mut self, session: &Session<Peer>, game: &Peer) -> bool {
        if self.full {
            return false;
        }
        self.recorder.record(session, game);
        self.take_bytes();
        self.full = self.file.len() > MAX_BYTES;
        self.full
    }

    /// The whole file.
    pub(super) fn finish(mut self, session: &Session<Peer>, game: &Peer) -> Vec<u8> {
        if self.full {
            return self.file;
        }
        self.recorder.finish(session, game);
        self.take_bytes();
        self.file
    }

    fn take_bytes(&mut self) {
        self.file.extend(std::iter::from_fn(|| self.recorder.poll_bytes()).flatten());
    }
}
