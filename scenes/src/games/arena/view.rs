//! Drawables and scores of an arena.

use super::build::{BALL_RADIUS, PLAYER_HALF, cuboid, goal_shape, sphere};
use super::{Arena, ArenaSize, Player, Team};
use isostep_core::shape::Shape;
use isostep_core::world::BodyId;
use isostep_core::{Real, Transform};
use isostep_rollback::PlayerId;

/// Kind of a drawable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A player's body.
    Player(PlayerId),
    /// The ball.
    Ball,
    /// A body to kick.
    Prop,
    /// A side's goal, a sensor.
    Goal(Team),
    /// A fixed body.
    Wall,
}

/// An object to draw.
#[derive(Clone, Copy, Debug)]
pub struct Drawable {
    /// Its body.
    pub body: BodyId,
    /// Its kind.
    pub kind: Kind,
    /// Its shape.
    pub shape: Shape,
    /// Its pose.
    pub pose: Transform,
    /// True if the body is asleep.
    pub asleep: bool,
}

impl Arena {
    /// Everything but the floor, which is at height 0, in a constant order.
    pub fn drawables(&self) -> impl Iterator<Item = Drawable> + '_ {
        let cast = &self.cast;
        let ball = (cast.ball, Kind::Ball, sphere(BALL_RADIUS));
        let players = (0..).map(PlayerId).zip(&cast.players);
        let players = players.map(|(player, &id)| (id, Kind::Player(player), cuboid(PLAYER_HALF)));
        let props = cast.props.iter().map(|&(id, shape)| (id, Kind::Prop, shape));
        let goals = [Team::Blue, Team::Red].into_iter().zip(cast.goals);
        let goals = goals.map(|(team, id)| (id, Kind::Goal(team), goal_shape(cast.half)));
        let walls = cast.walls.iter().map(|&(id, shape)| (id, Kind::Wall, shape));
        let all = [ball].into_iter().chain(players).chain(props).chain(goals).chain(walls);
        all.filter_map(|(body, kind, shape)| {
            let view = self.world.body(body)?;
            Some(Drawable { body, kind, shape, pose: view.pose(), asleep: view.is_asleep() })
        })
    }

    /// Body of the ball.
    pub const fn ball(&self) -> BodyId {
        self.cast.ball
    }

    /// Body of a player; `None` if the seat does not exist.
    pub fn body_of(&self, player: PlayerId) -> Option<BodyId> {
        self.cast.players.get(usize::from(player.0)).copied()
    }

    /// Players by seat: goals, loadouts, cooldowns.
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// Goals of blue and red.
    pub const fn goals(&self) -> [u32; 2] {
        self.board.goals
    }

    /// Half extents of the field along x and z, metres.
    pub const fn half_sides(&self) -> [Real; 2] {
        self.cast.half
    }

    /// Number of players and props.
    pub const fn size(&self) -> ArenaSize {
        self.settings.size
    }
}
