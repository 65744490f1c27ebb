//! Feeds anything to `Unpacker`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::window(data));
