//! Verifying a recording: everything is computed again, and every digest in the file compared with what comes out.

use super::error::ReplayError;
use super::format::name;
use super::player::Player;
use super::source::Source;
use crate::pages::Pages;
use crate::simulation::Simulation;
use crate::tick::Tick;
use core::fmt;
use isostep_core::state::{Snapshot, StateDifference};

/// Most fields that a difference names.
const MAX_FIELDS: usize = 16;

/// Where a recording and what was computed from it part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The newest tick that was compared and is the same.
    pub agreed: Tick,
    /// The first that is not.
    pub tick: Tick,
    /// The tick of the recorded state that fields could be compared with: that tick, or the next keyframe. `None` if there is
    /// none.
    pub explained: Option<Tick>,
    /// What differs there: `local` is what was recorded, `remote` what was computed. What was wrong first may have spread to
    /// other fields by then.
    pub fields: Vec<StateDifference>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agreed, tick, explained, fields } = self;
        write!(f, "the recording and what it leads to part after tick {agreed}, ")?;
        write!(f, "the last that is the same, and not after tick {tick}, the first that differs")?;
        let Some(at) = explained else {
            return write!(f, "; no keyframe follows that would tell what");
        };
        if fields.is_empty() {
            return write!(f, "; in the keyframe of tick {at} they are the same again");
        }
        for StateDifference { entity, field, local, remote } in fields {
            write!(f, "\n  first seen in the keyframe of tick {at}: ")?;
            write!(f, "{entity}, {field}: {local} recorded, {remote} computed")?;
        }
        Ok(())
    }
}

/// What a verification has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Ticks that were computed.
    pub ticks: u32,
    /// Digests that were compared, those of keyframes included.
    pub digests: u32,
    /// Stretches without inputs that were skipped.
    pub gaps: u32,
    /// The first difference, if there is one.
    pub mismatch: Option<Mismatch>,
}

/// Verifies a recording, some ticks at a time, so that the caller can show how far it has come.
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
    /// Begins at the first tick.
    ///
    /// # Errors
    /// When the first state can't be read.
    pub fn new(mut player: Player<S, R>) -> Result<Self, ReplayError> {
        let first = player.replay.first();
        player.restore(first)?;
        Ok(Self { player, agreed: first, compared: false, found: Verified::default() })
    }

    /// The tick that it has come to.
    pub const fn tick(&self) -> Tick {
        self.player.tick()
    }

    /// The newest tick whose state is known to be right: by its digest, or because it is the first.
    pub const fn agreed(&self) -> Tick {
        self.agreed
    }

    /// What was found so far. Also after an error: all that lies before it.
    pub const fn found(&self) -> &Verified {
        &self.found
    }

    /// Computes and compares at most so many ticks; whether it is done.
    ///
    /// # Errors
    /// When the recording is damaged. [`agreed`](Self::agreed) is right nevertheless, and [`tick`](Self::tick) could be computed.
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

    /// Compares the state with what the recording says of it; whether it is the same.
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
                // That they differ is known, whatever is wrong with what would tell more.
                let (explained, fields) = self.explain(tick).unwrap_or_default();
                let agreed = self.agreed;
                self.found.mismatch = Some(Mismatch { agreed, tick, explained, fields });
                return Ok(false);
            }
            self.agreed = tick;
        }
        Ok(true)
    }

    /// Looks for what differs in the next recorded state.
    fn explain(&mut self, tick: Tick) -> Result<Explained, ReplayError> {
        let player = &mut self.player;
        let Some(at) = player.replay.keyframe_from(tick) else { return Ok(Explained::default()) };
        while player.tick() < at {
            if !player.step()? {
                return Ok(Explained::default());
            }
        }
        player.digest()?;
        let computed = Pages::of(&player.cursor.game, &player.cursor.slots, at.0)?;
        player.restore(at)?;
        let fields =
            computed.explain(&player.cursor.game, &player.cursor.slots, at.0, MAX_FIELDS)?;
        Ok((Some(at), fields))
    }
}

/// The tick of the state that tells, and what it tells.
type Explained = (Option<Tick>, Vec<StateDifference>);

/// Verifies a whole recording.
///
/// # Errors
/// When the recording is damaged.
pub fn verify<S: Simulation + Snapshot, R: Source>(
    player: Player<S, R>,
) -> Result<Verified, ReplayError> {
    let mut verifier = Verifier::new(player)?;
    while !verifier.advance(u32::MAX)? {}
    Ok(verifier.found)
}
