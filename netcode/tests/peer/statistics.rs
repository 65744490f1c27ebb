//! Cost and quality of a match, as rows of a table (`--nocapture`).

use super::game::Game;
use isostep_rollback::Session;

/// Sums over machines; `confirmed` is the least of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    machines: u64,
    /// Ticks of the wall, all machines together.
    pub(crate) wall: u64,
    /// In thousandths of those, at the machine that has the fewest.
    pub(crate) confirmed: u64,
    confirmed_ticks: u64,
    ticks: u64,
    pub(crate) rollbacks: u64,
    pub(crate) again: u64,
    stalls: u64,
    datagrams: u64,
    bytes: u64,
}

impl Figures {
    /// Counters of a machine.
    pub(crate) fn of(session: &Session<Game>, datagrams: u64, bytes: u64) -> Self {
        let stats = session.stats();
        Self {
            machines: 1,
            confirmed_ticks: u64::from(session.confirmed_tick().0),
            ticks: stats.ticks,
            rollbacks: stats.rollbacks,
            again: stats.resimulated_ticks,
            stalls: stats.stalls,
            datagrams,
            bytes,
            ..Self::default()
        }
    }

    /// Difference to earlier counters, over a number of wall-clock ticks.
    pub(crate) fn since(&self, before: &Self, ticks: u32) -> Self {
        let confirmed_ticks = self.confirmed_ticks - before.confirmed_ticks;
        Self {
            machines: 1,
            wall: u64::from(ticks),
            confirmed: confirmed_ticks * 1000 / u64::from(ticks),
            confirmed_ticks,
            ticks: self.ticks - before.ticks,
            rollbacks: self.rollbacks - before.rollbacks,
            again: self.again - before.again,
            stalls: self.stalls - before.stalls,
            datagrams: self.datagrams - before.datagrams,
            bytes: self.bytes - before.bytes,
        }
    }

    /// Both together.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let least =
            if self.wall == 0 { other.confirmed } else { self.confirmed.min(other.confirmed) };
        Self {
            machines: self.machines + other.machines,
            wall: self.wall + other.wall,
            confirmed: least,
            confirmed_ticks: self.confirmed_ticks + other.confirmed_ticks,
            ticks: self.ticks + other.ticks,
            rollbacks: self.rollbacks + other.rollbacks,
            again: self.again + other.again,
            stalls: self.stalls + other.stalls,
            datagrams: self.datagrams + other.datagrams,
            bytes: self.bytes + other.bytes,
        }
    }

    /// Prints a row. Rates are for one machine, bytes without those of IP and UDP.
    pub(crate) fn row(&self, name: &str, peers: u8) {
        let Self { confirmed, rollbacks, again, stalls, datagrams, bytes, wall, .. } = *self;
        let wall = wall.max(1);
        println!(
            "| {name:<34} | {peers} | {:>3}.{} | {:>5}.{:02} | {:>6}.{:02} | {:>4}.{:02} | {:>6}.{} | {:>3}.{:02} |",
            confirmed / 10,
            confirmed % 10,
            rollbacks * 100 / wall,
            rollbacks * 10_000 / wall % 100,
            again * 100 / wall,
            again * 10_000 / wall % 100,
            stalls * 100 / wall,
            stalls * 10_000 / wall % 100,
            bytes / wall,
            bytes * 10 / wall % 10,
            datagrams / wall,
            datagrams * 100 / wall % 100,
        );
    }

    /// Prints a row, and checks that nearly every tick was confirmed.
    pub(crate) fn check(&self, name: &str, peers: u8) {
        self.row(name, peers);
        assert!(self.confirmed >= 950, "{name}: {} ‰ of ticks were confirmed", self.confirmed);
    }
}
