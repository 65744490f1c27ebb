//! Settings of a session and their limits.

use super::errors::SessionError;
use crate::Tick;
use crate::input::CommandConfig;
use crate::pace::AdaptiveDelay;
use crate::player::{Occupant, PeerId};
use core::time::Duration;
use isostep_core::digest::Digest;

/// Maximum number of seats in a match.
pub const MAX_PLAYERS: usize = 32;
/// Maximum number of peers of a session.
pub const MAX_PEERS: usize = 64;
/// Maximum input delay, in ticks: a second at 60 Hz.
pub const MAX_DELAY: u32 = 60;
/// Maximum prediction window of [`Mode::Rollback`], in ticks.
pub const MAX_PREDICTION: u32 = 120;
/// Maximum interval between digests, in ticks.
pub(super) const MAX_DIGEST_INTERVAL: u32 = 256;
/// Maximum length of the input log, in ticks.
pub(super) const MAX_LOG: u32 = 1 << 16;

/// Prediction window: the distance between the current tick and the confirmed tick.
#[doc(alias = "max_prediction_window")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// None: a tick waits for the inputs of all players.
    Lockstep,
    /// Predicts at most `max` ticks, then stalls.
    Rollback {
        /// 1 to [`MAX_PREDICTION`].
        max: u32,
    },
    /// Predicts as far as the input log reaches. A rollback beyond the history resimulates from the newest confirmed
    /// keyframe, by at most `steps` steps in one [`advance`](super::Session::advance). While that does not reach the
    /// target tick, the session reports that it is [catching up](super::SessionEvent::CatchingUp).
    ///
    /// For a budget of processor time, set `steps` to `share × frame time ÷ time of a step`.
    Unbounded {
        /// At least 2, since the current tick advances by one.
        steps: u32,
    },
}

/// Source of confirmed inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authority {
    /// The owner of a seat: a mesh.
    #[default]
    Owner,
    /// Only the [bundle](super::Session::confirmed_bundle) of a relay or of a spectator's host confirms inputs, those of local
    /// players included. All other inputs are proposals.
    Bundle,
}

/// Settings of a session. The number of seats, the digest interval, the limits of commands, the length of a tick, the first
/// tick and the authority must be equal on all machines of a match, and so must the occupants of seats, as each machine sees them.
/// Delay, prediction, the length of the input log and [`spectate`](Self::spectate) may differ.
///
/// ```
/// use isostep_rollback::{Mode, PeerId, SessionConfig};
/// let config = SessionConfig::new()
///     .local() // player 0, on this machine
///     .remote(PeerId(0)) // player 1, on another machine
///     .bot() // player 2, computed by the simulation
///     .mode(Mode::Rollback { max: 8 })
///     .delay(2);
/// ```
#[doc(alias = "SessionBuilder")]
#[derive(Clone, Debug)]
pub struct SessionConfig {
    pub(super) seats: Vec<Occupant>,
    pub(super) mode: Mode,
    pub(super) authority: Authority,
    pub(super) delay: u32,
    pub(super) adaptive: Option<AdaptiveDelay>,
    pub(super) barrier: bool,
    pub(super) always: bool,
    pub(super) digest_every: u32,
    pub(super) tick_length: Duration,
    pub(super) start: Tick,
    pub(crate) buffer: u32,
    pub(super) commands: CommandConfig,
    pub(super) log: u32,
}

impl Default for SessionConfig {
    fn default() -> Self {
        Self::new()
    }
}

impl SessionConfig {
    /// Creates settings without seats: a prediction window of 8 ticks, no input delay, 60 ticks a second, digests every
    /// 16 ticks.
    pub const fn new() -> Self {
        Self {
            seats: Vec::new(),
            mode: Mode::Rollback { max: 8 },
            authority: Authority::Owner,
            delay: 0,
            adaptive: None,
            barrier: false,
            always: false,
            digest_every: 16,
            tick_length: Duration::from_nanos(1_000_000_000 / 60),
            start: Tick(0),
            buffer: 0,
            commands: CommandConfig::DEFAULT,
            log: 256,
        }
    }

    /// Adds a seat.
    #[must_use]
    pub fn seat(mut self, occupant: Occupant) -> Self {
        self.seats.push(occupant);
        self
    }

    /// Adds a seat for a player at this machine.
    #[must_use]
    pub fn local(self) -> Self {
        self.seat(Occupant::Local)
    }

    /// Adds a seat for a player at another machine.
    #[must_use]
    pub fn remote(self, peer: PeerId) -> Self {
        self.seat(Occupant::Remote(peer))
    }

    /// Adds a seat for a bot.
    #[must_use]
    pub fn bot(self) -> Self {
        self.seat(Occupant::Bot)
    }

    /// Sets the prediction window.
    #[must_use]
    pub const fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the source that confirms inputs.
    #[must_use]
    pub const fn authority(mut self, authority: Authority) -> Self {
        self.authority = authority;
        self
    }

    /// Sets the initial input delay of local players, in ticks; see [`Session::set_delay`](super::Session::set_delay).
    #[doc(alias = "input_delay")]
    #[must_use]
    pub const fn delay(mut self, ticks: u32) -> Self {
        self.delay = ticks;
        self
    }

    /// Adapts the input delay of local players to the network, within bounds, starting from [`delay`](Self::delay).
    #[must_use]
    pub const fn adaptive_delay(mut self, bounds: AdaptiveDelay) -> Self {
        self.adaptive = Some(bounds);
        let (min, max) = (bounds.min() as u32, bounds.max() as u32);
        if self.delay < min {
            self.delay = min;
        } else if self.delay > max {
            self.delay = max;
        }
        self
    }

    /// Delays the first tick until every peer has been heard from.
    #[must_use]
    pub const fn start_together(mut self, together: bool) -> Self {
        self.barrier = together;
        self
    }

    /// Rolls back for every confirmed input that arrives after its tick, even if the prediction was right. For
    /// profiling: the worst case becomes the usual case.
    #[must_use]
    pub const fn always_roll_back(mut self, always: bool) -> Self {
        self.always = always;
        self
    }

    /// Sets the interval between compared digests, in ticks; 0 compares none.
    #[doc(alias("desync_detection", "checksum"))]
    #[must_use]
    pub const fn digest_every(mut self, ticks: u32) -> Self {
        self.digest_every = ticks;
        self
    }

    /// Sets the length of a tick in real time. Only pacing uses it; the simulation never reads it.
    #[must_use]
    pub const fn tick_length(mut self, length: Duration) -> Self {
        self.tick_length = length;
        self
    }

    /// Sets the tick of the initial state; 0 unless the match counts from another tick. A session that continues a match of
    /// others also needs their last inputs: [`Session::start_with`](super::Session::start_with).
    #[must_use]
    pub const fn start(mut self, tick: Tick) -> Self {
        self.start = tick;
        self
    }

    /// Spectates from this many ticks behind the confirmed tick, to hide jitter. For sessions without a local player: they
    /// run in lockstep, and advance by two ticks at a time when they are far behind. A spectator that one machine feeds
    /// ([`SimMatch::connect_spectator`](crate::SimMatch::connect_spectator)) receives bundles and needs [`Authority::Bundle`], whatever the players
    /// use; a spectator that is connected to every player does not.
    #[doc(alias = "SpectatorSession")]
    #[must_use]
    pub const fn spectate(mut self, buffer: u32) -> Self {
        self.buffer = buffer;
        self.mode = Mode::Lockstep;
        self
    }

    /// Sets the limits of commands: their length, and their bytes in a tick for each seat.
    #[must_use]
    pub const fn commands(mut self, config: CommandConfig) -> Self {
        self.commands = config;
        self
    }

    /// Sets the length of the input log in ticks, future ticks included. It bounds the prediction of
    /// [`Mode::Unbounded`], the lead over the inputs that a playing peer has acknowledged, and the age of a tick whose desync can still be examined.
    /// Rounded up to a power of two.
    #[must_use]
    pub const fn log(mut self, ticks: u32) -> Self {
        self.log = ticks;
        self
    }

    /// Returns the real-time duration of some ticks.
    pub fn duration_of(&self, ticks: u32) -> Duration {
        let nanos = self.tick_length.as_nanos() * u128::from(ticks);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Returns the number of seats.
    #[doc(hidden)]
    pub const fn seats(&self) -> usize {
        self.seats.len()
    }

    /// Hash of the settings that must be equal on all machines: seats, digest interval, command limits, tick length and
    /// input type.
    pub(super) fn fingerprint(&self, inputs: [u8; 8]) -> u32 {
        let commands = [self.commands.budget(), self.commands.max_len()].map(|limit| limit as u64);
        let numbers =
            [self.seats.len() as u64, u64::from(self.digest_every), commands[0], commands[1]];
        let mut bytes = inputs.to_vec();
        numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        bytes.extend_from_slice(&self.tick_length.as_nanos().to_le_bytes());
        let [a, b, c, d, ..] = Digest::of(&bytes).to_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    /// Returns the source that confirms inputs.
    #[doc(hidden)]
    pub const fn input_authority(&self) -> Authority {
        self.authority
    }

    /// Returns the interval between compared digests, in ticks; 0 if none are compared.
    #[doc(hidden)]
    pub const fn digest_interval(&self) -> u32 {
        self.digest_every
    }

    /// Returns the limits of commands.
    #[doc(hidden)]
    pub const fn command_limits(&self) -> CommandConfig {
        self.commands
    }

    /// Returns the tick of the initial state.
    #[doc(hidden)]
    pub const fn first_tick(&self) -> Tick {
        self.start
    }

    /// Returns the peers that hold a seat.
    pub(super) fn peers(&self) -> impl Iterator<Item = PeerId> + '_ {
        self.seats.iter().filter_map(|seat| match seat {
            Occupant::Remote(peer) => Some(*peer),
            _ => None,
        })
    }

    /// Returns the maximum number of predicted ticks.
    pub(super) const fn max_predicted_ticks(&self) -> u32 {
        match self.mode {
            Mode::Lockstep => 0,
            Mode::Rollback { max } => max,
            Mode::Unbounded { .. } => self.log_length() / 2,
        }
    }

    /// States in the ring: every tick that may be mispredicted, and the last confirmed ones.
    pub(super) const fn ring(&self) -> u32 {
        match self.mode {
            Mode::Lockstep => 4,
            Mode::Rollback { max } => max + 4,
            Mode::Unbounded { .. } => 32,
        }
    }

    pub(super) const fn log_length(&self) -> u32 {
        let least = match self.mode {
            Mode::Rollback { max } => 4 * max,
            _ => 0,
        };
        let least = if least > 4 * MAX_DELAY { least } else { 4 * MAX_DELAY };
        let least = if least > 4 * self.digest_every { least } else { 4 * self.digest_every };
        let length = if self.log > least { self.log } else { least };
        length.next_power_of_two()
    }

    pub(super) fn check(&self) -> Result<(), SessionError> {
        let local = self.seats.contains(&Occupant::Local);
        if self.seats.is_empty() || self.seats.len() > MAX_PLAYERS {
            return Err(SessionError::Seats { seats: self.seats.len() });
        }
        if let Some(peer) = self.peers().find(|peer| peer.index() >= MAX_PEERS) {
            return Err(SessionError::Peers { peer });
        }
        if self.delay > MAX_DELAY {
            return Err(SessionError::Delay { ticks: self.delay });
        }
        match self.mode {
            Mode::Rollback { max } if max == 0 || max > MAX_PREDICTION => {
                return Err(SessionError::Prediction { ticks: max });
            }
            Mode::Unbounded { steps } if steps < 2 => return Err(SessionError::Steps { steps }),
            _ => (),
        }
        if self.digest_every > MAX_DIGEST_INTERVAL {
            return Err(SessionError::DigestInterval { ticks: self.digest_every });
        }
        if self.log > MAX_LOG {
            return Err(SessionError::Log { ticks: self.log });
        }
        if self.buffer > 0 && local {
            return Err(SessionError::LocalSpectator);
        }
        Ok(())
    }
}
