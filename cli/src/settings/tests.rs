//! Settings round-trip through URLs and commands; invalid values are refused.

use super::*;
use crate::play::Play;
use clap::Command;

fn unusual() -> Settings {
    let mut settings = Settings {
        seed: MAX_SEED,
        players: 4,
        crates: 60,
        mode: Pace::Lockstep,
        predict: 30,
        delay: 8,
        adaptive: true,
        dilation: false,
        resim: Resim::Full,
        net: PROFILES[3].1,
        links: vec![
            ((0, 1), PROFILES[0].1),
            ((3, 0), Link { latency: 7, jitter: 6, loss: 5, bursts: 4 }),
        ],
        drift: [0, -300, 0, 10_000],
        faults: Vec::new(),
    };
    settings.note(ScheduledFault {
        at: 900,
        machine: 1,
        kind: FaultKind::BitFlip { target: FaultTarget::Score, always: true },
    });
    settings.note(ScheduledFault { at: 300, machine: 2, kind: FaultKind::Disconnect });
    settings
}

fn parse(command: &str) -> Settings {
    let words = command.split(' ').skip(1);
    let matches = Command::new("demo").args(arguments()).get_matches_from(words);
    from_arguments(&matches).unwrap()
}

#[test]
fn urls_and_commands_round_trip_settings() {
    for settings in [Settings::default(), unusual()] {
        assert_eq!(Settings::from_query(&settings.query()), Ok(settings.clone()));
        assert_eq!(parse(&settings.command()), settings);
    }
    let query = "seed=1&players=2&mode=rollback&net=60,10,2,0";
    assert_eq!(Settings::default().query(), query);
    let command = "isostep demo --seed 1 --players 2 --mode rollback --net 60,10,2,0";
    assert_eq!(Settings::default().command(), command);
}

#[test]
fn every_non_default_field_is_written() {
    let settings = unusual();
    let words = settings.pairs();
    for field in &FIELDS {
        assert!(words.iter().any(|word| word.0 == field.name), "{}", field.name);
    }
}

#[test]
fn a_url_survives_percent_escapes() {
    let escaped = unusual().query().replace(',', "%2C").replace(':', "%3A").replace('@', "%40");
    assert_eq!(Settings::from_query(&format!("?{escaped}")), Ok(unusual()));
}

#[test]
fn invalid_values_are_refused_with_the_expected_form() {
    for query in [
        "speed=1",
        "seed",
        "seed=-1",
        "seed=9007199254740992",
        "players=1",
        "players=5",
        "players=2.0",
        "crates=61",
        "mode=turbo",
        "predict=0",
        "predict=31",
        "delay=13",
        "adaptive=1",
        "resim=",
        "net=dialup",
        "net=1,2,3",
        "net=1,2,3,4,5",
        "net=301,0,0,0",
        "net=0,0,31,0",
        "net=0,0,0,21",
        "link=1-1:wifi",
        "link=1-5:wifi",
        "link=wifi",
        "link=1-3:wifi",
        "drift=1:10001",
        "drift=0:5",
        "drift=3:5",
        "cut=2",
        "cut=2@x",
        "cut=3@10",
        "flip=1@5:mood",
        "flip=1@5:score:often",
        "flip=1@5:score:always:really",
    ] {
        let error = Settings::from_query(query).unwrap_err().to_string();
        assert!(!error.is_empty() && error.lines().count() == 1, "{query}: {error}");
    }
    let many = ["cut=1@5"; MAX_FAULTS + 1].join("&");
    assert!(Settings::from_query(&many).is_err());
}

#[test]
fn a_link_override_can_be_removed() {
    let mut settings = Settings::default();
    settings.set("link", "1-2:severe").unwrap();
    assert_eq!((settings.link((0, 1)), settings.link((1, 0))), (PROFILES[4].1, settings.net));
    settings.set("link", "1-2:same").unwrap();
    assert_eq!(settings, Settings::default());
}

#[test]
fn removing_machines_drops_their_settings() {
    let mut settings = unusual();
    settings.set("players", "2").unwrap();
    assert_eq!(settings.check(), Ok(()));
    assert_eq!(settings.links.len(), 1);
}

#[test]
fn every_allowed_link_is_a_valid_link_config() {
    for text in ["0,0,0,0", "0,300,30,20", "300,300,0,1", "300,0,30,0"] {
        let link = Link::read("net", text).unwrap();
        assert_eq!(link.config().validate(), Ok(()), "{text}");
    }
}

/// Regression: the test used to build configurations only, which any values allow.
#[test]
fn every_allowed_session_starts() {
    for (mode, adaptive) in
        [Pace::Rollback, Pace::Lockstep].map(|it| [(it, false), (it, true)]).concat()
    {
        for (predict, delay) in [(1, 0), (MAX_PREDICT, MAX_DELAY)] {
            let settings = Settings { mode, predict, delay, adaptive, ..Settings::default() };
            let mut play = Play::new(settings.clone()).unwrap_or_else(|error| {
                panic!("{}: {error}", settings.query());
            });
            play.tick().unwrap_or_else(|error| panic!("{}: {error}", settings.query()));
            assert_eq!(play.fleet().machines().len(), 2);
        }
    }
}
