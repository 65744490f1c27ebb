//! One machine of a match: a session, its game, its links, its recordings, and its checked ticks.

use super::game::{GAME, Skirmish};
use super::script::{MachineSetup, RecordingSetup};
use core::time::Duration;
use isostep_core::internals::Lanes;
use isostep_rollback::internals::{Exchange, VirtualClock};
use isostep_rollback::replay::{Recorder, RecorderConfig, ReplayError};
use isostep_rollback::{
    AdaptiveDelay, CommandConfig, Mode, NodeId, PlayerId, Session, SessionConfig, SessionEvent,
    Tick, Time,
};

/// A recording in progress, or a finished one.
pub(super) struct RecordingFile {
    pub(super) tape: RecordingSetup,
    pub(super) recorder: Recorder<Skirmish>,
    pub(super) file: Vec<u8>,
}

impl RecordingFile {
    pub(super) fn take_blocks(&mut self) {
        while let Some(bytes) = self.recorder.poll_bytes() {
            self.file.extend(bytes);
        }
    }
}

pub(super) struct Machine {
    pub(super) setup: MachineSetup,
    pub(super) session: Session<Skirmish>,
    pub(super) game: Skirmish,
    pub(super) clock: VirtualClock,
    pub(super) node: NodeId,
    /// Time of the next tick, by its own clock.
    pub(super) due: Time,
    pub(super) links: Vec<(usize, Exchange)>,
    /// Host of a spectator.
    pub(super) host: Option<usize>,
    pub(super) alive: bool,
    /// True tick at which it resumes.
    pub(super) wakes: u32,
    /// True tick at which it joined.
    pub(super) came: u32,
    /// First tick of its session.
    pub(super) start: Tick,
    /// Samples that its players gave so far.
    pub(super) samples: u32,
    /// First tick with unreported inputs.
    pub(super) reported: Tick,
    /// First tick with an unchecked state.
    pub(super) checked: Tick,
    /// True while an injected corruption is not repaired.
    pub(super) glitched: bool,
    /// True once a corruption was injected.
    pub(super) was_glitched: bool,
    /// Ticks whose state an injected corruption changed.
    pub(super) wrong: Vec<Tick>,
    pub(super) events: Vec<SessionEvent>,
    pub(super) recordings: Vec<RecordingFile>,
    /// Length of the world's ring at first, and now.
    pub(super) ring: [usize; 2],
    /// Last plan, for reports.
    pub(super) plan: String,
}

impl Machine {
    pub(super) fn new(
        setup: MachineSetup,
        session: Session<Skirmish>,
        mut game: Skirmish,
        node: NodeId,
    ) -> Self {
        let start = session.config().first_tick();
        game.world.set_resim_mode(setup.resim);
        // Unsupported lane widths fall back to the widest.
        game.world.set_lanes(Lanes::ALL[usize::from(setup.lanes) % Lanes::ALL.len()]);
        let mut machine = Self {
            setup,
            session,
            game,
            clock: VirtualClock::new(0, setup.drift_ppm).expect("a small drift"),
            node,
            due: Time::ZERO,
            links: Vec::new(),
            host: None,
            alive: true,
            wakes: 0,
            came: 0,
            start,
            samples: 0,
            reported: start,
            checked: start,
            glitched: false,
            was_glitched: false,
            wrong: Vec::new(),
            events: Vec::new(),
            recordings: Vec::new(),
            ring: [0; 2],
            plan: String::new(),
        };
        for player in (0..machine.session.players()).map(|player| PlayerId(player as u8)) {
            if let Some(predictor) =
                setup.guess.predictor(u64::from(player.0) << 32 | u64::from(setup.delay))
            {
                machine.session.set_predictor(player, predictor).expect("the seat exists");
            }
        }
        machine
    }

    /// Returns the tick that the next advance computes.
    pub(super) fn making(&self) -> Tick {
        self.start + self.session.stats().ticks as u32
    }

    /// Returns the newest tick whose state is final.
    pub(super) fn settled(&self) -> Tick {
        self.session.confirmed_tick().min(self.session.current_tick())
    }

    pub(super) fn tick_length(&self) -> Duration {
        let nanos = self.session.config().duration_of(1).as_nanos();
        let rate = 1_000_000 + i128::from(self.session.rate_ppm());
        Duration::from_nanos((nanos * 1_000_000 / rate.max(1) as u128) as u64)
    }

    /// Starts a recording; false if the newest final state is not held, as when a session catches
    /// up from a keyframe.
    pub(super) fn record(&mut self, tape: RecordingSetup) -> bool {
        let config = RecorderConfig {
            keyframe_every: tape.keyframe_every,
            flush_every: tape.flush_every,
            queue_bytes: tape.queue_bytes,
            ..RecorderConfig::new(GAME)
        };
        let started = Recorder::start(config, &self.session, &self.game);
        let recorder = match started {
            Ok(recorder) => recorder,
            Err(ReplayError::State(_)) => return false,
            Err(error) => panic!("{error}"),
        };
        self.recordings.push(RecordingFile { tape, recorder, file: Vec::new() });
        true
    }

    /// Records the number of ticks that the world holds.
    pub(super) fn measure_ring(&mut self) {
        let (oldest, now) = self.game.world.history().into_inner();
        let held = now.since(oldest) as usize + 1;
        // Full, but not yet grown.
        let first = match self.setup.mode {
            Mode::Lockstep => 5,
            Mode::Rollback { max } => max as usize + 5,
            Mode::Unbounded { .. } => 33,
        };
        self.ring = [first.max(self.ring[0]), held.max(self.ring[1])];
    }

    /// Passes final ticks to the recorders.
    pub(super) fn flush_recordings(&mut self) {
        let taken = self.session.stats().advances as u32;
        for recording in &mut self.recordings {
            recording.recorder.record(&self.session, &self.game);
            if taken.is_multiple_of(recording.tape.taken_every) {
                recording.take_blocks();
            }
        }
    }
}

/// Returns the settings of a session without seats.
pub(super) fn config(setup: &MachineSetup, digest_every: u32, budget: usize) -> SessionConfig {
    let commands = CommandConfig::new(budget, 512, 8192).expect("sound limits");
    let config = SessionConfig::new()
        .mode(setup.mode)
        .delay(setup.delay)
        .always_roll_back(setup.always_roll_back)
        .digest_every(digest_every)
        .commands(commands);
    let adaptive = AdaptiveDelay::new(0, 6, 4).expect("sound bounds");
    if setup.adaptive { config.adaptive_delay(adaptive) } else { config }
}
