"""Checks the ciphers with the vectors of their RFCs, the examples of windows in WIRE.md, and a small match made here."""

import hashlib
import pathlib
import random
import struct
import tempfile

import crypto
import noise
from decode import decode
from window import Malformed, Questions, Reader, probabilities, window

H = bytes.fromhex
HERE = pathlib.Path(__file__).resolve().parent


def ciphers() -> None:
    assert crypto.x25519(H("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"),
                         H("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")) \
        == H("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
    a = H("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    b = H("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    assert crypto.public_of(a) == H("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    assert crypto.x25519(a, crypto.public_of(b)) == crypto.x25519(b, crypto.public_of(a)) \
        == H("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")

    plain = (b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
             b"sunscreen would be it.")
    key, nonce, extra = bytes(range(0x80, 0xA0)), H("070000004041424344454647"), H("50515253c0c1c2c3c4c5c6c7")
    sealed = crypto.seal(key, nonce, plain, extra)
    assert sealed[:16] == H("d31a8d34648e60db7b86afbc53ef7ec2")
    assert sealed[-16:] == H("1ae10b594f09e26a7e902ecbd0600691")
    assert crypto.open_sealed(key, nonce, sealed, extra) == plain
    assert crypto.open_sealed(key, nonce, sealed, b"") is None

    for public, message, signature in (
        ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", b"",
         "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
         "d25bf5f0595bbe24655141438e7a100b"),
        ("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", b"\x72",
         "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
         "387b2eaeb4302aeeb00d291612bb0c00"),
    ):
        assert crypto.signature_fits(H(public), message, H(signature))
        assert not crypto.signature_fits(H(public), message + b"x", H(signature))

    assert hashlib.blake2s(b"abc").hexdigest() == "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"


def handshake() -> None:
    """The published vector of the cacophony library for this protocol name, with either ephemeral secret alone."""
    mine = H("e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1")
    theirs = H("4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893")
    first = H("ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c79440b03ddc7aac5123d06a1b23b71670e32"
              "e76c28239a7ca4ac8f784de7e44c1adbfc6e83fef7352a58d9d56157400c0a737b1d171ce368229c7b752ac25b8faf4e"
              "ca690f6d896f543be02c996ab2b86b76")
    second = H("95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843d9b5a8927f0ac9655ef76833bc7e5561"
               "f42e691ac8404efd6fbd6308b6a27c")
    state, payload = noise.read_first(b"John Galt", theirs, first)
    assert payload == b"Ludwig von Mises" and state.static == crypto.public_of(mine)
    for secret in (H("893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a"),
                   H("bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b")):
        end, payload = noise.read_second(state, {state.static: mine}, {crypto.public_of(secret): secret}, second)
        assert payload == b"Murray Rothbard"
        for key, sealed, plain in ((0, "2c256ed08fcd08c2980f954ee4beaccb61c9581340f5dd2fd1cf3b", b"F. A. Hayek"),
                                   (1, "d6033f70eee20945c7c9dba304e397ee3b284ff5e00fd9efb095d3", b"Carl Menger")):
            assert crypto.open_sealed(end.split()[key], noise.nonce_of(0), H(sealed)) == plain


class Writer(Questions):
    """The writer of section 7."""

    def __init__(self):
        self.low, self.range, self.out = 0, 0xFFFFFFFF, bytearray()

    def carry(self) -> None:
        if self.low >> 32:
            self.low &= 0xFFFFFFFF
            size = len(self.out)
            self.out = bytearray((int.from_bytes(self.out, "big") + 1).to_bytes(size, "big"))

    def shift(self) -> None:
        self.carry()
        while self.range < 1 << 24:
            self.out.append(self.low >> 24)
            self.low = self.low << 8 & 0xFFFFFFFF
            self.range <<= 8

    def ask(self, no: int, answer: int) -> int:
        bound = (self.range >> 16) * no
        if answer:
            self.low += bound
            self.range -= bound
        else:
            self.range = bound
        self.shift()
        return answer

    def bits(self, n: int, value: int) -> int:
        self.range >>= n
        self.low += value * self.range
        self.shift()
        return value

    def end(self) -> bytes:
        shifted = len(self.out)
        for n in range(5):
            unit = 1 << 32 - 8 * n
            value = -(-self.low // unit) * unit
            if value < self.low + self.range:
                break
        self.low = value
        self.carry()
        self.out += self.low.to_bytes(4, "big")[:n]
        while len(self.out) > max(shifted - 4, 0) and self.out[-1] == 0:
            self.out.pop()
        return bytes(self.out)


def examples(path: pathlib.Path) -> int:
    part = path.read_text().split("### Examples of windows")[1].split("```text\n")[1].split("```")[0]
    lines = part.splitlines()
    for line in lines:
        known, ticks, stream = ([H(w) if "+" not in w else w for w in field.split()] for field in line.split("|"))
        ticks = [(w, b"") if isinstance(w, bytes) else tuple(H(h) for h in w.split("+")) for w in ticks]
        stream = stream[0] if stream else b""
        width = len(ticks[0][0])
        reader = Reader(stream)
        assert window(reader, probabilities(), width, known, len(ticks)) == ticks, line
        reader.end()
        writer = Writer()
        window(writer, probabilities(), width, known, len(ticks), ticks)
        assert writer.end() == stream, line
    return len(lines)


def windows(rng: random.Random) -> None:
    """What is written is read again, and random bytes do no harm."""
    for _ in range(300):
        width = rng.randint(1, 20)
        value, ticks = bytearray(width), []
        for _ in range(rng.randint(1, 20)):
            for _ in range(rng.randint(0, 3)):
                i = rng.randrange(width)
                value[i] = (value[i] + rng.choice([1, -1, 8, 128, rng.randrange(256)])) % 256
            ticks.append((bytes(value), rng.randbytes(rng.choice([0, 0, 0, 5, 300]))))
        known, writer = [t[0] for t in ticks[:rng.randint(0, 4)]], Writer()
        window(writer, probabilities(), width, known, len(ticks), ticks)
        reader = Reader(writer.end())
        assert window(reader, probabilities(), width, known, len(ticks)) == ticks
        reader.end()
        try:
            window(Reader(rng.randbytes(30)), probabilities(), width, known, len(ticks))
        except Malformed:
            pass


# --- a match ---

def sign(seed: bytes, message: bytes) -> tuple[bytes, bytes]:
    """Ed25519 public key and signature."""
    def code(p) -> bytes:
        z = pow(p[2], crypto.P - 2, crypto.P)
        x, y = p[0] * z % crypto.P, p[1] * z % crypto.P
        return (y | (x & 1) << 255).to_bytes(32, "little")

    def number(*parts: bytes) -> int:
        return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % crypto.L
    digest = hashlib.sha512(seed).digest()
    a = (int.from_bytes(digest[:32], "little") & ((1 << 254) - 8)) | 1 << 254
    public = code(crypto.times(a, crypto.BASE))
    r = number(digest[32:], message)
    point = code(crypto.times(r, crypto.BASE))
    s = (r + number(point, public, message) * a) % crypto.L
    return public, point + s.to_bytes(32, "little")


def write_first(prologue: bytes, static: bytes, ephemeral: bytes, responder: bytes, payload: bytes):
    state = noise.Handshake(prologue, responder)
    state.ephemeral, state.static = crypto.public_of(ephemeral), crypto.public_of(static)
    state.mix_hash(state.ephemeral)
    state.mix_key(crypto.x25519(ephemeral, responder))
    sealed = state.encrypt(state.static)
    state.mix_key(crypto.x25519(static, responder))
    return state, state.ephemeral + sealed + state.encrypt(payload)


def write_second(state: noise.Handshake, ephemeral: bytes, payload: bytes) -> bytes:
    public = crypto.public_of(ephemeral)
    state.mix_hash(public)
    state.mix_key(crypto.x25519(ephemeral, state.ephemeral))
    state.mix_key(crypto.x25519(ephemeral, state.static))
    return public + state.encrypt(payload)


def game(made: int, sent: int, full: bool, first: int, known: list, ticks: list) -> bytes:
    writer = Writer()
    writer.distance(first - made)
    writer.distance(first - made)
    writer.uint(4, len(ticks))
    window(writer, probabilities(), 2, known, len(ticks), ticks)
    if full:
        return b"\x96" + struct.pack("<IIBhIHh", made, sent, 2, -3, 0, 65535, 0) + writer.end()
    return b"\x91" + struct.pack("<BB", made & 255, sent >> 7 & 0xFF) + writer.end()


def match(rng: random.Random) -> None:
    seed, attempt = rng.randbytes(32), rng.randbytes(8)
    statics = [rng.randbytes(32) for _ in range(2)]
    ephemerals = [rng.randbytes(32) for _ in range(4)]
    public = [crypto.public_of(s) for s in statics]
    roster = b"ISOR\x01\x02\x01\x00" + bytes(32) + struct.pack("<QQ", 0, 2**64 - 1) \
        + b"\x00" + public[0] + b"\x01" + public[1]
    matchmaker, signature = sign(seed, b"isostep roster v1" + roster)
    token = b"ISOT\x01\x00\x01\x00" + bytes(32) + struct.pack("<QQ", 0, 77) + public[0]
    token += sign(seed, b"isostep token v1" + token)[1]
    parameters = struct.pack("<H16sH8sIH", 1, bytes(16), 2, b"schema..", 9, 0)
    cookie = rng.randbytes(20)

    hello = b"\x80ISOS\x01\x00" + attempt + bytes(49)
    prologue = b"isostep wire\x01\x00" + attempt
    state, first = write_first(prologue, statics[0], ephemerals[0], public[1],
                               token + parameters + b"\x02\x0a\x0b\x00\x00" + struct.pack("<H", 1200))
    init = b"\x83\x01\x00" + attempt + cookie + first
    accept = b"\x84" + attempt + write_second(state, ephemerals[1],
                                              b"\x00" + parameters + b"\x01\x0c\x00\x00\x00" + struct.pack("<H", 1452))
    keys, before = state.split(), state.hash
    state, rekey1 = write_first(b"isostep rekey" + before, statics[0], ephemerals[2], public[1], b"")
    rekey2 = write_second(state, ephemerals[3], b"")
    later = state.split()

    def data(sender: int, number: int, frames: bytes, phase: int = 0) -> bytes:
        key = (later if phase else keys)[sender]
        head = bytes([phase << 5]) + (b"\x0c" if sender == 0 else b"\x0a\x0b") + bytes([number & 255])
        return head + crypto.seal(key, noise.nonce_of(number), frames)

    ticks = [(bytes([i // 3, 7]), b"hi" if i == 2 else b"") for i in range(8)]
    inputs = [t[0] for t in ticks]
    long = game(7, 5_140_332, False, 4, inputs[:4], ticks[4:])
    packets = [
        (0, hello, ["HELLO version=1 attempt=" + attempt.hex()]),
        (0, init, [f"INIT attempt={attempt.hex()} cookie={cookie.hex()} slot=0 expires=77 game={'00' * 16} width=2 "
                   f"schema={b'schema..'.hex()} settings=9 view=0 id=0a0b longest=1200"]),
        (1, accept, [f"ACCEPT attempt={attempt.hex()} status=0 game={'00' * 16} width=2 "
                     f"schema={b'schema..'.hex()} settings=9 view=0 id=0c longest=1452"]),
        (0, data(0, 0, b"\x01\x05\x00\x03\x00\x00\x00\x00\x02\x80hi\x09\x01" + rekey1),
         ["DATA number=0 epoch=0", "  PING 5", "  MESSAGE number=0 last=1 6869", "  REKEY1 epoch=1"]),
        (0, data(0, 0, b"\x01\x05\x00"), ["DROPPED"]),
        (0, data(0, 3, game(3, 5_000_000, True, 0, [], ticks[:4])),
         ["DATA number=3 epoch=0", "  GAME made=3 sent=5000000 delay=2 rate=-3", "    RECEIVED seat=1 tick=0",
          "    INPUT seat=0 tick=0 0007", "    INPUT seat=0 tick=1 0007", "    INPUT seat=0 tick=2 0007 pieces=6869",
          "    INPUT seat=0 tick=3 0107"]),
        (1, data(1, 0, b"\x0a\x01" + rekey2), ["DATA number=0 epoch=0", "  REKEY2 epoch=1"]),
        (0, data(0, 4, b"\x05\x01\x00\x01\x02" + long[9:], 1),
         ["DATA number=4 epoch=1", "  FRAGMENT datagram=1 index=1 count=2 " + (long[9:].hex() or "-")]),
        (0, data(0, 1, b"\x05\x01\x00\x00\x02" + long[:9]),
         ["DATA number=1 epoch=0", "  FRAGMENT datagram=1 index=0 count=2 " + long[:9].hex(),
          f"  GAME made=7 sent={5_140_332 // 128 * 128 + 64}", "    RECEIVED seat=1 tick=4",
          "    INPUT seat=0 tick=4 0107", "    INPUT seat=0 tick=5 0107",
          "    INPUT seat=0 tick=6 0207", "    INPUT seat=0 tick=7 0207"]),
        (0, data(0, 5, game(30, 5_899_991, False, 20, inputs[:4], ticks[:1]), 1),
         ["DATA number=5 epoch=1", f"  GAME made=30 sent={5_899_991 // 128 * 128 + 64}", "    RECEIVED seat=1 tick=20",
          "    STALE"]),
        (1, data(1, 1, b"\x00abc", 1), ["DATA number=1 epoch=1"]),
        (0, b"\x85ISOS\x01\x00" + bytes(9), ["KNOCK"]),
        (0, b"\x86", ["DROPPED"]),
    ]
    # Damaged packets that come before the good one are dropped, and the good one still opens.
    good = data(0, 2, b"\x0b\xb0\x04", 1)
    for i, flip in ((0, 0x20), (0, 0x40), (0, 0x01), (1, 0x01), (2, 0x10), (4, 0x80), (len(good) - 1, 0x01)):
        packets.append((0, good[:i] + bytes([good[i] ^ flip]) + good[i + 1:], ["DROPPED"]))
    packets.append((0, good, ["DATA number=2 epoch=1", "  PROBE 1200"]))
    packets.append((0, good, ["DROPPED"]))
    # One secret of each handshake is enough: the initiator's of the first, the responder's of the second.
    head = [f"matchmaker {matchmaker.hex()}", f"static 0 {statics[0].hex()}", f"static 1 {statics[1].hex()}",
            f"ephemeral {ephemerals[0].hex()}", f"ephemeral {ephemerals[3].hex()}",
            f"roster {(roster + signature).hex()}", "width 2", "tick 33333", "start 0", "seat 0 0", "seat 1 1"]
    lines = [f"packet {i * 10_000} {sender} {1 - sender} {packet.hex()}" for i, (sender, packet, _) in enumerate(packets)]
    wanted = []
    for i, (sender, _, printed) in enumerate(packets):
        wanted += [f"{i * 10_000} {sender}>{1 - sender} {printed[0]}"] + printed[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "a.capture")
        path.write_text("\n".join(head + lines) + "\n")
        found, wrong = decode(path)
        assert not wrong and found == wanted, (wrong, [p for p in zip(wanted, found) if p[0] != p[1]][:1])
        for _ in range(30):
            damaged = list("\n".join(head + lines))
            for _ in range(rng.choice([1, 3, 30])):
                damaged[rng.randrange(len(damaged))] = rng.choice("0123456789abcdef \n-")
            path.write_text("".join(damaged))
            decode(path)


def run(arguments: list) -> int:
    choices = [pathlib.Path(a) for a in arguments] or [HERE.parents[2] / "WIRE.md" if len(HERE.parents) > 2 else HERE,
                                                       HERE / "WIRE.md"]
    path = next((p for p in choices if p.is_file()), None)
    if path is None:
        print("no WIRE.md: give its path")
        return 1
    rng = random.Random(1)
    ciphers()
    print("ok ciphers")
    handshake()
    print("ok Noise")
    print(f"ok {examples(path)} examples of windows")
    windows(rng)
    print("ok windows made here")
    match(rng)
    print("ok a match made here")
    return 0
