//! Stream messages as bytes: length, kind, then JSON for rare messages or a frame of fixed layout.
//! All numbers are little-endian. The page's `wire.js` decodes the same layout.
//!
//! ```text
//! message  u32 bytes that follow · u8 kind · payload
//! frame    u32 number · u32 microseconds it took · u32 compared tick · u32 recorded ticks
//!          · u8 verdict · u8 peers · u16 bodies · peers · u8 packets · packets
//! peer     u32 current tick · u32 confirmed · u16 predicted ticks · u16 depth · u16 resimulated ticks · u16 resimulated bodies · u16 stalls
//!          · u16 bytes · u16 delay · u16 clock rate, in 1/500 Hz · u16 microseconds, in tens · u8 connected
//!          · u8 sides · i16 score × sides
//!          · 8 bytes of digest · bodies · u8 groups · groups · u8 ghosts · ghosts
//!          · u16 lines · lines
//! body     pose · u8 asleep
//! pose     i16 position × 3, in 1/512 m · i16 rotation × 4, in 1/32767
//! group    u8 body · u8 lowest body of its island
//! ghost    u8 body · pose
//! line     i16 start × 3 · i16 end × 3, in 1/512 m · u8 red · u8 green · u8 blue · u8 opacity
//! packet   u8 from · u8 to · u16 milliseconds of flight, or 65535 if lost
//! ```

use crate::play::{Frame, Packet, PeerFrame};
use isostep_core::{Transform, Vec3};

/// Kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// Start of a match: settings and drawables, as JSON.
    Scene = 1,
    /// Views of all machines after a tick.
    Frame = 2,
    /// An event, as JSON.
    Note = 3,
}

/// Time of flight of a lost packet.
const LOST: u16 = u16::MAX;

/// Frames a payload as a message.
pub(crate) fn message(kind: Kind, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(payload.len() + 5);
    out.extend_from_slice(&(payload.len() as u32 + 1).to_le_bytes());
    out.push(kind as u8);
    out.extend_from_slice(payload);
    out
}

/// Encodes a frame as a payload.
pub(crate) fn encode(frame: &Frame) -> Vec<u8> {
    let bodies = frame.peers.first().map_or(0, |peer| peer.bodies.len());
    let mut out = Vec::with_capacity(20 + frame.peers.len() * (40 + bodies * 31));
    for word in [frame.number, frame.micros, frame.compared, frame.recorded] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(&[frame.verdict as u8, frame.peers.len() as u8]);
    out.extend_from_slice(&(bodies as u16).to_le_bytes());
    frame.peers.iter().for_each(|peer| encode_peer(peer, &mut out));
    // A machine sends one packet a tick to each other one.
    let packets = &frame.packets[..frame.packets.len().min(u8::MAX.into())];
    out.push(packets.len() as u8);
    for &Packet { from, to, millis } in packets {
        out.extend_from_slice(&[from, to]);
        out.extend_from_slice(&millis.map_or(LOST, |millis| millis.min(LOST - 1)).to_le_bytes());
    }
    out
}

fn encode_peer(peer: &PeerFrame, out: &mut Vec<u8>) {
    out.extend_from_slice(&peer.present.to_le_bytes());
    out.extend_from_slice(&peer.confirmed.to_le_bytes());
    let counts = [
        peer.lead.into(),
        peer.depth.into(),
        peer.again,
        peer.redone.into(),
        peer.stalls,
        peer.sent_bytes,
        peer.delay.into(),
        u64::from(peer.millihertz / 2),
        u64::from(peer.micros / 10),
    ];
    // Saturates: the page's curves have this range.
    for count in counts {
        out.extend_from_slice(&u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes());
    }
    out.extend_from_slice(&[peer.connected.into(), peer.score.len() as u8]);
    for &points in &peer.score {
        let points = points.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        out.extend_from_slice(&points.to_le_bytes());
    }
    out.extend_from_slice(&peer.digest);
    for body in &peer.bodies {
        encode_pose(body.pose, out);
        out.push(u8::from(body.asleep));
    }
    out.push(peer.groups.len() as u8);
    out.extend(peer.groups.iter().flat_map(|&(body, island)| [body, island]));
    out.push(peer.ghosts.len() as u8);
    for &(body, pose) in &peer.ghosts {
        out.push(body);
        encode_pose(pose, out);
    }
    // A match has far fewer.
    let lines = &peer.lines[..peer.lines.len().min(u16::MAX.into())];
    out.extend_from_slice(&(lines.len() as u16).to_le_bytes());
    for line in lines {
        encode_place(line.start, out);
        encode_place(line.end, out);
        out.extend_from_slice(&line.color);
    }
}

fn encode_place(at: Vec3, out: &mut Vec<u8>) {
    for axis in at.to_array() {
        // 32 fractional bits to 9, to nearest. Positions saturate at 64 m.
        let steps = axis.to_bits().saturating_add(1 << 22) >> 23;
        let steps = steps.clamp(i64::from(i16::MIN), i64::from(i16::MAX)) as i16;
        out.extend_from_slice(&steps.to_le_bytes());
    }
}

fn encode_pose(pose: Transform, out: &mut Vec<u8>) {
    encode_place(pose.translation, out);
    for part in pose.rotation.to_bits() {
        // A quaternion component has 30 fractional bits.
        let steps = (i64::from(part) * 32767 + (1 << 29)) >> 30;
        out.extend_from_slice(&(steps.clamp(-32767, 32767) as i16).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::{Body, Verdict};
    use isostep_core::world::{BodyId, DebugLine, DebugTopic};
    use isostep_core::{Quat, real};

    /// Decoder of the layout above; independent of the encoder.
    struct Bytes<'a>(&'a [u8]);

    impl Bytes<'_> {
        fn number(&mut self, bytes: usize) -> u64 {
            let (mine, rest) = self.0.split_at(bytes);
            self.0 = rest;
            mine.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
        }

        fn signed<const N: usize>(&mut self) -> [i16; N] {
            [0; N].map(|_| self.number(2) as u16 as i16)
        }
    }

    #[test]
    fn a_frame_round_trips() {
        let turn = Quat::from_axis_angle(Vec3::Y, real!(1.5)).unwrap();
        let far = Transform::at(Vec3::from_ints(-1000, 0, 1000));
        let near = Transform::new(Vec3::new(real!(1.25), real!(-0.5), real!(3)), turn);
        let peer = |present| PeerFrame {
            present,
            confirmed: 95,
            lead: 5,
            depth: 4,
            again: 70_000,
            redone: 12,
            stalls: 1,
            sent_bytes: 321,
            delay: 6,
            millihertz: 60_100,
            micros: 1_234,
            connected: present == 100,
            score: vec![2, -3, 70_000],
            digest: [0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4],
            groups: vec![(1, 0), (0, 0)],
            bodies: vec![Body { pose: near, asleep: true }, Body { pose: far, asleep: false }],
            ghosts: vec![(1, far)],
            lines: vec![DebugLine {
                start: near.translation,
                end: far.translation,
                color: [1, 20, 255, 128],
                topic: DebugTopic::Bounds,
                body: BodyId::new(0, 0, 1).unwrap(),
                other: None,
            }],
        };
        let frame = Frame {
            number: 7,
            micros: 900,
            compared: 80,
            verdict: Verdict::Differ,
            recorded: 90,
            peers: vec![peer(100), peer(101)],
            packets: vec![
                Packet { from: 0, to: 1, millis: Some(66) },
                Packet { from: 1, to: 0, millis: None },
            ],
        };
        let bytes = message(Kind::Frame, &encode(&frame));
        let mut from = Bytes(&bytes);
        assert_eq!(from.number(4), bytes.len() as u64 - 4);
        assert_eq!([1, 4, 4, 4, 4].map(|n| from.number(n)), [2, 7, 900, 80, 90]);
        assert_eq!([1, 1, 2].map(|n| from.number(n)), [2, 2, 2]);
        for present in [100, 101] {
            assert_eq!([4, 4].map(|n| from.number(n)), [present, 95]);
            assert_eq!([2; 6].map(|n| from.number(n)), [5, 4, 65_535, 12, 1, 321]);
            let connected = u64::from(present == 100);
            assert_eq!([2, 2, 2, 1, 1].map(|n| from.number(n)), [6, 30_050, 123, connected, 3]);
            assert_eq!(from.signed(), [2, -3, 32_767]);
            assert_eq!(from.number(8), 0x0403_0201_efbe_adde);
            assert_eq!(from.signed(), [640, -256, 1536]);
            // 32767 × sin 0.75 and cos 0.75.
            assert_eq!(from.signed(), [0, 22335, 0, 23975]);
            assert_eq!(from.number(1), 1);
            assert_eq!(from.signed(), [-32768, 0, 32767]);
            assert_eq!(from.signed(), [0, 0, 0, 32767]);
            assert_eq!(from.number(1), 0);
            assert_eq!([1; 5].map(|n| from.number(n)), [2, 1, 0, 0, 0]);
            assert_eq!([1; 2].map(|n| from.number(n)), [1, 1]);
            assert_eq!(from.signed(), [-32768, 0, 32767, 0, 0, 0, 32767]);
            assert_eq!(from.number(2), 1);
            assert_eq!(from.signed(), [640, -256, 1536, -32768, 0, 32767]);
            assert_eq!([1; 4].map(|n| from.number(n)), [1, 20, 255, 128]);
        }
        assert_eq!([1, 1, 1, 2].map(|n| from.number(n)), [2, 0, 1, 66]);
        assert_eq!([1, 1, 2].map(|n| from.number(n)), [1, 0, 65_535]);
        assert!(from.0.is_empty());
    }
}
