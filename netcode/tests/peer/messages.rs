//! Traffic beside inputs: commands, game messages, rekeys.

use super::game::mixed;
use super::harness::{Mesh, SECOND, SIZES, Setup};
use super::links::{bad_link, good_link};
use super::machine::Machine;
use super::statistics::Figures;
use core::time::Duration;
use isostep_netcode::MessageError;
use isostep_netcode::crypto::MachineId;
use isostep_rollback::{CommandConfig, LinkConfig, Mode, SessionConfig};

fn bytes(seed: u64, length: usize) -> Vec<u8> {
    (0..length).map(|place| mixed(&[seed, place as u64 / 8]).to_le_bytes()[place % 8]).collect()
}

/// Plays, and gives commands of any length up to the limit in between.
fn play_with_commands(mesh: &mut Mesh, most: usize, every: u32, rounds: u32) -> Figures {
    let all = mesh.measure_rounds(rounds, every, |mesh, round| {
        for place in 0..mesh.machines.len() {
            let chance = mixed(&[u64::from(round), place as u64]);
            let length = if chance.is_multiple_of(3) { most } else { chance as usize % (most + 1) };
            mesh.machines[place].command(0, &bytes(chance, length));
        }
    });
    // Queued data must arrive.
    mesh.run(3 * SECOND);
    all
}

#[test]
fn commands_up_to_their_limit() {
    for (peers, seeds) in SIZES {
        let mut all = Figures::default();
        for seed in 0..seeds {
            let mut mesh = Setup::new(seed, peers, bad_link()).mesh();
            mesh.start();
            all = all.and(&play_with_commands(&mut mesh, 4096, SECOND, 4));
            mesh.settle_and_check();
            assert!(mesh.machines.iter().all(|machine| machine.given[0].commands == 4));
        }
        all.check("commands of up to 4 KiB, 64 B a tick", peers);
    }
}

/// The widest windows that there are: they need fragments.
#[test]
fn commands_at_the_largest_budget() {
    let commands = CommandConfig::new(1024, 1 << 16, 1 << 18).expect("good limits");
    let session = SessionConfig::new().delay(3).mode(Mode::Rollback { max: 12 }).commands(commands);
    for (peers, seeds) in [(2, 2), (4, 1)] {
        let mut all = Figures::default();
        for seed in 0..seeds {
            let mut mesh = Setup::new(seed, peers, good_link()).session(session.clone()).mesh();
            mesh.start();
            all = all.and(&play_with_commands(&mut mesh, 1 << 16, 2 * SECOND, 3));
            mesh.settle_and_check();
        }
        all.check("commands of 64 KiB, 1 KiB a tick", peers);
    }
}

#[test]
fn messages_up_to_200_kilobytes_both_ways() {
    for (peers, seeds) in SIZES {
        for link in [good_link(), LinkConfig { loss_ppm: 50_000, ..good_link() }] {
            let mut all = Figures::default();
            for seed in 0..seeds {
                let mut mesh = Setup::new(seed, peers, link).mesh();
                mesh.start();
                let lengths = [0, 1, 1023, 1024, 1025, 20_000, 200_000, 5];
                for place in 0..usize::from(peers) {
                    for to in (0..peers).map(MachineId).filter(|id| usize::from(id.0) != place) {
                        for length in lengths {
                            let message = bytes(place as u64, length);
                            mesh.machines[place]
                                .peer
                                .send_message(to, &message)
                                .expect("there is room");
                        }
                        let longest = bytes(0, isostep_netcode::MAX_MESSAGE_BYTES);
                        let refused = mesh.machines[place].peer.send_message(to, &longest);
                        assert!(
                            matches!(refused, Err(MessageError::TooLong { .. })),
                            "{refused:?}"
                        );
                    }
                }
                all = all.and(&mesh.measure(4 * SECOND));
                // Long messages take longer under loss.
                let all_there = |machine: &Machine| {
                    machine.messages.len() == lengths.len() * (usize::from(peers) - 1)
                };
                for _ in 0..12 {
                    if !mesh.machines.iter().all(all_there) {
                        mesh.run(SECOND);
                    }
                }
                for machine in &mesh.machines {
                    for from in machine.peer.endpoint().peers() {
                        let theirs = machine.messages.iter().filter(|(id, _)| *id == from);
                        let wanted = lengths.map(|length| bytes(from.0.into(), length));
                        assert!(
                            theirs.map(|(_, message)| message).eq(&wanted),
                            "whole and in order"
                        );
                    }
                }
                mesh.settle_and_check();
            }
            let name = format!("messages of 200 KB, {} % loss", link.loss_ppm / 10_000);
            all.check(&name, peers);
        }
    }
}

#[test]
fn rekeys_every_second() {
    for link in [good_link(), bad_link()] {
        for (peers, seeds) in SIZES {
            let mut all = Figures::default();
            for seed in 0..seeds {
                let mut setup = Setup::new(seed, peers, link);
                setup.key_lifetime = Some(Duration::from_secs(1));
                let mut mesh = setup.mesh();
                all = all.and(&mesh.play(4 * SECOND));
                mesh.settle_and_check();
                for machine in &mesh.machines {
                    for other in machine.peer.endpoint().peers() {
                        let epoch = machine.peer.endpoint().key_epoch(other).expect("connected");
                        assert!(epoch >= 4, "{epoch} changes");
                    }
                }
            }
            all.check("new keys every second", peers);
        }
    }
}
