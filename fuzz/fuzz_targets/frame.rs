//! Feeds anything to `Link::read` as a frame of a session.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::frame(data));
