//! The number golden for a host that can only call functions and read memory; `run.mjs` is one.

#![allow(
    unsafe_code,
    reason = "an exported function needs an unmangled name, and the attribute for that counts as unsafe"
)]

use isostep_determinism_tests::numbers;
use std::sync::LazyLock;

/// Computed at the first call. A static, so that the address given out stays valid.
static NUMBERS: LazyLock<String> = LazyLock::new(|| numbers::compute().to_string());

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
