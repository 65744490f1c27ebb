//! What a peer has to know, and why it could not be made.

use crate::address::Address;
use crate::crypto::{Credentials, MachineId};
use crate::endpoint::{EndpointConfig, EndpointError};
use core::time::Duration;
use isostep_rollback::{Occupant, PeerId, SessionConfig, SessionError};

/// Who sits where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// A player at the machine of this machine.
    Machine(MachineId),
    /// The simulation itself, on every machine alike.
    Bot,
}

/// What a peer has to know: who it is, where the others are, and how the session is set up.
#[derive(Debug)]
pub struct PeerConfig {
    pub(super) endpoint: EndpointConfig,
    pub(super) session: SessionConfig,
    pub(super) seats: Vec<Seat>,
    pub(super) addresses: Vec<(MachineId, Address)>,
}

impl PeerConfig {
    /// With these credentials. `unix_at_zero` is the time of day at [`Time::ZERO`](isostep_rollback::Time::ZERO), in seconds
    /// since 1970 UTC, by which tokens expire. The session is set up as [`SessionConfig::new`] does it, with one seat for
    /// each machine of the roster.
    pub fn new(credentials: Credentials, unix_at_zero: u64) -> Self {
        Self {
            endpoint: EndpointConfig::new(credentials, unix_at_zero),
            session: SessionConfig::new(),
            seats: Vec::new(),
            addresses: Vec::new(),
        }
    }

    /// How the session is set up: delay, prediction, digests, the length of a tick. It must be the same for all, and have no
    /// seats: those are said [here](Self::seat).
    #[must_use]
    pub fn session(mut self, session: SessionConfig) -> Self {
        self.session = session;
        self
    }

    /// Adds a seat. All machines must add the same ones in the same order. If none is added, each machine has one, in order.
    #[must_use]
    pub fn seat(mut self, seat: Seat) -> Self {
        self.seats.push(seat);
        self
    }

    /// Where another machine is. Of two machines at least the one with the lower machine must know.
    #[must_use]
    pub fn address(mut self, machine: MachineId, address: impl Into<Address>) -> Self {
        self.addresses.push((machine, address.into()));
        self
    }

    /// After this time without a word of it, a machine has left: 5 s unless said.
    #[must_use]
    pub fn idle_timeout(mut self, span: Duration) -> Self {
        self.endpoint = self.endpoint.idle_timeout(span);
        self
    }

    /// After this time without an answer an attempt to connect is over, and the next one begins: 10 s unless said.
    #[must_use]
    pub fn handshake_timeout(mut self, span: Duration) -> Self {
        self.endpoint = self.endpoint.handshake_timeout(span);
        self
    }

    /// Changes what concerns connections alone.
    #[must_use]
    pub fn endpoint(mut self, change: impl FnOnce(EndpointConfig) -> EndpointConfig) -> Self {
        self.endpoint = change(self.endpoint);
        self
    }

    /// The session with its seats, as this machine sees them.
    pub(super) fn session_config(&self) -> Result<SessionConfig, PeerError> {
        if self.session.seats() > 0 {
            return Err(PeerError::SessionHasSeats);
        }
        let credentials = self.endpoint.credentials();
        let one_each: Vec<Seat> = credentials.roster().machines().map(Seat::Machine).collect();
        let seats = if self.seats.is_empty() { &one_each } else { &self.seats };
        let mut session = self.session.clone();
        for seat in seats {
            session = session.seat(match *seat {
                Seat::Bot => Occupant::Bot,
                Seat::Machine(machine) if machine == credentials.machine() => Occupant::Local,
                Seat::Machine(machine) if credentials.roster().key_of(machine).is_some() => {
                    Occupant::Remote(PeerId(machine.0))
                }
                Seat::Machine(machine) => return Err(PeerError::UnknownMachine { machine }),
            });
        }
        Ok(session)
    }
}

/// Why a peer could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeerError {
    /// The session's settings name seats.
    #[error("the session's settings have seats; say them with PeerConfig::seat")]
    SessionHasSeats,
    /// A seat of nobody.
    #[error("a seat of {machine}, which the roster does not have")]
    UnknownMachine {
        /// It.
        machine: MachineId,
    },
    /// Somebody whom this machine has to call, nobody knows where.
    #[error(
        "this machine calls {machine}, since its own machine is lower: say where it is with PeerConfig::address"
    )]
    NoAddress {
        /// Whom.
        machine: MachineId,
    },
    /// The credentials are not good, or the others can't be called.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The session can't start.
    #[error(transparent)]
    Session(#[from] SessionError),
}
