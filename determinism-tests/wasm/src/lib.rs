//! The number golden and the golden recording for a host that can only call functions and read memory; `run.mjs` is one.

#![allow(
    unsafe_code,
    reason = "an exported function needs an unmangled name, and the attribute for that counts as unsafe"
)]

use isostep_determinism_tests::{numbers, recording};
use std::sync::LazyLock;

/// Computed at the first call. A static, so that the address given out stays valid.
static NUMBERS: LazyLock<String> = LazyLock::new(|| numbers::compute().to_string());

/// What the golden recording is found to be.
static REPLAY: LazyLock<String> =
    LazyLock::new(|| match recording::Report::of(recording::GOLDEN) {
        Ok(report) => report.to_string(),
        Err(error) => format!("differs:\n  the match can't be recorded: {error}\n"),
    });

/// The match of the golden recording, recorded here. Empty if that fails; `REPLAY` says why.
static RECORDING: LazyLock<Vec<u8>> = LazyLock::new(|| recording::record().unwrap_or_default());

/// Where the text of the computed golden starts, as UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn numbers_text() -> *const u8 {
    NUMBERS.as_ptr()
}

/// How many bytes the text of the computed golden has.
#[unsafe(no_mangle)]
pub extern "C" fn numbers_len() -> usize {
    NUMBERS.len()
}

/// Where the report on the golden recording starts, as UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn replay_text() -> *const u8 {
    REPLAY.as_ptr()
}

/// How many bytes the report has.
#[unsafe(no_mangle)]
pub extern "C" fn replay_len() -> usize {
    REPLAY.len()
}

/// Where the bytes of the match that was recorded here start.
#[unsafe(no_mangle)]
pub extern "C" fn recording_bytes() -> *const u8 {
    RECORDING.as_ptr()
}

/// How many bytes it has.
#[unsafe(no_mangle)]
pub extern "C" fn recording_len() -> usize {
    RECORDING.len()
}
