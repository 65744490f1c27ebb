//! The lab from outside: the real command on a free port, its page, stream and controls. No test
//! sleeps: assertions wait for a message of the stream, with a read timeout.

use crate::server::Server;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

struct Lab(Server);

impl std::ops::Deref for Lab {
    type Target = Server;
    fn deref(&self) -> &Server {
        &self.0
    }
}

impl Lab {
    fn open(arguments: &[&str]) -> Self {
        Self(Server::start(Path::new("."), &[&["lab"], arguments].concat()))
    }

    fn post(&self, json: &str) -> String {
        self.0.post("/control", json)
    }
}

/// Messages of a stream: joins chunks, then splits by length.
struct Messages {
    from: BufReader<TcpStream>,
    held: Vec<u8>,
}

impl Messages {
    fn open(lab: &Lab) -> Self {
        let mut stream = lab.connect();
        write!(stream, "GET /stream HTTP/1.1\r\nHost: {}\r\n\r\n", lab.address).unwrap();
        let mut from = BufReader::new(stream);
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        while line != "\r\n" {
            line.clear();
            from.read_line(&mut line).unwrap();
        }
        Self { from, held: Vec::new() }
    }

    /// Kind and payload of the next message.
    fn next(&mut self) -> (u8, Vec<u8>) {
        loop {
            let length = self.held.first_chunk().map(|&it| u32::from_le_bytes(it) as usize);
            if let Some(length) = length.filter(|length| self.held.len() >= length + 4) {
                let rest = self.held.split_off(length + 4);
                let message = std::mem::replace(&mut self.held, rest);
                return (message[4], message[5..].to_vec());
            }
            let mut line = String::new();
            self.from.read_line(&mut line).unwrap();
            let length = usize::from_str_radix(line.trim_end(), 16).expect("the size of a chunk");
            let mut chunk = vec![0; length + 2];
            self.from.read_exact(&mut chunk).unwrap();
            assert_eq!(chunk.split_off(length), b"\r\n");
            self.held.extend(chunk);
        }
    }

    /// Waits until all machines agree on this tick or a later one.
    fn agreed(&mut self, tick: u32) {
        loop {
            // After number and cost: compared tick, recorded ticks, verdict.
            let (kind, frame) = self.next();
            if kind == 2
                && frame[16] == 1
                && u32::from_le_bytes(*frame[8..].first_chunk().unwrap()) >= tick
            {
                return;
            }
        }
    }

    /// First message of a kind that matches, as text.
    fn find(&mut self, kind: u8, wanted: impl Fn(&str) -> bool) -> String {
        loop {
            let (found, payload) = self.next();
            let text = String::from_utf8_lossy(&payload);
            if found == kind && wanted(&text) {
                return text.into_owned();
            }
        }
    }
}

#[test]
fn the_page_is_served_without_external_files() {
    let lab = Lab::open(&[]);
    let page = lab.get("/");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("<title>Isostep lab</title>"));
    let own = [
        "lab", "cards", "confirm", "controls", "curves", "inspect", "layout", "map", "player",
        "report", "touch", "wire",
    ];
    let shared = ["camera", "draw", "lines", "meshes", "motion", "names", "switches", "theme"];
    let modules = own.iter().chain(&shared).map(|name| format!("{name}.js"));
    for file in modules.chain(["base.css", "lab.css"].map(str::to_owned)) {
        assert!(lab.get(&format!("/{file}")).starts_with("HTTP/1.1 200"), "{file}");
    }
    assert!(!page.contains("https://"), "nothing comes from elsewhere");
}

/// Lines are the end of each machine's part: without them a frame of this match is far shorter.
#[test]
fn frames_have_debug_lines_while_a_switch_is_on() {
    let lab = Lab::open(&["--players", "2", "--crates", "4"]);
    let mut messages = Messages::open(&lab);
    let (_, scene) = messages.next();
    assert!(String::from_utf8(scene).unwrap().contains(r#""lines":"""#));
    messages.agreed(16);
    let mut length = || loop {
        let (kind, frame) = messages.next();
        if kind == 2 {
            return frame.len();
        }
    };
    let plain = length();
    let on = |names: &str| lab.post(&format!(r#"{{"do":"lines","on":"{names}"}}"#));
    assert!(on("shapes,bounds").starts_with("HTTP/1.1 204"));
    // Two machines, four crates and two players with 24 lines or more each, 16 bytes a line.
    while length() < plain + 2 * 6 * 24 * 16 {}
    assert!(on("mood").starts_with("HTTP/1.1 400"));
    let (_, scene) = Messages::open(&lab).next();
    assert!(String::from_utf8(scene).unwrap().contains(r#""lines":"shapes,bounds""#));
    assert!(on("").starts_with("HTTP/1.1 204"));
    while length() > plain + 200 {}
}

#[test]
fn a_match_plays_and_an_injected_desync_is_explained() {
    let lab = Lab::open(&["--players", "3", "--seed", "5"]);
    let mut messages = Messages::open(&lab);
    let (kind, scene) = messages.next();
    assert_eq!(kind, 1);
    let scene = String::from_utf8(scene).unwrap();
    assert!(scene.contains(r#""players":3"#) && scene.contains(r#""seed":5"#), "{scene}");
    let mut last = 0;
    for _ in 0..5 {
        let (kind, frame) = messages.next();
        assert_eq!(kind, 2);
        let number = u32::from_le_bytes(*frame.first_chunk().unwrap());
        assert!(number > last, "{number} after {last}");
        assert_eq!(frame[17], 3, "three machines");
        last = number;
    }
    messages.agreed(48);
    let flip = r#"{"do":"flip","machine":2,"target":"score","always":true}"#;
    assert!(lab.post(flip).starts_with("HTTP/1.1 204"));
    let report = messages.find(3, |note| note.contains(r#""note":"desync""#));
    for fact in [
        r#""entity":"players[0]""#,
        r#""field":"points""#,
        r#""blame":"machine 3, outvoted by the others""#,
    ] {
        assert!(report.contains(fact), "{fact} in {report}");
    }
}

#[test]
fn a_machine_repairs_a_single_bit_flip() {
    let lab = Lab::open(&[]);
    let mut messages = Messages::open(&lab);
    messages.agreed(48);
    let flip = r#"{"do":"flip","machine":1,"target":"velocity","always":false}"#;
    assert!(lab.post(flip).starts_with("HTTP/1.1 204"));
    let report = messages.find(3, |note| note.contains(r#""note":"desync""#));
    assert!(report.contains("machine 2 found its own state wrong"), "{report}");
    let repaired = messages.find(3, |note| note.contains(r#""note":"repaired""#));
    assert!(repaired.contains(r#""machine":1"#), "{repaired}");
    messages.agreed(128);
}

#[test]
fn a_restart_shows_another_scene() {
    let lab = Lab::open(&[]);
    let mut messages = Messages::open(&lab);
    messages.find(2, |_| true);
    let query = "seed=9&players=4&mode=lockstep&delay=8&net=300,50,30,3";
    let open = format!(r#"{{"do":"open","query":"{query}"}}"#);
    assert!(lab.post(&open).starts_with("HTTP/1.1 204"));
    let scene = messages.find(1, |_| true);
    for fact in [
        r#""seed":9"#,
        r#""mode":"lockstep""#,
        &format!(r#""query":"{query}""#),
        r#""command":"isostep demo --seed 9 --players 4 --mode lockstep --delay 8 --net 300,50,30,3""#,
    ] {
        assert!(scene.contains(fact), "{fact} in {scene}");
    }
}

#[test]
fn a_changed_setting_updates_the_url_at_once() {
    let lab = Lab::open(&["--net", "wifi", "--cut", "1@900"]);
    let mut messages = Messages::open(&lab);
    messages.find(2, |_| true);
    assert!(
        lab.post(r#"{"do":"set","name":"link","value":"1-2:mobile"}"#).starts_with("HTTP/1.1 204")
    );
    let note = messages.find(3, |note| note.contains(r#""note":"settings""#));
    let query = "seed=1&players=2&mode=rollback&net=wifi&link=1-2:mobile&cut=1@900";
    assert!(note.contains(query), "{note}");
    // The match refuses settings of machines that don't exist, and continues.
    assert!(
        lab.post(r#"{"do":"set","name":"link","value":"1-4:mobile"}"#).starts_with("HTTP/1.1 204")
    );
    let note = messages.find(3, |note| note.contains(r#""note":"refused""#));
    assert!(note.contains("machine 4"), "{note}");
}

#[test]
fn a_saved_replay_verifies() {
    let lab = Lab::open(&["--net", "wifi"]);
    let mut messages = Messages::open(&lab);
    messages.agreed(48);
    let (address, head) = (&lab.address, "POST /replay HTTP/1.1\r\nContent-Type: application/json");
    let mut stream = lab.connect();
    write!(stream, "{head}\r\nHost: {address}\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let body = answer.windows(4).position(|it| it == b"\r\n\r\n").expect("a head") + 4;
    assert!(answer.starts_with(b"HTTP/1.1 200"));
    let file = std::env::temp_dir().join(format!("lab-{}.isoreplay", std::process::id()));
    std::fs::write(&file, &answer[body..]).unwrap();
    let verify = Command::new(env!("CARGO_BIN_EXE_isostep"))
        .args(["replay", "verify"])
        .arg(&file)
        .output()
        .expect("the command starts");
    let report = String::from_utf8(verify.stdout).unwrap();
    let _ = std::fs::remove_file(&file);
    assert!(verify.status.success() && report.contains("ticks are correct"), "{report}");
    assert!(!report.contains("not finished"), "{report}");
}

#[test]
fn hostile_requests_are_refused_and_the_lab_keeps_running() {
    let lab = Lab::open(&[]);
    let host = format!("Host: {}\r\n", lab.address);
    for (request, expected) in [
        ("GET /../../etc/passwd HTTP/1.1\r\nHOST\r\n".to_owned(), "404"),
        ("PUT / HTTP/1.1\r\nHOST\r\n".to_owned(), "405"),
        ("GET /control HTTP/1.1\r\nHOST\r\n".to_owned(), "405"),
        ("GET /replay HTTP/1.1\r\nHOST\r\n".to_owned(), "405"),
        ("POST /replay HTTP/1.1\r\nHOST\r\n".to_owned(), "415"),
        ("POST /stream HTTP/1.1\r\nHOSTContent-Type: application/json\r\n\r\n".to_owned(), "405"),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(), "403"),
        ("GET /stream HTTP/1.1\r\nHOSTOrigin: http://evil.example\r\n\r\n".to_owned(), "403"),
        ("POST /control HTTP/1.1\r\nHOSTContent-Length: 2\r\n\r\n{}".to_owned(), "415"),
        (format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(100_000)), "431"),
        ("\0\u{1}\u{2}\r\n\r\n".to_owned(), "400"),
    ] {
        let request = request.replace("HOST", &host);
        assert_eq!(Server::status(&lab.ask(request.as_bytes())), expected, "{request:.80}");
    }
    assert_eq!(Server::status(&lab.post("{")), "400");
    assert_eq!(Server::status(&lab.post(r#"{"do":"set","name":"delay","value":"99"}"#)), "400");
    assert!(lab.get("/").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_port_in_use_prints_one_line_and_exits_with_2() {
    let lab = Lab::open(&[]);
    let port = lab.address.rsplit(':').next().unwrap();
    let second = Command::new(env!("CARGO_BIN_EXE_isostep"))
        .args(["lab", "--port", port])
        .output()
        .expect("the command starts");
    assert_eq!(second.status.code(), Some(2));
    let report = String::from_utf8(second.stderr).unwrap();
    assert_eq!(report.lines().count(), 1, "{report}");
    assert!(report.contains("--port 0"), "{report}");
}
