//! Frames in the payload of data packets (`WIRE.md`, section 5).

use isostep_core::internals::Reader;

/// Frame type: the first byte of a frame.
pub(crate) mod frame_type {
    pub(crate) const PAD: u8 = 0x00;
    pub(crate) const PING: u8 = 0x01;
    pub(crate) const PONG: u8 = 0x02;
    pub(crate) const MESSAGE: u8 = 0x03;
    pub(crate) const MESSAGE_ACK: u8 = 0x04;
    pub(crate) const FRAGMENT: u8 = 0x05;
    pub(crate) const PATH_CHALLENGE: u8 = 0x06;
    pub(crate) const PATH_RESPONSE: u8 = 0x07;
    pub(crate) const CLOSE: u8 = 0x08;
    pub(crate) const REKEY1: u8 = 0x09;
    pub(crate) const REKEY2: u8 = 0x0a;
    pub(crate) const PROBE: u8 = 0x0b;
    pub(crate) const PROBE_OK: u8 = 0x0c;
    pub(crate) const DATAGRAM: u8 = 0x0d;
    /// Set in the type of all GAME frames.
    pub(crate) const GAME: u8 = 0x80;
}

/// Bit of the length field that marks the last segment of a message.
const LAST: u16 = 0x8000;
/// Maximum length of the text in a CLOSE frame.
pub(crate) const MAX_CLOSE_TEXT_BYTES: usize = 200;
/// Lengths of the Noise messages in REKEY1 and REKEY2.
pub(crate) const REKEY1_BYTES: usize = 96;
pub(crate) const REKEY2_BYTES: usize = 48;

/// Decoded frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    Ping {
        token: u16,
    },
    Pong {
        token: u16,
        ack_delay: u16,
    },
    Message {
        number: u32,
        last: bool,
        bytes: &'a [u8],
    },
    MessageAck {
        next: u32,
        ack_bits: u32,
    },
    Fragment {
        datagram: u16,
        index: u8,
        count: u8,
        bytes: &'a [u8],
    },
    PathChallenge([u8; 8]),
    PathResponse([u8; 8]),
    Close {
        code: u16,
        text: &'a [u8],
    },
    Rekey1 {
        epoch: u8,
        message: &'a [u8],
    },
    Rekey2 {
        epoch: u8,
        message: &'a [u8],
    },
    Probe {
        size: u16,
    },
    ProbeOk {
        size: u16,
    },
    Datagram(&'a [u8]),
    /// Includes the first byte, which lists the parts.
    Game(&'a [u8]),
}

/// The frame is truncated or of an unknown type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameError;

/// Iterator over the frames of a payload.
#[derive(Clone, Debug)]
pub(crate) struct Frames<'a>(Reader<'a>);

impl<'a> Frames<'a> {
    pub(crate) const fn new(payload: &'a [u8]) -> Self {
        Self(Reader::new(payload))
    }

    fn frame(&mut self, kind: u8, whole: Reader<'a>) -> Option<Frame<'a>> {
        let from = &mut self.0;
        Some(match kind {
            frame_type::PING => Frame::Ping { token: from.u16()? },
            frame_type::PONG => Frame::Pong { token: from.u16()?, ack_delay: from.u16()? },
            frame_type::MESSAGE => {
                let (number, length) = (from.u32()?, from.u16()?);
                let bytes = from.take(usize::from(length & !LAST))?;
                Frame::Message { number, last: length & LAST != 0, bytes }
            }
            frame_type::MESSAGE_ACK => {
                Frame::MessageAck { next: from.u32()?, ack_bits: from.u32()? }
            }
            frame_type::FRAGMENT => {
                let (datagram, index, count) = (from.u16()?, from.u8()?, from.u8()?);
                Frame::Fragment { datagram, index, count, bytes: from.rest() }
            }
            frame_type::PATH_CHALLENGE => Frame::PathChallenge(from.array()?),
            frame_type::PATH_RESPONSE => Frame::PathResponse(from.array()?),
            frame_type::CLOSE => {
                let (code, length) = (from.u16()?, usize::from(from.u8()?));
                let text = from.take(length).filter(|text| text.len() <= MAX_CLOSE_TEXT_BYTES)?;
                Frame::Close { code, text }
            }
            frame_type::REKEY1 => {
                Frame::Rekey1 { epoch: from.u8()?, message: from.take(REKEY1_BYTES)? }
            }
            frame_type::REKEY2 => {
                Frame::Rekey2 { epoch: from.u8()?, message: from.take(REKEY2_BYTES)? }
            }
            frame_type::PROBE => Frame::Probe { size: from.u16()? },
            frame_type::PROBE_OK => Frame::ProbeOk { size: from.u16()? },
            frame_type::DATAGRAM => Frame::Datagram(from.rest()),
            frame_type::GAME.. => {
                from.rest();
                Frame::Game(whole.until(from))
            }
            _ => return None,
        })
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Frame<'a>, FrameError>;

    fn next(&mut self) -> Option<Self::Item> {
        let whole = self.0;
        let kind = self.0.u8().filter(|&kind| kind != frame_type::PAD)?;
        let frame = self.frame(kind, whole).ok_or(FrameError);
        if frame.is_err() {
            self.0.rest();
        }
        Some(frame)
    }
}

impl Frame<'_> {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Ping { token } => put(frame_type::PING, &[&token.to_le_bytes()], out),
            Self::Pong { token, ack_delay } => {
                put(frame_type::PONG, &[&token.to_le_bytes(), &ack_delay.to_le_bytes()], out);
            }
            Self::Message { number, last, bytes } => {
                let length = bytes.len() as u16 | if last { LAST } else { 0 };
                put(
                    frame_type::MESSAGE,
                    &[&number.to_le_bytes(), &length.to_le_bytes(), bytes],
                    out,
                );
            }
            Self::MessageAck { next, ack_bits } => {
                put(frame_type::MESSAGE_ACK, &[&next.to_le_bytes(), &ack_bits.to_le_bytes()], out);
            }
            Self::Fragment { datagram, index, count, bytes } => {
                put(frame_type::FRAGMENT, &[&datagram.to_le_bytes(), &[index, count], bytes], out);
            }
            Self::PathChallenge(bytes) => put(frame_type::PATH_CHALLENGE, &[&bytes], out),
            Self::PathResponse(bytes) => put(frame_type::PATH_RESPONSE, &[&bytes], out),
            Self::Close { code, text } => {
                put(frame_type::CLOSE, &[&code.to_le_bytes(), &[text.len() as u8], text], out);
            }
            Self::Rekey1 { epoch, message } => put(frame_type::REKEY1, &[&[epoch], message], out),
            Self::Rekey2 { epoch, message } => put(frame_type::REKEY2, &[&[epoch], message], out),
            Self::Probe { size } => put(frame_type::PROBE, &[&size.to_le_bytes()], out),
            Self::ProbeOk { size } => put(frame_type::PROBE_OK, &[&size.to_le_bytes()], out),
            Self::Datagram(bytes) => put(frame_type::DATAGRAM, &[bytes], out),
            Self::Game(bytes) => out.extend_from_slice(bytes),
        }
    }
}

fn put(kind: u8, parts: &[&[u8]], out: &mut Vec<u8>) {
    out.push(kind);
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_frame_round_trips() {
        let short = [
            Frame::Ping { token: 0x0201 },
            Frame::Pong { token: 3, ack_delay: 65_535 },
            Frame::Message { number: 9, last: true, bytes: b"piece" },
            Frame::Message { number: u32::MAX, last: false, bytes: b"" },
            Frame::MessageAck { next: 7, ack_bits: 0x8000_0001 },
            Frame::PathChallenge([1; 8]),
            Frame::PathResponse([2; 8]),
            Frame::Close { code: 256, text: b"bye" },
            Frame::Rekey1 { epoch: 1, message: &[4; 96] },
            Frame::Rekey2 { epoch: 255, message: &[5; 48] },
            Frame::Probe { size: 1452 },
            Frame::ProbeOk { size: 1400 },
        ];
        let to_the_end = [
            Frame::Fragment { datagram: 1, index: 2, count: 3, bytes: b"rest" },
            Frame::Datagram(b""),
            Frame::Game(&[0x91, 1, 2]),
        ];
        for last in to_the_end {
            let frames: Vec<_> = short.into_iter().chain([last]).collect();
            let mut payload = Vec::new();
            frames.iter().for_each(|frame| frame.write(&mut payload));
            let read: Result<Vec<_>, _> = Frames::new(&payload).collect();
            assert_eq!(read, Ok(frames));
        }
    }

    #[test]
    fn bytes_after_padding_are_ignored() {
        let mut payload = Vec::new();
        Frame::Probe { size: 1200 }.write(&mut payload);
        payload.extend_from_slice(&[0, 0xff, 1]);
        assert_eq!(Frames::new(&payload).count(), 1);
    }

    proptest! {
        #[test]
        fn any_bytes_give_frames_and_at_most_one_error(
            payload in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let frames: Vec<_> = Frames::new(&payload).collect();
            let wrong = frames.iter().position(Result::is_err);
            prop_assert!(wrong.is_none_or(|place| place + 1 == frames.len()));
        }
    }
}
