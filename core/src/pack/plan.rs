//! The plan of a pack: its segments and, for a delta, the alignment of their rows with the
//! baseline.

use super::align::{Run, Span, runs};
use super::error::UnpackError;
use super::segments::{Segment, Segments};
use super::{Image, varint};
use core::ops::Range;
use std::collections::BTreeMap;

/// The pack has its own segment table, which follows.
const OWN_SEGMENTS: u8 = 0;
/// The segments are those of the baseline.
const SAME_SEGMENTS: u8 = 1;

/// Upper bound of the plan for this many bytes.
pub(super) const fn most_bytes(length: usize) -> usize {
    length.saturating_add(64 << 10)
}

pub(super) struct Plan;

type Places = BTreeMap<u32, (Segment, Range<usize>)>;

fn places(baseline: Image<'_>) -> Places {
    baseline.segments.places().map(|place| (place.0.id(), place)).collect()
}

/// The part of the baseline that a segment is compared with.
fn counterpart(places: &Places, segment: Segment) -> Range<usize> {
    match places.get(&segment.id()) {
        Some((old, range)) if old.row() == segment.row() => range.clone(),
        _ => 0..0,
    }
}

/// The bytes of a run, starting at the next row of each side; `None` if the run exceeds either.
fn span(run: Run, row: usize, at: &mut Range<usize>, from: &mut Range<usize>) -> Option<Span> {
    let bytes = |rows: u32| (rows as usize).checked_mul(row);
    let length = bytes(run.take)?;
    let start = from.start.checked_add(bytes(run.skip)?)?;
    let (end, next) = (start.checked_add(length)?, at.start.checked_add(length)?);
    let behind = next.checked_add(bytes(run.fresh)?)?;
    if end > from.end || behind > at.end {
        return None;
    }
    let span = Span { at: at.start, from: start, length };
    (at.start, from.start) = (behind, end);
    Some(span)
}

impl Plan {
    /// Encodes the plan of an image. Also returns its spans.
    pub(super) fn make(image: Image<'_>, baseline: Option<Image<'_>>) -> (Vec<u8>, Vec<Span>) {
        let mut out = Vec::new();
        let mut spans = Vec::new();
        if baseline.is_some_and(|baseline| baseline.segments == image.segments) {
            out.push(SAME_SEGMENTS);
        } else {
            out.push(OWN_SEGMENTS);
            image.segments.encode(&mut out);
        }
        let Some(baseline) = baseline else { return (out, spans) };
        let places = places(baseline);
        for (segment, mut at) in image.segments.places() {
            let mut from = counterpart(&places, segment);
            let (new, old) = (&image.bytes[at.clone()], &baseline.bytes[from.clone()]);
            for run in runs(segment, new, old) {
                // The reader also ends a segment at its last row.
                if at.is_empty() {
                    break;
                }
                let taken = span(run, segment.row(), &mut at, &mut from);
                spans.push(taken.expect("runs stay within both segments"));
                [run.skip, run.take, run.fresh].into_iter().for_each(|n| varint::put(n, &mut out));
            }
        }
        (out, spans)
    }

    /// Decodes the segments and spans of a plan for an image of this length.
    pub(super) fn read(
        plan: &[u8],
        length: usize,
        baseline: Option<Image<'_>>,
    ) -> Result<(Segments, Vec<Span>), UnpackError> {
        Self::parse(plan, length, baseline).ok_or(UnpackError::Plan)
    }

    fn parse(
        mut plan: &[u8],
        length: usize,
        baseline: Option<Image<'_>>,
    ) -> Option<(Segments, Vec<Span>)> {
        let (&kind, rest) = plan.split_first()?;
        plan = rest;
        let segments = match kind {
            OWN_SEGMENTS => Segments::decode(&mut plan)?,
            SAME_SEGMENTS => baseline?.segments.clone(),
            _ => return None,
        };
        segments.check(length).ok()?;
        let mut spans = Vec::new();
        if let Some(baseline) = baseline {
            let places = places(baseline);
            for (segment, mut at) in segments.places() {
                let mut from = counterpart(&places, segment);
                while !at.is_empty() {
                    let mut number = || varint::take(&mut plan);
                    let run = Run { skip: number()?, take: number()?, fresh: number()? };
                    spans.push(span(run, segment.row(), &mut at, &mut from)?);
                }
            }
        }
        plan.is_empty().then_some((segments, spans))
    }
}
