//! Header of a recording: its game and settings.

use super::error::ReplayError;
use super::format::{MAGIC, VERSION, seal, unseal};
use crate::input::{CommandConfig, Input, InputCodec, MAX_INPUT_BYTES};
use crate::session::MAX_PLAYERS;
use crate::{GameId, Tick};
use core::time::Duration;
use isostep_core::digest::Digest;
use isostep_core::internals::Reader;
use std::collections::BTreeMap;

/// Bytes of magic, version and length.
pub(super) const PREFIX: usize = 14;
/// Maximum length of a header: thousands of assets.
pub(super) const MAX_HEADER: u32 = 1 << 20;

/// Contents of a recording's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Game id.
    pub game: GameId,
    /// Bytes of an input.
    pub input_width: u8,
    /// Shape of the input type: [`InputCodec::schema`].
    pub input_schema: [u8; 8],
    /// Number of seats.
    pub seats: u8,
    /// Length of a tick in real time.
    pub tick_length: Duration,
    /// Ticks between two digests; 0 if only keyframes and the end have one.
    pub digest_every: u32,
    /// Ticks between two keyframes; 0 if there is only the first.
    pub keyframe_every: u32,
    /// Tick of the first state.
    pub start: Tick,
    /// Maximum bytes of command pieces of a seat in a tick.
    pub command_budget: u32,
    /// Maximum length of a command, in bytes.
    pub command_max: u32,
    /// Assets of the match (levels, rules), by name and digest.
    pub assets: Vec<(String, Digest)>,
}

impl Info {
    /// Checks that the recording is of this game and these inputs.
    ///
    /// # Errors
    /// If it is not; the error names the difference.
    #[doc(hidden)]
    pub fn check<I: Input>(&self, game: GameId, codec: &InputCodec<I>) -> Result<(), ReplayError> {
        if self.game != game {
            return Err(ReplayError::OtherGame);
        }
        self.check_inputs(codec)
    }

    pub(super) fn check_inputs<I: Input>(&self, codec: &InputCodec<I>) -> Result<(), ReplayError> {
        let same = self.input_schema == codec.schema();
        if same && usize::from(self.input_width) == codec.width() {
            Ok(())
        } else {
            Err(ReplayError::OtherInputs)
        }
    }

    /// Checks that all assets of the recording are among these, with equal digests. Others are ignored.
    ///
    /// # Errors
    /// The first asset that is missing or differs.
    ///
    /// ```no_run
    /// # fn load(_: &str) -> Vec<u8> { Vec::new() }
    /// # use isostep_rollback::replay::{Replay, ReplayError};
    /// # fn check(replay: Replay<&[u8]>) -> Result<(), ReplayError> {
    /// use isostep_core::digest::Digest;
    /// replay.info().check_assets([("levels/3", Digest::of(&load("levels/3")))])?;
    /// # Ok(()) }
    /// ```
    #[doc(hidden)]
    pub fn check_assets<'a>(
        &self,
        have: impl IntoIterator<Item = (&'a str, Digest)>,
    ) -> Result<(), ReplayError> {
        let have: BTreeMap<&str, Digest> = have.into_iter().collect();
        for (name, digest) in &self.assets {
            match have.get(name.as_str()) {
                Some(known) if known == digest => (),
                Some(_) => return Err(ReplayError::OtherAsset { name: name.clone() }),
                None => return Err(ReplayError::MissingAsset { name: name.clone() }),
            }
        }
        Ok(())
    }

    pub(super) fn commands(&self) -> Option<CommandConfig> {
        let (budget, max) = (self.command_budget as usize, self.command_max as usize);
        CommandConfig::new(budget, max, max.checked_add(1 << 16)?).ok()
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&self.game.0);
        out.push(self.input_width);
        out.extend_from_slice(&self.input_schema);
        out.push(self.seats);
        let nanos = u64::try_from(self.tick_length.as_nanos()).unwrap_or(u64::MAX);
        out.extend_from_slice(&nanos.to_le_bytes());
        let numbers = [
            self.digest_every,
            self.keyframe_every,
            self.start.0,
            self.command_budget,
            self.command_max,
        ];
        numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        out.extend_from_slice(&(self.assets.len() as u16).to_le_bytes());
        for (name, digest) in &self.assets {
            out.push(name.len() as u8);
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(&digest.to_bytes());
        }
        let length = (out.len() - PREFIX) as u32;
        out[PREFIX - 4..PREFIX].copy_from_slice(&length.to_le_bytes());
        seal(&mut out);
        out
    }

    /// Returns the length of a header from its prefix, without the checksum.
    pub(super) fn length(prefix: &[u8; PREFIX]) -> Result<u32, ReplayError> {
        let [magic @ .., v0, v1, a, b, c, d] = *prefix;
        if magic != MAGIC {
            return Err(ReplayError::NotARecording);
        }
        let found = u16::from_le_bytes([v0, v1]);
        if found != VERSION {
            return Err(ReplayError::Version { found, known: VERSION });
        }
        let length = u32::from_le_bytes([a, b, c, d]);
        if length > MAX_HEADER { Err(ReplayError::Header) } else { Ok(length) }
    }

    /// Decodes a header with its checksum.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, ReplayError> {
        let fields = unseal(bytes).and_then(|sealed| sealed.get(PREFIX..));
        let mut from = Reader::new(fields.ok_or(ReplayError::Header)?);
        let info = Self::fields(&mut from).filter(|_| from.is_empty());
        info.filter(Self::is_valid).ok_or(ReplayError::Header)
    }

    fn is_valid(&self) -> bool {
        let seats = usize::from(self.seats);
        (1..=MAX_PLAYERS).contains(&seats)
            && usize::from(self.input_width) <= MAX_INPUT_BYTES
            && self.commands().is_some()
    }

    fn fields(from: &mut Reader<'_>) -> Option<Self> {
        let game = GameId(from.array()?);
        let input_width = from.u8()?;
        let input_schema = from.array()?;
        let seats = from.u8()?;
        let tick_length = Duration::from_nanos(from.array().map(u64::from_le_bytes)?);
        let (digest_every, keyframe_every, start) = (from.u32()?, from.u32()?, Tick(from.u32()?));
        let (command_budget, command_max) = (from.u32()?, from.u32()?);
        let mut assets = Vec::new();
        for _ in 0..from.u16()? {
            let length = from.u8()?;
            let name = core::str::from_utf8(from.take(usize::from(length))?).ok()?;
            assets.push((name.to_owned(), Digest::from_bytes(from.array()?)));
        }
        Some(Self {
            game,
            input_width,
            input_schema,
            seats,
            tick_length,
            digest_every,
            keyframe_every,
            start,
            command_budget,
            command_max,
            assets,
        })
    }
}
