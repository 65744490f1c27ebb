//! Feeds anything to both sides of a handshake.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::handshake(data));
