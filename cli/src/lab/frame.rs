//! The messages of the stream as bytes: a length, a kind, then JSON for what is rare or a frame of fixed layout.
//! All numbers are little-endian. The page's `wire.js` reads the same.
//!
//! ```text
//! message  u32 bytes that follow · u8 kind · payload
//! frame    u32 number · u32 microseconds it took · u32 compared tick · u8 verdict · u8 peers · u16 bodies · peers
//! peer     u32 present · u32 confirmed · u16 lead · u16 depth · u16 again · u16 stalls · u16 bytes
//!          · u16 goals × 2 · 4 bytes of digest · bodies
//! body     i16 position × 3, in 1/512 m · i16 rotation × 4, in 1/32767 · u8 asleep
//! ```

use isostep_core::Transform;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A match begins: settings and what there is to draw, as JSON.
    Scene = 1,
    /// What all machines see after a tick.
    Frame = 2,
    /// Something to tell, as JSON.
    Note = 3,
}

/// Whether the machines agree on the newest tick that all have digested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Verdict {
    /// There is none yet.
    #[default]
    Unknown = 0,
    Agree = 1,
    Differ = 2,
}

/// What all machines see after a tick.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Counted from the start of the match.
    pub(crate) number: u32,
    /// What the tick before took of the processor, for all machines together.
    pub(crate) micros: u32,
    pub(crate) compared: u32,
    pub(crate) verdict: Verdict,
    pub(crate) peers: Vec<PeerFrame>,
}

/// What one machine sees.
#[derive(Debug, Default)]
pub(crate) struct PeerFrame {
    pub(crate) present: u32,
    pub(crate) confirmed: u32,
    /// Ticks that rest on guesses.
    pub(crate) lead: u32,
    /// How far it went back in this frame.
    pub(crate) depth: u32,
    /// Ticks computed again in this frame.
    pub(crate) again: u64,
    /// Whether it had to wait, 0 or 1.
    pub(crate) stalls: u64,
    /// Bytes sent in this frame.
    pub(crate) bytes: u64,
    pub(crate) goals: [u32; 2],
    /// The first bytes of its digest of the compared tick.
    pub(crate) digest: [u8; 4],
    pub(crate) bodies: Vec<Body>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) pose: Transform,
    pub(crate) asleep: bool,
}

/// A message with this payload.
pub(crate) fn message(kind: Kind, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(payload.len() + 5);
    out.extend_from_slice(&(payload.len() as u32 + 1).to_le_bytes());
    out.push(kind as u8);
    out.extend_from_slice(payload);
    out
}

impl Frame {
    /// As a payload.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let bodies = self.peers.first().map_or(0, |peer| peer.bodies.len());
        let mut out = Vec::with_capacity(16 + self.peers.len() * (26 + bodies * 15));
        for word in [self.number, self.micros, self.compared] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(&[self.verdict as u8, self.peers.len() as u8]);
        out.extend_from_slice(&(bodies as u16).to_le_bytes());
        self.peers.iter().for_each(|peer| peer.encode(&mut out));
        out
    }
}

impl PeerFrame {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.present.to_le_bytes());
        out.extend_from_slice(&self.confirmed.to_le_bytes());
        let counts = [self.lead.into(), self.depth.into(), self.again, self.stalls, self.bytes];
        let goals = self.goals.map(u64::from);
        // What is more than a curve can show counts as the most that it can.
        for count in counts.into_iter().chain(goals) {
            out.extend_from_slice(&u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes());
        }
        out.extend_from_slice(&self.digest);
        for body in &self.bodies {
            let Transform { translation: at, rotation } = body.pose;
            for axis in [at.x, at.y, at.z] {
                // 32 fractional bits to 9, nearest; who is 64 m away is drawn at the rim.
                let steps = (axis.to_bits() + (1 << 22)) >> 23;
                let steps = steps.clamp(i64::from(i16::MIN), i64::from(i16::MAX)) as i16;
                out.extend_from_slice(&steps.to_le_bytes());
            }
            for part in rotation.to_bits() {
                // Of 2³⁰ for one.
                let steps = (i64::from(part) * 32767 + (1 << 29)) >> 30;
                out.extend_from_slice(&(steps.clamp(-32767, 32767) as i16).to_le_bytes());
            }
            out.push(u8::from(body.asleep));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isostep_core::{Quat, Vec3, real};

    /// Reads bytes by the layout above; shares nothing with the encoder.
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
    fn a_frame_comes_back_as_it_was() {
        let turn = Quat::from_axis_angle(Vec3::Y, real!(1.5)).unwrap();
        let far = Transform::at(Vec3::from_ints(-1000, 0, 1000));
        let near = Transform::new(Vec3::new(real!(1.25), real!(-0.5), real!(3)), turn);
        let peer = |present| PeerFrame {
            present,
            confirmed: 95,
            lead: 5,
            depth: 4,
            again: 70_000,
            stalls: 1,
            bytes: 321,
            goals: [2, 3],
            digest: [0xde, 0xad, 0xbe, 0xef],
            bodies: vec![Body { pose: near, asleep: true }, Body { pose: far, asleep: false }],
        };
        let frame = Frame {
            number: 7,
            micros: 900,
            compared: 80,
            verdict: Verdict::Differ,
            peers: vec![peer(100), peer(101)],
        };
        let bytes = message(Kind::Frame, &frame.encode());
        let mut from = Bytes(&bytes);
        assert_eq!(from.number(4), bytes.len() as u64 - 4);
        assert_eq!([1, 4, 4, 4, 1, 1, 2].map(|n| from.number(n)), [2, 7, 900, 80, 2, 2, 2]);
        for present in [100, 101] {
            assert_eq!([4, 4].map(|n| from.number(n)), [present, 95]);
            assert_eq!([2; 7].map(|n| from.number(n)), [5, 4, 65_535, 1, 321, 2, 3]);
            assert_eq!(from.number(4), 0xefbe_adde);
            assert_eq!(from.signed(), [640, -256, 1536]);
            // 32767 × sin 0.75 and cos 0.75.
            assert_eq!(from.signed(), [0, 22335, 0, 23975]);
            assert_eq!(from.number(1), 1);
            assert_eq!(from.signed(), [-32768, 0, 32767]);
            assert_eq!(from.signed(), [0, 0, 0, 32767]);
            assert_eq!(from.number(1), 0);
        }
        assert!(from.0.is_empty());
    }
}
