//! The number golden, the golden recording and the matrix for a host that can only call functions
//! and read memory: node (`run.mjs`) and browsers (`page/`).

#![allow(
    unsafe_code,
    reason = "an exported function needs an unmangled name, and the attribute for that counts as unsafe"
)]

use isostep_core::internals::Lanes;
use isostep_determinism_tests::faults::cross_target::Report;
use isostep_determinism_tests::{numbers, recording};
use isostep_scenes::matrix::{self, Extent, Progress};
use isostep_scenes::scenes::NAMES;
use std::sync::LazyLock;

/// Computed at the first call. A static, so that the returned address stays valid.
static NUMBERS: LazyLock<String> = LazyLock::new(|| numbers::compute().to_string());

/// Report on the golden recording.
static REPLAY: LazyLock<String> =
    LazyLock::new(|| match recording::Report::of(recording::GOLDEN) {
        Ok(report) => report.to_string(),
        Err(error) => format!("differs:\n  the match can't be recorded: {error}\n"),
    });

/// Report on the injected faults.
static FAULTS: LazyLock<String> = LazyLock::new(|| match Report::new() {
    Ok(report) => report.to_string(),
    Err(error) => format!("differs:\n  {error}\n"),
});

/// The match of the golden recording, recorded here. Empty if that fails; `REPLAY` has the reason.
static RECORDING: LazyLock<Vec<u8>> = LazyLock::new(|| recording::record().unwrap_or_default());

/// Address of the name of the solver's lanes, which are those that this module was compiled for.
#[unsafe(no_mangle)]
pub extern "C" fn lanes_text() -> *const u8 {
    Lanes::widest().name().as_ptr()
}

/// Length of the name, bytes.
#[unsafe(no_mangle)]
pub extern "C" fn lanes_len() -> usize {
    Lanes::widest().name().len()
}

/// Address of the computed golden's text, UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn numbers_text() -> *const u8 {
    NUMBERS.as_ptr()
}

/// Length of the computed golden's text, bytes.
#[unsafe(no_mangle)]
pub extern "C" fn numbers_len() -> usize {
    NUMBERS.len()
}

/// Address of the report on the golden recording, UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn replay_text() -> *const u8 {
    REPLAY.as_ptr()
}

/// Length of the report, bytes.
#[unsafe(no_mangle)]
pub extern "C" fn replay_len() -> usize {
    REPLAY.len()
}

/// Address of the recording made here.
#[unsafe(no_mangle)]
pub extern "C" fn recording_bytes() -> *const u8 {
    RECORDING.as_ptr()
}

/// Length of the recording, bytes.
#[unsafe(no_mangle)]
pub extern "C" fn recording_len() -> usize {
    RECORDING.len()
}

/// Address of the report on injected faults, UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn faults_text() -> *const u8 {
    FAULTS.as_ptr()
}

/// Length of the report, bytes.
#[unsafe(no_mangle)]
pub extern "C" fn faults_len() -> usize {
    FAULTS.len()
}

// Functions of the host. None of their results affects a computed value.
#[link(wasm_import_module = "isostep")]
unsafe extern "C" {
    /// Nanoseconds from any origin.
    safe fn nanoseconds() -> u64;
    /// Receives the current step, UTF-8.
    fn tell(text: *const u8, length: usize);
    /// Receives a cell's line, UTF-8.
    fn cell(text: *const u8, length: usize);
}

/// Number of scenes in the matrix.
#[unsafe(no_mangle)]
pub extern "C" fn matrix_scenes() -> usize {
    NAMES.len()
}

/// Computes the cells of one scene, all of them if `long` is not 0. Returns 0, or 1 if a golden
/// can't be read.
#[unsafe(no_mangle)]
pub extern "C" fn matrix_run(scene: usize, long: u32) -> u32 {
    let extent = if long == 0 { Extent::QUICK } else { Extent::LONG };
    let mut progress = Progress {
        clock: &mut || nanoseconds(),
        // SAFETY: the host reads the text during the call.
        status: &mut |words| unsafe { tell(words.as_ptr(), words.len()) },
        cell: &mut |one| {
            let line = one.to_string();
            // SAFETY: the same.
            unsafe { cell(line.as_ptr(), line.len()) }
        },
    };
    u32::from(matrix::run(extent, NAMES.get(scene).copied(), &mut progress).is_err())
}
