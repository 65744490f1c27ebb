//! Who signs tokens and rosters. It runs where the players meet before a match, never in a player's game.

use super::ids::{MAX_SLOTS, Slot};
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
    /// There is no such slot.
    #[error("there is no {slot}; a match has the slots 0 to 7")]
    Slot {
        /// The slot.
        slot: Slot,
    },
    /// A slot is given twice.
    #[error("{slot} is given to two players; give each a slot of its own")]
    Taken {
        /// The slot.
        slot: Slot,
    },
    /// A key is given twice.
    #[error("{slot} has the key of another slot; let each player make a key of its own")]
    Shared {
        /// The second of them.
        slot: Slot,
    },
    /// Nothing would be secret with this key.
    #[error("the key of {slot} is no key that anybody made; let the player make a new one")]
    Unsound {
        /// The slot.
        slot: Slot,
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

    /// The roster of a match, and the players' tokens in ascending order of slots.
    ///
    /// # Errors
    /// When there can't be such a match.
    pub fn issue(
        &self,
        spec: &MatchSpec,
        holders: &[(Slot, PublicKey)],
    ) -> Result<(Roster, Vec<Token>), IssueError> {
        if spec.expires <= spec.issued {
            return Err(IssueError::Expired);
        }
        if !(2..=MAX_SLOTS).contains(&holders.len()) {
            return Err(IssueError::Count { count: holders.len() });
        }
        let mut entries = holders.to_vec();
        entries.sort_by_key(|entry| entry.0);
        for (index, &(slot, key)) in entries.iter().enumerate() {
            let before = &entries[..index];
            if usize::from(slot.0) >= MAX_SLOTS {
                return Err(IssueError::Slot { slot });
            }
            if before.last().is_some_and(|last| last.0 == slot) {
                return Err(IssueError::Taken { slot });
            }
            if before.iter().any(|entry| entry.1 == key) {
                return Err(IssueError::Shared { slot });
            }
            if !key.is_sound() {
                return Err(IssueError::Unsound { slot });
            }
        }
        let token = |&(slot, key): &(Slot, PublicKey)| Token::sign(&self.key, spec, slot, key);
        let tokens = entries.iter().map(token).collect();
        Ok((Roster::sign(&self.key, spec, entries), tokens))
    }
}
