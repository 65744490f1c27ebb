//! Frame queries of the page: untrusted query strings, parsed and checked before the playback sees
//! them.

use crate::lines::{NoSuchSwitch, Switches};
use isostep_rollback::Tick;

/// Limit on ticks of one query: a quarter of a second at four times the pace.
pub(super) const MAX_TICKS: usize = 64;

/// A query for frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameQuery {
    /// Ticks, in display order.
    pub(super) ticks: Vec<Tick>,
    /// Debug lines of each frame.
    pub(super) lines: Switches,
}

/// Errors of a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum QueryError {
    #[error("{0:?} is not a valid query: use ticks=450,451 and lines=contacts,bounds")]
    Name(String),
    #[error("{0:?} is not a tick: use a number")]
    Tick(String),
    #[error("{0} ticks in one query: use at most {MAX_TICKS}")]
    Many(usize),
    #[error("the query has no ticks: use ticks=450,451")]
    None,
    #[error(transparent)]
    Lines(#[from] NoSuchSwitch),
    #[error("{0}")]
    NotThere(String),
}

impl FrameQuery {
    pub(super) fn read(query: &str) -> Result<Self, QueryError> {
        let (mut ticks, mut lines) = (None, None);
        for part in query.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("ticks", list)) if ticks.is_none() => ticks = Some(read_ticks(list)?),
                Some(("lines", list)) if lines.is_none() => lines = Some(Switches::read(list)?),
                _ => return Err(QueryError::Name(part.to_owned())),
            }
        }
        let ticks = ticks.ok_or(QueryError::None)?;
        Ok(Self { ticks, lines: lines.unwrap_or_default() })
    }
}

fn read_ticks(list: &str) -> Result<Vec<Tick>, QueryError> {
    let count = list.split(',').count();
    if count > MAX_TICKS {
        return Err(QueryError::Many(count));
    }
    let tick = |text: &str| {
        // `parse` would accept a sign.
        let plain = text.bytes().all(|c| c.is_ascii_digit());
        let number = text.parse().ok().filter(|_| plain);
        number.map(Tick).ok_or_else(|| QueryError::Tick(text.to_owned()))
    };
    list.split(',').map(tick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_keep_the_order_of_the_query() {
        let ask = FrameQuery::read("ticks=450,3,451").unwrap();
        let lines = Switches::default();
        assert_eq!(ask, FrameQuery { ticks: vec![Tick(450), Tick(3), Tick(451)], lines });
    }

    #[test]
    fn a_query_may_ask_for_lines() {
        for query in ["ticks=7&lines=bounds,contacts", "lines=contacts,bounds&ticks=7"] {
            let ask = FrameQuery::read(query).unwrap();
            assert_eq!((ask.ticks, ask.lines.text().as_str()), (vec![Tick(7)], "contacts,bounds"));
        }
        assert_eq!(FrameQuery::read("ticks=7&lines=").unwrap().lines, Switches::default());
    }

    #[test]
    fn malformed_queries_are_refused() {
        let many = format!("ticks={}", vec!["1"; MAX_TICKS + 1].join(","));
        for query in [
            "",
            "ticks",
            "ticks=",
            "ticks=1,",
            "ticks=-1",
            "ticks=+1",
            "ticks=1.5",
            "ticks=x",
            "ticks=4294967296",
            "ticks=1&ticks=2",
            "tick=1",
            "ticks=1&more=2",
            "ticks=%31",
            "lines=contacts",
            "ticks=1&lines=mood",
            "ticks=1&lines=contacts&lines=bounds",
            &many,
        ] {
            assert!(FrameQuery::read(query).is_err(), "{query:.60}");
        }
    }
}
