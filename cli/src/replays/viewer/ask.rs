//! Which ticks the page wants to see: a query from anywhere, read and checked before the playback sees it.

use isostep_rollback::Tick;

/// Most ticks of one question: a quarter of a second at four times the pace.
pub(super) const MOST_TICKS: usize = 64;

/// What the page asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    /// In the order in which they are to be shown.
    pub(super) ticks: Vec<Tick>,
}

/// Why there is nothing to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AskError {
    #[error("{0:?} is no question: ask for ticks=450,451")]
    Name(String),
    #[error("{0:?} is no tick: a number is")]
    Tick(String),
    #[error("{0} ticks at once: at most {MOST_TICKS}")]
    Many(usize),
    #[error("which ticks? ask for ticks=450,451")]
    None,
    #[error("{0}")]
    NotThere(String),
}

impl Ask {
    pub(super) fn read(query: &str) -> Result<Self, AskError> {
        let mut ticks = None;
        for part in query.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("ticks", list)) if ticks.is_none() => ticks = Some(read_ticks(list)?),
                _ => return Err(AskError::Name(part.to_owned())),
            }
        }
        Ok(Self { ticks: ticks.ok_or(AskError::None)? })
    }
}

fn read_ticks(list: &str) -> Result<Vec<Tick>, AskError> {
    let count = list.split(',').count();
    if count > MOST_TICKS {
        return Err(AskError::Many(count));
    }
    let tick = |text: &str| {
        // A sign would be read, too.
        let plain = text.bytes().all(|c| c.is_ascii_digit());
        let number = text.parse().ok().filter(|_| plain);
        number.map(Tick).ok_or_else(|| AskError::Tick(text.to_owned()))
    };
    list.split(',').map(tick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_come_in_the_order_asked_for() {
        let ask = Ask::read("ticks=450,3,451").unwrap();
        assert_eq!(ask, Ask { ticks: vec![Tick(450), Tick(3), Tick(451)] });
    }

    #[test]
    fn what_is_no_question_is_refused() {
        let many = format!("ticks={}", vec!["1"; MOST_TICKS + 1].join(","));
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
            &many,
        ] {
            assert!(Ask::read(query).is_err(), "{query:.60}");
        }
    }
}
