//! The viewer of recordings from outside: the real command on a free port, its page, its frames. What it shows of a tick is
//! compared with what `isostep replay seek` says of it.

use crate::desk::Desk;
use crate::served::Served;
use isostep_determinism_tests::recording;
use isostep_rollback::replay::{Recorder, RecorderConfig};
use isostep_rollback::{PlayerId, Session, SessionConfig, Tick, Time};
use isostep_scenes::games::{ARENA_GAME, ArenaName, ArenaSize, arena_input};
use serde_json::{Value, json};

/// A recording of this many seconds, and the viewer of it.
fn recorded(name: &str, arguments: &str) -> (Desk, Served) {
    let desk = Desk::new(name);
    let (code, said) = desk.run("replay", &format!("record a {arguments}"));
    assert_eq!(code, 0, "{said}");
    let viewer = view(&desk, "a");
    (desk, viewer)
}

fn view(desk: &Desk, file: &str) -> Served {
    Served::start(&desk.0, &["replay", "play", file, "--web"])
}

#[track_caller]
fn body(answer: &str) -> Value {
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer:.300}");
    serde_json::from_str(answer.split_once("\r\n\r\n").expect("a head").1).expect("JSON")
}

#[track_caller]
fn frames(viewer: &Served, ticks: &str) -> Vec<Value> {
    let Value::Array(frames) = body(&viewer.get(&format!("/frames?ticks={ticks}"))) else {
        panic!("a list")
    };
    frames
}

/// What the command says of a tick.
fn sought(desk: &Desk, file: &str, tick: u64) -> Value {
    let (_, said) = desk.run("replay", &format!("seek {file} {tick} --json"));
    serde_json::from_str(&said).expect("JSON")
}

/// The frame has what was sought: digests, score and places.
#[track_caller]
fn same(frame: &Value, sought: &Value) {
    assert_eq!(frame["tick"], sought["tick"]);
    assert_eq!((&frame["digest"], &frame["score"]), (&sought["digest"], &sought["score"]));
    assert_eq!((&frame["recorded"], &frame["same"]), (&sought["recorded_digest"], &sought["same"]));
    // The ball comes first in a frame, players do in what is sought; both have all that move.
    let places = |list: Vec<[f64; 3]>| {
        let mut list = list;
        list.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        list
    };
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect()
    };
    let shown = numbers(&frame["bodies"]);
    let shown = places(shown.chunks(8).map(|body| [body[0], body[1], body[2]]).collect());
    let bodies = sought["bodies"].as_array().unwrap().iter();
    let said = places(bodies.map(|it| *numbers(&it["place"]).first_chunk().unwrap()).collect());
    assert_eq!(shown.len(), said.len());
    for (a, b) in shown.iter().flatten().zip(said.iter().flatten()) {
        assert!((a - b).abs() < 1e-5, "{a} is shown, {b} is said");
    }
}

#[test]
fn the_page_comes_whole_and_alone() {
    let (_desk, viewer) = recorded("viewer-page", "--seconds 1");
    let page = viewer.get("/");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("<title>Isostep replay"));
    let modules = ["viewer", "source", "timeline", "panel", "draw", "meshes", "motion", "theme"];
    for name in modules {
        assert!(viewer.get(&format!("/{name}.js")).starts_with("HTTP/1.1 200"), "{name}");
    }
    for name in ["base", "viewer"] {
        assert!(viewer.get(&format!("/{name}.css")).starts_with("HTTP/1.1 200"), "{name}");
    }
    assert!(!page.contains("https://"), "nothing comes from elsewhere");
}

#[test]
fn the_timeline_has_what_the_file_holds() {
    let (desk, viewer) = recorded("viewer-facts", "--seconds 5 --players 3");
    let facts = body(&viewer.get("/recording"));
    let (_, said) = desk.run("replay", "info a --json");
    let info: Value = serde_json::from_str(&said).unwrap();
    for (fact, told) in [
        ("first", "first_tick"),
        ("last", "last_tick"),
        ("keyframes", "keyframes"),
        ("seats", "seats"),
        ("assets", "assets"),
    ] {
        assert_eq!(facts[fact], info[told], "{fact}");
    }
    // Every 16 ticks; the end is a keyframe, which has its own.
    assert_eq!(facts["digests"], json!([[0, 16, 19]]));
    assert_eq!((&facts["gaps"], &facts["unfinished"]), (&json!([]), &Value::Null));
    let moving = facts["things"].as_array().unwrap().iter().filter(|it| it["moves"] == true);
    assert_eq!(moving.count(), 1 + 3 + 6, "the ball, players, props");
}

/// Forwards, backwards, over keyframes and within what is held: each tick is what `seek` says.
#[test]
fn a_tick_is_the_same_whichever_way_it_is_reached() {
    let (desk, viewer) = recorded("viewer-seek", "--seconds 6");
    for ticks in ["0", "288", "287,286,285", "151,150,149,148", "160", "300,301", "299", "12"] {
        for frame in frames(&viewer, ticks) {
            same(&frame, &sought(&desk, "a", frame["tick"].as_u64().unwrap()));
        }
    }
    let all: Vec<String> = (0..=360).rev().step_by(8).map(|tick: u32| tick.to_string()).collect();
    let back = frames(&viewer, &all.join(","));
    assert_eq!(back.len(), 46);
    let on = frames(&viewer, &all.iter().rev().cloned().collect::<Vec<_>>().join(","));
    assert!(back.iter().rev().eq(&on), "backwards and forwards");
}

#[test]
fn inputs_are_those_of_the_step_that_led_there() {
    let (_desk, viewer) = recorded("viewer-inputs", "--seconds 3");
    // A keyframe at 150, which has them too.
    for tick in [1, 37, 149, 150, 151, 180] {
        let frame = &frames(&viewer, &tick.to_string())[0];
        for player in [0, 1] {
            let did = arena_input(1, PlayerId(player), Tick(tick - 1));
            let told = &frame["inputs"][usize::from(player)];
            assert_eq!(told["stick"], json!(did.stick.to_steps()), "{player} at {tick}");
            assert_eq!(told["who"], "human");
        }
    }
}

#[test]
fn a_wrong_digest_is_shown_and_explained() {
    let desk = Desk::new("viewer-fault");
    std::fs::write(desk.0.join("b"), recording::record_faulty().unwrap()).unwrap();
    let viewer = view(&desk, "b");
    // By steps over the keyframe behind the fault, too: as it is sought, so it is shown.
    let shown = frames(&viewer, "128,136,137,199,200,201,208");
    let verdicts: Vec<_> = shown.iter().map(|it| it["same"] == true).collect();
    assert_eq!(verdicts, [true, false, true, true, true, true, true]);
    for frame in &shown {
        same(frame, &sought(&desk, "b", frame["tick"].as_u64().unwrap()));
    }
    let found = verify(&viewer);
    assert_eq!((&found["mismatch"]["tick"], &found["agreed"]), (&json!(136), &json!(128)));
    assert_eq!(found["mismatch"]["fields"][0]["field"], "kicks");
}

/// Goes on until it is done.
fn verify(viewer: &Served) -> Value {
    loop {
        let found = body(&viewer.post("/verify", ""));
        if found["done"] == true {
            return found;
        }
    }
}

#[test]
fn verifying_goes_on_beside_the_playback() {
    let (_desk, viewer) = recorded("viewer-verify", "--seconds 12");
    let begun = body(&viewer.post("/verify", ""));
    assert_eq!((&begun["done"], &begun["tick"]), (&json!(false), &json!(300)));
    assert_eq!(frames(&viewer, "40")[0]["tick"], 40);
    let found = verify(&viewer);
    assert_eq!((&found["ticks"], &found["agreed"]), (&json!(720), &json!(720)));
    assert_eq!((&found["mismatch"], &found["error"]), (&Value::Null, &Value::Null));
    assert_eq!(verify(&viewer), found, "and stays done");
}

/// A match of 900 ticks whose recorder is called on some of them.
fn recording_of(keyframe_every: u32, records: impl Fn(u32) -> bool) -> Vec<u8> {
    let name = ArenaName { size: ArenaSize { players: 2, props: 2 }, seed: 1 };
    let mut arena = name.arena();
    let mut session = Session::start(SessionConfig::new().local().local(), &mut arena).unwrap();
    let assets = vec![name.asset()];
    let config = RecorderConfig { assets, keyframe_every, ..RecorderConfig::new(ARENA_GAME) };
    let mut recorder = Recorder::start(config, &session, &arena).unwrap();
    let mut file = Vec::new();
    for tick in 0..900 {
        for player in [0, 1].map(PlayerId) {
            session.local_input(player, arena_input(1, player, Tick(tick))).unwrap();
        }
        session.advance(Time::from_millis(u64::from(tick) * 17)).run(&mut arena).unwrap();
        if records(tick) {
            recorder.record(&session, &arena);
        }
        file.extend(std::iter::from_fn(|| recorder.poll_bytes()).flatten());
    }
    recorder.finish(&session, &arena);
    file.extend(std::iter::from_fn(|| recorder.poll_bytes()).flatten());
    file
}

#[test]
fn a_gap_is_told_and_what_lies_on_both_sides_is_shown() {
    let desk = Desk::new("viewer-gap");
    let bytes = recording_of(150, |tick| !(300..600).contains(&tick));
    std::fs::write(desk.0.join("b"), bytes).unwrap();
    let viewer = view(&desk, "b");
    let facts = body(&viewer.get("/recording"));
    let [before, after] = [0, 1].map(|at| facts["gaps"][0][at].as_u64().expect("a tick"));
    assert!(before >= 290 && after > before + 200, "{}", facts["gaps"]);
    let shown = frames(&viewer, &format!("{before},{after},{before}"));
    for (frame, tick) in shown.iter().zip([before, after, before]) {
        same(frame, &sought(&desk, "b", tick));
    }
    // In it there is nothing, and the reason is told; then it goes on.
    let shown = frames(&viewer, &format!("{before},{},{after}", before + 100));
    assert_eq!(shown.len(), 2);
    assert!(shown[1]["error"].as_str().unwrap().contains("not recorded"), "{}", shown[1]);
    assert_eq!(frames(&viewer, &after.to_string())[0]["tick"], after);
    let found = verify(&viewer);
    assert_eq!((&found["gaps"], &found["mismatch"]), (&json!(1), &Value::Null));
}

/// Without keyframes every seek is a walk from the start; one that somebody overtakes may end early.
#[test]
fn a_long_walk_ends_at_its_tick_or_when_it_is_overtaken() {
    let desk = Desk::new("viewer-walk");
    std::fs::write(desk.0.join("b"), recording_of(0, |_| true)).unwrap();
    let viewer = view(&desk, "b");
    assert_eq!(body(&viewer.get("/recording"))["keyframes"], json!([0]));
    for tick in [880, 560, 700, 240, 241, 3] {
        same(&frames(&viewer, &tick.to_string())[0], &sought(&desk, "b", tick));
    }
    let answers = std::thread::scope(|scope| {
        let ask = |ticks: &'static str| {
            let viewer = &viewer;
            scope.spawn(move || viewer.get(&format!("/frames?ticks={ticks}")))
        };
        let asked: Vec<_> = ["890", "20", "870", "10"].into_iter().map(ask).collect();
        asked.into_iter().map(|it| it.join().unwrap()).collect::<Vec<_>>()
    });
    let statuses: Vec<_> = answers.iter().map(|answer| Served::status(answer)).collect();
    assert!(statuses.iter().all(|status| ["200", "409"].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&"200"), "whoever came last is shown theirs");
    same(&frames(&viewer, "870")[0], &sought(&desk, "b", 870));
}

#[test]
fn a_recording_that_was_cut_off_plays_what_is_there() {
    let desk = Desk::new("viewer-cut");
    desk.run("replay", "record a --seconds 6");
    let mut bytes = std::fs::read(desk.0.join("a")).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(desk.0.join("b"), bytes).unwrap();
    let viewer = view(&desk, "b");
    let facts = body(&viewer.get("/recording"));
    let last = facts["last"].as_u64().unwrap();
    assert!(last > 0 && last < 360, "{last}");
    assert!(facts["unfinished"].as_str().unwrap().starts_with("not finished: "), "{facts}");
    same(&frames(&viewer, &last.to_string())[0], &sought(&desk, "b", last));
}

#[test]
fn damage_is_told_and_what_lies_before_it_is_shown() {
    let desk = Desk::new("viewer-damage");
    desk.run("replay", "record a --seconds 3");
    let mut bytes = std::fs::read(desk.0.join("a")).unwrap();
    // In the second half.
    bytes[2000] ^= 1;
    std::fs::write(desk.0.join("b"), bytes).unwrap();
    let viewer = view(&desk, "b");
    let shown = frames(&viewer, "100,170");
    assert_eq!((shown.len(), &shown[0]["tick"]), (2, &json!(100)));
    assert!(shown[1]["error"].as_str().unwrap().contains("damaged"), "{}", shown[1]);
    same(&frames(&viewer, "149")[0], &sought(&desk, "b", 149));
    let found = verify(&viewer);
    assert!(found["error"].as_str().unwrap().contains("damaged"), "{found}");
    assert_eq!(found["agreed"], 144);
}

#[test]
fn questions_that_make_no_sense_are_refused_and_the_viewer_goes_on() {
    let (_desk, viewer) = recorded("viewer-hostile", "--seconds 1");
    let many = format!("ticks={}", vec!["1"; 65].join(","));
    for query in [
        "",
        "ticks=",
        "ticks=x",
        "ticks=-1",
        "ticks=61",
        "ticks=1,99999",
        "tick=1",
        "ticks=4294967295",
        "ticks=4294967296",
        &many,
    ] {
        let answer = viewer.get(&format!("/frames?{query}"));
        assert_eq!(Served::status(&answer), "400", "{query:.40}");
    }
    assert!(viewer.get("/frames?ticks=61").contains("choose 0 to 60"));
    let host = format!("Host: {}\r\n", viewer.address);
    for (request, expected) in [
        ("GET /../../etc/passwd HTTP/1.1\r\nHOST\r\n", "404"),
        ("GET /verify HTTP/1.1\r\nHOST\r\n", "405"),
        ("POST /frames HTTP/1.1\r\nHOSTContent-Type: application/json\r\n\r\n", "405"),
        ("POST /verify HTTP/1.1\r\nHOST\r\n", "415"),
        ("GET /frames?ticks=1 HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
        ("GET /frames?ticks=1 HTTP/1.1\r\nHOSTOrigin: http://evil.example\r\n\r\n", "403"),
        ("\0\u{1}\u{2}\r\n\r\n", "400"),
    ] {
        let request = request.replace("HOST", &host);
        assert_eq!(Served::status(&viewer.ask(request.as_bytes())), expected, "{request:.80}");
    }
    assert_eq!(frames(&viewer, "60")[0]["tick"], 60);
}

#[test]
fn what_keeps_it_from_opening_is_one_line_and_code_2() {
    let (desk, viewer) = recorded("viewer-misuse", "--seconds 1");
    let port = viewer.address.rsplit(':').next().unwrap();
    std::fs::write(desk.0.join("letter"), "some other file, long enough to be one").unwrap();
    for (arguments, word) in [
        (format!("a --web --port {port}"), "--port 0"),
        ("nowhere --web --port 0".to_owned(), "nowhere"),
        ("letter --web --port 0".to_owned(), "choose another file"),
        ("a --web --port 0 --from 61".to_owned(), "choose 0 to 60"),
        ("a --web --json".to_owned(), "--json"),
        ("a --web --rate 2".to_owned(), "--rate"),
        ("a --port 0".to_owned(), "--web"),
        ("a --web --port 99999".to_owned(), "--port"),
    ] {
        let (code, said) = desk.run("replay", &format!("play {arguments}"));
        assert_eq!((code, said.lines().count()), (2, 1), "{arguments}: {said}");
        assert!(said.contains(word), "{arguments}: {said}");
    }
    let later = Served::start(&desk.0, &["replay", "play", "a", "--web", "--from", "30"]);
    assert!(later.said.trim_end().ends_with("/#tick=30"), "{}", later.said);
}
