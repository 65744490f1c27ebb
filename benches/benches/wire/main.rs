//! Network cost of a match beside ggrs: bytes including IP, UDP and encryption, and time including
//! cryptography.
//!
//! `cargo bench -p isostep-benches wire`; a test run is short. Same inputs, a round trip of 100 ms,
//! no loss, digests on or off on both sides. ggrs neither encrypts nor authenticates.

use isostep_bench::suite::Match;
use isostep_bench::suite::wire::{HEADERS, Ours, Trace, traffic};
use isostep_benches::ggrs::wire::Theirs;
use isostep_benches::{Contender, Table, is_bench, race, wanted};
use std::time::Duration;

fn main() {
    if !wanted("wire") {
        return;
    }
    println!(
        "Bytes that a machine sends in a tick to each other one, IP and UDP and encryption included:\n"
    );
    println!("{}", sizes());
    println!(
        "Nanoseconds a machine and tick, everything in memory, ours with encryption; and as a ratio:\n"
    );
    println!("{}", times());
}

fn sizes() -> Table {
    let mut table = Table::new([
        "inputs, players, digests",
        "ours",
        "ggrs",
        "ours / ggrs",
        "packets: ours",
        "ggrs",
        "frames: ours",
    ]);
    let (warm, ticks) = if is_bench() { (600, 3000) } else { (60, 60) };
    for trace in Trace::ALL {
        for (players, digest_every) in [(2, 0), (4, 0), (8, 0), (2, 16), (4, 16), (8, 16)] {
            let latency = Duration::from_millis(50);
            let mut ours = Ours::new(players, digest_every, latency, trace);
            let mut theirs = Theirs::new(players, digest_every, latency, trace);
            let (own, own_packets) = traffic(&mut ours, players, warm, ticks);
            let (other, other_packets) = traffic(&mut theirs, players, warm, ticks);
            table.row([
                format!("{trace:?}, {players}, {}", if digest_every > 0 { "on" } else { "off" }),
                format!("{own:.1}"),
                format!("{other:.1}"),
                format!("{:.2}", own / other),
                format!("{own_packets:.2}"),
                format!("{other_packets:.2}"),
                format!("{:.1}", own - own_packets * (HEADERS + 16 + 3) as f64),
            ]);
        }
    }
    table
}

fn times() -> Table {
    let mut table =
        Table::new(["players, inputs", "ours", "ggrs", "ours / ggrs", "ours, a peer and tick"]);
    for players in [2, 4, 8] {
        for trace in [Trace::Pad, Trace::Mouse] {
            let mut ours = Ours::new(players, 16, Duration::ZERO, trace);
            let mut theirs = Theirs::new(players, 16, Duration::ZERO, trace);
            (0..500).for_each(|_| ours.tick());
            (0..500).for_each(|_| theirs.tick());
            let outcomes = race(
                players as u32,
                vec![
                    Contender::new("ggrs", || theirs.tick()),
                    Contender::new("ours", || ours.tick()),
                ],
            );
            let cell = |place: usize| {
                format!("{:.0} ({:.0})", outcomes[place].median, outcomes[place].p90)
            };
            table.row([
                format!("{players}, {trace:?}"),
                cell(1),
                cell(0),
                format!("{:.2}", outcomes[1].ratio),
                format!("{:.0}", outcomes[1].median / (players - 1) as f64),
            ]);
        }
    }
    table
}
