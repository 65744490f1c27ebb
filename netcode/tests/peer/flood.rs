//! A hundred thousand invalid datagrams per second do not affect a match.

use super::game::mixed;
use super::harness::{Mesh, SECOND, Setup};
use super::links::good_link;
use isostep_netcode::{Address, Transport};
use isostep_rollback::Tick;

const FLOOD: u64 = 100_000;

/// Ticks of both machines over time, with a flood at the first one.
fn presents(flood: u64, junk: fn(u64) -> Vec<u8>) -> (Vec<[Tick; 2]>, Mesh) {
    let mut mesh = Setup::new(1, 2, good_link()).mesh();
    mesh.start();
    let mut stranger =
        mesh.machines[0].peer.transport_mut().sim.join().expect("it is not borrowed");
    let mut presents = Vec::new();
    for tick in 0..u64::from(2 * SECOND) {
        if tick < u64::from(SECOND) {
            for number in tick * flood / 60..(tick + 1) * flood / 60 {
                let sent = stranger.send(mesh.now.get(), Address::Node(0), &junk(number));
                sent.expect("a node");
            }
        }
        mesh.run(1);
        let present = |machine: usize| mesh.machines[machine].peer.session().current_tick();
        presents.push([present(0), present(1)]);
    }
    (presents, mesh)
}

fn check(junk: fn(u64) -> Vec<u8>) {
    let (calm, _) = presents(0, junk);
    let (flooded, mut mesh) = presents(FLOOD, junk);
    for (tick, (calm, flooded)) in calm.iter().zip(&flooded).enumerate() {
        for machine in 0..2 {
            let late = calm[machine].0.abs_diff(flooded[machine].0);
            assert!(late <= 1, "machine {machine} is off by {late} ticks on tick {tick}");
        }
    }
    let counters = mesh.machines[0].peer.counters();
    let dropped = counters.unrecognized
        + counters.unknown_connection
        + counters.decrypt_failed
        + counters.invalid_cookies
        + counters.rate_limited
        + counters.invalid_handshakes;
    // Some HELLOs are answered; no invalid datagram has another effect.
    assert!(dropped > FLOOD * 9 / 10, "{counters:?}");
    mesh.settle_and_check();
}

/// Bytes that mean nothing.
fn garbage(number: u64) -> Vec<u8> {
    let length = mixed(&[number, 1]) % 200;
    (0..length).map(|place| mixed(&[number, place]) as u8).collect()
}

/// Plausible packets: HELLOs, INITs with forged cookies, data packets with known and unknown connection ids.
fn well_formed(number: u64) -> Vec<u8> {
    let byte = |place: u64| mixed(&[number, place]) as u8;
    let fill = |head: &[u8], length: usize| {
        let rest = (head.len()..length).map(|place| byte(place as u64));
        head.iter().copied().chain(rest).collect::<Vec<u8>>()
    };
    match number % 3 {
        0 => {
            let mut hello = fill(&[0x80, b'I', b'S', b'O', b'S', 1, 0], 15);
            hello.resize(64, 0);
            hello
        }
        1 => fill(&[0x83, 1, 0], 320),
        _ => fill(&[0, number as u8], 60),
    }
}

#[test]
fn a_flood_of_garbage_delays_no_tick_by_more_than_one() {
    check(garbage);
}

#[test]
fn a_flood_of_plausible_packets_delays_no_tick_by_more_than_one() {
    check(well_formed);
}
