//! Counters of checks, so that a test can assert that work was done.

use core::ops::AddAssign;

macro_rules! stats {
    ($($(#[$doc:meta])* $field:ident,)+) => {
        /// Work done.
        #[derive(Clone, Copy, Debug, Default)]
        pub(super) struct Stats {
            $($(#[$doc])* pub(super) $field: u64,)+
        }

        impl AddAssign for Stats {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)+
            }
        }
    };
}

stats! {
    matches,
    /// Ticks that the reference computed.
    ticks,
    machines,
    spectators,
    /// States of machines that were compared.
    checked,
    /// Final states that were no longer held.
    missed,
    /// Snapshots that were restored and compared.
    snapshots,
    rollbacks,
    resimulated_ticks,
    /// Machines whose world had to hold more ticks than at first.
    grown_rings,
    seat_changes,
    joins,
    crashes,
    /// Corruptions that a session found and repaired.
    repairs,
    recordings,
    /// States of recordings that were compared.
    sought,
    /// Live sessions from the middle of recordings.
    branches,
}
