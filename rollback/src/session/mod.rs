//! Rollback session of one machine: stores the inputs of every seat, plans each tick, and compares digests with the peers.
//!
//! One file for each phase: `feed` takes inputs in, `send` hands them out, `roster` changes seats, `advance` plans a
//! tick, `run` executes the plan, `acknowledged` keeps unacknowledged inputs, `checks` compares digests, `desync` explains differences, `resume` serves recordings.
//! They work on `input_log`, `seat` and `local_player`.

mod acknowledged;
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
pub use events::{Audience, DEPTHS, SessionEvent, Stats};
pub use feed::{Accepted, CommandFeedError, RecordError};
pub use input_log::InputHistory;
pub(crate) use resume::ResumedSeat;
pub use resume::StartInputs;
pub use run::{RunError, RunReport};
pub use seat::Predictor;

use crate::Tick;
use crate::input::InputCodec;
use crate::inputs::Inputs;
use crate::pace::DelayControl;
use crate::player::{Occupant, PeerId, PlayerId};
use crate::simulation::Simulation;
use crate::time::Time;
use acknowledged::Acknowledged;
use checks::Checks;
use config::SessionConfig as Config;
use desync::Desyncs;
use events::Events;
use input_log::InputLog;
use local_player::LocalPlayer;
use pacing::Pacing;
use seat::Seat;
use std::collections::BTreeSet;

/// Rollback session: one machine's part of a match.
///
/// It has no clock, socket or thread. The driver passes in the time and the received data, and sends what the session
/// hands out. Drivers: `isostep_netcode::Peer` over encrypted connections, [`SimMatch`](crate::SimMatch) over a simulated network.
///
/// # The calls, in order
/// 1. *Set up*: [`start`](Self::start) with a [`SessionConfig`] and the simulation in its first state;
///    [`set_predictor`](Self::set_predictor).
/// 2. *Feed*, at any time: [`local_input`](Self::local_input), [`command`](Self::command);
///    [`remote_inputs`](Self::remote_inputs) and [`remote_record`](Self::remote_record);
///    [`seat`](Self::seat) when players join or leave.
/// 3. *Advance*, once for each tick of the clock: [`advance`](Self::advance) makes a [`Plan`], and [`Plan::run`]
///    executes it. Dropping a plan is harmless: the next one contains the same work.
/// 4. *Send*, at any rate: the inputs of the session's players by [`record`](Self::record), and [`digest`](Self::digest).
/// 5. *Observe*: [`poll_event`](Self::poll_event), [`stats`](Self::stats), [`current_tick`](Self::current_tick),
///    [`confirmed_tick`](Self::confirmed_tick).
///
/// The session owns the simulation's state while it runs: step, load or change it only through plans.
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
/// assert_eq!(tug.rope, 3); // the missing input of player 1 is predicted as the default
/// session.remote_inputs(PlayerId(1), Tick(0), &[NewestWins(-1); 3])?;
/// let plan = session.advance(Time::from_millis(51));
/// assert_eq!(plan.rollback().map(|rollback| rollback.depth), Some(3));
/// plan.run(&mut tug)?;
/// assert_eq!((session.current_tick(), session.confirmed_tick(), tug.rope), (Tick(4), Tick(3), 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "P2PSession")]
pub struct Session<S: Simulation> {
    config: Config,
    codec: InputCodec<S::Input>,
    fingerprint: u32,
    seats: Vec<Seat<S::Input>>,
    slots: S::Slots,
    /// Tick of the simulation's state.
    current: Tick,
    /// Target of the current tick: one more for each advance without a stall.
    target: Tick,
    /// First tick before the current one that was stepped with a wrong prediction.
    mispredicted: Option<Tick>,
    /// First tick with an unconfirmed input.
    confirmed: Tick,
    /// First tick without a bundle, and later ones that have one. With [`Authority::Bundle`] nothing is confirmed
    /// without a bundle.
    bundled: (Tick, BTreeSet<Tick>),
    /// Newest tick that was confirmed and reached, or an older one if unacknowledged inputs are kept. It does not move
    /// back in a rollback: the input log is centred on it, and must not return to ticks that it has overwritten.
    settled: Tick,
    /// Acknowledgements of the peers that have sent any.
    acknowledged: Vec<Acknowledged>,
    /// Oldest tick in the history.
    oldest: Tick,
    /// Pinned confirmed tick to resimulate from when the history is too short.
    keyframe: Tick,
    /// Time of the last advance and its target tick; margins are measured from it.
    last_advance: Option<(Time, Tick)>,
    /// Advances since the last new tick.
    waited: u32,
    /// A spectator is filling its buffer.
    buffering: bool,
    /// Last tick of the match; no tick after it is stepped.
    last: Option<Tick>,
    inputs: Inputs<S::Input>,
    /// Scratch: an encoded tick.
    record: Vec<u8>,
    pacing: Pacing,
    checks: Checks,
    desyncs: Desyncs,
    /// Number of repairs, and the last correct tick before the last one.
    repaired: (u32, Tick),
    events: Events,
    stats: Stats,
}

impl<S: Simulation> Session<S> {
    /// Starts a session. The simulation is in the state of the start tick. To continue a match of others, use
    /// [`start_with`](Self::start_with).
    ///
    /// # Errors
    /// If the settings are invalid, the input type has no fixed width, or the state can't be saved or digested (it
    /// holds a float, for example). The error says what to do.
    pub fn start(config: SessionConfig, simulation: &mut S) -> Result<Self, SessionError> {
        config.check()?;
        let codec = InputCodec::new()?;
        let start = config.start;
        let mut slots = simulation.slots(config.ring() as usize);
        simulation.save(&mut slots, start)?;
        simulation.digest(&slots, start)?;
        // Base of the first desync check; in unbounded mode also the first keyframe.
        simulation.pin(&mut slots, start)?;
        if matches!(config.mode, Mode::Unbounded { .. }) {
            simulation.pin(&mut slots, start)?;
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
            current: start,
            target: start,
            mispredicted: None,
            confirmed: start,
            bundled: (start, BTreeSet::new()),
            settled: start,
            acknowledged: Vec::new(),
            oldest: start,
            keyframe: start,
            last_advance: None,
            waited: 0,
            buffering: config.buffer > 0,
            last: None,
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

    /// Sets the predictor of a seat. By default the last input is held.
    ///
    /// # Errors
    /// If there is no such seat.
    pub fn set_predictor(
        &mut self,
        player: PlayerId,
        predictor: Box<dyn Predictor<S::Input> + Send>,
    ) -> Result<(), FeedError> {
        self.seat_mut(player)?.predictor = Some(predictor);
        Ok(())
    }

    /// Sets the last tick: the session stops there, still takes inputs and rolls back, and reports no stall. `None` lets it
    /// continue. A session that has predicted past the last tick rolls back to it with the next
    /// [`advance`](Self::advance); one that has confirmed a later tick stops at once.
    pub fn stop_at(&mut self, last: Option<Tick>) {
        self.last = last;
        let reached = self.confirmed_tick().min(self.current);
        if let Some(last) = last.filter(|&last| last < self.target && last >= reached) {
            self.target = last;
            self.mark_mispredicted(last);
        }
    }

    /// Returns the last tick, if one is set.
    pub(crate) const fn last(&self) -> Option<Tick> {
        self.last
    }

    /// Returns the tick to reach. The current tick is lower while the session catches up.
    pub(crate) const fn target(&self) -> Tick {
        self.target
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<SessionEvent> {
        self.events.pop()
    }

    /// Returns the counters.
    #[doc(alias = "network_stats")]
    pub const fn stats(&self) -> Stats {
        Stats { events_lost: self.events.lost(), ..self.stats }
    }

    /// Returns the current tick: the tick of the simulation's state.
    #[doc(alias = "current_frame")]
    pub const fn current_tick(&self) -> Tick {
        self.current
    }

    /// Returns the first tick with an unconfirmed input, as of the last [`advance`](Self::advance) or
    /// [`seat`](Self::seat). Ticks that still have to be resimulated with their confirmed inputs do not count. The state of this
    /// tick, once reached, is final.
    #[doc(alias = "confirmed_frame")]
    pub const fn confirmed_tick(&self) -> Tick {
        match self.mispredicted {
            Some(wrong) if wrong.0 < self.confirmed.0 => wrong,
            _ => self.confirmed,
        }
    }

    /// Returns the number of predicted ticks.
    pub const fn predicted_ticks(&self) -> u32 {
        self.current.since(self.confirmed_tick())
    }

    /// Returns the number of seats.
    pub const fn players(&self) -> usize {
        self.seats.len()
    }

    /// Returns the occupant of a seat on the next tick; `None` if there is no such seat.
    pub fn occupant(&self, player: PlayerId) -> Option<Occupant> {
        self.seats.get(player.index()).map(|seat| seat.occupant(self.target))
    }

    /// Returns the occupant of a seat on a tick, as far as is known; `None` if there is no such seat.
    #[doc(hidden)]
    pub fn occupant_on(&self, player: PlayerId, tick: Tick) -> Option<Occupant> {
        self.seats.get(player.index()).map(|seat| seat.occupant(tick))
    }

    /// Returns the encoding of inputs.
    #[doc(hidden)]
    pub const fn codec(&self) -> &InputCodec<S::Input> {
        &self.codec
    }

    /// Returns a hash of the settings that must be equal on all machines.
    #[doc(hidden)]
    pub const fn fingerprint(&self) -> u32 {
        self.fingerprint
    }

    /// Returns true if a peer holds a seat or was added.
    #[doc(hidden)]
    pub fn has_peer(&self, peer: PeerId) -> bool {
        self.checks.has_peer(peer)
    }

    /// Returns the settings.
    pub const fn config(&self) -> &SessionConfig {
        &self.config
    }

    /// Returns the slots of past states, for the methods of [`State`](isostep_core::state::State).
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

    /// Marks a tick that was stepped with a wrong prediction.
    fn mark_mispredicted(&mut self, tick: Tick) {
        if tick < self.current {
            self.mispredicted = Some(self.mispredicted.map_or(tick, |wrong| wrong.min(tick)));
        }
    }

    /// Returns the oldest tick in the input log; older ones may be overwritten.
    fn floor(&self) -> Tick {
        self.settled - self.config.log_length() / 2
    }

    /// Returns the first tick beyond the input log.
    fn ceiling(&self) -> Tick {
        self.settled + self.config.log_length() / 2
    }

    /// Recomputes the confirmed tick.
    fn update_confirmed(&mut self) {
        let known = self.seats.iter().filter_map(Seat::confirmed_to).min();
        let known = match self.config.authority {
            // With bots alone, everything is confirmed up to the target.
            Authority::Owner => known.unwrap_or_else(|| self.target.next()),
            // Applies to ticks of bots too: the relay may still seat a player on later ones.
            Authority::Bundle => known.map_or(self.bundled.0, |known| known.min(self.bundled.0)),
        };
        self.confirmed = known.max(self.confirmed);
        self.update_settled();
        let floor = self.floor();
        self.seats.iter_mut().for_each(|seat| seat.drop_before(floor));
    }
}

fn new_local<I: crate::input::Input>(config: &Config, next: Tick) -> LocalPlayer<I> {
    LocalPlayer::new(config.delay, next, config.commands)
}

impl<S: Simulation> core::fmt::Debug for Session<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Session")
            .field("current", &self.current)
            .field("confirmed", &self.confirmed)
            .field("players", &self.seats.len())
            .finish_non_exhaustive()
    }
}
