//! Decoder state of a connection: keys of each epoch, opened packet numbers, fragments.

use super::super::net::{Capture, Packet};
use super::session::Sessions;
use super::{Seeds, hex};
use crate::crypto::noise::Channel;
use crate::wire::{Frame, Frames, Header, decode_packet_number, frame_type};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Size of the replay window.
const WINDOW: u64 = 1024;

/// State of one direction.
#[derive(Default)]
struct Direction {
    opened: BTreeSet<u64>,
    /// Fragments by frame id.
    partial: BTreeMap<u16, BTreeMap<u8, Vec<u8>>>,
}

/// State of a connection.
pub(super) struct Connection {
    /// Initiator and responder.
    machines: [u8; 2],
    /// Connection id in packets of each side.
    ids: [Vec<u8>; 2],
    /// Channels of both sides by epoch.
    epochs: Vec<[Channel; 2]>,
    directions: [Direction; 2],
    /// Message 1 of a pending rekey.
    rekey_request: Option<Vec<u8>>,
}

impl Connection {
    pub(super) fn new(machines: [u8; 2], ids: [Vec<u8>; 2], channels: [Channel; 2]) -> Self {
        Self {
            machines,
            ids,
            epochs: vec![channels],
            directions: Default::default(),
            rekey_request: None,
        }
    }

    /// Opens a packet; returns its number, epoch and payload.
    pub(super) fn open(&mut self, packet: &Packet) -> Option<(u64, usize, Vec<u8>)> {
        let sender = self.machines.iter().position(|&machine| machine == packet.from)?;
        let (header, sealed) = Header::read(&packet.bytes)?;
        if self.machines[1 - sender] != packet.to
            || self.ids[sender] != [header.id]
            || header.view != 0
        {
            return None;
        }
        let opened = &mut self.directions[sender].opened;
        let expected = opened.last().map_or(0, |greatest| greatest + 1);
        let number = decode_packet_number(expected, header.truncated, header.truncated_bits);
        if opened.contains(&number) || number + WINDOW < expected {
            return None;
        }
        let epochs = self.epochs.iter().enumerate().rev();
        let mut phase = epochs.filter(|(epoch, _)| (epoch % 2 == 1) == header.phase);
        let mut payload = Vec::new();
        let (epoch, _) = phase.find(|(_, channels)| {
            channels[1 - sender].open(number, sealed, &mut payload).is_ok()
        })?;
        opened.insert(number);
        Some((number, epoch, payload))
    }

    /// Writes a line for each frame.
    pub(super) fn frames(
        &mut self,
        direction: (u8, u8),
        payload: &[u8],
        seeds: &mut Seeds,
        capture: &Capture,
        sessions: &mut Sessions,
        out: &mut String,
    ) {
        for frame in Frames::new(payload).map_while(Result::ok) {
            let line = match frame {
                Frame::Ping { token } => format!("PING {token}"),
                Frame::Pong { token, ack_delay } => format!("PONG {token} held={ack_delay}"),
                Frame::Message { number, last, bytes } => {
                    format!("MESSAGE number={number} last={} {}", u8::from(last), hex(bytes))
                }
                Frame::MessageAck { next, ack_bits } => {
                    format!("MESSAGE_ACK next={next} later={ack_bits}")
                }
                Frame::Fragment { datagram, index, count, bytes } => {
                    let bytes = hex(bytes);
                    format!("FRAGMENT datagram={datagram} index={index} count={count} {bytes}")
                }
                Frame::PathChallenge(bytes) => format!("PATH_CHALLENGE {}", hex(&bytes)),
                Frame::PathResponse(bytes) => format!("PATH_RESPONSE {}", hex(&bytes)),
                Frame::Close { code, text } => format!("CLOSE code={code} {}", hex(text)),
                Frame::Rekey1 { epoch, message } => {
                    if epoch == self.epochs.len() as u8 {
                        self.rekey_request = Some(message.to_vec());
                    }
                    format!("REKEY1 epoch={epoch}")
                }
                Frame::Rekey2 { epoch, message } => {
                    if epoch == self.epochs.len() as u8 {
                        self.rekey(message, seeds, capture);
                    }
                    format!("REKEY2 epoch={epoch}")
                }
                Frame::Probe { size } => format!("PROBE {size}"),
                Frame::ProbeOk { size } => format!("PROBE_OK {size}"),
                Frame::Datagram(bytes) => format!("DATAGRAM {}", hex(bytes)),
                Frame::Game(frame) => {
                    sessions.frame(direction, frame, out);
                    continue;
                }
            };
            writeln!(out, "  {line}").expect("strings take all");
            if let Frame::Fragment { datagram, index, count, bytes } = frame
                && let Some(whole) = self.fragment(direction.0, datagram, (index, count), bytes)
            {
                match whole.split_first() {
                    Some((&frame_type::DATAGRAM, bytes)) => {
                        writeln!(out, "  DATAGRAM {}", hex(bytes)).expect("strings take all");
                    }
                    _ => sessions.frame(direction, &whole, out),
                }
            }
        }
    }

    fn fragment(
        &mut self,
        from: u8,
        datagram: u16,
        (index, count): (u8, u8),
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let sender = self.machines.iter().position(|&machine| machine == from)?;
        let partial = &mut self.directions[sender].partial;
        let pieces = partial.entry(datagram).or_default();
        pieces.insert(index, bytes.to_vec());
        let whole = pieces.len() == usize::from(count);
        whole.then(|| partial.remove(&datagram).into_iter().flatten().flat_map(|it| it.1).collect())
    }

    /// Installs the keys of the next epoch.
    fn rekey(&mut self, message: &[u8], seeds: &mut Seeds, capture: &Capture) {
        let rekey_request = self.rekey_request.take().expect("REKEY2 follows REKEY1");
        let last = self.epochs.last().expect("there is a first one");
        let prologue = [&b"isostep rekey"[..], &last[0].hash()].concat();
        let ends = self.machines.map(|machine| &capture.keys[usize::from(machine)]);
        let (_, channels) = seeds
            .handshake(ends, &prologue, &[], [&rekey_request, message])
            .expect("both ends of it are noted");
        self.epochs.push(channels);
    }
}
