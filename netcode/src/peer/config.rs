//! Settings of a peer, and errors of its creation.

use crate::address::Address;
use crate::crypto::{Credentials, MachineId};
use crate::endpoint::{EndpointConfig, EndpointError};
use core::time::Duration;
use isostep_rollback::{Authority, Occupant, PeerId, SessionConfig, SessionError};

/// Controller of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// A player at this machine.
    Machine(MachineId),
    /// A bot that the simulation computes on every machine alike.
    Bot,
}

/// Settings of a peer: credentials, addresses of the other machines, seats and session settings.
#[derive(Debug)]
pub struct PeerConfig {
    pub(super) endpoint: EndpointConfig,
    pub(super) session: SessionConfig,
    pub(super) seats: Vec<Seat>,
    pub(super) addresses: Vec<(MachineId, Address)>,
}

impl PeerConfig {
    /// Creates settings with default session settings and one seat per machine. `unix_at_zero` is the Unix time at
    /// [`Time::ZERO`](isostep_rollback::Time::ZERO), in seconds; token expiry is checked against it.
    pub fn new(credentials: Credentials, unix_at_zero: u64) -> Self {
        Self {
            endpoint: EndpointConfig::new(credentials, unix_at_zero),
            session: SessionConfig::new(),
            seats: Vec::new(),
            addresses: Vec::new(),
        }
    }

    /// Sets the session settings. Digest interval, command limits and tick length must be equal on all machines; the
    /// handshake compares them. Delay and prediction may differ. The settings must not define seats; use
    /// [`seat`](Self::seat).
    #[must_use]
    pub fn session(mut self, session: SessionConfig) -> Self {
        self.session = session;
        self
    }

    /// Adds a seat. All machines must add the same seats in the same order. Without any, each machine has one seat, in
    /// order of ids.
    #[must_use]
    pub fn seat(mut self, seat: Seat) -> Self {
        self.seats.push(seat);
        self
    }

    /// Sets the address of another machine. One machine of each pair must know the other's address, or be connected to a
    /// machine that both are connected to, such as the host: it introduces them.
    #[must_use]
    pub fn address(mut self, machine: MachineId, address: impl Into<Address>) -> Self {
        self.addresses.push((machine, address.into()));
        self
    }

    /// Sets the idle timeout: a machine leaves after this time without a packet. Default 5 s.
    #[must_use]
    pub fn idle_timeout(mut self, span: Duration) -> Self {
        self.endpoint = self.endpoint.idle_timeout(span);
        self
    }

    /// Sets the handshake timeout: an attempt to connect fails after this time, and the next one starts. Default 10 s.
    #[must_use]
    pub fn handshake_timeout(mut self, span: Duration) -> Self {
        self.endpoint = self.endpoint.handshake_timeout(span);
        self
    }

    /// Changes settings of the endpoint.
    #[must_use]
    pub fn endpoint(mut self, change: impl FnOnce(EndpointConfig) -> EndpointConfig) -> Self {
        self.endpoint = change(self.endpoint);
        self
    }

    /// Session settings with seats, from the perspective of this machine.
    pub(super) fn session_config(&self) -> Result<SessionConfig, PeerError> {
        if self.session.seats() > 0 {
            return Err(PeerError::SessionHasSeats);
        }
        // No frame carries bundles, so nothing would ever be confirmed.
        if self.session.input_authority() == Authority::Bundle {
            return Err(PeerError::BundleAuthority);
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

/// Reasons why a peer cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeerError {
    /// The session settings define seats.
    #[error("the session settings define seats; add them with PeerConfig::seat instead")]
    SessionHasSeats,
    /// The session settings ask for a relay to confirm inputs.
    #[error(
        "Authority::Bundle needs a relay, which peers do not support; set Authority::Owner in the session settings"
    )]
    BundleAuthority,
    /// A seat or address names a machine that is not in the roster.
    #[error("{machine} is not in the roster; use machine ids of the match")]
    UnknownMachine {
        /// Machine id.
        machine: MachineId,
    },
    /// The credentials are invalid, or an address cannot be used.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The session cannot start.
    #[error(transparent)]
    Session(#[from] SessionError),
}
