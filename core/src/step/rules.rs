//! What computing a tick again incrementally rests on, by name. A test build switches each off, to see that its tests
//! notice, and counts how often each mattered.

/// What exact resimulation rests on. A test build can switch each off, to see that its tests notice.
#[cfg_attr(not(feature = "test-internals"), allow(unreachable_pub, reason = "tests see it"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A contact row that differs makes its bodies dirty, even if they are where they were.
    ContactRows,
    /// Differing commands make dirty.
    Commands,
    /// The old island of a dirty body is simulated.
    OldIslands,
    /// The new island of a dirty body is simulated.
    NewIslands,
    /// What had or has a contact with a dirty static or kinematic body is simulated.
    StaticEdges,
    /// The border to the old future keeps its dirty bodies when one rewinds again before it is reached.
    PendingDirty,
    /// Leaves of the tree cover where bodies were in the ticks that can be rewound to.
    HistoryBounds,
    /// What commands woke is dirty.
    Woken,
    /// Events of what is simulated replace those of the old future.
    Events,
    /// Sensors of what is simulated are looked at again.
    Sensors,
    /// Supports of sleepers are those of every tick that is held, not of the tick at which they were collected.
    SupportTicks,
    /// A tree is not used for ticks before the one that it was built at.
    TreeTicks,
    /// A body of another generation than in the old future is dirty, even if its rows are equal.
    Generations,
    /// Bodies of a page that the old future does not have are dirty.
    NewPages,
}

#[cfg_attr(
    not(feature = "test-internals"),
    allow(unreachable_pub, dead_code, reason = "tests see it")
)]
impl Rule {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::ContactRows,
        Self::Commands,
        Self::OldIslands,
        Self::NewIslands,
        Self::StaticEdges,
        Self::PendingDirty,
        Self::HistoryBounds,
        Self::Woken,
        Self::Events,
        Self::Sensors,
        Self::SupportTicks,
        Self::TreeTicks,
        Self::Generations,
        Self::NewPages,
    ];

    /// Those that are about jumps between ticks and about identity, which take scripts of any calls to need.
    pub const JUMPS: [Self; 4] =
        [Self::SupportTicks, Self::TreeTicks, Self::Generations, Self::NewPages];
}

/// Rules that are switched off, and how often each mattered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    #[cfg(feature = "test-internals")]
    off: u32,
    #[cfg(feature = "test-internals")]
    counts: [u64; Rule::ALL.len()],
}

impl Rules {
    /// Whether a rule holds; counts that it was needed.
    #[inline]
    #[allow(
        clippy::unused_self,
        clippy::needless_pass_by_ref_mut,
        clippy::missing_const_for_fn,
        unused_variables,
        reason = "test builds count and switch"
    )]
    pub(crate) fn holds(&mut self, rule: Rule) -> bool {
        #[cfg(feature = "test-internals")]
        {
            self.counts[rule as usize] += 1;
            self.off >> rule as u32 & 1 == 0
        }
        #[cfg(not(feature = "test-internals"))]
        true
    }

    #[cfg(feature = "test-internals")]
    pub(crate) const fn switch_off(&mut self, rule: Rule) {
        self.off |= 1 << rule as u32;
    }

    #[cfg(feature = "test-internals")]
    pub(crate) const fn count(&self, rule: Rule) -> u64 {
        self.counts[rule as usize]
    }
}
