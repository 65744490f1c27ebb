//! The thread that owns the match: obeys, follows the clock at 60 ticks a second, and shows each tick to all who
//! watch. While nobody does, it waits. When it falls behind, it skips time instead of racing after it.

use super::control::{Control, Settings};
use super::frame::{Kind, message};
use super::play::Play;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::time::{Duration, Instant};

const TICK: Duration = Duration::from_nanos(1_000_000_000 / 60);
/// How much time may be caught up with; more is skipped.
const MOST_BEHIND: Duration = Duration::from_millis(50);

/// What connections ask of the stage.
pub(super) enum Order {
    /// Somebody wants to see it.
    Watch(SyncSender<Arc<[u8]>>),
    /// Somebody wants something done.
    Do(Control),
}

struct Stage {
    /// `None` once it could not go on; a restart makes another.
    play: Option<Play>,
    watchers: Vec<SyncSender<Arc<[u8]>>>,
}

/// Runs until nobody can give orders any more.
pub(super) fn run(orders: &Receiver<Order>, settings: Settings) {
    let mut stage = Stage { play: None, watchers: Vec::new() };
    stage.obey(Control::Restart { settings });
    let mut next = Instant::now();
    loop {
        let wait = next.saturating_duration_since(Instant::now());
        let order = if stage.watchers.is_empty() || stage.play.is_none() {
            next = Instant::now();
            orders.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            orders.recv_timeout(wait)
        };
        match order {
            Ok(Order::Watch(watcher)) => stage.welcome(watcher),
            Ok(Order::Do(control)) => stage.obey(control),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                stage.tick();
                next = (next + TICK).max(Instant::now().checked_sub(MOST_BEHIND).unwrap_or(next));
            }
        }
    }
}

impl Stage {
    fn obey(&mut self, control: Control) {
        let restart = matches!(control, Control::Restart { .. });
        let done = match (&mut self.play, control) {
            (None, Control::Restart { settings }) => {
                Play::new(settings).map(|play| self.play = Some(play))
            }
            (Some(play), control) => play.obey(control),
            (None, _) => Ok(()),
        };
        match done {
            Ok(()) if restart => self.show_scene(),
            Ok(()) => (),
            Err(error) => self.stop(&error.to_string()),
        }
    }

    fn tick(&mut self) {
        let Some(play) = &mut self.play else { return };
        let begun = Instant::now();
        if let Err(error) = play.tick() {
            return self.stop(&error.to_string());
        }
        let micros = u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX);
        let frame = play.frame(micros);
        let notes = play.notes();
        self.show(Kind::Frame, &frame.encode());
        for note in notes {
            self.tell(&note);
        }
    }

    /// The match can't go on.
    fn stop(&mut self, why: &str) {
        self.play = None;
        self.tell(&json!({ "note": "stopped", "why": why }));
    }

    /// A new watcher gets the scene first.
    fn welcome(&mut self, watcher: SyncSender<Arc<[u8]>>) {
        let Some(play) = &self.play else {
            let note = json!({ "note": "stopped", "why": "restart the match" });
            let _ = watcher.try_send(message(Kind::Note, note.to_string().as_bytes()).into());
            self.watchers.push(watcher);
            return;
        };
        let scene = play.scene().to_string();
        if watcher.try_send(message(Kind::Scene, scene.as_bytes()).into()).is_ok() {
            self.watchers.push(watcher);
        }
    }

    fn show_scene(&mut self) {
        let Some(play) = &self.play else { return };
        let scene = play.scene().to_string();
        self.show(Kind::Scene, scene.as_bytes());
    }

    fn tell(&mut self, note: &Value) {
        self.show(Kind::Note, note.to_string().as_bytes());
    }

    /// To all who watch. Who is slow misses frames; who would miss anything else has to come again.
    fn show(&mut self, kind: Kind, payload: &[u8]) {
        let bytes: Arc<[u8]> = message(kind, payload).into();
        self.watchers.retain(|watcher| match watcher.try_send(Arc::clone(&bytes)) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => kind == Kind::Frame,
            Err(TrySendError::Disconnected(_)) => false,
        });
    }
}
