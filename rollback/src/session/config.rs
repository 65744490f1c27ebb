//! What a session is set up with, and within which limits.

use super::errors::SessionError;
use crate::input::CommandConfig;
use crate::pace::AdaptiveDelay;
use crate::player::{Occupant, PeerId};
use crate::tick::Tick;
use core::time::Duration;
use isostep_core::digest::Digest;

/// Most seats in a match.
pub const MAX_PLAYERS: usize = 32;
/// Most machines that a session talks to.
pub const MAX_PEERS: usize = 64;
/// Longest input delay, in ticks: a second at 60 Hz.
pub const MAX_DELAY: u32 = 60;
/// Furthest that [`Mode::Rollback`] may be told to predict, in ticks.
pub const MAX_PREDICTION: u32 = 120;
/// Longest time between digests, in ticks.
pub(super) const MAX_DIGEST_INTERVAL: u32 = 256;
/// Longest log, in ticks.
pub(super) const MAX_LOG: u32 = 1 << 16;

/// How far the present may run ahead of what is confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Not at all: a tick waits for everybody's input.
    Lockstep,
    /// By at most this many ticks; then it stalls.
    Rollback {
        /// At least 1, at most [`MAX_PREDICTION`].
        max: u32,
    },
    /// As far as the input log reaches. What the ring of states no longer holds is computed from the newest confirmed
    /// keyframe, by at most so many steps in one [`advance`](super::Session::advance); while that does not suffice to reach
    /// the present, the session says that it is [catching up](super::SessionEvent::CatchingUp).
    ///
    /// A share of the processor becomes steps by `share × frame time ÷ time of a step`.
    Unbounded {
        /// At least 2: the present moves on by one.
        steps: u32,
    },
}

/// Whose word confirms an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authority {
    /// The player's own: a mesh.
    #[default]
    Owner,
    /// A relay's [bundle](super::Session::confirmed_bundle) alone, also for local players; everything else is a proposal.
    Bundle,
}

/// The settings of a session. Machines that play together set all of it alike but who is local.
///
/// ```
/// use isostep_rollback::{Mode, PeerId, SessionConfig};
/// let config = SessionConfig::new()
///     .local() // player 0 sits here
///     .remote(PeerId(0)) // player 1 elsewhere
///     .bot() // player 2 nowhere
///     .mode(Mode::Rollback { max: 8 })
///     .delay(2);
/// ```
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
    pub(super) buffer: u32,
    pub(super) commands: CommandConfig,
    pub(super) log: u32,
}

impl Default for SessionConfig {
    fn default() -> Self {
        Self::new()
    }
}

impl SessionConfig {
    /// No seats yet; rollback of up to 8 ticks, no input delay, 60 ticks a second, digests every 16 ticks.
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

    /// The next seat.
    #[must_use]
    pub fn seat(mut self, occupant: Occupant) -> Self {
        self.seats.push(occupant);
        self
    }

    /// The next seat is a player at this machine.
    #[must_use]
    pub fn local(self) -> Self {
        self.seat(Occupant::Local)
    }

    /// The next seat is a player at another machine.
    #[must_use]
    pub fn remote(self, peer: PeerId) -> Self {
        self.seat(Occupant::Remote(peer))
    }

    /// The next seat is a bot's.
    #[must_use]
    pub fn bot(self) -> Self {
        self.seat(Occupant::Bot)
    }

    /// How far the present may run ahead.
    #[must_use]
    pub const fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Whose word confirms.
    #[must_use]
    pub const fn authority(mut self, authority: Authority) -> Self {
        self.authority = authority;
        self
    }

    /// By how many ticks local inputs are labelled later than they are given, at first; see
    /// [`Session::set_delay`](super::Session::set_delay).
    #[must_use]
    pub const fn delay(mut self, ticks: u32) -> Self {
        self.delay = ticks;
        self
    }

    /// Lets the delay of local players follow the network, within bounds; [`delay`](Self::delay) is where it begins.
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

    /// Whether the first tick waits until every peer was heard of.
    #[must_use]
    pub const fn start_together(mut self, together: bool) -> Self {
        self.barrier = together;
        self
    }

    /// Whether every confirmed input that arrives after its tick was computed rolls back, though the guess was right. For
    /// profiling: the worst case becomes the usual one.
    #[must_use]
    pub const fn always_roll_back(mut self, always: bool) -> Self {
        self.always = always;
        self
    }

    /// How many ticks lie between two that are digested and compared; 0 compares none.
    #[must_use]
    pub const fn digest_every(mut self, ticks: u32) -> Self {
        self.digest_every = ticks;
        self
    }

    /// How long a tick is for players. Only margins are measured by it; the simulation never sees it.
    #[must_use]
    pub const fn tick_length(mut self, length: Duration) -> Self {
        self.tick_length = length;
        self
    }

    /// The tick of the state that the session starts with; 0 unless the match has begun elsewhere.
    #[must_use]
    pub const fn start(mut self, tick: Tick) -> Self {
        self.start = tick;
        self
    }

    /// Watches from this many ticks behind what is confirmed, so that arrival times don't show. For sessions without a
    /// local player: they run in lockstep, and by two ticks a time when they have fallen far behind.
    #[must_use]
    pub const fn spectate(mut self, buffer: u32) -> Self {
        self.buffer = buffer;
        self.mode = Mode::Lockstep;
        self
    }

    /// How long commands may be, and how many bytes of them a tick carries for each seat.
    #[must_use]
    pub const fn commands(mut self, config: CommandConfig) -> Self {
        self.commands = config;
        self
    }

    /// How many ticks of inputs are kept, the ones to come included. It bounds how far [`Mode::Unbounded`] may run ahead
    /// and how long after a tick a desync there can still be examined. Rounded up to a power of two.
    #[must_use]
    pub const fn log(mut self, ticks: u32) -> Self {
        self.log = ticks;
        self
    }

    /// How long so many ticks are for players.
    pub fn duration_of(&self, ticks: u32) -> Duration {
        let nanos = self.tick_length.as_nanos() * u128::from(ticks);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// How many seats there are.
    pub const fn seats(&self) -> usize {
        self.seats.len()
    }

    /// What all machines of a match must have set alike, in a few bytes: seats, digests, commands, the length of a tick and
    /// the type of inputs.
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

    /// How many ticks lie between two that are digested and compared; 0 if none are.
    pub const fn digest_interval(&self) -> u32 {
        self.digest_every
    }

    /// How long commands may be, and how many bytes of them a tick carries for each seat.
    pub const fn command_limits(&self) -> CommandConfig {
        self.commands
    }

    /// The tick of the state that the session starts with.
    pub const fn first_tick(&self) -> Tick {
        self.start
    }

    /// Who holds a seat elsewhere.
    pub(super) fn peers(&self) -> impl Iterator<Item = PeerId> + '_ {
        self.seats.iter().filter_map(|seat| match seat {
            Occupant::Remote(peer) => Some(*peer),
            _ => None,
        })
    }

    /// The longest run of predicted ticks.
    pub(super) const fn max_predicted_ticks(&self) -> u32 {
        match self.mode {
            Mode::Lockstep => 0,
            Mode::Rollback { max } => max,
            Mode::Unbounded { .. } => self.log_length() / 2,
        }
    }

    /// States that the ring must hold: every tick that a guess may have been wrong for, and room to look back at the last
    /// confirmed one.
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
