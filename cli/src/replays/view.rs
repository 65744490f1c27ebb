//! View of a recording at one tick: digest, score, bodies.

use super::open::{PlaybackOf, PlayerOf};
use crate::drawable::{Drawable, DrawableGame, Kind, score_text};
use isostep_core::digest::Digest;
use isostep_rollback::Tick;
use isostep_rollback::replay::ReplayError;
use serde_json::{Value, json};
use std::time::Duration;

/// A tick of a recording.
pub(super) struct View {
    pub(super) tick: Tick,
    /// Time since the start of the match.
    pub(super) seconds: f64,
    /// First half of the digest in hex, the length that recordings store.
    pub(super) digest: String,
    /// Points by side.
    pub(super) score: Vec<i32>,
    /// Bodies, players first.
    pub(super) bodies: Vec<Body>,
}

/// A body that can move.
pub(super) struct Body {
    pub(super) id: String,
    pub(super) what: String,
    /// Position, metres.
    pub(super) place: [f64; 3],
    pub(super) asleep: bool,
    is_player: bool,
}

/// Time of some ticks. The length of a tick is a whole number of nanoseconds, so that of a sixtieth of a second is rounded; the tick rate is
/// exact.
pub(super) fn seconds(tick_length: Duration, ticks: u32) -> f64 {
    let nanoseconds = tick_length.as_nanos().max(1);
    let rate = (1_000_000_000 + nanoseconds / 2) / nanoseconds;
    let rounded_rate = rate != 0 && (1_000_000_000 / rate).abs_diff(nanoseconds) <= 1;
    if rounded_rate {
        f64::from(ticks) / rate as f64
    } else {
        tick_length.as_secs_f64() * f64::from(ticks)
    }
}

impl View {
    pub(super) fn at<G: DrawableGame>(player: &mut PlayerOf<G>) -> Result<Self, ReplayError> {
        let digest = player.digest()?;
        let length = player.replay().info().tick_length;
        Ok(Self::of(player.game(), player.tick(), length, digest))
    }

    pub(super) fn shown<G: DrawableGame>(
        playback: &mut PlaybackOf<G>,
    ) -> Result<Self, ReplayError> {
        let digest = playback.digest()?;
        let length = playback.replay().info().tick_length;
        Ok(Self::of(playback.game(), playback.tick(), length, digest))
    }

    fn of<G: DrawableGame>(game: &G, tick: Tick, length: Duration, digest: Digest) -> Self {
        let mut digest = digest.to_string();
        digest.truncate(16);
        let seconds = seconds(length, tick.0);
        Self { tick, seconds, digest, score: game.score(), bodies: bodies(game) }
    }

    pub(super) fn players(&self) -> impl Iterator<Item = &Body> {
        self.bodies.iter().filter(|body| body.is_player)
    }

    /// Formats the tick as one line.
    pub(super) fn line(&self) -> String {
        let Self { tick, seconds, digest, score, .. } = self;
        let places = self.players().map(|player| {
            let [x, y, z] = player.place;
            format!("  ({x:.2}, {y:.2}, {z:.2})")
        });
        let places: String = places.collect();
        format!("{tick:>7} {seconds:>8.1} s  {digest}  {}{places}", score_text(score))
    }

    /// Table header, and a row for each of these bodies.
    pub(super) fn table<'a>(bodies: impl Iterator<Item = &'a Body>) -> Vec<String> {
        let head = format!("  {:<6} {:<14} {:>9} {:>9} {:>9}", "body", "what", "x m", "y m", "z m");
        let rows = bodies.map(|Body { id, what, place: [x, y, z], asleep, .. }| {
            let rest = if *asleep { "  asleep" } else { "" };
            format!("  {id:<6} {what:<14} {x:>9.3} {y:>9.3} {z:>9.3}{rest}")
        });
        [head].into_iter().chain(rows).collect()
    }

    pub(super) fn json(&self) -> Value {
        let body = |body: &Body| {
            let Body { id, what, place, asleep, .. } = body;
            json!({ "id": id, "what": what, "place": place, "asleep": asleep })
        };
        json!({
            "tick": self.tick.0,
            "seconds": self.seconds,
            "digest": self.digest,
            "score": self.score,
            "bodies": self.bodies.iter().map(body).collect::<Vec<_>>(),
        })
    }
}

fn bodies<G: DrawableGame>(game: &G) -> Vec<Body> {
    let mut bodies: Vec<Body> = game
        .drawables()
        .filter(|thing| thing.kind.moves())
        .map(|thing| body::<G>(&thing))
        .collect();
    bodies.sort_by_key(|body| !body.is_player);
    bodies
}

fn body<G: DrawableGame>(thing: &Drawable) -> Body {
    let is_player = matches!(thing.kind, Kind::Player(_));
    let place = thing.pose.translation.to_array().map(isostep_core::Real::to_f64);
    let (id, what) = (thing.body.to_string(), thing.description(G::SIDES));
    Body { id, what, place, asleep: thing.asleep, is_player }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 240 ticks of a sixtieth of a second were 3.99999984 s.
    #[test]
    fn seconds_of_a_tick_rate_are_exact() {
        let text = |length, ticks| seconds(length, ticks).to_string();
        for rate in [10, 24, 30, 50, 60, 120, 128, 144, 240] {
            let rounded = Duration::from_nanos((1_000_000_000 + rate / 2) / rate);
            for length in [Duration::from_nanos(1_000_000_000 / rate), rounded] {
                assert_eq!(text(length, 4 * rate as u32), "4", "{rate} a second");
            }
        }
        assert_eq!(text(Duration::from_millis(1_500), 4), "6");
        assert_eq!(text(Duration::from_micros(16_700), 1_000), "16.7");
    }
}
