//! Who signs tokens and rosters. It runs where the players meet before a match, never in a player's game.

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

/// Why no documents were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IssueError {
    /// Too few players, or too many.
    #[error("a match of {count} players; give 2 to 8")]
    Count {
        /// How many were given.
        count: usize,
    },
    /// There is no such machine.
    #[error("there is no {machine}; a match has the machines 0 to 7")]
    MachineOutOfRange {
        /// The machine.
        machine: MachineId,
    },
    /// A machine is given twice.
    #[error("{machine} is given to two players; give each a machine of its own")]
    DuplicateMachine {
        /// The machine.
        machine: MachineId,
    },
    /// A key is given twice.
    #[error("{machine} has the key of another machine; let each player make a key of its own")]
    DuplicateKey {
        /// The second of them.
        machine: MachineId,
    },
    /// Nothing would be secret with this key.
    #[error("the key of {machine} is no key that anybody made; let the player make a new one")]
    WeakKey {
        /// The machine.
        machine: MachineId,
    },
    /// It ends before it begins.
    #[error(
        "the match would expire before it is issued; set `expires` to a later second than `issued`"
    )]
    Expired,
}

impl Matchmaker {
    /// The matchmaker who has this key.
    pub const fn new(key: MatchmakerKey) -> Self {
        Self { key }
    }

    /// What players must know to believe its documents.
    pub fn public(&self) -> MatchmakerPublic {
        self.key.public()
    }

    /// The roster of a match, and the players' tokens in ascending order of machines.
    ///
    /// # Errors
    /// When there can't be such a match.
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
