//! A match drawn with macroquad: poses between ticks, smoothed errors, and effects that a rollback may take back.
//!
//! Two machines play in this process over a simulated mobile network. The window shows the first; arrow keys or W A S D push its
//! ball, a script pushes the other. Space switches the presentation off, to see what it does. L shows debug lines, K those of the
//! newest confirmed tick.
//!
//! `cargo run --release --manifest-path examples/drawing/Cargo.toml`, and `-- --picture FILE` saves a picture after ten seconds;
//! `--lines` shows debug lines from the start.

use isostep::netcode::crypto::{Credentials, GameId, MachineId};
use isostep::netcode::transport::SimTransport;
use isostep::netcode::{Address, Peer, PeerConfig, SeededEntropy};
use isostep::rollback::presentation::{
    EffectConfig, EffectEvent, EffectId, EffectJournal, Smoothing,
};
use isostep::rollback::{LinkConfig, Poses, RunReport, SimNetwork, WorldReader};
use isostep::world::{DebugDraw, DebugTopic};
use isostep::{
    BodyDef, BodyId, BodyKind, Event, Inputs, PlayerId, Real, SessionConfig, Shape, Simulation,
    State, Stick, Tick, Time, Vec3, World, WorldDef, real,
};
use macroquad::prelude as mq;
use std::error::Error;
use std::time::Duration;

/// Half of the yard's edge, metres.
const YARD: Real = real!(7);

/// Two balls and some crates in a yard.
#[derive(State)]
struct Yard {
    world: World,
    #[state(fixed)]
    balls: [BodyId; 2],
}

impl Yard {
    fn new() -> Result<Self, Box<dyn Error>> {
        let mut world = World::new(WorldDef::default())?;
        world.spawn(BodyDef::fixed().shape(Shape::HALF_SPACE))?;
        for (x, z) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let half =
                Vec3::new(real!(0.5) + YARD * (z * z), real!(1), real!(0.5) + YARD * (x * x));
            let place = Vec3::from_ints(x, 0, z) * (YARD + real!(0.5));
            world.spawn(BodyDef::fixed().at(place).shape(Shape::cuboid(half)?))?;
        }
        let crates = Shape::cuboid(Vec3::splat(real!(0.5)))?;
        for i in 0..9 {
            let place =
                Vec3::new(Real::from_int(i % 3 * 2 - 2), real!(0.5), Real::from_int(i / 3 * 2 - 2));
            world.spawn(BodyDef::dynamic().at(place).shape(crates))?;
        }
        let ball = BodyDef::dynamic().shape(Shape::sphere(real!(0.5))?).damping(real!(1), real!(1));
        let at = |x| ball.clone().at(Vec3::new(x, real!(0.5), real!(0)));
        let balls = [world.spawn(at(real!(-5)))?, world.spawn(at(real!(5)))?];
        world.commit();
        Ok(Self { world, balls })
    }
}

impl Simulation for Yard {
    type Input = Stick;

    fn step(&mut self, _: Tick, inputs: &Inputs<Stick>) {
        for (ball, (_, input)) in self.balls.into_iter().zip(inputs.iter()) {
            let push = Vec3::new(input.value.x(), real!(0), input.value.y()) * 150;
            self.world.apply_impulse(ball, push).expect("balls are never despawned");
        }
        self.world.step();
    }
}

/// A contact that may be drawn; the bodies are its cause, so that a rollback that moves it by a tick changes nothing.
type Cause = [BodyId; 2];

/// Cause and place of an impact that is worth a ring.
fn impact_to_draw(event: Event) -> Option<(Cause, Vec3)> {
    match event {
        Event::Impact(impact) if impact.speed > real!(2) => {
            Some((impact.pair.bodies, impact.point))
        }
        _ => None,
    }
}

/// A ring around a contact.
struct Ring {
    id: EffectId,
    place: Vec3,
    age: f32,
    cancelled: bool,
}

/// All that is drawn. It reads the match and never changes it.
struct View {
    poses: Poses<BodyId>,
    reader: WorldReader,
    journal: EffectJournal<Cause, Vec3>,
    rings: Vec<Ring>,
    /// Number of effects started, confirmed, cancelled.
    counts: [u32; 3],
}

impl View {
    fn new(tick: Duration) -> Self {
        Self {
            poses: Poses::new(tick).smoothing(Smoothing::decay(Duration::from_millis(60))),
            reader: WorldReader::new(),
            journal: EffectJournal::new(EffectConfig::default()),
            rings: Vec::new(),
            counts: [0; 3],
        }
    }

    /// Call after each tick, with its report: a rollback has simulated old ticks again.
    fn tick(
        &mut self,
        now: Tick,
        report: RunReport,
        confirmed: Tick,
        world: &World,
    ) -> Result<(), Box<dyn Error>> {
        self.poses.tick(now, report, self.reader.read(now, report, world));
        for tick in (now - (report.new + report.resimulated)).0..now.0 {
            // The events of a step are in the history, with the tick that the step led to.
            let step = Tick(tick);
            let impacts = world.past(step.next())?.events().filter_map(impact_to_draw);
            self.journal.tick(step, impacts);
        }
        self.journal.confirm(confirmed);
        Ok(())
    }

    /// Call once for each frame.
    fn frame(&mut self, alpha: Real, elapsed: Duration) {
        self.poses.frame(alpha, elapsed);
        while let Some(event) = self.journal.poll() {
            match event {
                EffectEvent::Started { id, payload, .. } => {
                    self.counts[0] += 1;
                    self.rings.push(Ring { id, place: payload, age: 0.0, cancelled: false });
                }
                // It plays on.
                EffectEvent::Confirmed { .. } => self.counts[1] += 1,
                EffectEvent::Cancelled { id, .. } => {
                    self.counts[2] += 1;
                    let rings = self.rings.iter_mut().filter(|ring| ring.id == id);
                    rings.for_each(|ring| ring.cancelled = true);
                }
            }
        }
        for ring in &mut self.rings {
            // What did not happen ends four times as fast.
            ring.age += elapsed.as_secs_f32() * if ring.cancelled { 4.0 } else { 1.0 };
        }
        self.rings.retain(|ring| ring.age < 0.6);
    }

    fn draw(&self, world: &World, balls: [BodyId; 2], smooth: bool, lines: Option<Tick>) {
        mq::clear_background(mq::Color::from_hex(0x10_1820));
        mq::set_camera(&mq::Camera3D {
            position: mq::vec3(0.0, 12.0, 11.0),
            target: mq::vec3(0.0, 0.0, 0.5),
            ..Default::default()
        });
        mq::draw_grid(14, 1.0, mq::DARKGRAY, mq::Color::from_hex(0x2a_3440));
        for (id, drawn) in self.poses.iter() {
            let Some(body) = world.body(id).filter(|body| body.kind() == BodyKind::Dynamic) else {
                continue;
            };
            let pose = if smooth { drawn.pose } else { body.pose() };
            // Here fixed point becomes floats; nothing goes back.
            let place = mq::Vec3::from_array(pose.translation.into());
            let turn = mq::Mat3::from_quat(mq::Quat::from_array(pose.rotation.into()));
            match balls.iter().position(|&ball| ball == id) {
                Some(player) => {
                    mq::draw_sphere(place, 0.5, None, [mq::SKYBLUE, mq::ORANGE][player]);
                    // A spot shows that it rolls.
                    mq::draw_sphere(place + turn.y_axis * 0.42, 0.12, None, mq::WHITE);
                }
                None => draw_crate(place, turn),
            }
        }
        for ring in &self.rings {
            let colour = if ring.cancelled { mq::RED } else { mq::YELLOW };
            let place = mq::Vec3::from_array(ring.place.into());
            mq::draw_sphere_wires(
                place,
                0.2 + ring.age * 1.5,
                None,
                mq::Color { a: 1.0 - ring.age / 0.6, ..colour },
            );
        }
        if let Some(tick) = lines {
            draw_lines(world, tick);
        }
        mq::set_default_camera();
    }
}

/// Tick of debug lines.
#[derive(Clone, Copy, PartialEq)]
enum Lines {
    Current,
    /// The newest tick with the inputs of all players.
    Confirmed,
}

/// Draws debug lines of a tick that the world holds.
fn draw_lines(world: &World, tick: Tick) {
    use DebugTopic::{Bounds, Centers, Contacts, Impulses, Islands, Normals, Sleep};
    let draw = DebugDraw::new([Bounds, Centers, Contacts, Impulses, Islands, Normals, Sleep]);
    let Ok(past) = world.past(tick) else { return };
    past.debug_lines(&draw.mark(real!(0.25)), |line| {
        let [start, end] = [line.start, line.end].map(|end| mq::Vec3::from_array(end.into()));
        let [red, green, blue, opacity] = line.color;
        mq::draw_line_3d(start, end, mq::Color::from_rgba(red, green, blue, opacity));
    });
}

fn draw_crate(place: mq::Vec3, turn: mq::Mat3) {
    let corner = place - (turn.x_axis + turn.y_axis + turn.z_axis) * 0.5;
    mq::draw_affine_parallelepiped(corner, turn.x_axis, turn.y_axis, turn.z_axis, None, mq::BROWN);
    // Edges along each axis.
    for (along, a, b) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        for (i, j) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
            let from = corner + turn.col(a) * i + turn.col(b) * j;
            mq::draw_line_3d(from, from + turn.col(along), mq::BEIGE);
        }
    }
}

/// A machine of the match.
struct Machine {
    peer: Peer<Yard, SimTransport>,
    game: Yard,
    view: View,
}

impl Machine {
    fn new(own: u8, transport: SimTransport) -> Result<Self, Box<dyn Error>> {
        let credentials = Credentials::insecure(MachineId(own), 2, GameId::named("yard"))?;
        let config = PeerConfig::new(credentials, 0)
            .session(SessionConfig::new().delay(1))
            .address(MachineId(1 - own), Address::Node((1 - own).into()));
        let mut game = Yard::new()?;
        let peer =
            Peer::new(config, &mut game, transport, Box::new(SeededEntropy::new(own.into())))?;
        let view = View::new(peer.session().config().duration_of(1));
        Ok(Self { peer, game, view })
    }

    /// The calls of a frame; returns the fraction of the next tick.
    fn frame(&mut self, now: Time, input: impl Fn(Tick) -> Stick) -> Result<Real, Box<dyn Error>> {
        let frame = self.peer.begin_frame(now);
        for _ in 0..frame.ticks {
            let input = input(self.peer.session().current_tick());
            for player in self.peer.local_players().collect::<Vec<PlayerId>>() {
                self.peer.local_input(player, input)?;
            }
            let report = self.peer.tick(now, &mut self.game)?;
            let session = self.peer.session();
            self.view.tick(
                session.current_tick(),
                report,
                session.confirmed_tick(),
                &self.game.world,
            )?;
        }
        self.peer.end_frame(now);
        Ok(frame.alpha)
    }
}

/// Both machines, over a network with latency, jitter and loss.
fn machines() -> Result<Vec<Machine>, Box<dyn Error>> {
    let transports = SimTransport::nodes(SimNetwork::new(7), 2);
    transports[0].network().borrow_mut().set_all_links(LinkConfig::mobile())?;
    transports.into_iter().zip(0..).map(|(transport, own)| Machine::new(own, transport)).collect()
}

/// The other player: it changes its direction three times a second.
fn script(tick: Tick) -> Stick {
    let steps = |seed: u32| ((tick.0 / 20 + seed).wrapping_mul(0x9E37_79B9) >> 24) as u8 as i8;
    Stick::from_steps(steps(1).max(-127), steps(5).max(-127)).unwrap_or_default()
}

fn keys() -> Stick {
    let down = |keys: [mq::KeyCode; 2]| keys.into_iter().any(mq::is_key_down);
    let axis = |less, more| 127 * (i8::from(down(more)) - i8::from(down(less)));
    let x = axis([mq::KeyCode::Left, mq::KeyCode::A], [mq::KeyCode::Right, mq::KeyCode::D]);
    let z = axis([mq::KeyCode::Up, mq::KeyCode::W], [mq::KeyCode::Down, mq::KeyCode::S]);
    Stick::from_steps(x, z).unwrap_or_default()
}

#[macroquad::main("Isostep: drawing a match")]
async fn main() -> Result<(), Box<dyn Error>> {
    let picture = std::env::args().skip_while(|argument| argument != "--picture").nth(1);
    let mut machines = machines()?;
    let mut smooth = true;
    let mut lines =
        std::env::args().any(|argument| argument == "--lines").then_some(Lines::Current);
    loop {
        let now = Time::from_millis((mq::get_time() * 1000.0) as u64);
        _ = machines[1].frame(now, script)?;
        let me = &mut machines[0];
        // A picture needs no player.
        let alpha =
            me.frame(now, |tick| if picture.is_some() { script(tick + 50) } else { keys() })?;
        me.view.frame(alpha, Duration::from_secs_f32(mq::get_frame_time()));
        smooth ^= mq::is_key_pressed(mq::KeyCode::Space);
        for (key, which) in [(mq::KeyCode::L, Lines::Current), (mq::KeyCode::K, Lines::Confirmed)] {
            if mq::is_key_pressed(key) {
                lines = Some(which).filter(|which| lines != Some(*which));
            }
        }
        let session = me.peer.session();
        let tick = lines.map(|which| match which {
            Lines::Current => me.game.world.tick(),
            Lines::Confirmed => session.confirmed_tick().min(session.current_tick()),
        });
        me.view.draw(&me.game.world, me.game.balls, smooth, tick);
        let [started, confirmed, cancelled] = me.view.counts;
        let stats = me.peer.session().stats();
        let text = format!(
            "rollbacks {}   effects: {started} started, {confirmed} confirmed, {cancelled} cancelled",
            stats.rollbacks
        );
        mq::draw_text(&text, 16.0, 28.0, 24.0, mq::WHITE);
        let text = if smooth { "presentation on (space)" } else { "presentation off (space)" };
        mq::draw_text(text, 16.0, 54.0, 24.0, mq::GRAY);
        if let Some(path) = picture.as_ref().filter(|_| now >= Time::from_millis(10_000)) {
            mq::get_screen_data().export_png(path);
            return Ok(());
        }
        mq::next_frame().await;
    }
}

/// A minute without a window, in virtual time.
#[test]
fn every_effect_starts_once_and_ends_once() {
    let mut machines = machines().expect("a match");
    for now in (0..60_000).map(Time::from_millis) {
        for (own, machine) in machines.iter_mut().enumerate() {
            let alpha =
                machine.frame(now, |tick| script(tick + 50 * own as u32)).expect("it plays");
            machine.view.frame(alpha, Duration::from_millis(1));
        }
    }
    for machine in &machines {
        let [started, confirmed, cancelled] = machine.view.counts;
        assert!(machine.peer.session().stats().rollbacks > 0, "nothing was put to the test");
        assert!(confirmed > 0, "no effect was put to the test; {cancelled} were cancelled");
        assert_eq!(started as usize, (confirmed + cancelled) as usize + machine.view.journal.len());
        assert!(machine.view.rings.len() <= machine.view.journal.len() + 20, "rings end");
    }
}
