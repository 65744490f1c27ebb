//! Who somebody is, and what nobody else can read: keys, tokens, rosters, and the Noise handshake.
//!
//! A matchmaker knows the public keys of the players of a match. It signs one [`Roster`] with all of them and one
//! [`Token`] for each. A player brings its own secret, its token and the roster: [`Credentials`]. Whoever gets a
//! handshake looks whether the key in it is the one that the roster has for that machine.
//!
//! - `ids`: names of games, matches and seats.
//! - `keys`: the keys of players and matchmakers.
//! - `spec`: what tokens and rosters have in common: their first 56 bytes, and what is wrong with them.
//! - `token`, `roster`, `matchmaker`: the signed documents, and who signs them.
//! - `credentials`, `files`: all that a player brings, and how it lies on a disk.
//! - `noise`: the handshake and the encrypted channel behind it.
//!
//! ```
//! use isostep_netcode::SeededEntropy;
//! use isostep_netcode::crypto::{
//!     Credentials, GameId, MatchId, MatchSpec, Matchmaker, MatchmakerKey, MachineId, StaticKey,
//! };
//! use isostep_netcode::wire::PROTOCOL_VERSION;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A real match takes `OsEntropy`.
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
pub use files::{FileError, Stored, save_secret};
pub use ids::{GameId, MAX_MACHINES, MachineId, MatchId};
pub use keys::{KeyTextError, MatchmakerKey, MatchmakerPublic, PublicKey, StaticKey};
pub use matchmaker::{IssueError, Matchmaker};
pub use roster::{Roster, RosterError};
pub use spec::{MatchSpec, TokenExpectation};
pub use token::{Token, TokenError};
