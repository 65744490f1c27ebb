//! Rules of incremental resimulation, by name (docs/incremental-rollback.md). A test build can switch each rule off, so
//! that tests prove they detect its absence, and counts how often each rule was exercised.

/// Rule that exact incremental resimulation depends on. A test build can switch each rule off.
#[cfg_attr(not(feature = "test-internals"), allow(unreachable_pub, reason = "tests see it"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A differing contact row makes both bodies dirty, even if their state rows are equal.
    ContactRows,
    /// A body with differing commands is dirty.
    Commands,
    /// The old island of a dirty body is simulated.
    OldIslands,
    /// The new island of a dirty body is simulated.
    NewIslands,
    /// Dynamic bodies in contact with a dirty fixed or kinematic body, in either timeline, are simulated.
    StaticEdges,
    /// A tick at which a resimulation stopped keeps its dirty set until a later resimulation crosses it.
    PendingDirty,
    /// Leaves of the tree enclose the bounds of their bodies at every held tick.
    HistoryBounds,
    /// Bodies that commands woke or put to sleep are dirty.
    Woken,
    /// Events of simulated bodies replace those of the old timeline.
    Events,
    /// Sensor overlaps of simulated bodies are recomputed.
    Sensors,
    /// Sensor overlaps use the poses of the next frame, also those of bodies that are not simulated.
    FinalPoses,
    /// History bounds enclose the bounds of bodies at the end of each tick.
    FinalBounds,
    /// The support set contains the supports of every held tick, not only of the tick at which it was built.
    SupportTicks,
    /// A tree is not used for ticks before the one at which it was built.
    TreeTicks,
    /// A body with another generation than in the old timeline is dirty, even if its rows are equal.
    Generations,
    /// Bodies of a page that the old timeline lacks are dirty.
    NewPages,
    /// A sleeping body that is simulated brings its whole sleeping island, even if no contact joins its bodies any more.
    SleepingIslands,
    /// A tick with another gravity than in the old timeline is simulated in full, with all ticks after it.
    Gravity,
    /// A differing row of a joint makes its dynamic bodies dirty, even if their state rows are equal.
    JointRows,
    /// A body that a joint of the new timeline connects to a simulated one is simulated.
    JointEdges,
    /// The joints of dirty bodies are those of the new timeline, also if their rows belong to other bodies.
    CommandedJoints,
}

#[cfg_attr(
    not(feature = "test-internals"),
    allow(unreachable_pub, dead_code, reason = "tests see it")
)]
impl Rule {
    /// All rules.
    pub const ALL: [Self; 21] = [
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
        Self::FinalPoses,
        Self::FinalBounds,
        Self::SupportTicks,
        Self::TreeTicks,
        Self::Generations,
        Self::NewPages,
        Self::SleepingIslands,
        Self::Gravity,
        Self::JointRows,
        Self::JointEdges,
        Self::CommandedJoints,
    ];

    /// Rules about jumps between ticks, about identity, about islands that drift apart as they fall asleep, about gravity, and about
    /// joints. Only random scripts of public calls meet a world that needs them, or meet it often.
    pub const BY_SCRIPTS: [Self; 8] = [
        Self::SupportTicks,
        Self::TreeTicks,
        Self::Generations,
        Self::NewPages,
        Self::SleepingIslands,
        Self::Gravity,
        Self::JointRows,
        Self::CommandedJoints,
    ];

    /// Rules that random games and scripts hardly ever need. Each has a scene that does: a body that is hit in the newest tick, and a sensor
    /// that only the resimulation of that tick moves there (`core/tests/islands/sensors_final.rs`); a body that was disabled, so that its joint
    /// had no effect (`core/tests/resim/joints.rs`); impulses that move nothing (`core/tests/resim/contact_rows.rs`).
    pub const BY_SCENE: [Self; 3] = [Self::FinalBounds, Self::JointEdges, Self::ContactRows];
}

/// Switched-off rules, and how often each rule was exercised.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    #[cfg(feature = "test-internals")]
    off: u32,
    #[cfg(feature = "test-internals")]
    counts: [u64; Rule::ALL.len()],
}

impl Rules {
    /// Returns whether a rule is switched on, and counts the query.
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
