//! Settings of an endpoint.

use crate::crypto::Credentials;
use crate::wire::{MAX_MTU, MatchParameters, PROTOCOL_VERSION};
use core::time::Duration;

/// Settings of an endpoint: credentials, match parameters, timeouts and MTU.
#[derive(Debug)]
pub struct EndpointConfig {
    pub(super) credentials: Credentials,
    pub(super) parameters: MatchParameters,
    pub(super) unix_at_zero: u64,
    pub(super) idle_timeout: Duration,
    pub(super) handshake_timeout: Duration,
    pub(super) key_lifetime: Option<Duration>,
    pub(super) max_mtu: usize,
    pub(super) beyond_loopback: bool,
}

impl EndpointConfig {
    /// Creates settings with default timeouts. `unix_at_zero` is the Unix time at
    /// [`Time::ZERO`](isostep_rollback::Time::ZERO), in seconds; token expiry is checked against it.
    pub fn new(credentials: Credentials, unix_at_zero: u64) -> Self {
        let parameters = MatchParameters {
            protocol: PROTOCOL_VERSION,
            game: credentials.token().spec().game,
            input_width: 0,
            input_schema: [0; 8],
            settings: 0,
        };
        Self {
            credentials,
            parameters,
            unix_at_zero,
            idle_timeout: Duration::from_secs(5),
            handshake_timeout: Duration::from_secs(10),
            key_lifetime: None,
            max_mtu: MAX_MTU,
            beyond_loopback: false,
        }
    }

    /// Sets input width, input schema and settings hash of the session. The handshake fails if the peer's differ.
    #[must_use]
    #[doc(hidden)]
    pub const fn inputs(mut self, width: u16, schema: [u8; 8], settings: u32) -> Self {
        self.parameters.input_width = width;
        self.parameters.input_schema = schema;
        self.parameters.settings = settings;
        self
    }

    /// Sets the idle timeout: a connection closes after this time without a packet. Default 5 s, minimum 100 ms.
    #[must_use]
    pub fn idle_timeout(mut self, span: Duration) -> Self {
        self.idle_timeout = span.max(Duration::from_millis(100));
        self
    }

    /// Sets the handshake timeout: an attempt to connect fails after this time without a reply. Default 10 s.
    #[must_use]
    pub const fn handshake_timeout(mut self, span: Duration) -> Self {
        self.handshake_timeout = span;
        self
    }

    /// Sets the key lifetime, after which a connection rekeys. Default 120 s.
    #[must_use]
    #[doc(hidden)]
    pub const fn key_lifetime(mut self, span: Duration) -> Self {
        self.key_lifetime = Some(span);
        self
    }

    /// Sets the longest packet that this endpoint accepts, in bytes of UDP payload: 1,200 to 1,452. Default 1,452.
    #[must_use]
    #[doc(hidden)]
    pub fn max_mtu(mut self, bytes: usize) -> Self {
        self.max_mtu = bytes.clamp(crate::wire::MIN_MTU, MAX_MTU);
        self
    }

    /// Allows development keys beyond the loopback interface. These keys are public: anyone who reaches the port can
    /// impersonate any machine and read all traffic.
    #[must_use]
    pub const fn insecure_beyond_loopback(mut self) -> Self {
        self.beyond_loopback = true;
        self
    }

    /// Credentials of this machine.
    #[doc(hidden)]
    pub const fn credentials(&self) -> &Credentials {
        &self.credentials
    }
}

/// Reasons why an endpoint cannot be created or cannot connect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The token of this machine is invalid.
    #[error("the token of this machine is invalid: {0}")]
    Token(#[from] crate::crypto::TokenError),
    /// The roster is invalid.
    #[error("the roster is invalid: {0}")]
    Roster(#[from] crate::crypto::RosterError),
    /// The roster does not list the machine, or it is this machine.
    #[error(
        "{machine} is not in the roster, or is this machine; use the id of another machine of the match"
    )]
    UnknownMachine {
        /// Machine id.
        machine: crate::crypto::MachineId,
    },
    /// The endpoint was shut down.
    #[error("the endpoint was shut down; create a new one")]
    ShutDown,
    /// Development keys are restricted to the loopback interface.
    #[error(
        "{address} is not a loopback address, and development keys give no protection; get tokens from a matchmaker \
         (`isostep match new`), or set insecure_beyond_loopback"
    )]
    Insecure {
        /// Address of the peer.
        address: crate::Address,
    },
}
