//! Feeds anything as datagrams to an `Endpoint` with a connection.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::packet(data));
