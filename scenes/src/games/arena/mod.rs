//! The arena: players walk, jump and kick a ball and props between walls, and score in two goals.
//!
//! - `build.rs`: the world and its body ids.
//! - `input.rs`: inputs, and scripts of human-like inputs.
//! - `play.rs`: the step.
//! - `bot.rs`: bots for seats without a player.
//! - `view.rs`: drawables and scores.
//! - `name.rs`: settings of the arena in recordings.
//!
//! [`Arena`] holds everything that the next tick depends on. It is saved and hashed; constant fields are only hashed.

mod bot;
mod build;
mod input;
mod name;
mod play;
mod view;

pub use input::{ArenaInput, JUMP, KICK, arena_input, choose_loadout};
pub use name::{ARENA_GAME, ArenaName};
pub use view::{Drawable, Kind};

use build::Cast;
use isostep_core::world::World;
use isostep_core::{Real, real};
use isostep_derive::{Snapshot, State};
use isostep_rollback::PlayerId;
use serde::{Deserialize, Serialize};

/// Number of players and props in an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArenaSize {
    /// Seats, 1 to 32; even ones play towards +x, odd ones towards −x.
    pub players: u8,
    /// Bodies to kick besides the ball: spheres, boxes and capsules in turn.
    pub props: u16,
}

/// Side of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Team {
    /// Even seats. Their goal is at −x.
    Blue,
    /// Odd seats. Their goal is at +x.
    Red,
}

impl Team {
    /// Side of a seat.
    pub const fn of(player: PlayerId) -> Self {
        if player.0.is_multiple_of(2) { Self::Blue } else { Self::Red }
    }

    /// Side of its own goal along x: −1 or 1.
    const fn side(self) -> i32 {
        match self {
            Self::Blue => -1,
            Self::Red => 1,
        }
    }
}

/// Kick that a player can select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loadout {
    /// Speed that a kick adds, m/s.
    pub kick: Real,
    /// Ticks until the next kick.
    pub rest_ticks: u16,
}

/// All loadouts; players start with the first.
pub const LOADOUTS: [Loadout; 4] = [
    Loadout { kick: real!(5), rest_ticks: 20 },
    Loadout { kick: real!(3), rest_ticks: 8 },
    Loadout { kick: real!(8), rest_ticks: 45 },
    Loadout { kick: real!(12), rest_ticks: 90 },
];

/// State of a player beside the body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// Goals scored.
    pub goals: u32,
    /// Index into [`LOADOUTS`].
    pub loadout: u8,
    /// Ticks until the next kick.
    pub kick_rest: u16,
    /// Ticks until the next jump.
    pub jump_rest: u16,
    /// Kicks that hit something.
    pub kicks: u32,
}

/// Score of the match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Board {
    /// Goals of blue and red.
    goals: [u32; 2],
    /// Last player who touched the ball.
    last_touch: Option<PlayerId>,
}

/// Initial settings of a match.
#[derive(Clone, Copy, Debug, Serialize)]
struct Settings {
    size: ArenaSize,
    seed: u64,
}

/// A match in an arena.
///
/// ```
/// use isostep_scenes::games::{Arena, ArenaSize, arena_input};
/// use isostep_rollback::{Inputs, PlayerId, Simulation, Tick};
///
/// let mut arena = Arena::new(ArenaSize { players: 2, props: 6 }, 1);
/// let mut inputs = Inputs::new(2);
/// for tick in (0..60).map(Tick) {
///     inputs.set_next(&[0, 1].map(|player| arena_input(7, PlayerId(player), tick)));
///     arena.step(tick, &inputs);
/// }
/// assert_eq!(arena.world().tick().0, 60);
/// ```
#[derive(Debug, State, Snapshot)]
#[state(crate = isostep_core::state)]
pub struct Arena {
    world: World,
    players: Vec<Player>,
    board: Board,
    #[state(fixed)]
    cast: Cast,
    #[state(fixed)]
    settings: Settings,
}

impl Arena {
    /// Creates an arena before the kick-off. The seed determines the positions of props and the
    /// bots.
    pub fn new(size: ArenaSize, seed: u64) -> Self {
        let size = ArenaSize { players: size.players.clamp(1, 32), ..size };
        let (world, cast) = build::build(size, seed);
        let players = vec![Player::default(); usize::from(size.players)];
        let settings = Settings { size, seed };
        Self { world, players, board: Board::default(), cast, settings }
    }

    /// The world.
    pub const fn world(&self) -> &World {
        &self.world
    }

    /// The world, for setting its resimulation mode or injecting faults.
    pub const fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The players, for injecting faults.
    pub fn players_mut(&mut self) -> &mut [Player] {
        &mut self.players
    }
}
