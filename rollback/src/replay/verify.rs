//! Verification of a recording: resimulates it, and compares every digest in the file.

use super::error::ReplayError;
use super::format::name;
use super::player::Player;
use super::source::Source;
use crate::Tick;
use crate::pages::Pages;
use crate::simulation::Simulation;
use core::fmt;
use isostep_core::state::{Snapshot, StateDifference};

/// Maximum number of fields in a mismatch.
const MAX_FIELDS: usize = 16;

/// First mismatch between a recording and its resimulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Newest compared tick that is equal.
    pub agreed: Tick,
    /// First tick that differs.
    pub tick: Tick,
    /// Tick of the recorded state that was compared by field: that tick, or the next keyframe. `None` if there is none.
    pub explained: Option<Tick>,
    /// Differing fields: `local` is the recorded value, `remote` the computed one. By that tick the first error may
    /// have spread to other fields.
    pub fields: Vec<StateDifference>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agreed, tick, explained, fields } = self;
        write!(f, "the recording and its resimulation are equal up to tick {agreed}, ")?;
        write!(f, "and tick {tick} is the first that differs")?;
        let Some(at) = explained else {
            return write!(f, "; no keyframe follows to compare fields with");
        };
        if fields.is_empty() {
            return write!(f, "; in the keyframe of tick {at} they are equal again");
        }
        for StateDifference { entity, field, local, remote } in fields {
            write!(f, "\n  first seen in the keyframe of tick {at}: ")?;
            write!(f, "{entity}, {field}: {local} recorded, {remote} computed")?;
        }
        Ok(())
    }
}

/// Report of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Resimulated ticks.
    pub ticks: u32,
    /// Compared digests. A tick with a keyframe may have two: that of the tick and that of the keyframe.
    pub digests: u32,
    /// Skipped gaps.
    pub gaps: u32,
    /// First mismatch, if there is one.
    pub mismatch: Option<Mismatch>,
}

/// Verifies a recording some ticks at a time, so that the caller can show progress.
///
/// ```text
/// let mut verifier = Verifier::new(player)?;
/// while !verifier.advance(600)? { show(verifier.tick()) }
/// verifier.found()
/// ```
#[derive(Debug)]
pub struct Verifier<S: Simulation, R> {
    player: Player<S, R>,
    agreed: Tick,
    compared: bool,
    found: Verified,
}

impl<S: Simulation + Snapshot, R: Source> Verifier<S, R> {
    /// Starts at the first tick.
    ///
    /// # Errors
    /// If the first state can't be read.
    pub fn new(mut player: Player<S, R>) -> Result<Self, ReplayError> {
        let first = player.replay.first();
        player.restore(first)?;
        Ok(Self { player, agreed: first, compared: false, found: Verified::default() })
    }

    /// Returns the current tick.
    pub const fn tick(&self) -> Tick {
        self.player.tick()
    }

    /// Returns the newest tick whose state is verified: by its digest, or because it is the first.
    pub const fn agreed(&self) -> Tick {
        self.agreed
    }

    /// Returns the report so far. After an error it covers everything before.
    pub const fn found(&self) -> &Verified {
        &self.found
    }

    /// Resimulates and compares at most `ticks` ticks. Returns true at the end.
    ///
    /// # Errors
    /// If the recording is damaged. [`agreed`](Self::agreed) stays valid, and [`tick`](Self::tick) was reached.
    pub fn advance(&mut self, ticks: u32) -> Result<bool, ReplayError> {
        for _ in 0..ticks {
            if !self.compared && !self.compare()? {
                return Ok(true);
            }
            match self.player.step() {
                Ok(true) => self.found.ticks += 1,
                Ok(false) => return Ok(true),
                Err(ReplayError::Gap { next: Some(next), .. }) => {
                    self.found.gaps += 1;
                    self.player.restore(next)?;
                }
                Err(error) => return Err(error),
            }
            self.compared = false;
        }
        Ok(false)
    }

    /// Compares the state with its recorded digest. Returns true if they are equal.
    fn compare(&mut self) -> Result<bool, ReplayError> {
        if self.found.mismatch.is_some() {
            return Ok(false);
        }
        self.compared = true;
        let tick = self.player.tick();
        let replay = &mut self.player.replay;
        let recorded = [replay.digest(tick)?, replay.keyframe_digest(tick)?];
        for recorded in recorded.into_iter().flatten() {
            self.found.digests += 1;
            if name(self.player.digest()?) != recorded {
                // The mismatch is reported even if its fields can't be read.
                let (explained, fields) = self.explain(tick).unwrap_or_default();
                let agreed = self.agreed;
                self.found.mismatch = Some(Mismatch { agreed, tick, explained, fields });
                return Ok(false);
            }
            self.agreed = tick;
        }
        Ok(true)
    }

    /// Finds the differing fields of the next recorded state.
    fn explain(&mut self, tick: Tick) -> Result<Explained, ReplayError> {
        let player = &mut self.player;
        let Some(at) = player.replay.keyframe_from(tick) else { return Ok(Explained::default()) };
        while player.tick() < at {
            if !player.step()? {
                return Ok(Explained::default());
            }
        }
        player.digest()?;
        let computed = Pages::of(&player.cursor.game, &player.cursor.slots, at)?;
        player.restore(at)?;
        let fields = computed.explain(&player.cursor.game, &player.cursor.slots, at, MAX_FIELDS)?;
        Ok((Some(at), fields))
    }
}

/// Tick of the compared state, and its differing fields.
type Explained = (Option<Tick>, Vec<StateDifference>);

/// Verifies a whole recording.
///
/// # Errors
/// If the recording is damaged.
pub fn verify<S: Simulation + Snapshot, R: Source>(
    player: Player<S, R>,
) -> Result<Verified, ReplayError> {
    let mut verifier = Verifier::new(player)?;
    while !verifier.advance(u32::MAX)? {}
    Ok(verifier.found)
}
