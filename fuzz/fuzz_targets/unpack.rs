//! Feeds anything to `unpack`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::unpack(data));
