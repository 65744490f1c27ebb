//! Ids of games, for matches and recordings.

use core::fmt;

/// Id of a game. Machines with different games refuse to connect, and recordings of other games are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub [u8; 16]);

impl GameId {
    /// Derives the id from a name. Include everything that must agree, such as the version of the rules: `"tanks 3"`.
    pub fn named(name: &str) -> Self {
        let hash = blake3::derive_key("isostep 2026 game id", name.as_bytes());
        let mut id = [0; 16];
        id.copy_from_slice(&hash[..16]);
        Self(id)
    }
}

/// Thirty-two hex digits.
impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_id_is_stable() {
        let id = GameId::named("tanks");
        assert_eq!(id.to_string(), "4e4544b01263749a5a68f73baf425d38");
        assert_ne!(id, GameId::named("Tanks"));
    }
}
