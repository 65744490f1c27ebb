//! Cost of a session beside ggrs: time and bytes a tick with an empty game, and rollbacks and
//! stalls over the same bad links.
//!
//! `cargo bench -p isostep-benches session`; a test run is short.
//!
//! Contenders interleave in one process. ggrs passes its messages in memory, once as values and
//! once as the bytes of its own socket; ours are always bytes.

mod links;

use isostep_bench::suite::Match;
use isostep_bench::suite::session::Ours;
use isostep_benches::ggrs::session::{Passing, Theirs};
use isostep_benches::{Contender, Outcome, Table, is_bench, race, wanted};

fn main() {
    if !wanted("session") {
        return;
    }
    println!("Nanoseconds a session and tick, input delay 1, median (90th percentile):\n");
    println!("{}", times());
    println!("Bytes that a machine sends in a tick, to all others together, input delay 4:\n");
    println!("{}", sizes());
    println!("{}", links::report(if is_bench() { 1800 } else { 30 }));
}

fn times() -> Table {
    let mut table = Table::new([
        "players, digests every 16 ticks",
        "ours",
        "ggrs",
        "ggrs, as bytes",
        "ggrs / ours",
        "as bytes / ours",
    ]);
    for (players, digest_every) in [(2, 0), (4, 0), (8, 0), (2, 16), (4, 16), (8, 16)] {
        let mut ours = Ours::new(players, 1, digest_every);
        let mut plain = Theirs::new(players, 1, digest_every, Passing::Messages);
        let mut bytes = Theirs::new(players, 1, digest_every, Passing::Bytes);
        // After the start, in which buffers grow.
        (0..500).for_each(|_| ours.tick());
        (0..500).for_each(|_| plain.tick());
        (0..500).for_each(|_| bytes.tick());
        let outcomes = race(
            players as u32,
            vec![
                Contender::new("ours", || ours.tick()),
                Contender::new("ggrs", || plain.tick()),
                Contender::new("ggrs, as bytes", || bytes.tick()),
            ],
        );
        let cell = |outcome: &Outcome| format!("{:.0} ({:.0})", outcome.median, outcome.p90);
        let name = format!("{players}, {}", if digest_every > 0 { "on" } else { "off" });
        let times = outcomes.iter().map(cell);
        let ratios = outcomes[1..].iter().map(|outcome| format!("{:.2}", outcome.ratio));
        table.row([name].into_iter().chain(times).chain(ratios));
    }
    table
}

fn sizes() -> Table {
    let mut table = Table::new(["players", "ours", "ggrs", "packets, ours", "packets, ggrs"]);
    for players in [2, 4, 8] {
        let mut ours = Ours::new(players, 4, 0);
        let mut theirs = Theirs::new(players, 4, 0, Passing::Bytes);
        (0..100).for_each(|_| ours.tick());
        (0..100).for_each(|_| theirs.tick());
        let (before, before_theirs) = (ours.sent(), theirs.sent());
        (0..1000).for_each(|_| ours.tick());
        (0..1000).for_each(|_| theirs.tick());
        let (own, after) = (ours.sent(), theirs.sent());
        let each = |count: u64| format!("{:.1}", count as f64 / 1000.0 / players as f64);
        table.row([
            players.to_string(),
            each(own.bytes - before.bytes),
            each(after.bytes - before_theirs.bytes),
            each(own.packets - before.packets),
            each(after.packets - before_theirs.packets),
        ]);
    }
    table
}
