//! The match thread: applies controls, follows the clock at 60 ticks a second, and broadcasts each
//! tick to all streams. Pauses while no stream is open. Skips time if it falls behind, instead of
//! catching up.

use super::control::Control;
use super::frame::{Kind, encode, message};
use crate::play::Play;
use crate::settings::Settings;
use isostep_rollback::Stick;
use isostep_viewer::internals::Switches;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::time::{Duration, Instant};

const TICK: Duration = Duration::from_nanos(1_000_000_000 / 60);
/// Lag to catch up with; beyond it time is skipped.
const MAX_CATCH_UP: Duration = Duration::from_millis(50);

/// Requests of connections to the match thread.
pub(super) enum MatchRequest {
    /// Open a stream.
    Subscribe(SyncSender<Arc<[u8]>>),
    /// Apply a control.
    Control(Control),
    /// Return the recording as a file, or the reason for its absence.
    Save(SyncSender<Result<Vec<u8>, String>>),
}

struct MatchThread {
    /// `None` after an error; a restart creates another match.
    play: Option<Play>,
    subscribers: Vec<SyncSender<Arc<[u8]>>>,
    /// Debug lines of the frames: those of every page, and of later matches.
    lines: Switches,
    /// Time of the last frame, microseconds, with encoding and sending.
    micros: u32,
}

/// Runs until every sender of requests is dropped.
pub(super) fn run(requests: &Receiver<MatchRequest>, settings: Settings) {
    let mut thread =
        MatchThread { play: None, subscribers: Vec::new(), lines: Switches::default(), micros: 0 };
    thread.begin(settings);
    let mut next = Instant::now();
    loop {
        let wait = next.saturating_duration_since(Instant::now());
        let request = if thread.subscribers.is_empty() || thread.play.is_none() {
            next = Instant::now();
            requests.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            requests.recv_timeout(wait)
        };
        match request {
            Ok(MatchRequest::Subscribe(subscriber)) => thread.subscribe(subscriber),
            Ok(MatchRequest::Control(control)) => thread.apply(control),
            Ok(MatchRequest::Save(reply)) => {
                // The connection may be closed by now.
                let _ = reply.try_send(thread.save());
            }
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                thread.tick();
                next = (next + TICK).max(Instant::now().checked_sub(MAX_CATCH_UP).unwrap_or(next));
            }
        }
    }
}

impl MatchThread {
    /// Starts a match.
    fn begin(&mut self, settings: Settings) {
        match Play::new(settings) {
            Ok(play) => {
                self.play = Some(play);
                self.broadcast_scene();
            }
            Err(error) => self.stop(&error.to_string()),
        }
    }

    fn apply(&mut self, control: Control) {
        if let Control::Open(settings) = control {
            return self.begin(*settings);
        }
        if let Control::Lines(lines) = control {
            self.lines = lines;
            return self.send_note(&json!({ "note": "lines", "on": self.lines.text() }));
        }
        let Some(play) = &mut self.play else {
            if control == Control::Restart {
                self.begin(Settings::default());
            }
            return;
        };
        match control {
            Control::Keys { x, y, jump, shove } => {
                let stick = Stick::from_steps(x, y).unwrap_or_default();
                return play.keys(stick, u64::from(jump) | u64::from(shove) << 1);
            }
            Control::Fault { machine, kind } => play.inject_fault(machine, kind),
            Control::Set { name, value } => match play.set(&name, &value) {
                Ok(false) => (),
                Ok(true) => return self.restart(),
                Err(error) => {
                    return self
                        .send_note(&json!({ "note": "refused", "text": error.to_string() }));
                }
            },
            Control::Open(_) | Control::Lines(_) | Control::Restart => return self.restart(),
        }
        let mut note = play.settings().json();
        note["note"] = json!("settings");
        self.send_note(&note);
    }

    /// Restarts the match without its faults.
    fn restart(&mut self) {
        let settings = self.play.as_ref().map_or_else(Settings::default, |play| Settings {
            faults: Vec::new(),
            ..play.settings().clone()
        });
        self.begin(settings);
    }

    fn save(&mut self) -> Result<Vec<u8>, String> {
        let play = self.play.as_mut().ok_or("no match is running; restart it")?;
        play.save_recording().map_err(|error| error.to_string())
    }

    fn tick(&mut self) {
        let Some(play) = &mut self.play else { return };
        let begun = Instant::now();
        if let Err(error) = play.tick() {
            return self.stop(&error.to_string());
        }
        // The cost of a whole frame is only known after it, so the next frame reports it.
        let frame = encode(&play.frame(self.micros, &self.lines));
        let notes = play.notes();
        self.broadcast(Kind::Frame, &frame);
        for note in notes {
            self.send_note(&note.json());
        }
        self.micros = u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX);
    }

    /// Ends the match after an error.
    fn stop(&mut self, why: &str) {
        self.play = None;
        self.send_note(&json!({ "note": "stopped", "text": format!("the match stopped: {why}") }));
    }

    /// Adds a stream; the scene is its first message.
    fn subscribe(&mut self, subscriber: SyncSender<Arc<[u8]>>) {
        let Some(play) = &self.play else {
            let note = json!({ "note": "stopped", "text": "no match is running: restart it" });
            let _ = subscriber.try_send(message(Kind::Note, note.to_string().as_bytes()).into());
            self.subscribers.push(subscriber);
            return;
        };
        let scene = self.scene(play);
        if subscriber.try_send(message(Kind::Scene, scene.as_bytes()).into()).is_ok() {
            self.subscribers.push(subscriber);
        }
    }

    /// The scene of a match, with the switches of debug lines.
    fn scene(&self, play: &Play) -> String {
        let mut scene = play.scene();
        scene["lines"] = json!(self.lines.text());
        scene.to_string()
    }

    fn broadcast_scene(&mut self) {
        let Some(play) = &self.play else { return };
        let scene = self.scene(play);
        self.broadcast(Kind::Scene, scene.as_bytes());
    }

    fn send_note(&mut self, note: &Value) {
        self.broadcast(Kind::Note, note.to_string().as_bytes());
    }

    /// Sends a message to all streams. A full queue drops frames; if it would drop any other
    /// message, the stream is closed and the page reconnects.
    fn broadcast(&mut self, kind: Kind, payload: &[u8]) {
        let bytes: Arc<[u8]> = message(kind, payload).into();
        self.subscribers.retain(|subscriber| match subscriber.try_send(Arc::clone(&bytes)) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => kind == Kind::Frame,
            Err(TrySendError::Disconnected(_)) => false,
        });
    }
}
