//! Feeds anything to `Exchange::read` and `Session::message`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::datagram(data));
