//! All that a player brings to a match, checked to belong together.

use super::ids::{GameId, MachineId, MatchId};
use super::keys::{MatchmakerKey, MatchmakerPublic, PublicKey, StaticKey};
use super::matchmaker::{IssueError, Matchmaker};
use super::roster::{Roster, RosterError};
use super::spec::{MatchSpec, TokenExpectation};
use super::token::{Token, TokenError};
use crate::wire::PROTOCOL_VERSION;

/// Everybody can compute the secrets of this context: that is what it is for.
const INSECURE: &str = "isostep 2026 INSECURE development key";
/// The development matchmaker's number, where players have their machine.
const INSECURE_MATCHMAKER: u8 = 0xff;

/// All that a player brings to a match: its secret key, its token, the roster, and whom it believes.
///
/// Make: [`new`](Self::new), [`load`](Self::load), for development [`insecure`](Self::insecure). Before playing:
/// [`verify`](Self::verify), and refuse [`is_insecure`](Self::is_insecure) where strangers play.
///
/// ```
/// use isostep_netcode::crypto::{Credentials, GameId, MachineId};
/// let game = GameId::named("tumble");
/// // For a match on your own machine: keys that everybody knows.
/// let mine = Credentials::insecure(MachineId(0), 2, game)?;
/// mine.verify(game, 1_800_000_000)?;
/// assert!(mine.is_insecure());
/// assert_eq!(mine.roster().machines().collect::<Vec<_>>(), [MachineId(0), MachineId(1)]);
/// // They are for no other game.
/// assert!(mine.verify(GameId::named("duel"), 1_800_000_000).is_err());
/// # Ok::<(), isostep_netcode::crypto::CredentialsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Credentials {
    key: StaticKey,
    token: Token,
    roster: Roster,
    matchmaker: MatchmakerPublic,
    /// Found out once: it costs curve arithmetic, and is asked for every datagram.
    insecure: bool,
}

/// Why documents don't make credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialsError {
    /// The token is no good.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The roster is no good.
    #[error(transparent)]
    Roster(#[from] RosterError),
    /// The token is for another key.
    #[error(
        "the token is for the key {holder}, and yours is {key}: use the key that you gave the matchmaker"
    )]
    HolderMismatch {
        /// Whose token it is.
        holder: PublicKey,
        /// The public half of the key.
        key: PublicKey,
    },
    /// The token and the roster are of different matches.
    #[error("the token and the roster are of different matches: use the two that came together")]
    MatchMismatch,
    /// The roster has somebody else in the token's machine, or nobody.
    #[error(
        "the roster doesn't have you in {machine}: use the token and the roster that came together"
    )]
    NotInRoster {
        /// The token's machine.
        machine: MachineId,
    },
    /// There can't be such a match.
    #[error(transparent)]
    Issue(#[from] IssueError),
}

impl Credentials {
    /// Puts together what belongs together. It doesn't know what time it is: see [`verify`](Self::verify).
    ///
    /// # Errors
    /// When the matchmaker didn't sign the documents, or they are of different players or matches.
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

    /// For development on one desk: everybody can compute these secrets, so they hide and prove nothing. The machines
    /// are 0 to `machines` - 1, the match is all zeros and never expires.
    ///
    /// # Errors
    /// When there can't be so many machines, or `machine` is none of them.
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

    /// Whether these are development credentials, whose secrets everybody knows.
    pub const fn is_insecure(&self) -> bool {
        self.insecure
    }

    /// Whether one can play with them now, in this program.
    ///
    /// # Errors
    /// When they are for another game, another protocol or another time.
    pub fn verify(&self, game: GameId, unix_now: u64) -> Result<(), CredentialsError> {
        let match_id = self.token.spec().match_id;
        let expected = TokenExpectation { game, match_id, protocol: PROTOCOL_VERSION, unix_now };
        self.token.verify(&self.matchmaker, &expected)?;
        Ok(self.roster.verify(&self.matchmaker, &expected)?)
    }

    /// Where the player sits.
    pub const fn machine(&self) -> MachineId {
        self.token.machine()
    }

    /// The player's secret.
    pub const fn key(&self) -> &StaticKey {
        &self.key
    }

    /// What the player shows the others.
    pub const fn token(&self) -> &Token {
        &self.token
    }

    /// Who the others are.
    pub const fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Whom the player believes.
    pub const fn matchmaker(&self) -> &MatchmakerPublic {
        &self.matchmaker
    }
}
