//! Feeds anything to an `Endpoint` as the frames of a peer with keys.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::payload(data));
