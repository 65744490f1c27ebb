//! Encoding of a timing report.

use crate::Tick;
use crate::pace::{ArrivalStats, MarginReport};
use isostep_core::internals::Reader;

pub(super) fn write(report: &MarginReport, out: &mut Vec<u8>) {
    out.extend_from_slice(&report.sent.to_le_bytes());
    out.extend_from_slice(&report.made.0.to_le_bytes());
    out.push(report.delay);
    out.extend_from_slice(&report.rate_ppm.to_le_bytes());
    out.push(u8::from(report.measured.is_some()));
    if let Some(ArrivalStats { p95, median, tick_advantage }) = report.measured {
        for micros in [p95, median] {
            out.extend_from_slice(&micros.to_le_bytes());
        }
        out.extend_from_slice(&tick_advantage.to_le_bytes());
    }
}

pub(super) fn read(from: &mut Reader<'_>) -> Option<MarginReport> {
    let sent = from.u32()?;
    let made = Tick(from.u32()?);
    let delay = from.u8()?;
    let rate_ppm = from.i32()?;
    let measured = match from.u8()? {
        0 => None,
        _ => Some(ArrivalStats {
            p95: from.u32()?,
            median: from.u32()?,
            tick_advantage: from.i32()?,
        }),
    };
    Some(MarginReport { sent, made, delay, rate_ppm, measured })
}
