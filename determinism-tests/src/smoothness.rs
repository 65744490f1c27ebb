//! Smoothness of a drawn match: arena matches of two over all kinds of links, drawn at 144 Hz in
//! virtual time, without smoothing and with each kind of it. All kinds draw the same match.

use core::fmt::Write as _;
use core::time::Duration;
use isostep_core::world::{BodyId, BodyKind};
use isostep_core::{Real, Vec3};
use isostep_rollback::presentation::{Poses, Smoothing, WorldReader};
use isostep_rollback::sim_match::SimMatchError;
use isostep_rollback::{LinkConfig, Mode, SessionConfig, SimMatch};
use isostep_scenes::games::{Arena, ArenaSize, arena_input};
use std::collections::BTreeMap;

/// Frames a second.
const FRAME_RATE: u64 = 144;
/// Ticks of input delay: few, so that there are rollbacks to smooth.
const DELAY: u32 = 2;
/// Deep enough for the worst link, so that no machine stalls.
const PREDICTION: u32 = 60;

/// Kinds of smoothing; the first is none.
pub const KINDS: [(&str, Smoothing); 5] = [
    ("none", Smoothing::OFF),
    ("decay, half in 50 ms", Smoothing::decay(Duration::from_millis(50))),
    ("decay, half in 100 ms", Smoothing::decay(Duration::from_millis(100))),
    ("projection, 100 ms", Smoothing::project(Duration::from_millis(100))),
    ("projection, 200 ms", Smoothing::project(Duration::from_millis(200))),
];

/// Results of one link with one kind of smoothing. Lengths in micrometres.
#[derive(Clone, Debug, Default)]
pub struct Smoothness {
    /// For each frame: the largest movement of a body since the last frame beyond its speed.
    jumps: Vec<i64>,
    /// For each frame: the largest distance between a drawn body and its true position.
    errors: Vec<i64>,
}

impl Smoothness {
    /// Percentile of the jump; 100 for the largest.
    pub fn jump(&self, percent: usize) -> i64 {
        percentile(&self.jumps, percent)
    }

    /// Percentile of the distance from the true position.
    pub fn error(&self, percent: usize) -> i64 {
        percentile(&self.errors, percent)
    }
}

fn percentile(values: &[i64], percent: usize) -> i64 {
    let mut sorted = values.to_vec();
    sorted.sort();
    let at = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    sorted.get(at).copied().unwrap_or(0)
}

fn micrometres(length: Real) -> i64 {
    ((i128::from(length.to_bits()) * 1_000_000) >> 32) as i64
}

/// One kind of smoothing, and its last frame.
struct Screen {
    poses: Poses<BodyId>,
    last: BTreeMap<BodyId, Vec3>,
    seen: Smoothness,
}

impl Screen {
    /// Draws a frame and compares it with the last; `speeds` are the bodies' permitted speeds.
    fn draw(&mut self, alpha: Real, elapsed: Duration, speeds: &BTreeMap<BodyId, Real>) {
        self.poses.frame(alpha, elapsed);
        let seconds = Real::from_bits(((elapsed.as_nanos() << 32) / 1_000_000_000) as i64);
        let (mut jump, mut error) = (Real::ZERO, Real::ZERO);
        for (key, drawn) in self.poses.iter() {
            let place = drawn.pose.translation;
            let before = self.last.insert(key, place).filter(|_| !drawn.cut);
            let explained = speeds.get(&key).copied().unwrap_or_default() * seconds;
            jump = jump.max(before.map_or(Real::ZERO, |before| place.distance(before) - explained));
            let truth = self.poses.pose(key, alpha).map_or(place, |pose| pose.translation);
            error = error.max(place.distance(truth));
        }
        self.seen.jumps.push(micrometres(jump));
        self.seen.errors.push(micrometres(error));
    }
}

/// Plays a match of this many seconds over a link and measures one of the two screens. Returns the rollbacks of that
/// machine, and the results of each kind of smoothing.
///
/// # Errors
/// The match can't be played.
pub fn measure(
    link: LinkConfig,
    seconds: u32,
    seed: u64,
) -> Result<(u64, Vec<Smoothness>), SimMatchError> {
    let size = ArenaSize { players: 2, props: 12 };
    let config = SessionConfig::new().delay(DELAY).mode(Mode::Rollback { max: PREDICTION });
    let tick_length = config.duration_of(1);
    let mut fleet = SimMatch::mesh(seed, 2, &config, link, |_| Arena::new(size, seed))?;
    // Exactly one tick at a time, which makes frames between ticks easy to place.
    fleet.machines_mut().iter_mut().for_each(|machine| machine.paced = false);
    let mut screens: Vec<Screen> = KINDS
        .iter()
        .map(|&(_, smoothing)| Screen {
            poses: Poses::new(tick_length).smoothing(smoothing),
            last: BTreeMap::new(),
            seen: Smoothness::default(),
        })
        .collect();
    let mut reader = WorldReader::new();
    let mut speeds = BTreeMap::new();
    let (mut frames, mut drawn_at) = (0u64, Duration::ZERO);
    for ticks in 1..=seconds * 60 {
        fleet.run(1, |_, player, tick| arena_input(seed, player, tick))?;
        let machine = &fleet.machines()[0];
        let world = machine.game.world();
        let ran = machine.report;
        let tick = machine.session.current_tick();
        let samples: Vec<_> = reader
            .read(tick, ran, world)
            .filter(|sample| {
                world.body(sample.key).is_some_and(|body| body.kind() == BodyKind::Dynamic)
            })
            .collect();
        // Permitted speeds: that after the step, and the mean one over it, which differs if a body
        // has two impacts in one step. A frame right after a tick also shows motion of the tick
        // before.
        let mut faster = BTreeMap::new();
        for sample in &samples {
            let jumped = sample.jumped.is_some_and(|step| step.next() == tick);
            let mean = sample.before.filter(|_| !jumped).map_or(Real::ZERO, |before| {
                before.translation.distance(sample.now.translation) * 60
            });
            let now = sample.motion.velocity.length().max(mean);
            let was = speeds.insert(sample.key, now).unwrap_or(now);
            faster.insert(sample.key, now.max(was));
        }
        for screen in &mut screens {
            screen.poses.tick(tick, ran, samples.iter().copied());
        }
        let (start, end) = (config.duration_of(ticks), config.duration_of(ticks + 1));
        loop {
            let at = Duration::from_nanos(frames * 1_000_000_000 / FRAME_RATE);
            if at >= end {
                break;
            }
            frames += 1;
            let Some(since) = at.checked_sub(start) else { continue };
            let alpha = (since.as_nanos() << 32) / tick_length.as_nanos();
            let elapsed = at.saturating_sub(core::mem::replace(&mut drawn_at, at));
            for screen in &mut screens {
                screen.draw(Real::from_bits(alpha as i64), elapsed, &faster);
            }
        }
    }
    let rollbacks = fleet.machines()[0].session.stats().rollbacks;
    Ok((rollbacks, screens.into_iter().map(|screen| screen.seen).collect()))
}

/// Table of all links and kinds, as text.
///
/// # Errors
/// A match can't be played.
pub fn table(seconds: u32, seed: u64) -> Result<String, SimMatchError> {
    let links = [
        ("perfect", LinkConfig::perfect()),
        ("wifi", LinkConfig::wifi()),
        ("mobile", LinkConfig::mobile()),
        ("severe", LinkConfig::severe()),
    ];
    let mut text = format!(
        "two players, 12 props, {seconds} s, {DELAY} ticks of delay, {FRAME_RATE} pictures a second; the worst body of \
         each picture, mm\n\
         link     rollbacks  smoothing              largest jump  p99 jump  p90 jump  p99 off the truth  p90 off\n"
    );
    for (name, link) in links {
        let (rollbacks, seen) = measure(link, seconds, seed)?;
        for ((kind, _), seen) in KINDS.iter().zip(&seen) {
            let mm = |value: i64| format!("{}.{}", value / 1000, value % 1000 / 100);
            let _ = writeln!(
                text,
                "{name:8} {rollbacks:>9}  {kind:21}  {:>12}  {:>8}  {:>8}  {:>17}  {:>7}",
                mm(seen.jump(100)),
                mm(seen.jump(99)),
                mm(seen.jump(90)),
                mm(seen.error(99)),
                mm(seen.error(90)),
            );
        }
    }
    Ok(text)
}
