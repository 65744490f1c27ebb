//! Sessions of ggrs over encrypted connections over sockets: a match, the same with datagrams damaged on the wire, and with
//! a peer that seals nonsense.

use super::Outcome;
use super::tug::{FRAMES, Tug};
use ggrs::{GgrsEvent, P2PSession, PlayerType, SessionState};
use isostep_core::Rng;
use isostep_netcode::crypto::{Credentials, GameId, MachineId};
use isostep_netcode::transport::{Datagrams, EncryptedSocket, Tunnel, UdpTransport};
use isostep_netcode::{
    Address, Counters, Endpoint, EndpointConfig, SeededEntropy, Transport, TransportError,
};
use isostep_rollback::ggrs::{GgrsConfig, GgrsGame, GgrsGameError, GgrsSetup, Guard};
use isostep_rollback::{NewestWins, Tick, Time};

/// Changes every so many byte strings: some bits, or their length.
struct Damage {
    rng: Rng,
    one_in: Option<u32>,
}

impl Damage {
    fn to(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        let hit = self.one_in.is_some_and(|many| self.rng.below(many) == Ok(0));
        if hit && !bytes.is_empty() {
            for _ in 0..=self.rng.below(3).expect("some") {
                let bit = self.rng.below(bytes.len() as u32 * 8).expect("some") as usize;
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            if self.rng.below(8) == Ok(0) {
                bytes.truncate(self.rng.below(bytes.len() as u32).expect("some") as usize);
            }
        }
        bytes
    }
}

/// Socket that corrupts datagrams.
struct BadWire {
    udp: UdpTransport,
    damage: Damage,
}

impl Transport for BadWire {
    fn send(&mut self, now: Time, to: Address, bytes: &[u8]) -> Result<(), TransportError> {
        let bytes = self.damage.to(bytes);
        self.udp.send(now, to, &bytes)
    }

    fn receive(
        &mut self,
        now: Time,
        into: &mut Vec<u8>,
    ) -> Result<Option<Address>, TransportError> {
        self.udp.receive(now, into)
    }
}

/// A peer that damages before it seals: its packets are authentic, and wrong.
struct BadPeer {
    tunnel: Tunnel<BadWire>,
    damage: Damage,
}

impl Datagrams for BadPeer {
    fn send_datagram(&mut self, to: u8, bytes: &[u8]) {
        let bytes = self.damage.to(bytes);
        self.tunnel.send_datagram(to, &bytes);
    }

    fn poll_datagram(&mut self, into: &mut Vec<u8>) -> Option<u8> {
        self.tunnel.poll_datagram(into)
    }
}

struct Machine {
    game: GgrsGame<Tug>,
    session: P2PSession<GgrsConfig<Tug, u8>>,
    socket: EncryptedSocket<BadPeer>,
}

impl Machine {
    fn pump(&self, now: Time) -> Result<(), TransportError> {
        self.socket.with(|peer| peer.tunnel.pump(now))
    }

    fn counters(&self) -> Counters {
        self.socket.with(|peer| peer.tunnel.endpoint_mut().counters())
    }

    fn set_damage(&self, one_in: Option<u32>) {
        self.socket.with(|peer| peer.damage.one_in = one_in);
    }
}

/// Two connected machines; one datagram in `every` is corrupted.
fn machines(seed: u64, wire: Option<u32>) -> Result<[Machine; 2], Box<dyn std::error::Error>> {
    let udp = [UdpTransport::bind("127.0.0.1:0")?, UdpTransport::bind("127.0.0.1:0")?];
    let addresses = [udp[0].local_addr(), udp[1].local_addr()];
    let mut made = Vec::new();
    for (own, udp) in udp.into_iter().enumerate() {
        let other = 1 - own;
        let credentials = Credentials::insecure(MachineId(own as u8), 2, GameId::named("ggrs"))?;
        let entropy = Box::new(SeededEntropy::new(seed * 2 + own as u64));
        let mut endpoint = Endpoint::new(EndpointConfig::new(credentials, 0), entropy)?;
        endpoint.connect(Time::ZERO, MachineId(other as u8), addresses[other].into())?;
        let damage =
            |one_in, salt| Damage { rng: Rng::new(seed * 8 + own as u64 * 2 + salt), one_in };
        let tunnel = Tunnel::new(endpoint, BadWire { udp, damage: damage(wire, 0) });
        let setup = GgrsSetup { local: vec![own], input_delay: 2, ..GgrsSetup::default() };
        let guard = Guard::player::<NewestWins<i32>>(&setup)?;
        let socket = EncryptedSocket::new(BadPeer { tunnel, damage: damage(None, 1) }, guard);
        let session = setup
            .builder::<Tug, u8>()?
            // Tests run as slowly as the machine is busy.
            .with_disconnect_timeout(core::time::Duration::from_mins(10))
            .add_player(PlayerType::Local, own)?
            .add_player(PlayerType::Remote(other as u8), other)?
            .start_p2p_session(socket.clone())?;
        made.push(Machine { game: GgrsGame::new(Tug::default(), &setup)?, session, socket });
    }
    made.try_into().map_err(|_| "two machines".into())
}

/// Plays until both are past a frame or the rounds are used up; returns true in the first case.
fn play(
    machines: &mut [Machine; 2],
    rounds: core::ops::Range<u64>,
    until: Tick,
) -> Result<bool, Box<dyn std::error::Error>> {
    for round in rounds {
        let now = Time::from_millis(round);
        for (player, machine) in machines.iter_mut().enumerate() {
            machine.pump(now)?;
            let running = machine.session.current_state() == SessionState::Running;
            if running && machine.game.current_tick() < until {
                let pull = (machine.game.current_tick().0 as i32 / 3) * (player as i32 * 7 + 5);
                let pulls = [(player, NewestWins(pull))];
                match machine.game.advance_p2p(&mut machine.session, &pulls) {
                    // It waits for the other one.
                    Ok(_) | Err(GgrsGameError::Ggrs(_)) => (),
                    Err(error) => return Err(error.into()),
                }
            } else {
                machine.session.poll_remote_clients();
            }
            machine.pump(now)?;
        }
        if machines.iter().all(|machine| machine.game.current_tick() >= until) {
            return Ok(true);
        }
        // Sockets and ggrs go by the real clock.
        super::nap();
    }
    Ok(false)
}

/// Both have played to the end, and never differed.
fn check(machines: &mut [Machine; 2]) {
    for machine in machines {
        assert!(machine.session.confirmed_frame() > 250, "inputs of both were exchanged");
        let is_desync = |event| matches!(event, GgrsEvent::DesyncDetected { .. });
        assert!(!machine.session.events().any(is_desync), "the digests agreed");
        assert_eq!(machine.socket.refused(), 0);
    }
}

#[test]
fn two_sessions_play_over_encrypted_sockets() -> Outcome {
    let mut machines = machines(1, None)?;
    assert!(play(&mut machines, 0..20_000, FRAMES)?, "they got to the end");
    check(&mut machines);
    for machine in &machines {
        let counters = machine.counters();
        assert_eq!((counters.decrypt_failed, counters.malformed, counters.overflowed), (0, 0, 0));
    }
    Ok(())
}

#[test]
fn corrupted_datagrams_count_as_lost() -> Outcome {
    let mut machines = machines(2, Some(5))?;
    assert!(play(&mut machines, 0..20_000, FRAMES)?, "they got to the end");
    check(&mut machines);
    assert!(machines.iter().all(|machine| machine.counters().decrypt_failed > 0));
    Ok(())
}

/// Invalid packets of an authenticated peer are refused without panic.
#[test]
fn invalid_packets_of_an_authenticated_peer_are_rejected() -> Outcome {
    for seed in 3..6 {
        let mut machines = machines(seed, None)?;
        assert!(play(&mut machines, 0..20_000, Tick(20))?, "they begin");
        machines.iter().for_each(|machine| machine.set_damage(Some(2)));
        // A change may end the match (a forged disconnect), so it need not complete.
        play(&mut machines, 20_000..20_150, FRAMES)?;
        let refused: u64 = machines.iter().map(|machine| machine.socket.refused()).sum();
        assert!(refused > 0, "nothing was refused with seed {seed}");
    }
    Ok(())
}
