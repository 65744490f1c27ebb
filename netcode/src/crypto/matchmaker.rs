//! Issues tokens and rosters. Runs on the matchmaking service, never in a game client.

use super::ids::{MAX_MACHINES, MachineId};
use super::keys::{MatchmakerKey, MatchmakerPublic, PublicKey};
use super::roster::Roster;
use super::spec::MatchSpec;
use super::token::Token;

/// Signs the documents of matches.
#[derive(Clone, Debug)]
pub struct Matchmaker {
    key: MatchmakerKey,
}

/// Reasons why a match cannot be issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IssueError {
    /// The number of machines is not 2 to 8.
    #[error("a match of {count} machines; give 2 to 8")]
    Count {
        /// Number of machines given.
        count: usize,
    },
    /// A machine id is 8 or more.
    #[error("{machine} is out of range; machine ids are 0 to 7")]
    MachineOutOfRange {
        /// Machine id.
        machine: MachineId,
    },
    /// Two keys have the same machine id.
    #[error("{machine} is assigned twice; give each key its own machine id")]
    DuplicateMachine {
        /// Machine id.
        machine: MachineId,
    },
    /// Two machines have the same key.
    #[error("{machine} has the key of another machine; generate a key for each machine")]
    DuplicateKey {
        /// Second machine with the key.
        machine: MachineId,
    },
    /// The key is a point of small order and gives no secrecy.
    #[error("the key of {machine} has small order and gives no secrecy; generate a new key")]
    WeakKey {
        /// Machine id.
        machine: MachineId,
    },
    /// The expiry is not after the issue time.
    #[error("the match expires before it is issued; set `expires` to a later second than `issued`")]
    Expired,
}

impl Matchmaker {
    /// Creates a matchmaker with this key.
    pub const fn new(key: MatchmakerKey) -> Self {
        Self { key }
    }

    /// Public key that verifies its documents.
    pub fn public(&self) -> MatchmakerPublic {
        self.key.public()
    }

    /// Issues the roster of a match, and the tokens in ascending order of machine ids.
    ///
    /// # Errors
    /// The match is invalid; see [`IssueError`].
    pub fn issue(
        &self,
        spec: &MatchSpec,
        holders: &[(MachineId, PublicKey)],
    ) -> Result<(Roster, Vec<Token>), IssueError> {
        if spec.expires <= spec.issued {
            return Err(IssueError::Expired);
        }
        if !(2..=MAX_MACHINES).contains(&holders.len()) {
            return Err(IssueError::Count { count: holders.len() });
        }
        let mut entries = holders.to_vec();
        entries.sort_by_key(|entry| entry.0);
        for (index, &(machine, key)) in entries.iter().enumerate() {
            let before = &entries[..index];
            if usize::from(machine.0) >= MAX_MACHINES {
                return Err(IssueError::MachineOutOfRange { machine });
            }
            if before.last().is_some_and(|last| last.0 == machine) {
                return Err(IssueError::DuplicateMachine { machine });
            }
            if before.iter().any(|entry| entry.1 == key) {
                return Err(IssueError::DuplicateKey { machine });
            }
            if !key.is_contributory() {
                return Err(IssueError::WeakKey { machine });
            }
        }
        let token =
            |&(machine, key): &(MachineId, PublicKey)| Token::sign(&self.key, spec, machine, key);
        let tokens = entries.iter().map(token).collect();
        Ok((Roster::sign(&self.key, spec, entries), tokens))
    }
}
