//! Authentication and encryption: keys, connect tokens, rosters, and the Noise handshake.
//!
//! A matchmaker collects the public keys of the machines of a match. It signs one [`Roster`] that lists all of them, and one
//! [`Token`] for each. A machine holds its secret key, its token and the roster: [`Credentials`]. The responder of a
//! handshake checks that the initiator's key is the one that the roster lists for its machine id.
//!
//! - `ids`: ids of games, matches and machines.
//! - `keys`: keys of machines and matchmakers.
//! - `spec`: common header of tokens and rosters, and its checks.
//! - `token`, `roster`, `matchmaker`: the signed documents, and their issuer.
//! - `credentials`, `files`: the documents of one machine, in memory and on disk.
//! - `noise`: the Noise IK handshake and its transport channel.
//!
//! ```
//! use isostep_netcode::SeededEntropy;
//! use isostep_netcode::crypto::{
//!     Credentials, GameId, MatchId, MatchSpec, Matchmaker, MatchmakerKey, MachineId, StaticKey,
//! };
//! use isostep_netcode::PROTOCOL_VERSION;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Use `OsEntropy` in a real match.
//! let mut entropy = SeededEntropy::new(1);
//! let (alice, bob) = (StaticKey::generate(&mut entropy), StaticKey::generate(&mut entropy));
//! let matchmaker = Matchmaker::new(MatchmakerKey::generate(&mut entropy));
//! let spec = MatchSpec {
//!     game: GameId::named("tanks"),
//!     match_id: MatchId::random(&mut entropy),
//!     protocol: PROTOCOL_VERSION,
//!     issued: 1_800_000_000,
//!     expires: 1_800_086_400,
//! };
//! let holders = [(MachineId(0), alice.public()), (MachineId(1), bob.public())];
//! let (roster, tokens) = matchmaker.issue(&spec, &holders)?;
//! let credentials = Credentials::new(alice, tokens[0].clone(), roster, matchmaker.public())?;
//! assert_eq!(credentials.machine(), MachineId(0));
//! # Ok(())
//! # }
//! ```

mod credentials;
mod files;
mod ids;
mod keys;
mod matchmaker;
pub(crate) mod noise;
mod roster;
mod spec;
mod token;

pub use credentials::{Credentials, CredentialsError};
pub use files::{FileError, Stored};
pub use ids::{GameId, MAX_MACHINES, MachineId, MatchId};
pub use keys::{KeyTextError, MatchmakerKey, MatchmakerPublic, PublicKey, StaticKey};
pub use matchmaker::{IssueError, Matchmaker};
pub use roster::{Roster, RosterError};
pub use spec::MatchSpec;
pub use token::{Token, TokenError};

/// Parts of the crate's `internals`.
pub(crate) mod internals {
    pub use super::files::save_secret;
    pub use super::spec::TokenExpectation;
}
