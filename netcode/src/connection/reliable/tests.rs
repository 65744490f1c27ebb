//! Reliable channel under loss, duplication and reordering.

use super::*;
use crate::wire::Frames;
use isostep_core::Rng;

const TIMEOUT: Duration = Duration::from_millis(100);

fn read(end: &mut ReliableChannel, payload: &[u8]) {
    for frame in Frames::new(payload) {
        match frame.expect("whole") {
            Frame::Message { number, last, bytes } => assert!(end.on_segment(number, last, bytes)),
            Frame::MessageAck { next, ack_bits } => end.on_ack(next, ack_bits),
            other => panic!("{other:?}"),
        }
    }
}

fn messages() -> Vec<Vec<u8>> {
    let lengths = [0, 1, 1022, 1023, 1024, 30_000, 2, MAX_MESSAGE_BYTES - 1];
    lengths.map(|length| (0..length).map(|i| (i * 7) as u8).collect()).into()
}

#[test]
fn messages_arrive_whole_and_in_order_under_loss_duplication_and_reordering() {
    for seed in 0..4 {
        let mut rng = Rng::new(seed);
        let mut ends = [ReliableChannel::default(), ReliableChannel::default()];
        for message in messages() {
            for end in &mut ends {
                end.push(1, &message).expect("room");
            }
        }
        let mut got = [Vec::new(), Vec::new()];
        let mut late: [Vec<Vec<u8>>; 2] = [Vec::new(), Vec::new()];
        for step in 0..40_000 {
            let now = Time::from_millis(step * 5);
            for end in 0..2 {
                let mut payload = Vec::new();
                ends[end].write_ack(&mut payload);
                ends[end].write(now, TIMEOUT, 1100, &mut payload);
                if rng.chance(1, 5).expect("odds") {
                    continue;
                }
                if rng.chance(1, 5).expect("odds") {
                    late[end].push(payload.clone());
                }
                read(&mut ends[1 - end], &payload);
                if rng.chance(1, 6).expect("odds")
                    && let Some(payload) = late[end].pop()
                {
                    read(&mut ends[1 - end], &payload);
                }
                while let Some(mut message) = ends[1 - end].pop() {
                    assert_eq!(message.remove(0), 1);
                    got[1 - end].push(message);
                }
            }
        }
        assert!(got == [messages(), messages()], "seed {seed}");
        assert!(ends.iter().all(|end| end.queued_bytes == 0 && end.outgoing.is_empty()));
    }
}

#[test]
fn unpolled_messages_are_bounded() {
    let (mut from, mut to) = (ReliableChannel::default(), ReliableChannel::default());
    for step in 0..20_000 {
        let _ = from.push(1, &vec![7; 100_000]);
        let mut payload = Vec::new();
        from.write(Time::from_millis(step * 200), TIMEOUT, 1100, &mut payload);
        read(&mut to, &payload);
        payload.clear();
        to.write_ack(&mut payload);
        read(&mut from, &payload);
    }
    assert!(from.push(1, &vec![7; 100_000]).is_err(), "the sender gets an error");
    let held = to.complete_bytes + to.partial.len();
    assert!((MAX_QUEUED_BYTES..MAX_QUEUED_BYTES + MAX_MESSAGE_BYTES).contains(&held));
    // After polling, the rest arrives.
    let mut count = 0;
    for step in 20_000..60_000 {
        count += usize::from(to.pop().is_some());
        let mut payload = Vec::new();
        from.write(Time::from_millis(step * 200), TIMEOUT, 1100, &mut payload);
        read(&mut to, &payload);
        payload.clear();
        to.write_ack(&mut payload);
        read(&mut from, &payload);
    }
    assert!(count >= 20, "{count}");
    assert!(from.outgoing.is_empty());
}

#[test]
fn acks_of_unsent_segments_are_ignored() {
    let mut end = ReliableChannel::default();
    end.push(0, &[1; 5000]).expect("room");
    end.on_ack(3, u32::MAX);
    end.on_ack(u32::MAX, 0);
    assert_eq!((end.first, end.outgoing.len()), (0, 5));
    let mut payload = Vec::new();
    end.write(Time::ZERO, TIMEOUT, 1100, &mut payload);
    end.on_ack(1, u32::MAX);
    assert_eq!((end.first, end.outgoing.len()), (1, 4));
    assert!(end.outgoing.iter().all(|segment| !segment.acked));
}

#[test]
fn a_too_long_message_fails_the_channel() {
    let mut end = ReliableChannel::default();
    let alive = (0..).map(|number| end.on_segment(number, false, &[0; 1024]));
    assert_eq!(alive.take_while(|alive| *alive).count(), MAX_MESSAGE_BYTES / 1024);
    assert!(!ReliableChannel::default().on_segment(0, true, &[0; 1025]));
}
