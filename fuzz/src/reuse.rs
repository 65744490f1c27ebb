//! Reuse of a prepared value (a connection, a session) by many inputs of a fuzz target, and reproduction of failures that need
//! more than one of them. Tests of netcode include this file; it uses only the standard library.
//!
//! A failure is retried with a new value. If the last input suffices, the fuzzer keeps it as usual. Otherwise all inputs since
//! the value was made are reduced to those that are needed and written to a file, a *sequence*, that repeats the failure.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::PathBuf;
use std::sync::{Once, OnceLock};

/// Most times that a sequence is replayed to reduce it.
const MOST_REPLAYS: usize = 500;
/// Inputs at the start of a process that get a value of their own: a file that is given to a target is checked to its end.
const ALONE: usize = 3;

/// Description of a target whose inputs share a value.
pub struct TargetSpec<T> {
    /// Name of the target.
    pub name: &'static str,
    /// Most inputs that one value takes.
    pub max_inputs: usize,
    /// Makes a value, the same one each time.
    pub make: fn() -> T,
    /// Feeds an input; returns whether the value can take another one.
    pub feed: fn(&mut T, &[u8]) -> bool,
    /// Checks a value that takes no more inputs.
    pub finish: fn(T),
}

/// Value in use, and the inputs that it took.
pub struct Reused<T> {
    value: Option<T>,
    /// Inputs that had a value of their own so far.
    alone: usize,
    inputs: Vec<Vec<u8>>,
}

/// Settings of a process, from its environment.
struct Mode {
    /// `FUZZ_SEQUENCE`: each input is a sequence.
    sequence: bool,
    /// `FUZZ_FRESH`: each input gets a value of its own, so that its coverage does not depend on other inputs.
    fresh: bool,
    /// `FUZZ_ARTIFACTS`: folder for sequences.
    artifacts: PathBuf,
}

fn mode() -> &'static Mode {
    static MODE: OnceLock<Mode> = OnceLock::new();
    MODE.get_or_init(|| Mode {
        sequence: std::env::var_os("FUZZ_SEQUENCE").is_some(),
        fresh: std::env::var_os("FUZZ_FRESH").is_some(),
        artifacts: std::env::var_os("FUZZ_ARTIFACTS").map_or_else(std::env::temp_dir, Into::into),
    })
}

impl<T> Default for Reused<T> {
    fn default() -> Self {
        Self { value: None, alone: 0, inputs: Vec::new() }
    }
}

impl<T> Reused<T> {
    /// Feeds an input to the value in use, or to a new one.
    ///
    /// # Panics
    /// When the spec does, after the failure has been made repeatable.
    pub fn run(&mut self, spec: &TargetSpec<T>, data: &[u8]) {
        if mode().sequence {
            return spec.play(&split(data));
        }
        let value = self.value.take();
        if value.is_none() {
            self.inputs.clear();
        }
        self.inputs.push(data.to_vec());
        let alone = mode().fresh || self.alone < ALONE;
        self.alone += usize::from(alone);
        let last = alone || self.inputs.len() >= spec.max_inputs;
        let fed = quietly(|| {
            let mut value = value.unwrap_or_else(spec.make);
            if (spec.feed)(&mut value, data) && !last {
                return Some(value);
            }
            (spec.finish)(value);
            None
        });
        match fed {
            Ok(value) => self.value = value,
            Err(message) => spec.report(core::mem::take(&mut self.inputs), &message),
        }
    }
}

impl<T> TargetSpec<T> {
    /// Feeds inputs to a new value, until it takes no more.
    fn play(&self, inputs: &[Vec<u8>]) {
        let mut value = (self.make)();
        _ = inputs.iter().all(|input| (self.feed)(&mut value, input));
        (self.finish)(value);
    }

    fn fails(&self, inputs: &[Vec<u8>]) -> bool {
        quietly(|| self.play(inputs)).is_err()
    }

    /// Panics with what repeats a failure.
    fn report(&self, mut inputs: Vec<Vec<u8>>, message: &str) -> ! {
        let name = self.name;
        let alone = inputs.split_off(inputs.len() - 1);
        if self.fails(&alone) {
            eprintln!("{name}: this input fails with a new value too.");
            self.play(&alone);
        }
        inputs.extend(alone);
        assert!(
            self.fails(&inputs),
            "{name}: neither the last input nor the {} since the value was made repeat this: {message}",
            inputs.len(),
        );
        let taken = inputs.len();
        let inputs = self.reduce(inputs);
        if let [input] = &inputs[..] {
            let path = self.write("input", input);
            panic!("{name}: not the last input fails, but this one before it: {path}\n{message}");
        }
        let path = self.write("sequence", &join(&inputs));
        panic!(
            "{name}: the last input fails only after others, {} of {taken} are needed: {path}\nRepeat it with \
             FUZZ_SEQUENCE=1.\n{message}",
            inputs.len(),
        );
    }

    /// Writes an artifact; returns where.
    fn write(&self, kind: &str, bytes: &[u8]) -> String {
        // FNV-1a: the same failure gets the same name.
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        let path = mode().artifacts.join(format!("{}-{hash:016x}.{kind}", self.name));
        match std::fs::write(&path, bytes) {
            Ok(()) => path.display().to_string(),
            Err(error) => format!("{} was not written: {error}", path.display()),
        }
    }

    /// Leaves out inputs, many at once and then one by one, as long as the rest fails.
    fn reduce(&self, mut inputs: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let (mut many, mut replays) = (inputs.len() / 2, 0);
        while many > 0 {
            let mut start = 0;
            while start < inputs.len() && replays < MOST_REPLAYS {
                let end = (start + many).min(inputs.len());
                let rest = [&inputs[..start], &inputs[end..]].concat();
                replays += 1;
                if self.fails(&rest) {
                    inputs = rest;
                } else {
                    start = end;
                }
            }
            many /= 2;
        }
        inputs
    }
}

/// Inputs as one: each with its length in four bytes before it.
fn join(inputs: &[Vec<u8>]) -> Vec<u8> {
    let parts = inputs
        .iter()
        .flat_map(|input| [(input.len() as u32).to_le_bytes().to_vec(), input.clone()]);
    parts.flatten().collect()
}

/// Inputs of a sequence; what is cut off is left out, so that a fuzzer can reduce it further.
fn split(mut sequence: &[u8]) -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    while let Some((length, rest)) = sequence.split_first_chunk::<4>()
        && let Some((input, rest)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)
    {
        inputs.push(input.to_vec());
        sequence = rest;
    }
    inputs
}

/// Runs something; its panic is returned as text and does not reach the fuzzer's hook, which would end the process.
fn quietly<R>(run: impl FnOnce() -> R) -> Result<R, String> {
    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
        static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(
            move |info| {
                if QUIET.get() { MESSAGE.set(info.to_string()) } else { before(info) }
            },
        ));
    });
    let before = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    QUIET.set(before);
    result.map_err(|_| MESSAGE.take())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails on a 3, on a 2 somewhere after a 1, and in the end with a 6 or three 5; a 4 is the end.
    const SPEC: TargetSpec<Vec<u8>> = TargetSpec {
        name: "reused",
        max_inputs: 100,
        make: Vec::new,
        feed: |seen, input| {
            assert!(input != [3], "three");
            assert!(input != [2] || !seen.contains(&1), "two after one");
            seen.extend(input);
            input != [4]
        },
        finish: |seen| {
            assert!(!seen.contains(&6), "a six");
            assert!(seen.iter().filter(|byte| **byte == 5).nth(2).is_none(), "fives");
        },
    };

    /// Message of the first failure, after some inputs that are harmless.
    fn failure(inputs: &[u8]) -> Option<String> {
        let mut reused = Reused::default();
        let inputs = [0; ALONE].iter().chain(inputs);
        inputs.into_iter().find_map(|&byte| quietly(|| reused.run(&SPEC, &[byte])).err())
    }

    /// Content of the file that a message names.
    fn artifact(message: &str) -> Vec<u8> {
        let path = message.lines().find_map(|line| line.split_once(": /"));
        let path = format!("/{}", path.expect("a file is named").1);
        let bytes = std::fs::read(&path).expect("it was written");
        std::fs::remove_file(&path).expect("it was written");
        bytes
    }

    #[test]
    fn failures_name_the_required_inputs() {
        let text = failure(&[0, 1, 0, 3]).expect("a 3 fails");
        assert!(text.contains("three") && !text.contains("needed"), "{text}");
        let text = failure(&[0, 1, 0, 0, 7, 2]).expect("a 2 after a 1 fails");
        assert!(text.contains("two after one") && text.contains("2 of 6 are needed"), "{text}");
        let inputs = split(&artifact(&text));
        assert_eq!(inputs, [[1], [2]]);
        assert!(SPEC.fails(&inputs));
    }

    #[test]
    fn an_exhausted_value_is_checked_and_replaced() {
        assert_eq!(failure(&[0, 1, 4, 2]), None);
        let text = failure(&[5, 0, 5, 0, 5, 4]).expect("the end is checked");
        assert!(text.contains("fives") && text.contains("3 of 6 are needed"), "{text}");
        assert_eq!(split(&artifact(&text)), [[5], [5], [5]]);
        assert_eq!(failure(&[5, 5, 4, 5]), None);
        let text = failure(&[0, 6, 0, 4]).expect("the end is checked");
        assert!(text.contains("a six") && text.contains("not the last input"), "{text}");
        assert_eq!(artifact(&text), [6]);
        assert_eq!(
            quietly(|| Reused::default().run(&SPEC, &[6])).err().map(|text| text.contains("a six")),
            Some(true)
        );
    }

    #[test]
    fn sequences_round_trip() {
        let inputs = [vec![], vec![7; 300], vec![1]];
        assert_eq!(split(&join(&inputs)), inputs);
        assert_eq!(split(&join(&inputs)[..310]), [vec![], vec![7; 300]]);
    }
}
