//! The arena: players walk, jump and kick a ball and props about between walls, and score in two goals.
//!
//! - `build.rs`: the world and who is who in it.
//! - `input.rs`: what a player sends, and scripts that look like people.
//! - `play.rs`: the step.
//! - `bot.rs`: who plays when nobody does.
//! - `view.rs`: looking at it, to draw.
//! - `name.rs`: which arena a recording is of.
//!
//! All that the next tick depends on is in [`Arena`], saved and hashed; what never changes is only hashed.

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

/// How much there is in an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArenaSize {
    /// Seats, 1 to 32; even ones play towards +x, odd ones towards −x.
    pub players: u8,
    /// Things to kick besides the ball: spheres, boxes and capsules in turn.
    pub props: u16,
}

/// Which side somebody plays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Team {
    /// Even seats. Their goal is at −x.
    Blue,
    /// Odd seats. Their goal is at +x.
    Red,
}

impl Team {
    /// The side of a seat.
    pub const fn of(player: PlayerId) -> Self {
        if player.0.is_multiple_of(2) { Self::Blue } else { Self::Red }
    }

    /// −1 or 1: where its own goal is along x.
    const fn side(self) -> i32 {
        match self {
            Self::Blue => -1,
            Self::Red => 1,
        }
    }
}

/// What a player may choose to kick with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loadout {
    /// What a kick adds to a speed, m/s.
    pub kick: Real,
    /// Ticks until the next kick.
    pub rest_ticks: u16,
}

/// The loadouts to choose from; the first one is everybody's at the start.
pub const LOADOUTS: [Loadout; 4] = [
    Loadout { kick: real!(5), rest_ticks: 20 },
    Loadout { kick: real!(3), rest_ticks: 8 },
    Loadout { kick: real!(8), rest_ticks: 45 },
    Loadout { kick: real!(12), rest_ticks: 90 },
];

/// What is known of a player beside the body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// Goals they shot.
    pub goals: u32,
    /// Which of [`LOADOUTS`].
    pub loadout: u8,
    /// Ticks until the next kick.
    pub kick_rest: u16,
    /// Ticks until the next jump.
    pub jump_rest: u16,
    /// Kicks that met something.
    pub kicks: u32,
}

/// How the match stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Board {
    /// Goals of blue and red.
    goals: [u32; 2],
    /// Who touched the ball last.
    last_touch: Option<PlayerId>,
}

/// What a match was set up with.
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
///     inputs.follow(&[0, 1].map(|player| arena_input(7, PlayerId(player), tick)));
///     arena.step(tick, &inputs);
/// }
/// assert_eq!(arena.world().tick(), 60);
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
    /// An arena before the kick-off. The seed decides where props lie and what bots do.
    pub fn new(size: ArenaSize, seed: u64) -> Self {
        let size = ArenaSize { players: size.players.clamp(1, 32), ..size };
        let (world, cast) = build::build(size, seed);
        let players = vec![Player::default(); usize::from(size.players)];
        let settings = Settings { size, seed };
        Self { world, players, board: Board::default(), cast, settings }
    }

    /// The world it is played in.
    pub const fn world(&self) -> &World {
        &self.world
    }

    /// The world, to choose how it computes ticks again, or to plant faults.
    pub const fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The players, to plant faults.
    pub fn players_mut(&mut self) -> &mut [Player] {
        &mut self.players
    }
}
