//! Interleaved measurement: in every round each contender runs once, in rotating order. A contender
//! takes its own time, so that preparation is not measured.

use std::time::Instant;

/// Microseconds of some work; its result is kept from being optimised away.
pub fn micros<R>(work: impl FnOnce() -> R) -> f64 {
    let start = Instant::now();
    let result = work();
    let time = start.elapsed().as_secs_f64() * 1e6;
    drop(std::hint::black_box(result));
    time
}

/// Runs one round and returns its time.
pub type Contender<'a> = Box<dyn FnMut() -> f64 + 'a>;

/// Samples by contender, then by round.
pub type Samples = Vec<Vec<f64>>;

/// Runs contenders interleaved for this many rounds.
///
/// ```
/// use isostep_bench::{Ratio, in_turn, micros};
/// let sum = |n: u64| move || micros(|| (0..n).fold(0, |sum, x| std::hint::black_box(sum ^ x)));
/// let samples = in_turn(9, &mut [Box::new(sum(1000)), Box::new(sum(100_000))]);
/// assert!(Ratio::of(&samples[0], &samples[1]).unwrap().median < 1.0);
/// ```
pub fn in_turn(rounds: usize, contenders: &mut [Contender<'_>]) -> Samples {
    let count = contenders.len();
    let mut samples = vec![Vec::with_capacity(rounds); count];
    for round in 0..rounds {
        for place in 0..count {
            let who = (place + round) % count;
            samples[who].push(contenders[who]());
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn every_contender_starts_equally_often() {
        let order = RefCell::new(Vec::new());
        let contender = |who: usize| -> Contender<'_> {
            let order = &order;
            Box::new(move || {
                order.borrow_mut().push(who);
                who as f64
            })
        };
        let samples = in_turn(3, &mut [contender(0), contender(1), contender(2)]);
        assert_eq!(*order.borrow(), [0, 1, 2, 1, 2, 0, 2, 0, 1]);
        assert_eq!(samples, [[0.0; 3], [1.0; 3], [2.0; 3]]);
    }
}
