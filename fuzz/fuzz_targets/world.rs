//! Runs anything as a script of calls to a world, judged by a straight replay of its commands.
#![no_main]

use isostep_exactness::{Script, check};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Err(failure) = check(&Script::from_bytes(data)) {
        panic!("{failure}");
    }
});
