//! Feeds anything to `Replay::open`, and plays, verifies and compares what opens.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::replay(data));
