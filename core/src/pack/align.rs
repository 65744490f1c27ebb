//! Alignment of rows with the rows of a baseline, as runs of *skip, take, fresh*, in rows.

use super::segments::Segment;
use std::collections::BTreeMap;

/// Bytes of an image and the matching bytes of the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) at: usize,
    pub(super) from: usize,
    pub(super) length: usize,
}

/// Skips rows of the baseline, takes rows to compare with, then adds rows without a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) skip: u32,
    pub(super) take: u32,
    pub(super) fresh: u32,
}

/// XORs each span with the baseline. Applying it twice restores the bytes.
pub(super) fn xor(bytes: &mut [u8], baseline: &[u8], spans: &[Span]) {
    for span in spans {
        let from = &baseline[span.from..span.from + span.length];
        let at = &mut bytes[span.at..span.at + span.length];
        at.iter_mut().zip(from).for_each(|(byte, old)| *byte ^= old);
    }
}

/// The runs of a segment, from the bytes of both sides.
pub(super) fn runs(segment: Segment, new: &[u8], old: &[u8]) -> Vec<Run> {
    if segment.key() == 0 { by_place(segment, new, old) } else { by_key(segment, new, old) }
}

fn by_place(segment: Segment, new: &[u8], old: &[u8]) -> Vec<Run> {
    let row = segment.row();
    let (rows, old_rows) = ((new.len() / row) as u32, (old.len() / row) as u32);
    let same = new.iter().zip(old).take_while(|(a, b)| a == b).count();
    let front = if rows == old_rows { rows } else { (same / row) as u32 };
    let rest = rows.min(old_rows) - front;
    vec![
        Run { skip: 0, take: front, fresh: rows.saturating_sub(old_rows) },
        Run { skip: old_rows.saturating_sub(rows), take: rest, fresh: 0 },
    ]
}

fn by_key(segment: Segment, new: &[u8], old: &[u8]) -> Vec<Run> {
    let old_keys = old.chunks_exact(segment.row()).map(|row| &row[..segment.key()]);
    let places: BTreeMap<&[u8], u32> = old_keys.zip(0..).collect();
    let mut runs = vec![Run::default()];
    let mut next = 0;
    for row in new.chunks_exact(segment.row()) {
        let place = places.get(&row[..segment.key()]).copied().filter(|place| *place >= next);
        let last = runs.last_mut().expect("there is a first run");
        match place {
            Some(place) => {
                let skip = place - next;
                next = place + 1;
                if skip == 0 && last.fresh == 0 {
                    last.take += 1;
                } else {
                    runs.push(Run { skip, take: 1, fresh: 0 });
                }
            }
            None => last.fresh += 1,
        }
    }
    runs
}
