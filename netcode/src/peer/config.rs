//! What a peer has to know, and why it could not be made.

use crate::address::Address;
use crate::crypto::{Credentials, Slot};
use crate::endpoint::{EndpointConfig, EndpointError};
use core::time::Duration;
use isostep_rollback::{Occupant, PeerId, SessionConfig, SessionError};

/// Who sits where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// A player at the machine of this slot.
    At(Slot),
    /// The simulation itself, on every machine alike.
    Bot,
}

/// What a peer has to know: who it is, where the others are, and how the session is set up.
#[derive(Debug)]
pub struct PeerConfig {
    pub(super) endpoint: EndpointConfig,
    pub(super) session: SessionConfig,
    pub(super) seats: Vec<Seat>,
    pub(super) addresses: Vec<(Slot, Address)>,
}

impl PeerConfig {
    /// With these credentials. `unix_at_zero` is the time of day at [`Time::ZERO`](isostep_rollback::Time::ZERO), in seconds
    /// since 1970 UTC, by which tokens expire. The session is set up as [`SessionConfig::new`] does it, with one seat for
    /// each slot of the roster.
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

    /// Adds a seat. All machines must add the same ones in the same order. If none is added, each slot has one, in order.
    #[must_use]
    pub fn seat(mut self, seat: Seat) -> Self {
        self.seats.push(seat);
        self
    }

    /// Where another machine is. Of two machines at least the one with the lower slot must know.
    #[must_use]
    pub fn address(mut self, slot: Slot, address: impl Into<Address>) -> Self {
        self.addresses.push((slot, address.into()));
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
    pub fn connections(mut self, change: impl FnOnce(EndpointConfig) -> EndpointConfig) -> Self {
        self.endpoint = change(self.endpoint);
        self
    }

    /// The session with its seats, as this machine sees them.
    pub(super) fn seated(&self) -> Result<SessionConfig, PeerError> {
        if self.session.seats() > 0 {
            return Err(PeerError::Seats);
        }
        let credentials = self.endpoint.credentials();
        let one_each: Vec<Seat> = credentials.roster().slots().map(Seat::At).collect();
        let seats = if self.seats.is_empty() { &one_each } else { &self.seats };
        let mut session = self.session.clone();
        for seat in seats {
            session = session.seat(match *seat {
                Seat::Bot => Occupant::Bot,
                Seat::At(slot) if slot == credentials.slot() => Occupant::Local,
                Seat::At(slot) if credentials.roster().key_of(slot).is_some() => {
                    Occupant::Remote(PeerId(slot.0))
                }
                Seat::At(slot) => return Err(PeerError::NoSuchSlot { slot }),
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
    Seats,
    /// A seat of nobody.
    #[error("a seat of {slot}, which the roster does not have")]
    NoSuchSlot {
        /// It.
        slot: Slot,
    },
    /// Somebody whom this machine has to call, nobody knows where.
    #[error(
        "this machine calls {slot}, since its own slot is lower: say where it is with PeerConfig::address"
    )]
    NoAddress {
        /// Whom.
        slot: Slot,
    },
    /// The credentials are not good, or the others can't be called.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The session can't start.
    #[error(transparent)]
    Session(#[from] SessionError),
}
