//! Credentials of one machine: key, connect token, roster and matchmaker key, checked for consistency.

use super::ids::{GameId, MachineId, MatchId};
use super::keys::{MatchmakerKey, MatchmakerPublic, PublicKey, StaticKey};
use super::matchmaker::{IssueError, Matchmaker};
use super::roster::{Roster, RosterError};
use super::spec::{MatchSpec, TokenExpectation};
use super::token::{Token, TokenError};
use crate::wire::PROTOCOL_VERSION;

/// Context of the development keys. Anyone can derive them; they provide no security.
const INSECURE: &str = "isostep 2026 INSECURE development key";
/// Derivation input of the development matchmaker's key. Machines use their id.
const INSECURE_MATCHMAKER: u8 = 0xff;

/// Everything that authenticates one machine in a match: its secret key, its token, the roster and the matchmaker's public key.
///
/// Create with [`new`](Self::new) or [`load`](Self::load); for development with [`insecure`](Self::insecure). Before a match, call
/// [`verify`](Self::verify), and reject [`is_insecure`](Self::is_insecure) credentials on public networks.
///
/// ```
/// use isostep_netcode::crypto::{Credentials, GameId, MachineId};
/// let game = GameId::named("tumble");
/// // Development keys are public: use them on one machine only.
/// let mine = Credentials::insecure(MachineId(0), 2, game)?;
/// mine.verify(game, 1_800_000_000)?;
/// assert!(mine.is_insecure());
/// assert_eq!(mine.roster().machines().collect::<Vec<_>>(), [MachineId(0), MachineId(1)]);
/// // They are bound to one game.
/// assert!(mine.verify(GameId::named("duel"), 1_800_000_000).is_err());
/// # Ok::<(), isostep_netcode::crypto::CredentialsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Credentials {
    key: StaticKey,
    token: Token,
    roster: Roster,
    matchmaker: MatchmakerPublic,
    /// Computed once: the check costs curve arithmetic, and every datagram needs the result.
    insecure: bool,
}

/// Reasons why documents do not form credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialsError {
    /// The token is invalid.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The roster is invalid.
    #[error(transparent)]
    Roster(#[from] RosterError),
    /// The token belongs to another key.
    #[error(
        "the token belongs to the key {holder}, but this key is {key}; use the key that was given to the matchmaker"
    )]
    HolderMismatch {
        /// Holder of the token.
        holder: PublicKey,
        /// Public half of the given key.
        key: PublicKey,
    },
    /// The token and the roster belong to different matches.
    #[error(
        "the token and the roster belong to different matches; use the two that were issued together"
    )]
    MatchMismatch,
    /// The roster does not list the holder of the token under the token's machine id.
    #[error(
        "the roster does not list the token's holder as {machine}; use the token and the roster that were issued together"
    )]
    NotInRoster {
        /// Machine id of the token.
        machine: MachineId,
    },
    /// The development match cannot be issued.
    #[error(transparent)]
    Issue(#[from] IssueError),
}

impl Credentials {
    /// Combines key and documents, and checks that they belong together. Expiry is not checked here; see [`verify`](Self::verify).
    ///
    /// # Errors
    /// The matchmaker did not sign the documents, or they belong to different holders or matches.
    pub fn new(
        key: StaticKey,
        token: Token,
        roster: Roster,
        matchmaker: MatchmakerPublic,
    ) -> Result<Self, CredentialsError> {
        token.verify_signature(&matchmaker)?;
        roster.verify_signature(&matchmaker)?;
        let (machine, holder) = (token.machine(), token.holder());
        if holder != key.public() {
            return Err(CredentialsError::HolderMismatch { holder, key: key.public() });
        }
        if token.spec() != roster.spec() {
            return Err(CredentialsError::MatchMismatch);
        }
        if roster.key_of(machine) != Some(holder) {
            return Err(CredentialsError::NotInRoster { machine });
        }
        let development = blake3::derive_key(INSECURE, &[INSECURE_MATCHMAKER]);
        let insecure = matchmaker == MatchmakerKey::from_bytes(development).public();
        Ok(Self { key, token, roster, matchmaker, insecure })
    }

    /// Credentials for development: anyone can derive these secrets, so they neither encrypt nor authenticate. Machine ids
    /// are 0 to `machines` - 1, the match id is zero, and the documents never expire.
    ///
    /// # Errors
    /// `machines` is not 2 to 8, or `machine` is not below `machines`.
    pub fn insecure(
        machine: MachineId,
        machines: u8,
        game: GameId,
    ) -> Result<Self, CredentialsError> {
        let key_of = |number: u8| blake3::derive_key(INSECURE, &[number]);
        let player = |machine: MachineId| StaticKey::from_bytes(key_of(machine.0));
        let match_id = MatchId([0; 16]);
        let spec =
            MatchSpec { game, match_id, protocol: PROTOCOL_VERSION, issued: 0, expires: u64::MAX };
        let holders: Vec<_> =
            (0..machines).map(|n| (MachineId(n), player(MachineId(n)).public())).collect();
        let matchmaker = Matchmaker::new(MatchmakerKey::from_bytes(key_of(INSECURE_MATCHMAKER)));
        let (roster, tokens) = matchmaker.issue(&spec, &holders)?;
        let token = tokens.into_iter().nth(usize::from(machine.0));
        let token = token.ok_or(CredentialsError::NotInRoster { machine })?;
        Self::new(player(machine), token, roster, matchmaker.public())
    }

    /// Returns true for development credentials, whose secrets are public.
    #[doc(hidden)]
    pub const fn is_insecure(&self) -> bool {
        self.insecure
    }

    /// Checks that the credentials are valid for this game, protocol version and time.
    ///
    /// # Errors
    /// They are for another game or protocol version, have expired, or were issued in the future.
    pub fn verify(&self, game: GameId, unix_now: u64) -> Result<(), CredentialsError> {
        let match_id = self.token.spec().match_id;
        let expected = TokenExpectation { game, match_id, protocol: PROTOCOL_VERSION, unix_now };
        self.token.verify(&self.matchmaker, &expected)?;
        Ok(self.roster.verify(&self.matchmaker, &expected)?)
    }

    /// Id of this machine.
    pub const fn machine(&self) -> MachineId {
        self.token.machine()
    }

    /// Static secret key of this machine.
    #[doc(hidden)]
    pub const fn key(&self) -> &StaticKey {
        &self.key
    }

    /// Connect token of this machine, which it sends to its peers.
    #[doc(hidden)]
    pub const fn token(&self) -> &Token {
        &self.token
    }

    /// Machines of the match with their keys.
    pub const fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Public key of the matchmaker whose signatures are trusted.
    #[doc(hidden)]
    pub const fn matchmaker(&self) -> &MatchmakerPublic {
        &self.matchmaker
    }
}
