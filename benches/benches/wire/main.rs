//! What a match costs on the wire beside ggrs: bytes with everything that IP, UDP and encryption add, and time with crypto.
//!
//! `cargo bench -p isostep-benches wire`; a test run is a short one, to see that it works. Same inputs, a round trip of 100 ms, nothing
//! lost, digests on or off on both sides. ggrs neither encrypts nor authenticates.

#[path = "../ggrs_side/mod.rs"]
mod ggrs_side;
mod ours;
mod theirs;
mod traces;

use isostep_benches::{Contender, Table, is_bench, race, wanted};
use isostep_rollback::NewestWins;
use ours::Ours;
use std::time::Duration;
use theirs::Theirs;
use traces::Trace;

/// What every player sends for a tick: four bytes.
type Pad = NewestWins<u32>;

/// Bytes of the headers of IPv4 and UDP.
const HEADERS: u64 = 28;
const TICK: Duration = Duration::from_nanos(16_666_667);
const DELAY: u32 = 4;
const WINDOW: u32 = 12;

/// What was sent so far.
#[derive(Clone, Copy, Default)]
struct Sent {
    packets: u64,
    bytes: u64,
}

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
            let mut ours = Ours::new(players, DELAY, digest_every, Duration::from_millis(50));
            let mut theirs = Theirs::new(players, DELAY, digest_every, Duration::from_millis(50));
            (0..warm).for_each(|_| ours.tick(trace));
            (0..warm).for_each(|_| theirs.tick(trace));
            let before = (ours.sent(), theirs.sent());
            (0..ticks).for_each(|_| ours.tick(trace));
            (0..ticks).for_each(|_| theirs.tick(trace));
            let each = |after: Sent, before: Sent| {
                let per = (players * (players - 1)) as f64 * f64::from(ticks);
                let packets = after.packets - before.packets;
                let bytes = after.bytes - before.bytes + packets * HEADERS;
                (bytes as f64 / per, packets as f64 / per)
            };
            let (own, own_packets) = each(ours.sent(), before.0);
            let (other, other_packets) = each(theirs.sent(), before.1);
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
            let mut ours = Ours::new(players, DELAY, 16, Duration::ZERO);
            let mut theirs = Theirs::new(players, DELAY, 16, Duration::ZERO);
            (0..500).for_each(|_| ours.tick(trace));
            (0..500).for_each(|_| theirs.tick(trace));
            let outcomes = race(
                players as u32,
                vec![
                    Contender::new("ggrs", || theirs.tick(trace)),
                    Contender::new("ours", || ours.tick(trace)),
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
