//! An unchanged game under a ggrs session: two ggrs peers in one process, over UDP on this machine.
//!
//! `cargo run --release -p isostep-examples --features ggrs --example under_ggrs`

use ggrs::{GgrsError, P2PSession, PlayerType};
use isostep::rollback::ggrs::{
    Datagrams, GgrsConfig, GgrsGame, GgrsGameError, GgrsSetup, Guard, GuardedSocket,
};
use isostep::{Inputs, NewestWins, Simulation, Tick};
use std::error::Error;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

const LAST: Tick = Tick(240);

/// A rope that two players pull, without any ggrs code.
#[derive(Clone, Default, serde::Serialize)]
struct Tug {
    rope: i64,
}

impl Simulation for Tug {
    type Input = NewestWins<i8>;

    fn step(&mut self, _: Tick, inputs: &Inputs<Self::Input>) {
        self.rope += inputs.iter().map(|(_, input)| i64::from(input.value.0)).sum::<i64>();
    }
}

/// Scripted input; constant in the last ticks, so that all predictions are right at the end.
fn pull(player: usize, tick: Tick) -> NewestWins<i8> {
    let pull = if tick.0 + 60 > LAST.0 { 0 } else { (tick.0 / 20 % 3) as i8 };
    NewestWins(if player == 0 { pull + 1 } else { -pull })
}

/// A non-blocking socket. The guard around it refuses packets that would make ggrs panic.
struct Socket(UdpSocket);

impl Datagrams<SocketAddr> for Socket {
    fn send(&mut self, bytes: &[u8], to: &SocketAddr) {
        // ggrs resends lost packets.
        let _ = self.0.send_to(bytes, to);
    }

    fn receive(&mut self) -> Option<(SocketAddr, Vec<u8>)> {
        let mut buffer = [0; 2048];
        let (length, from) = self.0.recv_from(&mut buffer).ok()?;
        Some((from, buffer[..length].to_vec()))
    }
}

type Machine = (GgrsGame<Tug>, P2PSession<GgrsConfig<Tug, SocketAddr>>);

fn machine(own: usize, socket: UdpSocket, other: SocketAddr) -> Result<Machine, Box<dyn Error>> {
    socket.set_nonblocking(true)?;
    // Session, guard and game must use one setup.
    let setup =
        GgrsSetup { local: vec![own], input_delay: 2, checksum_every: 1, ..GgrsSetup::default() };
    let guard = Guard::player::<NewestWins<i8>>(&setup)?;
    let session = setup
        .builder::<Tug, SocketAddr>()?
        // Longer than ggrs's default: a busy machine may stall.
        .with_disconnect_timeout(Duration::from_mins(1))
        .add_player(PlayerType::Local, own)?
        .add_player(PlayerType::Remote(other), 1 - own)?
        .start_p2p_session(GuardedSocket::new(Socket(socket), guard))?;
    Ok((GgrsGame::new(Tug::default(), &setup)?, session))
}

/// Plays a match; returns the rope on both peers.
fn play() -> Result<[i64; 2], Box<dyn Error>> {
    let sockets = [UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?];
    let addresses = [sockets[0].local_addr()?, sockets[1].local_addr()?];
    let [one, two] = sockets;
    let mut machines = [machine(0, one, addresses[1])?, machine(1, two, addresses[0])?];
    while machines.iter().any(|(game, _)| game.current_tick() < LAST) {
        for (own, (game, session)) in machines.iter_mut().enumerate() {
            if game.current_tick() == LAST {
                // Done, but the other peer still needs answers.
                session.poll_remote_clients();
                continue;
            }
            match game.advance_p2p(session, &[(own, pull(own, game.current_tick()))]) {
                // Until both are synchronised.
                Ok(_) | Err(GgrsGameError::Ggrs(GgrsError::NotSynchronized)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(machines.map(|(game, _)| game.game().rope))
}

fn main() -> Result<(), Box<dyn Error>> {
    let [here, there] = play()?;
    println!("tick {LAST}: the rope is at {here} here, and at {there} there");
    Ok(())
}

#[test]
fn both_peers_have_the_same_rope() {
    let [here, there] = play().expect("it plays");
    assert_eq!(here, there);
    assert!(here > 0, "player 0 pulls harder: {here}");
}
