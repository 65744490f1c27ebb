//! Machines as they are: a process each, sockets of the operating system, the real clock. They play the arena of 64 bodies
//! and end with the same digest of the same tick.
//!
//! - `process.rs`: starts processes and reads their output.
//! - `player.rs`: the player process. It is this binary, run as the test [`player`].
//! - `proxy.rs`: a bad network between them.
//! - `namespaces.rs`: machines with separate addresses, if kernel and user permissions allow it.
//!
//! No result depends on the speed of the machine. Ports are the operating system's choice.
#![cfg(feature = "udp")]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "real processes, real clocks: what is tested is the outermost driver"
)]

mod namespaces;
mod player;
mod process;
mod proxy;

use namespaces::Namespaces;
use player::Order;
use process::Process;
use proxy::{Proxy, Weather};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

/// Ticks in a second.
const RATE: u32 = 60;
/// Idle timeout of tests in which no machine leaves: a loaded machine may suspend a process for long.
const PATIENT: Duration = Duration::from_mins(1);
/// Tolerance for a loaded machine.
const SLACK: Duration = Duration::from_secs(30);

/// Entry point of the player processes; not a test by itself.
#[test]
#[ignore = "no test by itself: the others start it, each as a process of its own"]
fn player() {
    if let Some(order) = Order::given() {
        player::run(&order);
    }
}

#[test]
fn two_processes_agree() {
    play(2, 5, None);
}

#[test]
fn two_processes_agree_through_a_bad_network() {
    play(2, 5, Some(Weather::rough(1)));
}

#[test]
fn four_processes_agree_through_a_bad_network() {
    play(4, 5, Some(Weather::rough(2)));
}

#[test]
#[ignore = "a minute long; `.ci/run sockets` has it"]
fn two_processes_agree_for_a_minute() {
    play(2, 60, None);
}

#[test]
#[ignore = "a minute long; `.ci/run sockets` has it"]
fn two_processes_agree_for_a_minute_through_a_bad_network() {
    play(2, 60, Some(Weather::rough(3)));
}

#[test]
#[ignore = "a minute long; `.ci/run sockets` has it"]
fn four_processes_agree_for_a_minute_through_a_bad_network() {
    play(4, 60, Some(Weather::rough(4)));
}

#[test]
#[ignore = "a minute long; `.ci/run sockets` has it"]
fn two_namespaces_agree_for_a_minute_through_a_bad_network() {
    match Namespaces::new(2) {
        Ok(namespaces) => play_in(&namespaces, 2, 60, Weather::rough(5)),
        Err(why) => println!("namespaces: SKIPPED, {why}"),
    }
}

#[test]
fn a_killed_process_leaves_by_idle_timeout() {
    let idle = Duration::from_secs(5);
    let mut players = start(3, &Order { ticks: u32::MAX, idle, ..Order::default() });
    let deadline = Instant::now() + 2 * SLACK;
    introduce(&mut players, |_, _, address| address);
    for player in &mut players {
        player.wait_for("confirmed 60", deadline);
    }
    // SIGKILL: no CLOSE is sent.
    drop(players.pop());
    let killed = Instant::now();
    for player in &mut players {
        let left = player.wait_for("left", killed + idle + SLACK);
        let words: Vec<_> = left.split(' ').collect();
        let ["2", "silence", millis] = words[..] else {
            panic!("not silence of machine 2: {left}")
        };
        let after: u64 = millis.parse().expect("milliseconds");
        assert!(after >= idle.as_millis() as u64, "gone after {after} ms of silence already");
        println!("killed {:?} ago: left {left} ms", killed.elapsed());
    }
}

/// A laptop that was closed for two seconds: the others wait, and the match goes on.
#[cfg(unix)]
#[test]
fn a_suspended_process_resumes() {
    let ticks = 4 * RATE;
    let mut players = start(3, &Order { ticks, idle: PATIENT, ..Order::default() });
    let deadline = Instant::now() + 2 * SLACK;
    introduce(&mut players, |_, _, address| address);
    players[1].wait_for("confirmed 60", deadline);
    players[1].signal("-STOP");
    std::thread::sleep(Duration::from_secs(2));
    players[1].signal("-CONT");
    let ends: Vec<String> =
        players.iter_mut().map(|player| player.wait_for("certain", deadline)).collect();
    for player in &mut players {
        println!("stopped and back: {}", player.wait_for("stats", deadline));
        player.wait_for("over", deadline);
    }
    assert!(ends.iter().all(|end| *end == ends[0]), "they differ: {ends:#?}");
}

/// A match of so many processes; with weather, each datagram goes through a proxy.
fn play(count: u8, seconds: u32, weather: Option<Weather>) {
    let begun = Instant::now();
    let ticks = seconds * RATE;
    let players = start(count, &Order { ticks, idle: PATIENT, ..Order::default() });
    let addresses: Vec<_> = players.iter().map(|player| player.address).collect();
    let local = |_| Ipv4Addr::LOCALHOST;
    let proxy = weather.map(|weather| Proxy::start(weather, &addresses, local));
    agree(players, ticks, proxy);
    println!("{count} processes, {ticks} ticks: {:.1} s", begun.elapsed().as_secs_f32());
}

/// The same with an address for each process, as on machines of their own.
fn play_in(namespaces: &Namespaces, count: u8, seconds: u32, weather: Weather) {
    let ticks = seconds * RATE;
    let player = |machine| {
        let host = namespaces::host(machine);
        let order = Order { machine, players: count, ticks, idle: PATIENT, host };
        Process::start(&order, Some(namespaces.name(machine)))
    };
    let players: Vec<_> = (0..count).map(player).collect();
    let addresses: Vec<_> = players.iter().map(|player| player.address).collect();
    let proxy = Proxy::start(weather, &addresses, |player| namespaces::gate(player as u8));
    agree(players, ticks, Some(proxy));
}

/// Runs a match and compares the results.
fn agree(mut players: Vec<Process>, ticks: u32, proxy: Option<Proxy>) {
    let (count, seconds) = (players.len(), ticks / RATE);
    introduce(&mut players, |from, to, address| {
        proxy.as_ref().map_or(address, |proxy| proxy.address(from, to))
    });
    let deadline = Instant::now() + Duration::from_secs(seconds.into()) * 10 + SLACK;
    let ends: Vec<String> =
        players.iter_mut().map(|player| player.wait_for("certain", deadline)).collect();
    for (machine, player) in players.iter_mut().enumerate() {
        let stats = player.wait_for("stats", deadline);
        println!("{count} processes, machine {machine}: {} {stats}", ends[machine]);
        player.wait_for("over", deadline);
    }
    assert!(ends[0].starts_with(&format!("tick {ticks} digest ")), "{}", ends[0]);
    assert!(ends.iter().all(|end| *end == ends[0]), "they differ: {ends:#?}");
    if let Some(proxy) = proxy {
        let counts = proxy.stop();
        println!("{count} processes, on the way: {counts:?}");
        assert!(counts.lost > 0 && counts.overtaken > 0, "fair weather: {counts:?}");
    }
}

fn start(count: u8, order: &Order) -> Vec<Process> {
    let order = |machine| Order { machine, players: count, ..order.clone() };
    (0..count).map(|machine| Process::start(&order(machine), None)).collect()
}

/// Sends each process the addresses of the others, as mapped by `seen`.
fn introduce(players: &mut [Process], seen: impl Fn(usize, usize, SocketAddr) -> SocketAddr) {
    let addresses: Vec<_> = players.iter().map(|player| player.address).collect();
    for (from, player) in players.iter_mut().enumerate() {
        let others = addresses.iter().enumerate().filter(|(to, _)| *to != from);
        let others = others.map(|(to, &address)| format!("{to}={}", seen(from, to, address)));
        player.write_line(&others.collect::<Vec<_>>().join(" "));
    }
}
