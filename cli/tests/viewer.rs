//! The viewer of recordings from outside: the real command on a free port, its page and frames.
//! Frames are compared with the output of `isostep replay seek`.

use crate::server::Server;
use crate::work_dir::WorkDir;
use isostep_determinism_tests::recording;
use isostep_rollback::replay::{Recorder, RecorderConfig};
use isostep_rollback::{PlayerId, Session, SessionConfig, Tick, Time};
use isostep_scenes::games::{ARENA_GAME, ArenaName, ArenaSize, arena_input};
use serde_json::{Value, json};

/// Records some seconds and opens the viewer.
fn recorded(name: &str, arguments: &str) -> (WorkDir, Server) {
    let dir = WorkDir::new(name);
    let (code, report) = dir.run("replay", &format!("record a {arguments}"));
    assert_eq!(code, 0, "{report}");
    let viewer = view(&dir, "a");
    (dir, viewer)
}

fn view(dir: &WorkDir, file: &str) -> Server {
    Server::start(&dir.0, &["replay", "play", file, "--web"])
}

#[track_caller]
fn body(answer: &str) -> Value {
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer:.300}");
    serde_json::from_str(answer.split_once("\r\n\r\n").expect("a head").1).expect("JSON")
}

#[track_caller]
fn frames(viewer: &Server, ticks: &str) -> Vec<Value> {
    let Value::Array(frames) = body(&viewer.get(&format!("/frames?ticks={ticks}"))) else {
        panic!("a list")
    };
    frames
}

/// Output of `seek` for a tick.
fn sought(dir: &WorkDir, file: &str, tick: u64) -> Value {
    let (_, report) = dir.run("replay", &format!("seek {file} {tick} --json"));
    serde_json::from_str(&report).expect("JSON")
}

/// A frame equals the output of `seek`: digests, score and positions.
#[track_caller]
fn same(frame: &Value, sought: &Value) {
    assert_eq!(frame["tick"], sought["tick"]);
    assert_eq!((&frame["digest"], &frame["score"]), (&sought["digest"], &sought["score"]));
    assert_eq!((&frame["recorded"], &frame["same"]), (&sought["recorded_digest"], &sought["same"]));
    // Frames list the ball first, `seek` the players; both list all moving bodies.
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
    let report = places(bodies.map(|it| *numbers(&it["place"]).first_chunk().unwrap()).collect());
    assert_eq!(shown.len(), report.len());
    for (a, b) in shown.iter().flatten().zip(report.iter().flatten()) {
        assert!((a - b).abs() < 1e-5, "{a} is shown, {b} is report");
    }
}

#[test]
fn the_page_is_served_without_external_files() {
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
fn the_timeline_lists_the_content_of_the_file() {
    let (dir, viewer) = recorded("viewer-facts", "--seconds 5 --players 3");
    let facts = body(&viewer.get("/recording"));
    let (_, report) = dir.run("replay", "info a --json");
    let info: Value = serde_json::from_str(&report).unwrap();
    for (fact, shown) in [
        ("first", "first_tick"),
        ("last", "last_tick"),
        ("keyframes", "keyframes"),
        ("seats", "seats"),
        ("assets", "assets"),
    ] {
        assert_eq!(facts[fact], info[shown], "{fact}");
    }
    // Every 16 ticks; the end is a keyframe and has its own.
    assert_eq!(facts["digests"], json!([[0, 16, 19]]));
    assert_eq!((&facts["gaps"], &facts["unfinished"]), (&json!([]), &Value::Null));
    let moving = facts["things"].as_array().unwrap().iter().filter(|it| it["moves"] == true);
    assert_eq!(moving.count(), 1 + 3 + 6, "the ball, players, props");
}

/// Forwards, backwards, over keyframes and within the held history: each tick equals `seek`.
#[test]
fn a_tick_is_the_same_on_every_path() {
    let (dir, viewer) = recorded("viewer-seek", "--seconds 6");
    for ticks in ["0", "288", "287,286,285", "151,150,149,148", "160", "300,301", "299", "12"] {
        for frame in frames(&viewer, ticks) {
            same(&frame, &sought(&dir, "a", frame["tick"].as_u64().unwrap()));
        }
    }
    let all: Vec<String> = (0..=360).rev().step_by(8).map(|tick: u32| tick.to_string()).collect();
    let back = frames(&viewer, &all.join(","));
    assert_eq!(back.len(), 46);
    let on = frames(&viewer, &all.iter().rev().cloned().collect::<Vec<_>>().join(","));
    assert!(back.iter().rev().eq(&on), "backwards and forwards");
}

#[test]
fn inputs_are_those_of_the_step_to_the_tick() {
    let (_desk, viewer) = recorded("viewer-inputs", "--seconds 3");
    // 150 is a keyframe, which has inputs as well.
    for tick in [1, 37, 149, 150, 151, 180] {
        let frame = &frames(&viewer, &tick.to_string())[0];
        for player in [0, 1] {
            let did = arena_input(1, PlayerId(player), Tick(tick - 1));
            let shown = &frame["inputs"][usize::from(player)];
            assert_eq!(shown["stick"], json!(did.stick.to_steps()), "{player} at {tick}");
            assert_eq!(shown["who"], "human");
        }
    }
}

#[test]
fn a_wrong_digest_is_shown_and_explained() {
    let dir = WorkDir::new("viewer-fault");
    std::fs::write(dir.0.join("b"), recording::record_faulty().unwrap()).unwrap();
    let viewer = view(&dir, "b");
    // Frames equal `seek` on both sides of the keyframe after the fault.
    let shown = frames(&viewer, "128,136,137,199,200,201,208");
    let verdicts: Vec<_> = shown.iter().map(|it| it["same"] == true).collect();
    assert_eq!(verdicts, [true, false, true, true, true, true, true]);
    for frame in &shown {
        same(frame, &sought(&dir, "b", frame["tick"].as_u64().unwrap()));
    }
    let found = verify(&viewer);
    assert_eq!((&found["mismatch"]["tick"], &found["agreed"]), (&json!(136), &json!(128)));
    assert_eq!(found["mismatch"]["fields"][0]["field"], "kicks");
}

/// Verifies until done.
fn verify(viewer: &Server) -> Value {
    loop {
        let found = body(&viewer.post("/verify", ""));
        if found["done"] == true {
            return found;
        }
    }
}

#[test]
fn verification_runs_beside_the_playback() {
    let (_desk, viewer) = recorded("viewer-verify", "--seconds 12");
    let begun = body(&viewer.post("/verify", ""));
    assert_eq!((&begun["done"], &begun["tick"]), (&json!(false), &json!(300)));
    assert_eq!(frames(&viewer, "40")[0]["tick"], 40);
    let found = verify(&viewer);
    assert_eq!((&found["ticks"], &found["agreed"]), (&json!(720), &json!(720)));
    assert_eq!((&found["mismatch"], &found["error"]), (&Value::Null, &Value::Null));
    assert_eq!(verify(&viewer), found, "and stays done");
}

/// Records a match of 900 ticks; `records` selects the ticks on which the recorder is called.
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
fn a_gap_is_reported_and_both_sides_are_shown() {
    let dir = WorkDir::new("viewer-gap");
    let bytes = recording_of(150, |tick| !(300..600).contains(&tick));
    std::fs::write(dir.0.join("b"), bytes).unwrap();
    let viewer = view(&dir, "b");
    let facts = body(&viewer.get("/recording"));
    let [before, after] = [0, 1].map(|at| facts["gaps"][0][at].as_u64().expect("a tick"));
    assert!(before >= 290 && after > before + 200, "{}", facts["gaps"]);
    let shown = frames(&viewer, &format!("{before},{after},{before}"));
    for (frame, tick) in shown.iter().zip([before, after, before]) {
        same(frame, &sought(&dir, "b", tick));
    }
    // Ticks in the gap return the reason; later ticks have frames again.
    let shown = frames(&viewer, &format!("{before},{},{after}", before + 100));
    assert_eq!(shown.len(), 2);
    assert!(shown[1]["error"].as_str().unwrap().contains("not recorded"), "{}", shown[1]);
    assert_eq!(frames(&viewer, &after.to_string())[0]["tick"], after);
    let found = verify(&viewer);
    assert_eq!((&found["gaps"], &found["mismatch"]), (&json!(1), &Value::Null));
}

/// Without keyframes every seek resimulates from the start; a newer query may end it early.
#[test]
fn a_long_seek_reaches_its_tick_or_is_superseded() {
    let dir = WorkDir::new("viewer-walk");
    std::fs::write(dir.0.join("b"), recording_of(0, |_| true)).unwrap();
    let viewer = view(&dir, "b");
    assert_eq!(body(&viewer.get("/recording"))["keyframes"], json!([0]));
    for tick in [880, 560, 700, 240, 241, 3] {
        same(&frames(&viewer, &tick.to_string())[0], &sought(&dir, "b", tick));
    }
    let answers = std::thread::scope(|scope| {
        let ask = |ticks: &'static str| {
            let viewer = &viewer;
            scope.spawn(move || viewer.get(&format!("/frames?ticks={ticks}")))
        };
        let asked: Vec<_> = ["890", "20", "870", "10"].into_iter().map(ask).collect();
        asked.into_iter().map(|it| it.join().unwrap()).collect::<Vec<_>>()
    });
    let statuses: Vec<_> = answers.iter().map(|answer| Server::status(answer)).collect();
    assert!(statuses.iter().all(|status| ["200", "409"].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&"200"), "the last request is answered");
    same(&frames(&viewer, "870")[0], &sought(&dir, "b", 870));
}

#[test]
fn a_truncated_recording_plays_up_to_its_end() {
    let dir = WorkDir::new("viewer-cut");
    dir.run("replay", "record a --seconds 6");
    let mut bytes = std::fs::read(dir.0.join("a")).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(dir.0.join("b"), bytes).unwrap();
    let viewer = view(&dir, "b");
    let facts = body(&viewer.get("/recording"));
    let last = facts["last"].as_u64().unwrap();
    assert!(last > 0 && last < 360, "{last}");
    assert!(facts["unfinished"].as_str().unwrap().starts_with("not finished: "), "{facts}");
    same(&frames(&viewer, &last.to_string())[0], &sought(&dir, "b", last));
}

#[test]
fn damage_is_reported_and_earlier_ticks_are_shown() {
    let dir = WorkDir::new("viewer-damage");
    dir.run("replay", "record a --seconds 3");
    let mut bytes = std::fs::read(dir.0.join("a")).unwrap();
    // In the second half of the file.
    bytes[2000] ^= 1;
    std::fs::write(dir.0.join("b"), bytes).unwrap();
    let viewer = view(&dir, "b");
    let shown = frames(&viewer, "100,170");
    assert_eq!((shown.len(), &shown[0]["tick"]), (2, &json!(100)));
    assert!(shown[1]["error"].as_str().unwrap().contains("damaged"), "{}", shown[1]);
    same(&frames(&viewer, "149")[0], &sought(&dir, "b", 149));
    let found = verify(&viewer);
    assert!(found["error"].as_str().unwrap().contains("damaged"), "{found}");
    assert_eq!(found["agreed"], 144);
}

#[test]
fn malformed_queries_are_refused_and_the_viewer_keeps_running() {
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
        assert_eq!(Server::status(&answer), "400", "{query:.40}");
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
        assert_eq!(Server::status(&viewer.ask(request.as_bytes())), expected, "{request:.80}");
    }
    assert_eq!(frames(&viewer, "60")[0]["tick"], 60);
}

#[test]
fn open_failures_print_one_line_and_exit_with_2() {
    let (dir, viewer) = recorded("viewer-misuse", "--seconds 1");
    let port = viewer.address.rsplit(':').next().unwrap();
    std::fs::write(dir.0.join("letter"), "some other file, long enough to be one").unwrap();
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
        let (code, report) = dir.run("replay", &format!("play {arguments}"));
        assert_eq!((code, report.lines().count()), (2, 1), "{arguments}: {report}");
        assert!(report.contains(word), "{arguments}: {report}");
    }
    let later = Server::start(&dir.0, &["replay", "play", "a", "--web", "--from", "30"]);
    assert!(later.report.trim_end().ends_with("/#tick=30"), "{}", later.report);
}
