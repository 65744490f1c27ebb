//! Feeds anything to `World::restore`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::restore(data));
