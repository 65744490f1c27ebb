//! Turns measurements into verdicts and advice. Limits are those of a match at 60 Hz.

use super::Finding;
use super::probe::{Clock, LAB_PORT, Ports, SIZES};
use isostep_core::internals::Lanes;
use std::time::Duration;

/// One tick at 60 Hz.
const TICK: Duration = Duration::from_micros(16_667);
/// Error below which clocks and sleeps count as exact: a game polls them about once a millisecond.
const FINE: Duration = Duration::from_millis(1);
/// 2025-01-01, Unix seconds. An earlier clock was never set.
const EARLIEST_PLAUSIBLE: u64 = 1_735_689_600;

pub(super) fn udp(arrived: Result<Vec<usize>, String>) -> Finding {
    let advice =
        "allow UDP on 127.0.0.1 in the firewall or container; without it there are no matches here";
    match arrived {
        Err(error) => Finding::bad("udp", format!("no socket can be opened: {error}"), advice),
        Ok(sizes) if sizes == SIZES => {
            let [least, .., most] = SIZES;
            Finding::good("udp", format!("datagrams of {least} to {most} bytes arrive"))
        }
        Ok(sizes) => {
            let missing = SIZES.into_iter().filter(|size| !sizes.contains(size));
            let missing: Vec<_> = missing.map(|size| size.to_string()).collect();
            let missing = missing.join(", ");
            Finding::bad("udp", format!("datagrams of {missing} bytes are lost"), advice)
        }
    }
}

pub(super) fn ports(Ports { any, taken }: Ports) -> Finding {
    match any {
        Err(error) => Finding::bad(
            "ports",
            format!("none can be bound: {error}"),
            "close programs with many sockets, or allow this one to bind in the firewall or container",
        ),
        Ok(port) if taken.is_empty() => Finding::good(
            "ports",
            format!("free: {port}, and the ports of the examples and the lab ({LAB_PORT})"),
        ),
        Ok(port) => {
            let taken: Vec<_> = taken.iter().map(u16::to_string).collect();
            Finding::poor(
                "ports",
                format!("free: {port}; taken: {}", taken.join(", ")),
                "choose other ports: `isostep lab --port 0`, and in the commands of the examples",
            )
        }
    }
}

pub(super) fn clock(Clock { resolution, went_back }: Clock) -> Finding {
    let Some(step) = resolution else {
        return Finding::bad(
            "clock",
            "does not advance".to_owned(),
            "check the virtual machine's clock source",
        );
    };
    let found = format!("resolution {}", span(step));
    if went_back {
        let advice = "check the system's clock source; pacing needs a monotonic clock";
        Finding::bad("clock", format!("{found}, not monotonic"), advice)
    } else if step > TICK {
        Finding::bad(
            "clock",
            found,
            "its resolution is longer than a tick; check the system's clock source",
        )
    } else if step > FINE {
        Finding::poor("clock", found, "ticks will be uneven; check the system's clock source")
    } else {
        Finding::good("clock", format!("{found}, monotonic"))
    }
}

pub(super) fn time_of_day(unix: Option<u64>) -> Finding {
    match unix {
        Some(now) if now >= EARLIEST_PLAUSIBLE => {
            Finding::good("time of day", crate::matches::dates::date(now))
        }
        _ => Finding::bad(
            "time of day",
            "in the past".to_owned(),
            "set the clock of this machine: with a wrong clock it refuses valid tokens",
        ),
    }
}

/// Assesses sleeps by their median: a busy machine is late at times, and its timers are fine.
pub(super) fn sleep(late: &mut [Duration]) -> Finding {
    late.sort_unstable();
    let median = late.get(late.len() / 2).copied().unwrap_or_default();
    let worst = late.last().copied().unwrap_or_default();
    let found = format!("wakes {} late, {} at worst", span(median), span(worst));
    // Never bad: a game that polls the clock still plays, and the load may be temporary.
    if median > FINE {
        let advice = "close busy programs, pace by the display, or raise the timer resolution";
        Finding::poor("sleep", found, advice)
    } else if worst > TICK {
        Finding::poor("sleep", found, "the processor is busy; close other programs for even ticks")
    } else {
        Finding::good("sleep", found)
    }
}

pub(super) fn threads((count, can_start): (usize, bool)) -> Finding {
    let found = format!("{count} at once");
    if !can_start {
        Finding::bad(
            "threads",
            "none can be started".to_owned(),
            "raise the process limit (ulimit -u)",
        )
    } else if count < 2 {
        Finding::poor("threads", found, "matches work; the lab with its browser needs two")
    } else {
        Finding::good("threads", found)
    }
}

pub(super) fn lanes(lanes: Lanes) -> Finding {
    if lanes == Lanes::Scalar {
        let advice =
            "results are the same, but slower: this processor has neither SSE4.1, AVX2 nor NEON";
        Finding::poor("lanes", "one contact at a time".to_owned(), advice)
    } else {
        let count = if lanes == Lanes::Avx2 { 8 } else { 4 };
        Finding::good("lanes", format!("{}: {count} contacts at a time", lanes.name()))
    }
}

pub(super) fn build(debug: bool) -> Finding {
    if debug {
        let advice = "build with --release before you measure";
        Finding::poor("build", "with assertions, not optimised".to_owned(), advice)
    } else {
        Finding::good("build", "optimised".to_owned())
    }
}

pub(super) fn terminal(is_one: bool, term: Option<&str>) -> Finding {
    match term {
        _ if !is_one => Finding::good("terminal", "none: plain lines are printed".to_owned()),
        None | Some("" | "dumb") => Finding::poor(
            "terminal",
            "no capabilities".to_owned(),
            "set TERM, for example TERM=xterm, for live tables",
        ),
        Some(term) => Finding::good("terminal", term.to_owned()),
    }
}

/// Formats a short duration.
fn span(time: Duration) -> String {
    match time.as_nanos() {
        nanos @ 0..1000 => format!("{nanos} ns"),
        nanos @ 1000..1_000_000 => format!("{} µs", nanos / 1000),
        nanos => format!("{}.{} ms", nanos / 1_000_000, nanos % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Verdict::{self, Bad, Good, Poor};

    fn verdicts(findings: impl IntoIterator<Item = Finding>) -> Vec<Verdict> {
        findings.into_iter().map(|finding| finding.verdict).collect()
    }

    #[test]
    fn lost_datagram_sizes_are_reported() {
        assert_eq!(udp(Ok(SIZES.to_vec())).verdict, Good);
        let found = udp(Ok(vec![1, 64, 576]));
        assert_eq!((found.verdict, &*found.found), (Bad, "datagrams of 1000, 1200 bytes are lost"));
        assert_eq!(udp(Err("no".to_owned())).verdict, Bad);
    }

    #[test]
    fn ports_in_use_are_reported() {
        let found = ports(Ports { any: Ok(4), taken: vec![7000] });
        assert_eq!((found.verdict, &*found.found), (Poor, "free: 4; taken: 7000"));
        assert_eq!(ports(Ports { any: Ok(4), taken: vec![] }).verdict, Good);
        assert_eq!(ports(Ports { any: Err("no".to_owned()), taken: vec![] }).verdict, Bad);
    }

    #[test]
    fn clocks_are_assessed_by_resolution() {
        let of = |step, went_back| clock(Clock { resolution: step, went_back });
        let millis = |millis| Some(Duration::from_millis(millis));
        let all = [
            of(millis(1), false),
            of(millis(2), false),
            of(millis(20), false),
            of(millis(1), true),
            of(None, false),
        ];
        assert_eq!(verdicts(all), [Good, Poor, Bad, Bad, Bad]);
        assert_eq!(
            verdicts([
                time_of_day(Some(EARLIEST_PLAUSIBLE)),
                time_of_day(Some(5)),
                time_of_day(None)
            ]),
            [Good, Bad, Bad]
        );
    }

    #[test]
    fn sleep_is_assessed_by_its_median_first() {
        let of = |millis: [u64; 3]| sleep(&mut millis.map(Duration::from_millis));
        assert_eq!(
            verdicts([of([0, 1, 2]), of([90, 0, 0]), of([3, 0, 3]), of([30, 30, 0])]),
            [Good, Poor, Poor, Poor]
        );
        assert_eq!(sleep(&mut []).verdict, Good);
    }

    #[test]
    fn other_probes_are_assessed() {
        assert_eq!(
            verdicts([threads((2, true)), threads((1, true)), threads((8, false))]),
            [Good, Poor, Bad]
        );
        assert_eq!(verdicts([lanes(Lanes::Avx2), lanes(Lanes::Scalar)]), [Good, Poor]);
        assert_eq!(verdicts([build(false), build(true)]), [Good, Poor]);
        let ends = [
            terminal(true, Some("xterm")),
            terminal(false, None),
            terminal(true, None),
            terminal(true, Some("dumb")),
        ];
        assert_eq!(verdicts(ends), [Good, Good, Poor, Poor]);
    }

    #[test]
    fn short_durations_print_in_their_unit() {
        let of = |nanos| span(Duration::from_nanos(nanos));
        assert_eq!([of(41), of(58_000), of(1_250_000)], ["41 ns", "58 µs", "1.2 ms"]);
    }
}
