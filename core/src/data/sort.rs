//! A stable radix sort by 64-bit keys, for pair keys and ids.
//!
//! A stable sort by a total order has one result, so this sort only adds speed and avoids
//! allocation. Digits shared by all keys (most of them, in practice) are skipped.

const DIGIT_BITS: u32 = 8;
const BUCKETS: usize = 1 << DIGIT_BITS;
/// Length below which insertion sort is faster than counting.
const SMALL: usize = 48;

/// Sorts by an integer key; equal keys keep their order.
///
/// The contents of `scratch` have no meaning before or after the call. Its memory stays between
/// calls: sorting no more items than before allocates nothing. For keys of more than 64 bits, sort
/// by the lower part first, then by the upper.
///
/// ```
/// use isostep_core::internals::sort_by_key;
/// let mut pairs = [(7u32, 1u32), (2, 9), (7, 0)];
/// sort_by_key(&mut pairs, &mut Vec::new(), |&(a, b)| u64::from(a) << 32 | u64::from(b));
/// assert_eq!(pairs, [(2, 9), (7, 0), (7, 1)]);
/// ```
pub fn sort_by_key<T: Copy>(items: &mut [T], scratch: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    if items.len() <= SMALL {
        insertion_sort(items, key);
        return;
    }
    // Reserves even if no pass follows, so that allocation does not depend on the keys.
    scratch.clear();
    scratch.reserve(items.len());
    // Bits that differ between any two keys; zero if all keys are equal.
    let first = key(&items[0]);
    let mut previous = first;
    let (mut varying, mut sorted) = (0, true);
    for item in &*items {
        let key = key(item);
        varying |= key ^ first;
        sorted &= previous <= key;
        previous = key;
    }
    if sorted {
        return;
    }
    scratch.extend_from_slice(items);
    let mut in_scratch = false;
    for shift in (0..u64::BITS).step_by(DIGIT_BITS as usize) {
        if (varying >> shift) & (BUCKETS as u64 - 1) == 0 {
            continue;
        }
        if in_scratch {
            scatter(scratch, items, shift, &key);
        } else {
            scatter(items, scratch, shift, &key);
        }
        in_scratch = !in_scratch;
    }
    if in_scratch {
        items.copy_from_slice(scratch);
    }
}

/// One pass: moves items into the order of one digit, stably.
fn scatter<T: Copy>(from: &[T], to: &mut [T], shift: u32, key: &impl Fn(&T) -> u64) {
    let digit = |item: &T| (key(item) >> shift) as usize & (BUCKETS - 1);
    let mut places = [0usize; BUCKETS];
    for item in from {
        places[digit(item)] += 1;
    }
    let mut start = 0;
    for place in &mut places {
        start += core::mem::replace(place, start);
    }
    for item in from {
        let place = &mut places[digit(item)];
        to[*place] = *item;
        *place += 1;
    }
}

fn insertion_sort<T: Copy>(items: &mut [T], key: impl Fn(&T) -> u64) {
    for end in 1..items.len() {
        let item = items[end];
        let item_key = key(&item);
        let mut place = end;
        while place > 0 && key(&items[place - 1]) > item_key {
            items[place] = items[place - 1];
            place -= 1;
        }
        items[place] = item;
    }
}
