//! Feeds anything to `Token::decode`, `Roster::decode` and keys as text.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::document(data));
