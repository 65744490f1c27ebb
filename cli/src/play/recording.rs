//! Recording of a match by player one's machine, from the start of the match or from the last save.
//! It stays in memory until it is saved.

use super::Peer;
use crate::drawable::{DrawableGame, asset};
use isostep_rollback::Session;
use isostep_rollback::replay::{Recorder, RecorderConfig, ReplayError};
use isostep_scenes::games::tumble::rules::{Settings, Tumble};

/// Size limit, more than an hour of four players. At the limit recording stops, and the part so far
/// can be saved.
const MAX_BYTES: usize = 32 << 20;
/// Ticks between two keyframes: ten seconds. Writing one takes about a millisecond.
const KEYFRAME_EVERY: u32 = 600;

pub(super) struct MatchRecording {
    recorder: Recorder<Peer>,
    file: Vec<u8>,
    first: u32,
    full: bool,
}

impl MatchRecording {
    /// Starts with the newest final state.
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

    /// Number of recorded ticks.
    pub(super) fn ticks(&self) -> u32 {
        self.recorder.recorded().0 - self.first
    }

    /// Records the ticks that became final. Returns true when the size limit is reached.
    pub(super) fn record(&mut self, session: &Session<Peer>, game: &Peer) -> bool {
        if self.full {
            return false;
        }
        self.recorder.record(session, game);
        self.take_bytes();
        self.full = self.file.len() > MAX_BYTES;
        self.full
    }

    /// Finishes the recording and returns the file.
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
