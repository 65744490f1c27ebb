//! Sessions of ggrs over datagrams in memory: a match, and the same match with packets that were changed by a peer.

use super::Outcome;
use super::tug::{FRAMES, Tug};
use ggrs::{GgrsEvent, P2PSession, PlayerType, SessionState};
use isostep_core::Rng;
use isostep_netcode::transport::{DatagramQueues, EncryptedSocket};
use isostep_rollback::ggrs::{GgrsConfig, GgrsGame, GgrsGameError, GgrsSetup, Guard, PacketError};
use isostep_rollback::{NewestWins, Tick};

struct Machine {
    game: GgrsGame<Tug>,
    session: P2PSession<GgrsConfig<Tug, u8>>,
    socket: EncryptedSocket<DatagramQueues>,
}

fn machine(own: usize) -> Result<Machine, Box<dyn std::error::Error>> {
    let setup = GgrsSetup { local: vec![own], input_delay: 2, ..GgrsSetup::default() };
    let guard = Guard::player::<NewestWins<i32>>(&setup)?;
    let socket = EncryptedSocket::new(DatagramQueues::default(), guard);
    let other = 1 - own;
    let session = setup
        .builder::<Tug, u8>()?
        // Tests run as slowly as the machine is busy.
        .with_disconnect_timeout(core::time::Duration::from_mins(10))
        .add_player(PlayerType::Local, own)?
        .add_player(PlayerType::Remote(other as u8), other)?
        .start_p2p_session(socket.clone())?;
    Ok(Machine { game: GgrsGame::new(Tug::default(), &setup)?, session, socket })
}

/// Moves queued datagrams between the machines, through `change`.
fn carry(machines: &[Machine; 2], mut change: impl FnMut(&mut Vec<u8>)) {
    for (from, to) in [(0, 1), (1, 0)] {
        while let Some((id, mut bytes)) = machines[from].socket.with(DatagramQueues::pop_outgoing) {
            assert_eq!(usize::from(id), to);
            change(&mut bytes);
            machines[to].socket.with(|queues| queues.push_incoming(from as u8, &bytes));
        }
    }
}

/// Plays until both are past `FRAMES` or the rounds are used up; returns true in the first case.
fn play(
    machines: &mut [Machine; 2],
    rounds: usize,
    mut change: impl FnMut(&mut Vec<u8>),
) -> Result<bool, GgrsGameError> {
    for _ in 0..rounds {
        for (player, machine) in machines.iter_mut().enumerate() {
            if machine.session.current_state() != SessionState::Running {
                machine.session.poll_remote_clients();
                continue;
            }
            if machine.game.current_tick() >= FRAMES {
                machine.session.poll_remote_clients();
                continue;
            }
            let pull = (machine.game.current_tick().0 as i32 / 3) * (player as i32 * 7 + 5);
            let pulls = [(player, NewestWins(pull))];
            match machine.game.advance_p2p(&mut machine.session, &pulls) {
                // It waits for the other one.
                Ok(_) | Err(GgrsGameError::Ggrs(_)) => (),
                Err(error) => return Err(error),
            }
        }
        carry(machines, &mut change);
        if machines.iter().all(|machine| machine.game.current_tick() >= FRAMES) {
            return Ok(true);
        }
        // ggrs sends again by its own clock.
        super::nap();
    }
    Ok(false)
}

/// Bounds that ggrs requires with its feature `sync-send`.
#[test]
fn the_socket_is_send() {
    fn check<T: Send + Sync + 'static>() {}
    check::<EncryptedSocket<DatagramQueues>>();
}

#[test]
fn two_sessions_play_over_protected_datagrams() -> Outcome {
    let mut machines = [machine(0)?, machine(1)?];
    assert!(play(&mut machines, 20_000, |_| ())?, "they got to the end");
    for machine in &mut machines {
        assert!(machine.session.confirmed_frame() > 250, "inputs of both were exchanged");
        let is_desync = |event| matches!(event, GgrsEvent::DesyncDetected { .. });
        assert!(!machine.session.events().any(is_desync), "the digests agreed");
        assert_eq!(machine.socket.refused(), 0);
        assert_eq!(machine.socket.poll_refused(), None);
    }
    Ok(())
}

/// Match that has started.
fn begun() -> Result<[Machine; 2], Box<dyn std::error::Error>> {
    let mut machines = [machine(0)?, machine(1)?];
    for _ in 0..2000 {
        play(&mut machines, 1, |_| ())?;
        if machines.iter().all(|machine| machine.game.current_tick() > Tick(20)) {
            return Ok(machines);
        }
    }
    Err("they did not begin".into())
}

/// An authenticated peer with corrupted packets: each is refused or harmless, and nothing panics.
#[test]
fn modified_datagrams_are_rejected_without_panic() -> Outcome {
    for seed in 0..10 {
        let (mut machines, mut rng) = (begun()?, Rng::new(seed));
        let change = |bytes: &mut Vec<u8>| {
            // Not the magic number: ggrs ignores such packets by itself.
            let bits = bytes.len() as u32 * 8 - 16;
            for _ in 0..rng.below(4).expect("some") {
                let bit = 16 + rng.below(bits.max(1)).expect("some") as usize;
                bytes.get_mut(bit / 8).into_iter().for_each(|byte| *byte ^= 1 << (bit % 8));
            }
            if rng.chance(1, 20).expect("in range") {
                bytes.truncate(rng.below(bits / 8 + 2).expect("some") as usize);
            }
        };
        // A change may end the match (a forged disconnect), so it need not complete.
        play(&mut machines, 100, change)?;
        let refused: u64 = machines.iter().map(|machine| machine.socket.refused()).sum();
        assert!(refused > 0, "nothing was refused with seed {seed}");
    }
    Ok(())
}

/// Truncated packed inputs: without validation, ggrs reads past their end and panics.
#[test]
fn inputs_that_would_panic_ggrs_are_rejected() -> Outcome {
    let mut machines = begun()?;
    let cut = |bytes: &mut Vec<u8>| {
        // Behind the head, the states of two connections, a bool and two frames comes the length of the inputs.
        let length_at = 2 + 4 + 8 + 2 * 5 + 1 + 2 * 4;
        if bytes[2] == 2 {
            bytes.truncate(length_at);
            bytes.extend_from_slice(b"\x01\0\0\0\0\0\0\0\x80");
        }
    };
    play(&mut machines, 20, cut)?;
    for (own, machine) in machines.iter().enumerate() {
        let (from, error) = machine.socket.poll_refused().ok_or("a refusal")?;
        assert_eq!(usize::from(from), 1 - own);
        assert!(matches!(error, PacketError::Inputs { .. }), "{error}");
    }
    // The sessions continue with valid packets.
    assert!(play(&mut machines, 20_000, |_| ())?, "they got to the end");
    Ok(())
}

#[test]
fn refusals_can_be_polled_and_are_bounded() -> Outcome {
    let mut machine = machine(0)?;
    for length in 0..200 {
        machine.socket.with(|queues| queues.push_incoming(1, &vec![0xff; length]));
    }
    machine.session.poll_remote_clients();
    assert_eq!(machine.socket.refused(), 200);
    let polled = core::iter::from_fn(|| machine.socket.poll_refused());
    assert_eq!(polled.map(|(from, _)| assert_eq!(from, 1)).count(), 64);
    Ok(())
}

#[test]
fn a_flood_does_not_block_ggrs() -> Outcome {
    let mut machine = machine(0)?;
    for _ in 0..5000 {
        machine.socket.with(|queues| queues.push_incoming(1, &[0; 3]));
    }
    let counts: Vec<_> = (0..5)
        .map(|_| {
            machine.session.poll_remote_clients();
            machine.socket.refused()
        })
        .collect();
    assert_eq!(counts, [1024, 2048, 3072, 4096, 4096], "in portions, and 904 were lost");
    Ok(())
}
