//! Handshake packets and their payloads (`WIRE.md`, section 3).

use super::header::ConnectionId;
use super::{MAX_MTU, MIN_MTU, PROTOCOL_VERSION, packet_type};
use crate::crypto::{GameId, Token};
use isostep_core::internals::Reader;

const TOKEN_BYTES: usize = Token::BYTES;
const MAGIC: [u8; 4] = *b"ISOS";
const HELLO_BYTES: usize = 64;
const KNOCK_BYTES: usize = 16;
pub(crate) const COOKIE_BYTES: usize = 20;
const PARAMETERS_BYTES: usize = 32;
const OFFER_BYTES: usize = PARAMETERS_BYTES + 2 + 5 + 2;
const INIT_PAYLOAD: usize = TOKEN_BYTES + OFFER_BYTES;
const ACCEPT_PAYLOAD: usize = 1 + OFFER_BYTES;
const MAX_VERSIONS: u8 = 16;

/// Random id of an attempt to connect.
pub(crate) type Attempt = [u8; 8];

/// HELLO: first packet of the initiator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hello {
    pub(crate) version: u16,
    pub(crate) attempt: Attempt,
}

impl Hello {
    pub(crate) fn read(packet: &[u8]) -> Option<Self> {
        let mut from = Reader::new(packet);
        let (first, magic) = (from.u8()?, from.array()?);
        let hello = Self { version: from.u16()?, attempt: from.array()? };
        let zero = from.rest().iter().all(|&byte| byte == 0);
        let whole = packet.len() == HELLO_BYTES && first == packet_type::HELLO && magic == MAGIC;
        (whole && zero).then_some(hello)
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        out.push(packet_type::HELLO);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&self.version.to_le_bytes());
        out.extend_from_slice(&self.attempt);
        out.resize(HELLO_BYTES, 0);
    }
}

/// Returns true for a KNOCK packet of any version.
pub(crate) fn is_knock(packet: &[u8]) -> bool {
    let mut from = Reader::new(packet);
    let head = (from.u8(), from.array(), from.u16().is_some());
    let zero = from.rest().iter().all(|&byte| byte == 0);
    packet.len() == KNOCK_BYTES && head == (Some(packet_type::KNOCK), Some(MAGIC), true) && zero
}

/// COOKIE: reply to HELLO. The initiator returns the cookie to validate its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cookie {
    pub(crate) attempt: Attempt,
    pub(crate) cookie: [u8; COOKIE_BYTES],
}

impl Cookie {
    pub(crate) fn read(packet: &[u8]) -> Option<Self> {
        let mut from = Reader::new(packet);
        let (first, version) = (from.u8()?, from.u16()?);
        let cookie = Self { attempt: from.array()?, cookie: from.array()? };
        let whole = first == packet_type::COOKIE && version == PROTOCOL_VERSION && from.is_empty();
        whole.then_some(cookie)
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        out.push(packet_type::COOKIE);
        out.extend_from_slice(&PROTOCOL_VERSION.to_le_bytes());
        out.extend_from_slice(&self.attempt);
        out.extend_from_slice(&self.cookie);
    }
}

/// VERSIONS: reply to a HELLO of an unsupported version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Versions {
    pub(crate) attempt: Attempt,
    pub(crate) versions: Vec<u16>,
}

impl Versions {
    pub(crate) fn read(packet: &[u8]) -> Option<Self> {
        let mut from = Reader::new(packet);
        let (first, attempt, count) = (from.u8()?, from.array()?, from.u8()?);
        if first != packet_type::VERSIONS || !(1..=MAX_VERSIONS).contains(&count) {
            return None;
        }
        let versions = (0..count).map(|_| from.u16()).collect::<Option<_>>()?;
        from.is_empty().then_some(Self { attempt, versions })
    }

    pub(crate) fn write(attempt: Attempt, out: &mut Vec<u8>) {
        out.clear();
        out.push(packet_type::VERSIONS);
        out.extend_from_slice(&attempt);
        out.push(1);
        out.extend_from_slice(&PROTOCOL_VERSION.to_le_bytes());
    }
}

/// INIT: cookie and Noise message 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Init<'a> {
    pub(crate) attempt: Attempt,
    pub(crate) cookie: [u8; COOKIE_BYTES],
    pub(crate) message: &'a [u8],
}

impl<'a> Init<'a> {
    pub(crate) fn read(packet: &'a [u8]) -> Option<Self> {
        let mut from = Reader::new(packet);
        let (first, version) = (from.u8()?, from.u16()?);
        let init = Self { attempt: from.array()?, cookie: from.array()?, message: from.rest() };
        let whole = first == packet_type::INIT
            && version == PROTOCOL_VERSION
            && init.message.len() == 32 + 48 + INIT_PAYLOAD + super::TAG_BYTES;
        whole.then_some(init)
    }

    /// Writes the packet without the Noise message, which follows.
    pub(crate) fn write(attempt: Attempt, cookie: &[u8; COOKIE_BYTES], out: &mut Vec<u8>) {
        out.clear();
        out.push(packet_type::INIT);
        out.extend_from_slice(&PROTOCOL_VERSION.to_le_bytes());
        out.extend_from_slice(&attempt);
        out.extend_from_slice(cookie);
    }

    /// Replaces the cookie of a written packet.
    pub(crate) fn replace_cookie(cookie: &[u8; COOKIE_BYTES], packet: &mut [u8]) {
        packet[11..11 + COOKIE_BYTES].copy_from_slice(cookie);
    }
}

/// ACCEPT: Noise message 2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accept<'a> {
    pub(crate) attempt: Attempt,
    pub(crate) message: &'a [u8],
}

impl<'a> Accept<'a> {
    pub(crate) fn read(packet: &'a [u8]) -> Option<Self> {
        let mut from = Reader::new(packet);
        let first = from.u8()?;
        let accept = Self { attempt: from.array()?, message: from.rest() };
        let whole = first == packet_type::ACCEPT
            && accept.message.len() == 32 + ACCEPT_PAYLOAD + super::TAG_BYTES;
        whole.then_some(accept)
    }

    /// Writes the packet without the Noise message, which follows.
    pub(crate) fn write(attempt: Attempt, out: &mut Vec<u8>) {
        out.clear();
        out.push(packet_type::ACCEPT);
        out.extend_from_slice(&attempt);
    }
}

/// Parameters on which all machines of a match must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchParameters {
    /// Protocol version.
    pub protocol: u16,
    /// Game.
    pub game: GameId,
    /// Width of an input, in bytes.
    pub input_width: u16,
    /// Hash of the input type's fields.
    pub input_schema: [u8; 8],
    /// Hash of seats, digest interval, command limits and tick length.
    pub settings: u32,
}

/// Reasons why a responder refuses a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Refusal {
    Protocol = 1,
    Game = 2,
    InputWidth = 3,
    InputSchema = 4,
    Settings = 5,
    Token = 6,
    Expired = 7,
    Over = 8,
}

impl Refusal {
    fn of(code: u8) -> Option<Self> {
        use Refusal::{Expired, Game, InputSchema, InputWidth, Over, Protocol, Settings, Token};
        let all = [Protocol, Game, InputWidth, InputSchema, Settings, Token, Expired, Over];
        all.into_iter().find(|refusal| *refusal as u8 == code)
    }
}

impl MatchParameters {
    /// Returns the first parameter that differs.
    pub(crate) fn first_mismatch(&self, other: &Self) -> Option<Refusal> {
        let same = [
            (self.protocol == other.protocol, Refusal::Protocol),
            (self.game == other.game, Refusal::Game),
            (self.input_width == other.input_width, Refusal::InputWidth),
            (self.input_schema == other.input_schema, Refusal::InputSchema),
            (self.settings == other.settings, Refusal::Settings),
        ];
        same.into_iter().find(|(same, _)| !same).map(|(_, refusal)| refusal)
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            protocol: from.u16()?,
            game: GameId(from.array()?),
            input_width: from.u16()?,
            input_schema: from.array()?,
            settings: from.u32()?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.protocol.to_le_bytes());
        out.extend_from_slice(&self.game.0);
        out.extend_from_slice(&self.input_width.to_le_bytes());
        out.extend_from_slice(&self.input_schema);
        out.extend_from_slice(&self.settings.to_le_bytes());
    }
}

/// Handshake payload of either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) parameters: MatchParameters,
    pub(crate) view: u16,
    pub(crate) id: ConnectionId,
    pub(crate) max_mtu: u16,
}

impl Offer {
    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let offer = Self {
            parameters: MatchParameters::read(from)?,
            view: from.u16()?,
            id: ConnectionId::from_bytes(from.array()?)?,
            max_mtu: from.u16()?,
        };
        let sane = (MIN_MTU..=MAX_MTU).contains(&usize::from(offer.max_mtu)) && offer.view == 0;
        (sane && from.is_empty()).then_some(offer)
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.parameters.write(out);
        out.extend_from_slice(&self.view.to_le_bytes());
        out.extend_from_slice(&self.id.to_bytes());
        out.extend_from_slice(&self.max_mtu.to_le_bytes());
    }

    /// Payload of INIT: token and offer.
    pub(crate) fn read_init(payload: &[u8]) -> Option<(&[u8], Self)> {
        let (token, offer) = payload.split_at_checked(TOKEN_BYTES)?;
        Some((token, Self::read(&mut Reader::new(offer))?))
    }

    pub(crate) fn write_init(&self, token: &[u8; TOKEN_BYTES], out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(token);
        self.write(out);
    }

    /// Payload of ACCEPT: refusal and offer.
    pub(crate) fn read_accept(payload: &[u8]) -> Option<(Option<Refusal>, Self)> {
        let (&status, offer) = payload.split_first()?;
        let refusal = if status == 0 { None } else { Some(Refusal::of(status)?) };
        Some((refusal, Self::read(&mut Reader::new(offer))?))
    }

    pub(crate) fn write_accept(&self, refusal: Option<Refusal>, out: &mut Vec<u8>) {
        out.clear();
        out.push(refusal.map_or(0, |refusal| refusal as u8));
        self.write(out);
    }
}
