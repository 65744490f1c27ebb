//! What an endpoint has to know.

use crate::crypto::Credentials;
use crate::wire::{MAX_MTU, MatchParameters, PROTOCOL_VERSION};
use core::time::Duration;

/// What an endpoint has to know: who it is, what it plays, and how patient it is.
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
    /// With these credentials. `unix_at_zero` is the time of day at [`Time::ZERO`](isostep_rollback::Time::ZERO), in seconds
    /// since 1970 UTC: tokens expire by it.
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

    /// What the inputs look like and how the session is set up; the handshake compares it with the other side's.
    #[must_use]
    pub const fn inputs(mut self, width: u16, schema: [u8; 8], settings: u32) -> Self {
        self.parameters.input_width = width;
        self.parameters.input_schema = schema;
        self.parameters.settings = settings;
        self
    }

    /// After this time without a packet a connection has ended: 5 s unless said, at least 100 ms.
    #[must_use]
    pub fn idle_timeout(mut self, span: Duration) -> Self {
        self.idle_timeout = span.max(Duration::from_millis(100));
        self
    }

    /// After this time without an answer an attempt to connect has failed: 10 s unless said.
    #[must_use]
    pub const fn handshake_timeout(mut self, span: Duration) -> Self {
        self.handshake_timeout = span;
        self
    }

    /// Keys change after this time: 120 s unless said.
    #[must_use]
    pub const fn key_lifetime(mut self, span: Duration) -> Self {
        self.key_lifetime = Some(span);
        self
    }

    /// The longest packet that this side takes, in bytes: from 1,200 to 1,452, which it is unless said.
    #[must_use]
    pub fn max_mtu(mut self, bytes: usize) -> Self {
        self.max_mtu = bytes.clamp(crate::wire::MIN_MTU, MAX_MTU);
        self
    }

    /// Lets development keys talk beyond this machine. Everybody knows these keys: whoever reaches the port can play as anybody
    /// and read everything.
    #[must_use]
    pub const fn insecure_beyond_loopback(mut self) -> Self {
        self.beyond_loopback = true;
        self
    }

    /// Who it is.
    pub const fn credentials(&self) -> &Credentials {
        &self.credentials
    }
}

/// Why an endpoint could not be made, or refused to connect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// Our own token would be refused.
    #[error("our own token is not good: {0}")]
    Token(#[from] crate::crypto::TokenError),
    /// The roster is not good.
    #[error("the roster is not good: {0}")]
    Roster(#[from] crate::crypto::RosterError),
    /// Nobody has that machine.
    #[error("the roster has no {machine}, or it is this machine's own")]
    UnknownMachine {
        /// It.
        machine: crate::crypto::MachineId,
    },
    /// It is over.
    #[error("this endpoint was shut down; make a new one")]
    ShutDown,
    /// Development keys and a machine elsewhere.
    #[error(
        "{address} is beyond this machine, and development keys protect nothing: get tokens from a matchmaker \
         (`isostep match new`), or say insecure_beyond_loopback"
    )]
    Insecure {
        /// Where.
        address: crate::Address,
    },
}
