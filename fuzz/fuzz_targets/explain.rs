//! Feeds anything to `State::explain`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::explain(data));
