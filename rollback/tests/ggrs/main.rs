//! Owns the promise that a simulation computes the same under the sessions of ggrs as under ours: a match with loss, a sync
//! test, a spectator, and what an injected fault shows.

mod hostile;

use ggrs::{GgrsError, GgrsEvent, GgrsRequest, P2PSession, PlayerType, SessionState};
use isostep_core::Rng;
use isostep_core::digest::Digest;
use isostep_core::state::State;
use isostep_rollback::ggrs::{
    Datagrams, GgrsConfig, GgrsGame, GgrsGameError, GgrsSetup, Guard, GuardedSocket, PacketError,
};
use isostep_rollback::{
    InputStatus, Inputs, LinkConfig, Mode, NewestWins, PlayerId, Session, SessionConfig, SimMatch,
    Simulation, Tick, Time,
};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Everything that an input has reaches the state.
#[derive(Clone, Default, serde::Serialize)]
struct Mix {
    rounds: u64,
    hash: [u64; 4],
    /// A fault: from this tick on the step does something else.
    #[serde(skip)]
    fault: Option<Tick>,
}

type Pad = NewestWins<u32>;

impl Simulation for Mix {
    type Input = Pad;
    fn step(&mut self, tick: Tick, inputs: &Inputs<Pad>) {
        self.rounds += 1;
        for (player, input) in inputs.iter() {
            let hash = &mut self.hash[usize::from(player.0)];
            *hash = hash.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15)
                ^ u64::from(input.value.0)
                ^ u64::from(input.previous.0) << 20
                ^ u64::from(tick.0) << 40;
        }
        if self.fault.is_some_and(|fault| tick >= fault) {
            self.hash[0] ^= 1;
        }
    }
}

/// Input of a player on a tick; it changes every few ticks.
fn press(player: usize, tick: Tick) -> Pad {
    NewestWins((tick.0 / 3).wrapping_mul(player as u32 * 7 + 5))
}

const DELAY: usize = 2;
const TICKS: Tick = Tick(200);

/// The digest on a tick under our own session, with both players at one machine.
fn alone(ticks: Tick) -> Digest {
    let mut game = Mix::default();
    let config = SessionConfig::new().local().local().delay(DELAY as u32);
    let mut session = Session::start(config, &mut game).unwrap();
    while session.current_tick() < ticks {
        let present = session.current_tick();
        for player in 0..2 {
            session.local_input(PlayerId(player as u8), press(player, present)).unwrap();
        }
        session.advance(Time::ZERO).run(&mut game).unwrap();
    }
    game.digest(session.slots(), ticks).unwrap()
}

/// Datagrams in memory by receiver, and what becomes of them on the way.
struct Wire {
    queues: Vec<VecDeque<(u8, Vec<u8>)>>,
    rng: Rng,
    /// Of 100 packets, so many are lost.
    loss: u32,
    /// Probability in per cent that a packet is delivered only at the next poll.
    late: u32,
    /// Of 100 packets, so many have a few bits flipped.
    damage: u32,
    refused: Vec<PacketError>,
}

impl Wire {
    fn new(nodes: usize) -> Arc<Mutex<Self>> {
        let queues = vec![VecDeque::new(); nodes];
        let (rng, refused) = (Rng::new(7), Vec::new());
        Arc::new(Mutex::new(Self { queues, rng, loss: 0, late: 0, damage: 0, refused }))
    }
}

struct End {
    wire: Arc<Mutex<Wire>>,
    node: u8,
}

impl Datagrams<u8> for End {
    fn send(&mut self, bytes: &[u8], to: &u8) {
        let mut wire = self.wire.lock().unwrap();
        let (loss, damage) = (wire.loss, wire.damage);
        if wire.rng.chance(loss, 100).unwrap() {
            return;
        }
        let mut bytes = bytes.to_vec();
        if wire.rng.chance(damage, 100).unwrap() {
            for _ in 0..3 {
                // Not the magic number: such packets are ignored, which would make it too easy.
                let bit = 16 + wire.rng.below(bytes.len() as u32 * 8 - 16).unwrap() as usize;
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
        wire.queues[usize::from(*to)].push_back((self.node, bytes));
    }

    fn receive(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut wire = self.wire.lock().unwrap();
        let late = wire.late;
        let waits = wire.rng.chance(late, 100).unwrap();
        wire.queues[usize::from(self.node)].pop_front_if(|_| !waits)
    }

    fn refused(&mut self, _: &u8, error: PacketError) {
        self.wire.lock().unwrap().refused.push(error);
    }
}

type Config = GgrsConfig<Mix, u8>;
type Machine = (GgrsGame<Mix>, P2PSession<Config>);

fn setup(own: usize, checksum_every: u32) -> GgrsSetup {
    GgrsSetup { local: vec![own], input_delay: DELAY, checksum_every, ..GgrsSetup::default() }
}

/// Two machines with a player each; the first one's has a spectator at node 2 if there is such a node.
fn machines(wire: &Arc<Mutex<Wire>>, checksum_every: u32, guarded: bool) -> [Machine; 2] {
    [0usize, 1].map(|own| {
        let setup = setup(own, checksum_every);
        let other = 1 - own;
        let mut builder = setup
            .builder::<Mix, u8>()
            .unwrap()
            // Tests run as slowly as the machine is busy.
            .with_disconnect_timeout(core::time::Duration::from_mins(10))
            .add_player(PlayerType::Local, own)
            .unwrap()
            .add_player(PlayerType::Remote(other as u8), other)
            .unwrap();
        if own == 0 && wire.lock().unwrap().queues.len() > 2 {
            builder = builder.add_player(PlayerType::Spectator(2), 2).unwrap();
        }
        let end = End { wire: Arc::clone(wire), node: own as u8 };
        let game = GgrsGame::new(Mix::default(), &setup).unwrap();
        let session = if guarded {
            let guard = Guard::player::<Pad>(&setup).unwrap();
            builder.start_p2p_session(GuardedSocket::new(end, guard))
        } else {
            builder.start_p2p_session(hostile::Plain(end))
        };
        (game, session.unwrap())
    })
}

/// One tick of a machine; how far it went back.
fn tick(own: usize, (game, session): &mut Machine) -> Option<u32> {
    let input = press(own, game.current_tick());
    match game.advance_p2p(session, &[(own, input)]) {
        Ok(done) => done.depth,
        Err(GgrsGameError::Ggrs(GgrsError::NotSynchronized)) => None,
        Err(error) => panic!("machine {own}: {error}"),
    }
}

/// ggrs repeats what was lost by the clock of the machine when it has nothing new to send.
#[allow(clippy::disallowed_methods, reason = "ggrs's timers read the clock of the machine")]
fn wait() {
    std::thread::sleep(core::time::Duration::from_micros(500));
}

/// Finds the machines with one another, on a wire that loses nothing yet.
fn meet(machines: &mut [Machine; 2], mut also: impl FnMut() -> bool) {
    let running = |machine: &Machine| machine.1.current_state() == SessionState::Running;
    while !(also() && machines.iter().all(running)) {
        machines.iter_mut().for_each(|machine| machine.1.poll_remote_clients());
    }
}

#[test]
fn a_match_over_a_lossy_wire_computes_what_our_session_does() {
    let wire = Wire::new(2);
    let mut machines = machines(&wire, 8, true);
    meet(&mut machines, || true);
    {
        let mut wire = wire.lock().unwrap();
        (wire.loss, wire.late) = (20, 40);
    }
    let (mut digests, mut rollbacks) = ([None; 2], 0);
    while digests.contains(&None) {
        for own in 0..2 {
            let before = machines[own].0.current_tick();
            rollbacks += u32::from(tick(own, &mut machines[own]).is_some());
            let (game, session) = &machines[own];
            if game.current_tick() == before {
                wait();
            }
            // Inputs up to the tick before are known, and what was computed from guesses was computed again.
            let known = session.confirmed_frame() >= TICKS.0 as i32;
            if digests[own].is_none() && known && game.current_tick() > TICKS {
                digests[own] = game.game().digest(game.slots(), TICKS).ok();
                assert!(digests[own].is_some(), "the slots have lost tick {TICKS}");
            }
        }
    }
    assert_eq!(digests, [Some(alone(TICKS)); 2]);
    assert!(rollbacks > 10, "{rollbacks} rollbacks: the wire was too good");
    assert_eq!(wire.lock().unwrap().refused, []);
    for (_, session) in &mut machines {
        let desync =
            session.events().find(|event| matches!(event, GgrsEvent::DesyncDetected { .. }));
        assert_eq!(desync, None);
    }
}

#[test]
fn our_own_mesh_computes_the_same() {
    let config = SessionConfig::new().delay(DELAY as u32).mode(Mode::Rollback { max: 8 });
    let mut sim = SimMatch::mesh(3, 2, &config, LinkConfig::mobile(), |_| Mix::default()).unwrap();
    sim.run(TICKS.0, |_, player, tick| press(usize::from(player.0), tick)).unwrap();
    sim.network().set_all_links(LinkConfig::perfect()).unwrap();
    sim.run(60, |_, player, tick| press(usize::from(player.0), tick)).unwrap();
    let (tick, digest) = sim.agree().unwrap();
    assert_eq!(digest, alone(tick), "on tick {tick}");
}

#[test]
fn a_sync_test_computes_the_same() {
    let setup = setup(0, 1);
    let mut session = setup
        .builder::<Mix, u8>()
        .unwrap()
        .with_check_distance(7)
        .start_synctest_session()
        .unwrap();
    let mut game = GgrsGame::new(Mix::default(), &setup).unwrap();
    while game.current_tick() < TICKS {
        let inputs = [0, 1].map(|player| press(player, game.current_tick()));
        game.advance_sync_test(&mut session, &inputs).unwrap();
    }
    assert_eq!(game.digest().unwrap(), alone(TICKS));
}

#[test]
fn a_spectator_computes_the_same() {
    let wire = Wire::new(3);
    let mut machines = machines(&wire, 8, true);
    let watcher = GgrsSetup { local: Vec::new(), ..setup(0, 8) };
    let end = End { wire: Arc::clone(&wire), node: 2 };
    let socket = GuardedSocket::new(end, Guard::spectator::<Pad>(&watcher).unwrap());
    let mut session = watcher.builder::<Mix, u8>().unwrap().start_spectator_session(0, socket);
    let mut game = GgrsGame::new(Mix::default(), &watcher).unwrap();
    meet(&mut machines, || {
        session.poll_remote_clients();
        session.current_state() == SessionState::Running
    });
    while game.current_tick() < TICKS {
        (0..2).for_each(|own| _ = tick(own, &mut machines[own]));
        game.advance_spectator(&mut session).unwrap();
    }
    assert_eq!(game.digest().unwrap(), alone(TICKS));
    assert_eq!(wire.lock().unwrap().refused, []);
}

#[test]
fn desync_detection_of_ggrs_sees_a_planted_fault_through_our_digest() {
    let wire = Wire::new(2);
    let mut machines = machines(&wire, 8, true);
    let faulty = Mix { fault: Some(Tick(100)), ..Mix::default() };
    machines[1].0 = GgrsGame::new(faulty, &setup(1, 8)).unwrap();
    meet(&mut machines, || true);
    let found = loop {
        (0..2).for_each(|own| _ = tick(own, &mut machines[own]));
        let found = machines[0].1.events().find_map(|event| match event {
            GgrsEvent::DesyncDetected { frame, .. } => Some(frame),
            _ => None,
        });
        if let Some(frame) = found {
            break frame;
        }
        assert!(machines[0].0.current_tick() < Tick(200), "nothing was detected");
    };
    // The first multiple of the interval whose state the fault has reached.
    assert_eq!(found, 104);
}

/// A game with a counter that is not saved.
#[derive(Clone, Default, serde::Serialize)]
struct Fickle {
    sum: u64,
    #[serde(skip)]
    steps: Arc<AtomicU64>,
}

impl Simulation for Fickle {
    type Input = Pad;
    fn step(&mut self, _: Tick, _: &Inputs<Pad>) {
        self.sum += self.steps.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_sync_test_sees_a_step_that_does_not_repeat() {
    let setup = setup(0, 1);
    let mut session = setup.builder::<Fickle, u8>().unwrap().start_synctest_session().unwrap();
    let mut game = GgrsGame::new(Fickle::default(), &setup).unwrap();
    let answers = (0..10).map(|_| game.advance_sync_test(&mut session, &[NewestWins(0); 2]));
    let mismatch =
        |error| matches!(error, GgrsGameError::Ggrs(GgrsError::MismatchedChecksum { .. }));
    assert!(answers.filter_map(Result::err).any(mismatch));
}

#[test]
fn a_player_who_left_is_told_apart_and_the_rest_goes_on() {
    #[derive(Clone, Default, serde::Serialize)]
    struct Left(u32);
    impl Simulation for Left {
        type Input = Pad;
        fn step(&mut self, _: Tick, inputs: &Inputs<Pad>) {
            let status = inputs.get(PlayerId(1)).status;
            self.0 += u32::from(status == InputStatus::Disconnected);
        }
    }
    let setup = setup(0, 8);
    let mut game = GgrsGame::new(Left::default(), &setup).unwrap();
    let gone = || (Pad::default(), ggrs::InputStatus::Disconnected);
    let here = || (Pad::default(), ggrs::InputStatus::Predicted);
    let step = |inputs| GgrsRequest::<GgrsConfig<Left, u8>>::AdvanceFrame { inputs };
    game.fulfil(vec![step(vec![here(), here()]), step(vec![here(), gone()])]).unwrap();
    assert_eq!(game.game().0, 1);
}

#[test]
fn requests_that_do_not_fit_are_refused_and_break_the_game() {
    let setup = setup(0, 8);
    let mut game = GgrsGame::new(Mix::default(), &setup).unwrap();
    let cell = ggrs::GameStateCell::default();
    let save = |frame| GgrsRequest::<Config>::SaveGameState { cell: cell.clone(), frame };
    let wrong = GgrsGameError::OutOfOrder { frame: 3, current: Tick(0) };
    assert_eq!(game.fulfil(vec![save(3)]), Err(wrong));
    assert_eq!(game.fulfil(vec![save(0)]), Err(GgrsGameError::Broken));
}

#[test]
fn a_session_that_goes_back_further_than_the_slots_is_refused() {
    let wide = GgrsSetup { max_prediction: 20, ..setup(0, 1) };
    let mut session = wide.builder::<Mix, u8>().unwrap().start_synctest_session().unwrap();
    let mut game = GgrsGame::new(Mix::default(), &setup(0, 1)).unwrap();
    let answer = game.advance_sync_test(&mut session, &[Pad::default(); 2]);
    assert_eq!(answer, Err(GgrsGameError::Window { session: 20, game: 8 }));
}

#[test]
fn a_missing_input_is_noticed_before_ggrs_is_asked() {
    let wire = Wire::new(2);
    let [(mut game, mut session), _] = machines(&wire, 8, true);
    let answer = game.advance_p2p(&mut session, &[]);
    assert_eq!(answer, Err(GgrsGameError::MissingInput { player: 0 }));
}
