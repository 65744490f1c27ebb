//! Times as text.

/// Last second of the year 9999; later times print as never.
const FOREVER: u64 = 253_402_300_799;

/// Formats Unix seconds as date and time, UTC.
pub(crate) fn date(unix: u64) -> String {
    if unix > FOREVER {
        return "after the year 9999".to_owned();
    }
    let (mut day, minutes) = (unix / 86_400, unix % 86_400 / 60);
    let divides = |by: u64, year: u64| year.is_multiple_of(by);
    let leap = |year| divides(4, year) && (!divides(100, year) || divides(400, year));
    let mut year = 1970;
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    let day = day + 1;
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

/// Formats an expiry relative to now.
pub(super) fn expiry(expires: u64, now: u64) -> String {
    if expires > FOREVER {
        "never".to_owned()
    } else if expires > now {
        format!("in {} ({})", span(expires - now), date(expires))
    } else {
        format!("{} ago ({})", span(now - expires), date(expires))
    }
}

/// Formats a duration in its largest unit that gives at least two.
fn span(seconds: u64) -> String {
    match seconds {
        172_800.. => format!("{} days", seconds / 86_400),
        7200.. => format!("{} hours", seconds / 3600),
        120.. => format!("{} minutes", seconds / 60),
        1 => "1 second".to_owned(),
        _ => format!("{seconds} seconds"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_399), "2000-02-28 23:59 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(951_868_800), "2000-03-01 00:00 UTC");
        assert_eq!(date(1_767_225_599), "2025-12-31 23:59 UTC");
        assert_eq!(date(4_107_542_400), "2100-03-01 00:00 UTC");
        assert_eq!(date(FOREVER), "9999-12-31 23:59 UTC");
        assert_eq!(date(u64::MAX), "after the year 9999");
    }

    #[test]
    fn an_expiry_prints_past_and_future() {
        assert_eq!(expiry(86_400, 0), "in 24 hours (1970-01-02 00:00 UTC)");
        assert_eq!(expiry(0, 150), "2 minutes ago (1970-01-01 00:00 UTC)");
        assert_eq!(expiry(u64::MAX, 5), "never");
    }
}
