//! Recorder: captures final ticks of a session, and queues blocks to write.
//!
//! It never waits. If the blocks are not polled, it drops some ticks of the match and continues from a new keyframe.

use super::config::{RecorderConfig, RecorderEvent, RecorderStats};
use super::error::ReplayError;
use super::format::{SeatKind, kind};
use super::info::Info;
use super::inputs::InputBlock;
use super::outbox::Outbox;
use crate::Tick;
use crate::input::{CommandAssembler, Commands, InputCodec};
use crate::session::Session;
use crate::simulation::Simulation;
use isostep_core::state::Snapshot;
use std::collections::VecDeque;

/// A seat at the last captured tick.
#[derive(Clone, Debug)]
pub(super) struct SeatCapture {
    pub(super) kind: SeatKind,
    pub(super) since: Tick,
    pub(super) assembler: CommandAssembler,
}

/// Records a match from a session.
///
/// - *Set up*: [`start`](Self::start), preferably before the first tick.
/// - *Feed*, after each [`Plan::run`](crate::Plan::run): [`record`](Self::record); [`paused`](Self::paused) after a
///   pause.
/// - *Write*: [`poll_bytes`](Self::poll_bytes) until it is `None`; append each to the file.
/// - *End*: [`finish`](Self::finish), then poll the last bytes. Without it the file opens more slowly, and its last
///   ticks have no digest.
/// - *Observe*: [`poll_event`](Self::poll_event), [`stats`](Self::stats).
///
/// ```
/// use isostep_rollback::replay::{Recorder, RecorderConfig, Replay};
/// use isostep_rollback::{GameId, Inputs, NewestWins, PlayerId, Session, SessionConfig, Simulation, Tick, Time};
///
/// #[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
/// struct Count { sum: i32 }
/// impl Simulation for Count {
///     type Input = NewestWins<i8>;
///     fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
///         self.sum += i32::from(inputs.value(PlayerId(0)).0);
///     }
/// }
///
/// let mut game = Count::default();
/// let mut session = Session::start(SessionConfig::new().local(), &mut game)?;
/// let mut recorder = Recorder::start(RecorderConfig::new(GameId::named("count, version 1")), &session, &game)?;
/// let mut file = Vec::new();
/// for tick in 0..100 {
///     session.local_input(PlayerId(0), NewestWins(tick % 7))?;
///     session.advance(Time::from_millis(tick as u64 * 17)).run(&mut game)?;
///     recorder.record(&session, &game);
///     file.extend(std::iter::from_fn(|| recorder.poll_bytes()).flatten());
/// }
/// recorder.finish(&session, &game);
/// file.extend(std::iter::from_fn(|| recorder.poll_bytes()).flatten());
/// assert!(Replay::open(&file[..])?.is_finished());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recorder<S: Simulation> {
    pub(super) config: RecorderConfig,
    pub(super) codec: InputCodec<S::Input>,
    digest_every: u32,
    pub(super) seats: Vec<SeatCapture>,
    /// First tick that is not captured.
    pub(super) next: Tick,
    pub(super) taken: InputBlock,
    pub(super) commands: Commands,
    next_digest: Option<Tick>,
    /// First tick after the written digests.
    digests_end: Tick,
    digests: Vec<(Tick, [u8; 8])>,
    /// Newest keyframe.
    keyframe: Tick,
    /// A keyframe is due, since its tick was not held.
    pub(super) due: bool,
    repairs: u32,
    outbox: Outbox,
    pub(super) lost: bool,
    /// First missing tick, if there is one, and whether it was reported.
    gap: (Tick, bool),
    finished: bool,
    events: VecDeque<RecorderEvent>,
    pub(super) stats: RecorderStats,
}

impl<S: Simulation + Snapshot> Recorder<S> {
    /// Starts with the newest final state of a session.
    ///
    /// # Errors
    /// If that state is not held or can't be written, or a setting is out of range ([`ReplayError::Setting`]).
    pub fn start(
        config: RecorderConfig,
        session: &Session<S>,
        game: &S,
    ) -> Result<Self, ReplayError> {
        let codec = *session.codec();
        let start = session.final_to();
        let limits = session.config().command_limits();
        config.check()?;
        let info = Info {
            game: config.game,
            input_width: codec.width() as u8,
            input_schema: codec.schema(),
            seats: session.players() as u8,
            tick_length: session.config().duration_of(1),
            digest_every: session.config().digest_interval(),
            keyframe_every: config.keyframe_every,
            start,
            command_budget: limits.budget() as u32,
            command_max: limits.max_len() as u32,
            assets: config.assets.clone(),
        };
        let mut new = Self {
            digest_every: info.digest_every,
            seats: Vec::new(),
            next: start,
            taken: InputBlock::new(codec.width(), session.players()),
            commands: Commands::default(),
            next_digest: None,
            digests_end: start,
            keyframe: start,
            digests: Vec::new(),
            due: false,
            repairs: session.repaired().0,
            outbox: Outbox::new(config.queue_bytes),
            lost: false,
            gap: (start, false),
            finished: false,
            events: VecDeque::new(),
            stats: RecorderStats::default(),
            codec,
            config,
        };
        new.begin_at(start, session, game)?;
        let header = info.encode();
        new.stats.bytes += header.len() as u64;
        new.outbox.put_header(header);
        Ok(new)
    }

    /// Captures newly final ticks. Call it after each [`Plan::run`](crate::Plan::run); a call without new ticks is
    /// free.
    ///
    /// A session keeps half of its [log](crate::SessionConfig::log) of inputs, 128 ticks by default. If more ticks
    /// become final between two calls, the older ones are missing ([`RecorderEvent::Lost`]); all captured ones are
    /// written.
    pub fn record(&mut self, session: &Session<S>, game: &S) {
        if self.finished {
            return;
        }
        let to = session.final_to();
        self.note_repair(session);
        if self.lost {
            self.resume(to, session, game);
            return;
        }
        while self.next < to && !self.lost {
            if !self.take_tick(session) {
                // Ticks captured before are complete.
                self.flush();
                if !self.lost {
                    self.lose(self.next);
                }
                break;
            }
            self.take_digests(session, game);
            let every = self.config.keyframe_every;
            self.due |= every > 0 && self.next.0.is_multiple_of(every);
            if self.due && game.holds(session.slots(), self.next).is_ok() {
                self.flush();
                // A state that can't be written now may be later; until then seeking takes longer.
                self.due = !self.lost && self.put_keyframe(session, game).is_err();
            } else if self.taken.count >= self.config.flush_every {
                self.flush();
            }
        }
        if self.lost {
            self.report_gap(to);
        } else {
            self.take_digests(session, game);
        }
    }

    /// Continues from the newest final state, once there is room.
    fn resume(&mut self, to: Tick, session: &Session<S>, game: &S) {
        self.report_gap(to);
        // An empty queue takes a block of any length.
        let room = self.outbox.is_empty() && to >= self.next && to > self.keyframe;
        if room && self.begin_at(to, session, game).is_ok() && self.gap.1 {
            self.report(RecorderEvent::Resumed { at: to });
        }
    }

    /// Records a pause before the next tick.
    pub fn paused(&mut self, milliseconds: u64) {
        self.flush();
        self.put(kind::PAUSE, self.next, 0, &milliseconds.to_le_bytes());
    }

    /// Captures the ticks that became final since the last [`record`](Self::record), and writes them with the digest of
    /// the last state and the index. Recording ends.
    pub fn finish(&mut self, session: &Session<S>, game: &S) {
        if self.finished {
            return;
        }
        self.record(session, game);
        self.take_last_digest(session, game);
        self.flush();
        self.finished = true;
        self.stats.bytes += self.outbox.finish(self.next) as u64;
    }

    /// Captures digests of the session, and computes those that it has dropped.
    fn take_digests(&mut self, session: &Session<S>, game: &S) {
        while let Some(tick) = self.next_digest.filter(|&tick| tick <= self.next) {
            let next = tick.0.checked_add(self.digest_every).map(Tick);
            self.next_digest = next;
            self.take_digest(tick, session, game);
        }
    }

    fn take_digest(&mut self, tick: Tick, session: &Session<S>, game: &S) {
        let known = session.checked(tick).map(|digest| {
            let [a, b, c, d, e, f, g, h, ..] = digest.to_bytes();
            [a, b, c, d, e, f, g, h]
        });
        let own = || game.digest(session.slots(), tick).ok().map(super::format::name);
        if let Some(name) = known.or_else(own) {
            self.digests.push((tick, name));
        }
    }

    /// Captures the digest of the last state, unless it is captured or in a keyframe: it covers faults after the last
    /// of them.
    fn take_last_digest(&mut self, session: &Session<S>, game: &S) {
        let last = self.next;
        let taken = self.digests.last().is_some_and(|digest| digest.0 == last);
        if !self.lost && !taken && self.digests_end <= last && self.keyframe != last {
            self.take_digest(last, session, game);
        }
    }

    /// Voids the digests since the last correct tick after a repair.
    fn note_repair(&mut self, session: &Session<S>) {
        let (count, from) = session.repaired();
        if count == self.repairs {
            return;
        }
        self.repairs = count;
        if self.next > from && !self.lost {
            self.flush();
            let span = self.next.since(from).min(u32::from(u16::MAX)) as u16;
            self.put(kind::REPAIR, from, span, &[]);
        }
    }
}

impl<S: Simulation> Recorder<S> {
    /// Returns the next bytes to append to the file.
    pub fn poll_bytes(&mut self) -> Option<Vec<u8>> {
        self.outbox.pop()
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<RecorderEvent> {
        self.events.pop_front()
    }

    /// Returns the counters.
    pub const fn stats(&self) -> RecorderStats {
        self.stats
    }

    /// Returns the first tick that is not recorded.
    pub const fn recorded(&self) -> Tick {
        self.next
    }

    /// Queues the captured ticks as blocks.
    pub fn flush(&mut self) {
        if self.lost {
            return;
        }
        if self.taken.count > 0 {
            let (first, count) = (self.taken.first, self.taken.count);
            let payload = self.taken.encode();
            self.put(kind::INPUTS, first, count as u16, &payload);
        }
        let humans = self.humans();
        self.taken.begin(self.next, humans);
        let digests = core::mem::take(&mut self.digests);
        let every = self.digest_every;
        for digests in digests.chunk_by(|a, b| b.0.since(a.0) == every) {
            let (Some(first), Some(last)) = (digests.first(), digests.last()) else { continue };
            let payload: Vec<u8> = digests.iter().flat_map(|digest| digest.1).collect();
            self.put(kind::DIGESTS, first.0, last.0.since(first.0) as u16 + 1, &payload);
        }
    }

    pub(super) fn humans(&self) -> u32 {
        let seats = self.seats.iter().enumerate();
        seats.map(|(at, seat)| u32::from(seat.kind == SeatKind::Human) << at).sum()
    }

    /// Starts a block of digests at a tick.
    pub(super) fn digests_from(&mut self, tick: Tick) {
        self.digests.clear();
        self.next_digest = match self.digest_every {
            0 => None,
            every => tick.max(self.digests_end).0.checked_next_multiple_of(every).map(Tick),
        };
    }

    /// Queues a block. If the queue is full, the following ticks are lost.
    pub(super) fn put(&mut self, kind: u8, tick: Tick, span: u16, payload: &[u8]) {
        if self.lost || self.finished {
            return;
        }
        let Some(bytes) = self.outbox.put(kind, tick, span, payload) else {
            let from = if kind == kind::INPUTS { tick } else { self.next };
            self.lose(from);
            return;
        };
        self.stats.bytes += bytes as u64;
        if kind == kind::DIGESTS {
            self.digests_end = tick + u32::from(span);
        }
        if kind == kind::KEYFRAME {
            self.keyframe = tick;
            self.stats.keyframe_bytes += bytes as u64;
            self.stats.keyframes += 1;
        }
    }

    /// Drops captured ticks that are in no block, and the following ones.
    fn lose(&mut self, from: Tick) {
        self.lost = true;
        self.gap = (from, false);
        self.stats.ticks -= u64::from(self.taken.count);
        self.digests.clear();
        self.taken.begin(self.next, 0);
        self.report_gap(self.next);
    }

    /// Reports a gap once a tick is missing, with the match at `to`. If there is room before that, there is no gap.
    fn report_gap(&mut self, to: Tick) {
        let (from, reported) = self.gap;
        if from < to && !reported {
            self.gap.1 = true;
            self.stats.gaps += 1;
            self.report(RecorderEvent::Lost { from });
        }
    }

    fn report(&mut self, event: RecorderEvent) {
        // Further events are dropped; the counters are complete.
        if self.events.len() < 64 {
            self.events.push_back(event);
        }
    }
}

impl<S: Simulation> core::fmt::Debug for Recorder<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Recorder")
            .field("next", &self.next)
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}
