//! The ggrs side: an empty game, its sessions, and matches of them: `session.rs` without a network,
//! `wire.rs` over one.

pub mod session;
pub mod wire;

use ::ggrs::{
    Config, DesyncDetection, GgrsRequest, NonBlockingSocket, P2PSession, PlayerType,
    PredictRepeatLast, SessionBuilder,
};
use isostep_bench::suite::session::Pad;
use std::time::Duration;

/// ggrs configuration of the empty game.
pub struct Plain;

impl Config for Plain {
    type Input = Pad;
    type InputPredictor = PredictRepeatLast;
    type State = ();
    type Address = u8;
}

/// A session of a match, with any socket.
#[allow(
    clippy::missing_panics_doc,
    reason = "sessions are built of constants: what they expect holds or a bench fails"
)]
pub fn start(
    (own, players): (usize, usize),
    delay: u32,
    window: u32,
    digest_every: u32,
    socket: impl NonBlockingSocket<u8> + 'static,
) -> P2PSession<Plain> {
    let detection = match digest_every {
        0 => DesyncDetection::Off,
        interval => DesyncDetection::On { interval },
    };
    let builder = SessionBuilder::<Plain>::new()
        .with_num_players(players)
        .expect("some")
        .with_max_prediction_window(window as usize)
        .with_input_delay(delay as usize)
        .with_desync_detection_mode(detection)
        // Never disconnects, even if the machine is busy.
        .with_disconnect_timeout(Duration::from_mins(10));
    let add = |builder: SessionBuilder<Plain>, player: usize| {
        let remote = PlayerType::Remote(player as u8);
        let kind = if player == own { PlayerType::Local } else { remote };
        builder.add_player(kind, player).expect("a handle of its own")
    };
    (0..players).fold(builder, add).start_p2p_session(socket).expect("all are there")
}

/// Fulfils a session's requests; returns the frame of a rollback.
pub fn fulfil(requests: Vec<GgrsRequest<Plain>>) -> Option<i32> {
    let mut back = None;
    for request in requests {
        match request {
            GgrsRequest::SaveGameState { cell, frame } => cell.save(frame, Some(()), Some(0)),
            GgrsRequest::LoadGameState { cell, frame } => {
                cell.load();
                back = Some(frame);
            }
            GgrsRequest::AdvanceFrame { .. } => (),
        }
    }
    back
}
