//! Game of the matches: a small world in which inputs spawn, despawn and move bodies, and events of the world
//! determine the score.
//!
//! - `build.rs`: the world before the first tick, and definitions of bodies that are spawned later.
//! - `rules.rs`: the step.
//! - `orders.rs`: session commands, rarer changes of the world.
//! - `faults.rs`: faults of one machine, injected by the tests.
//!
//! Bodies are in several id streams: scenery, players, things, walls, blocks, and bullets of each player. The first body
//! of a stream is the first of a new page.

mod build;
mod faults;
mod orders;
mod rules;

pub(super) use faults::Fault;
pub(super) use orders::random_order;
pub(super) use rules::SeatInput;

use super::rng::mixed;
use isostep_core::digest::GameId;
use isostep_core::world::{BodyId, Past, World};
use isostep_derive::{Snapshot, State};
use serde::{Deserialize, Serialize};

/// Name of the game in recordings.
pub(super) const GAME: GameId = GameId(*b"skirmish of test");

const SCENERY: u8 = 0;
const PLAYERS: u8 = 1;
const THINGS: u8 = 3;
/// Bullets of the first player; those of the others follow.
const BULLETS: u8 = 4;
/// The first of eight streams of blocks.
const BLOCKS: u8 = 8;
/// The first of eleven streams of walls; others are scenery.
const WALLS: u8 = 16;

/// Size of a game; the same on all machines of a match.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Settings {
    pub(super) seed: u64,
    pub(super) seats: u8,
    /// Fixed bodies in the scenery before the first wall. A page has 32 rows, so the first walls begin a new page.
    pub(super) posts: u8,
    /// Fixed boxes with a crate on each.
    pub(super) supports: u8,
    pub(super) pickups: u8,
    /// Floor as a half space; else a box, from whose edge bodies fall.
    pub(super) endless: bool,
    /// Ticks of rest before bodies fall asleep.
    pub(super) drowsy_ticks: u8,
    /// Ticks that the world holds before a session asks for more. With few, rings grow when a tick has several steps.
    pub(super) history: u8,
}

/// State of a player beside its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Fighter {
    body: BodyId,
    score: u32,
    /// Last direction of the stick, for shots.
    aim: u8,
    enabled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Bullet {
    body: BodyId,
    owner: u8,
    ticks_left: u8,
}

/// Sensor that respawns in place, identical, some ticks after it was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pickup {
    body: Option<BodyId>,
    ticks_left: u8,
    taken: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Support {
    body: BodyId,
    /// True while the support is teleported away.
    away: bool,
    /// Crate on it.
    load: BodyId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Platform {
    body: BodyId,
    rider: BodyId,
    /// Place on its path, in steps, and the direction: 1, 0 or −1.
    at: i32,
    direction: i32,
}

/// Everything that the next tick depends on beside the world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Board {
    fighters: Vec<Fighter>,
    bullets: Vec<Bullet>,
    pickups: Vec<Pickup>,
    supports: Vec<Support>,
    platform: Platform,
    /// Sphere that rolls through pickups.
    roller: BodyId,
    /// Spawned at run time, oldest first.
    walls: Vec<BodyId>,
    built: u32,
    /// Fixed bodies that orders spawned, oldest first.
    blocks: Vec<BodyId>,
    /// World steps per tick, and for how many ticks that is more than one.
    hurry: (u8, u8),
    /// Refused commands. An error is part of the game, so it must be equal on all machines.
    refused: u32,
    /// Hash of all events so far, with their ids.
    chronicle: u64,
}

/// Settings and faults of one machine; none of them may affect the state.
#[derive(Clone, Debug, Default)]
pub(super) struct Local {
    /// Drop scratch and step records before every step.
    pub(super) naive: bool,
    /// Steps so far, resimulated ones included.
    pub(super) calls: u32,
    pub(super) fault: Option<Fault>,
}

/// Game of a match.
#[derive(Debug, State, Snapshot)]
#[state(crate = isostep_core::state)]
pub(super) struct Skirmish {
    pub(super) world: World,
    board: Board,
    #[state(fixed)]
    settings: Settings,
    #[state(scratch)]
    pub(super) local: Local,
}

impl Skirmish {
    pub(super) fn new(settings: Settings) -> Self {
        let (world, board) = build::build(&settings);
        Self { world, board, settings, local: Local::default() }
    }

    /// Returns an independent game in the same state: no shared history, step records or scratch.
    pub(super) fn copy(&self) -> Self {
        let (world, board) = (self.world.clone(), self.board.clone());
        Self { world, board, settings: self.settings, local: Local::default() }
    }
}

/// Hashes the public view of a tick of a world: bodies, and events with their ids.
pub(super) fn reading(past: &Past<'_>) -> u64 {
    let mut hash = 0;
    for (id, body) in past.bodies() {
        let vectors = [body.position(), body.velocity(), body.angular_velocity()];
        let vectors = vectors.iter().flat_map(|vector| vector.to_bits());
        let rotation = body.rotation().to_bits().map(i64::from);
        let flags = u64::from(body.is_asleep()) << 8 | body.kind() as u64;
        hash = mixed(&[hash, id.to_bits(), flags, body.user_data()]);
        hash = vectors.chain(rotation).fold(hash, |hash, bits| mixed(&[hash, bits as u64]));
    }
    past.events().fold(hash, |hash, event| rules::noted(hash, &event))
}
