//! Shared games: simulations with exact parameters and input scripts, used by tests, examples,
//! benches and the lab.
#![allow(
    clippy::missing_panics_doc,
    reason = "games are built of constants: what they expect holds or a test fails"
)]

mod arena;
pub mod tumble;

pub use arena::{
    ARENA_GAME, Arena, ArenaInput, ArenaName, ArenaSize, Drawable, JUMP, KICK, Kind, LOADOUTS,
    Loadout, Player, Team, arena_input, choose_loadout,
};
