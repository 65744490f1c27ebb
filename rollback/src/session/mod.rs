//! A session: one machine's view of a match. It knows every seat's inputs as far as they have arrived, plans what the
//! simulation has to do, and compares what came out with the others.
//!
//! A file a phase: `feed` takes inputs in, `send` gives them out, `roster` seats players, `advance` makes a plan, `run` carries it out, `checks`
//! compares digests, `desync` finds out what differs, `resume` is for recordings. `input_log`, `seat` and `local` are what they work on.

mod advance;
mod checks;
mod config;
mod desync;
mod errors;
mod events;
mod feed;
mod input_log;
mod local_player;
mod pacing;
mod resume;
mod roster;
mod run;
mod seat;
mod send;

pub use advance::{Op, Plan, Rollback, Stall};
pub use config::{
    Authority, MAX_DELAY, MAX_PEERS, MAX_PLAYERS, MAX_PREDICTION, Mode, SessionConfig,
};
pub use desync::{Blame, DesyncReport};
pub use errors::{FeedError, SessionError};
pub use events::{DEPTHS, SessionEvent, Stats};
pub use feed::{Accepted, CommandFeedError, RecordError};
pub use input_log::InputHistory;
pub(crate) use resume::ResumedSeat;
pub use run::{RunError, RunReport};
pub use seat::Predictor;

use crate::input::InputCodec;
use crate::inputs::Inputs;
use crate::pace::DelayControl;
use crate::player::{Occupant, PeerId, PlayerId};
use crate::simulation::Simulation;
use crate::tick::Tick;
use crate::time::Time;
use checks::Checks;
use config::SessionConfig as Config;
use desync::Desyncs;
use events::Events;
use input_log::InputLog;
use local_player::LocalPlayer;
use pacing::Pacing;
use seat::Seat;
use std::collections::BTreeSet;

/// One machine's view of a match: the inputs of all, a plan for each tick, and whether the others agree.
///
/// No clock, no socket, no thread: the driver says what time it is and what has arrived, and carries out what the session
/// wants sent ([`Exchange`](crate::Exchange) packs that into datagrams).
///
/// # The calls, in order
/// 1. *Set up*: [`start`](Self::start) with a [`SessionConfig`] and the simulation in its first state;
///    [`set_predictor`](Self::set_predictor).
/// 2. *Feed*, whenever something comes: [`local_input`](Self::local_input), [`command`](Self::command);
///    [`remote_inputs`](Self::remote_inputs), [`confirmed_bundle`](Self::confirmed_bundle),
///    [`remote_digest`](Self::remote_digest), [`message`](Self::message), [`margins`](Self::margins);
///    [`seat`](Self::seat) for who comes and goes.
/// 3. *Advance*, once for each tick of the clock: [`advance`](Self::advance) makes a [`Plan`], and [`Plan::run`] carries it
///    out. A plan that is dropped changes nothing that matters: the next one has the same to do.
/// 4. *Send*, as often as you like: [`local_window`](Self::local_window), [`digest`](Self::digest),
///    [`poll_message`](Self::poll_message), [`margin_report`](Self::margin_report).
/// 5. *Observe*: [`poll_event`](Self::poll_event), [`stats`](Self::stats), [`current_tick`](Self::current_tick),
///    [`confirmed_tick`](Self::confirmed_tick).
///
/// The simulation belongs to the session while it runs: step, load or change it only through plans.
///
/// ```
/// use isostep_rollback::{Inputs, NewestWins, PeerId, PlayerId, Session, SessionConfig, Simulation, Tick, Time};
///
/// #[derive(Clone, Default, serde::Serialize)]
/// struct Tug { rope: i32 }
/// impl Simulation for Tug {
///     type Input = NewestWins<i8>;
///     fn step(&mut self, _tick: Tick, inputs: &Inputs<Self::Input>) {
///         self.rope += inputs.iter().map(|(_, input)| i32::from(input.value.0)).sum::<i32>();
///     }
/// }
///
/// let mut tug = Tug::default();
/// let config = SessionConfig::new().local().remote(PeerId(0));
/// let mut session = Session::start(config, &mut tug)?;
/// for tick in 0..3 {
///     session.local_input(PlayerId(0), NewestWins(1))?;
///     session.advance(Time::from_millis(tick * 17)).run(&mut tug)?;
/// }
/// assert_eq!(tug.rope, 3); // the other one is thought to do nothing
/// session.remote_inputs(PlayerId(1), Tick(0), &[NewestWins(-1); 3])?;
/// let plan = session.advance(Time::from_millis(51));
/// assert_eq!(plan.rollback().map(|rollback| rollback.depth), Some(3));
/// plan.run(&mut tug)?;
/// assert_eq!((session.current_tick(), session.confirmed_tick(), tug.rope), (Tick(4), Tick(3), 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Session<S: Simulation> {
    config: Config,
    codec: InputCodec<S::Input>,
    fingerprint: u32,
    seats: Vec<Seat<S::Input>>,
    slots: S::Slots,
    /// The tick of the simulation's state.
    present: Tick,
    /// Where it should be: one more for each advance that did not stall.
    target: Tick,
    /// The first tick before the present that was computed from a wrong guess.
    mispredicted: Option<Tick>,
    /// The first tick of which not all inputs are known for sure.
    confirmed: Tick,
    /// The first tick without a bundle, and later ones that have one. With [`Authority::Bundle`] nothing is confirmed without.
    bundled: (Tick, BTreeSet<Tick>),
    /// The newest tick that was confirmed and reached. It stays when the present goes back: the log of inputs lies around
    /// it, and must not move back over ticks that it has given up.
    settled: Tick,
    /// The oldest tick that the ring of states holds.
    oldest: Tick,
    /// A confirmed tick that is pinned, from which to compute what the ring has lost.
    keyframe: Tick,
    /// When the last advance was, and which tick it was to make: what margins are measured from.
    last_advance: Option<(Time, Tick)>,
    /// Advances since the last new tick.
    waited: u32,
    /// Whether a spectator fills its buffer.
    buffering: bool,
    inputs: Inputs<S::Input>,
    /// A tick as bytes, while it is looked at.
    record: Vec<u8>,
    pacing: Pacing,
    checks: Checks,
    desyncs: Desyncs,
    /// How often the state was mended, and the last tick that was right before.
    repaired: (u32, Tick),
    events: Events,
    stats: Stats,
}

impl<S: Simulation> Session<S> {
    /// A session for a simulation in the state of the tick that it starts with.
    ///
    /// # Errors
    /// When the settings contradict themselves, the input type has no fixed width, or the state can't be saved or digested
    /// (it holds a float, say); the error tells what to do.
    pub fn start(config: SessionConfig, simulation: &mut S) -> Result<Self, SessionError> {
        config.check()?;
        let codec = InputCodec::new()?;
        let start = config.start;
        let mut slots = simulation.slots(config.ring() as usize);
        simulation.save(&mut slots, start.0)?;
        simulation.digest(&slots, start.0)?;
        // Where a desync on the first ticks is examined from; and the first keyframe, where there are any.
        simulation.pin(&mut slots, start.0)?;
        if matches!(config.mode, Mode::Unbounded { .. }) {
            simulation.pin(&mut slots, start.0)?;
        }
        let mut seats = Vec::with_capacity(config.seats.len());
        for &occupant in &config.seats {
            let log = InputLog::new(config.log_length(), start, config.commands);
            let mut seat = Seat::new(start, occupant, log);
            if occupant == Occupant::Local {
                seat.local = Some(new_local(&config, start));
            }
            seats.push(seat);
        }
        let mut session = Self {
            fingerprint: config.fingerprint(codec.schema()),
            codec,
            slots,
            present: start,
            target: start,
            mispredicted: None,
            confirmed: start,
            bundled: (start, BTreeSet::new()),
            settled: start,
            oldest: start,
            keyframe: start,
            last_advance: None,
            waited: 0,
            buffering: config.buffer > 0,
            inputs: Inputs::new(seats.len()),
            record: Vec::new(),
            pacing: Pacing::default(),
            checks: Checks::new(config.digest_every, start),
            desyncs: Desyncs::default(),
            repaired: (0, start),
            events: Events::default(),
            stats: Stats::default(),
            seats,
            config,
        };
        let peers: Vec<PeerId> = session.config.peers().collect();
        for peer in peers {
            session.register_peer(peer);
        }
        session.pacing.delays = session
            .seats
            .iter()
            .map(|seat| {
                let bounds = session.config.adaptive.filter(|_| seat.local.is_some())?;
                Some(DelayControl::new(bounds, session.config.delay))
            })
            .collect();
        session.check_confirmed(simulation)?;
        Ok(session)
    }

    /// Guesses a seat's missing inputs this way instead of holding the last one.
    ///
    /// # Errors
    /// When there is no such seat.
    pub fn set_predictor(
        &mut self,
        player: PlayerId,
        predictor: Box<dyn Predictor<S::Input> + Send>,
    ) -> Result<(), FeedError> {
        self.seat_mut(player)?.predictor = Some(predictor);
        Ok(())
    }

    /// The next thing that happened.
    pub fn poll_event(&mut self) -> Option<SessionEvent> {
        self.events.pop()
    }

    /// What was counted so far.
    pub const fn stats(&self) -> Stats {
        Stats { events_lost: self.events.lost(), ..self.stats }
    }

    /// The tick of the simulation's state.
    pub const fn current_tick(&self) -> Tick {
        self.present
    }

    /// The first tick of which not all inputs are known for sure, as of the last [`advance`](Self::advance): the state of
    /// this tick, once reached, is final.
    pub const fn confirmed_tick(&self) -> Tick {
        self.confirmed
    }

    /// How many ticks rest on guesses.
    pub const fn predicted_ticks(&self) -> u32 {
        self.present.since(self.confirmed)
    }

    /// How many seats there are.
    pub const fn players(&self) -> usize {
        self.seats.len()
    }

    /// Who sits in a seat on the next tick; `None` if there is no such seat.
    pub fn occupant(&self, player: PlayerId) -> Option<Occupant> {
        self.seats.get(player.index()).map(|seat| seat.occupant(self.target))
    }

    /// Who sits in a seat on a tick, as far as is known; `None` if there is no such seat.
    pub fn occupant_on(&self, player: PlayerId, tick: Tick) -> Option<Occupant> {
        self.seats.get(player.index()).map(|seat| seat.occupant(tick))
    }

    /// The encoding of inputs.
    pub const fn codec(&self) -> &InputCodec<S::Input> {
        &self.codec
    }

    /// What of the settings all machines must have alike, in a few bytes.
    pub const fn fingerprint(&self) -> u32 {
        self.fingerprint
    }

    /// Whether a peer holds a seat or was added.
    pub fn has_peer(&self, peer: PeerId) -> bool {
        self.checks.has_peer(peer)
    }

    /// The settings it was started with.
    pub const fn config(&self) -> &SessionConfig {
        &self.config
    }

    /// The slots in which past states are, for [`State`](isostep_core::state::State)'s own methods.
    pub const fn slots(&self) -> &S::Slots {
        &self.slots
    }

    fn seat_mut(&mut self, player: PlayerId) -> Result<&mut Seat<S::Input>, FeedError> {
        let seats = self.seats.len();
        self.seats.get_mut(player.index()).ok_or(FeedError::UnknownPlayer { player, seats })
    }

    fn seat_of(&self, player: PlayerId) -> Result<&Seat<S::Input>, FeedError> {
        let seats = self.seats.len();
        self.seats.get(player.index()).ok_or(FeedError::UnknownPlayer { player, seats })
    }

    fn check_peer(&self, peer: PeerId) -> Result<(), FeedError> {
        if self.checks.has_peer(peer) { Ok(()) } else { Err(FeedError::UnknownPeer { peer }) }
    }

    /// A tick from here on was computed from a wrong guess.
    fn mark_mispredicted(&mut self, tick: Tick) {
        if tick < self.present {
            self.mispredicted = Some(self.mispredicted.map_or(tick, |wrong| wrong.min(tick)));
        }
    }

    /// The oldest tick that the log of inputs has; older ones may be overwritten.
    fn floor(&self) -> Tick {
        self.settled - self.config.log_length() / 2
    }

    /// The first tick that the log has no room for.
    fn ceiling(&self) -> Tick {
        self.settled + self.config.log_length() / 2
    }

    /// Finds anew up to where everything is known.
    fn update_confirmed(&mut self) {
        let known = self.seats.iter().filter_map(Seat::confirmed_to).min();
        let known = match self.config.authority {
            // Where only bots play, everything is known as far as the clock has come.
            Authority::Owner => known.unwrap_or_else(|| self.target.next()),
            // Also ticks of bots: whoever decides may still seat somebody on later ones.
            Authority::Bundle => known.map_or(self.bundled.0, |known| known.min(self.bundled.0)),
        };
        self.confirmed = known.max(self.confirmed);
        self.settled = self.settled.max(self.confirmed.min(self.present));
        let floor = self.floor();
        self.seats.iter_mut().for_each(|seat| seat.retire(floor));
    }
}

fn new_local<I: crate::input::Input>(config: &Config, next: Tick) -> LocalPlayer<I> {
    LocalPlayer::new(config.delay, next, config.commands)
}

impl<S: Simulation> core::fmt::Debug for Session<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Session")
            .field("present", &self.present)
            .field("confirmed", &self.confirmed)
            .field("players", &self.seats.len())
            .finish_non_exhaustive()
    }
}
