//! Sends anything from one `Endpoint` to another in every way that there is.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| isostep_fuzz::sealed(data));
