//! What a page has to know once, before the first frame: the settings, in every form, and what there is to draw.

use super::Play;
use crate::settings::{FIELDS, PROFILES, Settings};
use isostep_core::shape::Geometry;
use isostep_core::{Real, Vec3};
use isostep_determinism_tests::games::{Kind, Team};
use serde_json::{Value, json};

impl Play {
    /// All that does not change from tick to tick.
    pub(crate) fn scene(&self) -> Value {
        let arena = self.fleet.machines()[0].game.arena();
        let moves = |kind| matches!(kind, Kind::Ball | Kind::Player(_) | Kind::Prop);
        let things: Vec<_> = arena
            .things()
            .map(|thing| {
                let (kind, team) = match thing.kind {
                    Kind::Ball => ("ball", None),
                    Kind::Player(player) => ("player", Some(Team::of(player))),
                    Kind::Prop => ("prop", None),
                    Kind::Goal(team) => ("goal", Some(team)),
                    Kind::Wall => ("wall", None),
                };
                let (shape, size) = match *thing.shape.geometry() {
                    Geometry::Sphere { radius } => ("round", [radius, Real::ZERO, radius]),
                    Geometry::Capsule { half_length, radius } => {
                        ("round", [radius, half_length, radius])
                    }
                    Geometry::Cuboid { half } => ("box", [half.x, half.y, half.z]),
                    _ => ("box", [Real::ZERO; 3]),
                };
                let Vec3 { x, y, z } = thing.pose.translation;
                let (size, at) = (size.map(Real::to_f32), [x, y, z].map(Real::to_f32));
                json!({
                    "kind": kind, "team": team.map(|team| u8::from(team == Team::Red)),
                    "shape": shape, "size": size,
                    "moves": moves(thing.kind), "at": at,
                })
            })
            .collect();
        let half = arena.half_sides().map(Real::to_f32);
        let profiles = PROFILES.map(|(name, link)| json!({ "name": name, "link": link }));
        let anew = FIELDS.iter().filter(|field| field.anew).map(|field| field.name);
        let mut scene = self.settings.json();
        scene["half"] = json!(half);
        scene["things"] = json!(things);
        scene["profiles"] = json!(profiles);
        // Settings that begin the match anew.
        scene["anew"] = json!(anew.collect::<Vec<_>>());
        scene
    }
}

impl Settings {
    /// As values, as an address and as a command.
    pub(crate) fn json(&self) -> Value {
        json!({ "settings": self, "query": self.query(), "command": self.command() })
    }
}
