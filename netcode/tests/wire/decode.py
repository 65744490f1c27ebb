"""Decodes captures of Isostep's wire, version 1, written from WIRE.md alone.

python3 decode.py FILE.capture      prints what is in a capture, as README.md says
python3 decode.py all               compares every capture beside this file with its .expected
python3 decode.py selftest [PATH]   checks the ciphers and the examples of windows in WIRE.md
"""

import pathlib
import struct
import sys

import noise
from crypto import open_sealed, public_of, signature_fits
from window import Malformed, Reader, probabilities, window

SECOND = 1_000_000
HERE = pathlib.Path(__file__).resolve().parent


class Dropped(Exception):
    """A packet that its receiver does not take."""


class BadSignature(Exception):
    """A token or roster that the matchmaker did not sign."""


def text(data: bytes) -> str:
    return data.hex() or "-"


def need(fits: bool) -> None:
    if not fits:
        raise Dropped


def closest(low: int, bits: int, expected: int) -> int:
    """The number with these lowest bits that is closest to the expected one; of two the lower."""
    size = 1 << bits
    below = expected - (expected - low) % size
    above = below + size
    return below if below >= 0 and expected - below <= above - expected else above


class Direction:
    """One direction of a connection, as its receiver knows it."""

    def __init__(self):
        self.greatest, self.opened = -1, set()
        self.epoch, self.since = 0, 0       # of the keys, and when it began here
        self.parts = {}                     # fragments: datagram -> (time, count, {index: bytes})
        self.made = self.sent = None        # of the frame with the greatest `made`


class Connection:
    def __init__(self, initiator: int, responder: int, ids: dict, state: noise.Handshake):
        self.initiator, self.responder = initiator, responder
        self.ids = ids                      # receiving machine -> connection id
        self.epochs = [(*state.split(), state.hash)]
        self.rekeys = []                    # first messages of the next epoch
        self.directions = {initiator: Direction(), responder: Direction()}

    def open(self, time: int, to: int, packet: bytes):
        """(number, epoch, frames), or None. Changes nothing if it does not open."""
        direction, at = self.directions[to], 1 + len(self.ids[to])
        size = 2 if packet[0] & 0x40 else 1
        if len(packet) < at + size + 17:
            return None
        low = int.from_bytes(packet[at:at + size], "little")
        number = closest(low, 8 * size, direction.greatest + 1)
        if number in direction.opened or number <= direction.greatest - 1024 or number >= 1 << 48:
            return None
        if (direction.epoch & 1) == (packet[0] >> 5 & 1):
            epochs = [direction.epoch]
        else:
            epochs = [direction.epoch + 1]
            if time - direction.since <= 3 * SECOND:
                epochs.append(direction.epoch - 1)
        view = packet[0] & 0x1F
        for epoch in epochs:
            if not 0 <= epoch < len(self.epochs):
                continue
            key = self.epochs[epoch][0 if to == self.responder else 1]
            plain = open_sealed(key, noise.nonce_of((view << 48) + number), packet[at + size:])
            if plain is None:
                continue
            if epoch > direction.epoch:
                direction.epoch, direction.since = epoch, time
            direction.greatest = max(direction.greatest, number)
            direction.opened.add(number)
            return number, epoch, plain
        return None


class Decoder:
    def __init__(self):
        self.matchmaker = b""
        self.secrets = {}                   # machine -> static secret
        self.statics = {}                   # static public key -> secret
        self.ephemerals = {}                # ephemeral public key -> secret
        self.width, self.tick, self.start = 0, 0, 0
        self.seats = {}                     # seat -> machine
        self.signed = set()                 # tokens whose signature fits
        self.inits = {}                     # (initiator, responder, attempt) -> [(handshake, id)]
        self.connections = []               # oldest first
        self.accepted = set()               # (initiator, responder, attempt) that stand
        self.inputs = {}                    # (receiver, seat, tick) -> input
        self.lines = []

    # --- the capture ---

    def line(self, line: str) -> None:
        kind, *fields = line.split(" ")
        if kind == "matchmaker":
            self.matchmaker = bytes.fromhex(fields[0])
        elif kind == "static":
            secret = bytes.fromhex(fields[1])
            self.secrets[int(fields[0])] = secret
            self.statics[public_of(secret)] = secret
        elif kind == "ephemeral":
            secret = bytes.fromhex(fields[0])
            self.ephemerals[public_of(secret)] = secret
        elif kind == "roster":
            self.roster(bytes.fromhex(fields[0]))
        elif kind in ("width", "tick", "start"):
            setattr(self, kind, int(fields[0]))
        elif kind == "seat":
            self.seats[int(fields[0])] = int(fields[1])
        elif kind == "packet":
            self.packet(fields)
        else:
            raise ValueError(f"unknown line {kind!r}")

    def roster(self, data: bytes) -> None:
        if not signature_fits(self.matchmaker, b"isostep roster v1" + data[:-64], data[-64:]):
            raise BadSignature("the roster's signature is wrong")
        n = data[5]
        machines = list(data[56:56 + 33 * n:33])
        if data[:5] != b"ISOR\x01" or len(data) != 120 + 33 * n or machines != sorted(set(machines)):
            raise ValueError("the roster is malformed")

    def packet(self, fields: list) -> None:
        fields = (fields + ["?"] * 4)[:4]
        head = f"{fields[0]} {fields[1]}>{fields[2]}"
        at = len(self.lines)
        try:
            time, sender, to = (int(f) for f in fields[:3])
            packet = b"" if fields[3] == "-" else bytes.fromhex(fields[3])
            need(packet != b"" and sender in self.secrets and to in self.secrets)
            if packet[0] < 0x80:
                self.data(head, time, sender, to, packet)
            else:
                kinds = (self.hello, self.cookie, self.versions, self.init, self.accept, self.knock)
                need(packet[0] - 0x80 < len(kinds))
                self.lines.append(f"{head} {kinds[packet[0] - 0x80](sender, to, packet)}")
        except (Dropped, ValueError, IndexError):
            del self.lines[at:]
            self.lines.append(f"{head} DROPPED")

    # --- section 3, handshake ---

    def hello(self, sender: int, to: int, p: bytes) -> str:
        need(len(p) == 64 and p[1:5] == b"ISOS" and not any(p[15:]))
        return f"HELLO version={int.from_bytes(p[5:7], 'little')} attempt={text(p[7:15])}"

    def cookie(self, sender: int, to: int, p: bytes) -> str:
        need(len(p) == 31 and p[1:3] == b"\x01\x00")
        return f"COOKIE attempt={text(p[3:11])} cookie={text(p[11:])}"

    def versions(self, sender: int, to: int, p: bytes) -> str:
        need(len(p) >= 12 and 1 <= p[9] <= 16 and len(p) == 10 + 2 * p[9])
        versions = struct.unpack(f"<{p[9]}H", p[10:])
        return f"VERSIONS attempt={text(p[1:9])} versions={','.join(map(str, versions))}"

    def knock(self, sender: int, to: int, p: bytes) -> str:
        need(len(p) == 16 and p[1:5] == b"ISOS" and not any(p[7:]))
        return "KNOCK"

    def offer(self, data: bytes) -> tuple[bytes, str]:
        """Terms, view, connection id and longest packet: the id, and all as text."""
        _, game, width, schema, settings, view, n, name, longest = struct.unpack("<H16sH8sIHB4sH", data)
        need(1 <= n <= 4 and not any(name[n:]) and 1200 <= longest <= 1452)
        return name[:n], (f"game={text(game)} width={width} schema={text(schema)} settings={settings} "
                          f"view={view} id={text(name[:n])} longest={longest}")

    def init(self, sender: int, to: int, p: bytes) -> str:
        need(len(p) == 320 and p[1:3] == b"\x01\x00")
        attempt = p[3:11]
        opened = noise.read_first(b"isostep wire" + p[1:3] + attempt, self.secrets[to], p[31:])
        need(opened is not None)
        state, payload = opened
        token = payload[:152]
        self.check_token(token)
        name, parameters = self.offer(payload[152:])
        known = self.inits.setdefault((sender, to, attempt), [])
        if all(state.hash != other.hash for other, _ in known):
            known.append((state, name))
        expires = int.from_bytes(token[48:56], "little")
        return f"INIT attempt={text(attempt)} cookie={text(p[11:31])} slot={token[5]} expires={expires} {parameters}"

    def check_token(self, token: bytes) -> None:
        if token not in self.signed:
            if not signature_fits(self.matchmaker, b"isostep token v1" + token[:88], token[88:]):
                raise BadSignature("a token's signature is wrong")
            self.signed.add(token)

    def accept(self, sender: int, to: int, p: bytes) -> str:
        need(len(p) == 99)
        attempt = (to, sender, p[1:9])
        for before, initiators in self.inits.get(attempt, []):
            opened = noise.read_second(before, self.statics, self.ephemerals, p[9:])
            if opened is not None:
                break
        else:
            raise Dropped
        state, payload = opened
        name, parameters = self.offer(payload[1:])
        if payload[0] == 0 and attempt not in self.accepted:
            self.accepted.add(attempt)
            self.connections.append(Connection(to, sender, {to: initiators, sender: name}, state))
        return f"ACCEPT attempt={text(p[1:9])} status={payload[0]} {parameters}"

    # --- sections 4 and 5, data packets and frames ---

    def data(self, head: str, time: int, sender: int, to: int, p: bytes) -> None:
        for connection in reversed(self.connections):
            name = connection.ids.get(to)
            if name is None or sender not in connection.ids or p[1:1 + len(name)] != name:
                continue
            opened = connection.open(time, to, p)
            if opened is not None:
                number, epoch, plain = opened
                self.lines.append(f"{head} DATA number={number} epoch={epoch}")
                try:
                    self.frames(connection, time, sender, to, plain)
                except (Malformed, struct.error, IndexError):
                    pass        # what came before the bad frame counts
                return
        raise Dropped

    def frames(self, connection: Connection, time: int, sender: int, to: int, data: bytes) -> None:
        at = 0

        def take(form: str) -> tuple:
            nonlocal at
            values = struct.unpack_from("<" + form, data, at)
            at += struct.calcsize("<" + form)
            return values

        while at < len(data):
            kind, = take("B")
            if kind == 0x00:
                return
            if kind == 0x01:
                line = "PING %d" % take("H")
            elif kind == 0x02:
                line = "PONG %d held=%d" % take("HH")
            elif kind == 0x03:
                number, size = take("IH")
                last, size = size >> 15, size & 0x7FFF
                if size > 1024:
                    raise Malformed("piece too long")
                line = f"MESSAGE number={number} last={last} {text(*take(f'{size}s'))}"
            elif kind == 0x04:
                line = "MESSAGE_ACK next=%d later=%d" % take("II")
            elif kind == 0x05:
                self.fragment(connection, time, sender, to, *take("HBB"), data[at:])
                return
            elif kind == 0x06:
                line = f"PATH_CHALLENGE {text(*take('8s'))}"
            elif kind == 0x07:
                line = f"PATH_RESPONSE {text(*take('8s'))}"
            elif kind == 0x08:
                code, size = take("HB")
                if size > 200:
                    raise Malformed("goodbye too long")
                line = f"CLOSE code={code} {text(*take(f'{size}s'))}"
            elif kind == 0x09:
                epoch, message = take("B96s")
                self.rekey1(connection, to, epoch, message)
                line = f"REKEY1 epoch={epoch}"
            elif kind == 0x0A:
                epoch, message = take("B48s")
                self.rekey2(connection, time, to, epoch, message)
                line = f"REKEY2 epoch={epoch}"
            elif kind == 0x0B:
                line = "PROBE %d" % take("H")
            elif kind == 0x0C:
                line = "PROBE_OK %d" % take("H")
            elif kind == 0x0D or kind >= 0x80:
                self.rest(connection.directions[to], sender, to, data[at - 1:])
                return
            else:
                raise Malformed("unknown frame")
            self.lines.append("  " + line)

    def rekey1(self, connection: Connection, to: int, epoch: int, message: bytes) -> None:
        if to != connection.responder or epoch != len(connection.epochs) & 255:
            return
        prologue = b"isostep rekey" + connection.epochs[-1][2]
        opened = noise.read_first(prologue, self.secrets[to], message)
        if opened is not None and all(opened[0].hash != other.hash for other in connection.rekeys):
            connection.rekeys.append(opened[0])

    def rekey2(self, connection: Connection, time: int, to: int, epoch: int, message: bytes) -> None:
        if to != connection.initiator or epoch != len(connection.epochs) & 255:
            return
        for before in connection.rekeys:
            opened = noise.read_second(before, self.statics, self.ephemerals, message)
            if opened is not None:
                direction = connection.directions[to]
                direction.epoch, direction.since = len(connection.epochs), time
                connection.epochs.append((*opened[0].split(), opened[0].hash))
                connection.rekeys = []
                return

    def fragment(self, connection, time: int, sender: int, to: int,
                 datagram: int, index: int, count: int, data: bytes) -> None:
        if not 2 <= count <= 16 or index >= count:
            raise Malformed("no such fragment")
        self.lines.append(f"  FRAGMENT datagram={datagram} index={index} count={count} {text(data)}")
        parts = connection.directions[to].parts
        for old in [d for d, (since, _, _) in parts.items() if time - since > SECOND]:
            del parts[old]
        if datagram not in parts and len(parts) == 4:
            del parts[min(parts, key=lambda d: parts[d][0])]
        _, expected, got = parts.setdefault(datagram, (time, count, {}))
        if count != expected:
            return
        got.setdefault(index, data)
        if len(got) < count:
            return
        del parts[datagram]
        lengths = [len(got[i]) for i in range(count)]
        frame = b"".join(got[i] for i in range(count))
        if len(set(lengths[:-1])) == 1 and frame and (frame[0] == 0x0D or frame[0] >= 0x80):
            self.rest(connection.directions[to], sender, to, frame)

    def rest(self, direction: Direction, sender: int, to: int, frame: bytes) -> None:
        """DATAGRAM and GAME, which end their packet."""
        if frame[0] == 0x0D:
            self.lines.append(f"  DATAGRAM {text(frame[1:])}")
        else:
            self.game(direction, sender, to, frame)

    # --- sections 6 and 7, GAME ---

    def game(self, direction: Direction, sender: int, to: int, frame: bytes) -> None:
        kind, at, more = frame[0], 1, ""
        short, full, pace, digest, inputs, lists, spare = (kind >> i & 1 for i in range(7))
        if short == full or (lists and not inputs) or spare:
            raise Malformed("no such parts")
        if direction.made is None and not (full and pace):
            return
        if full:
            made, sent = struct.unpack_from("<II", frame, at)
            at += 8
        else:
            made, sent = frame[at], frame[at + 1]
            at += 2
            lowest = max(direction.made - 64, 0)
            made = lowest + (made - lowest) % 256
            expected = direction.sent + (made - direction.made) * self.tick + (1 << 32)
            sent = closest(sent << 7 | 64, 15, expected) % (1 << 32)
        if pace:
            delay, rate, middle, spread, behind = struct.unpack_from("<BhIHh", frame, at)
            at += 11
            more = f" delay={delay} rate={rate}"
            if spread != 65535:
                more += f" middle={middle} spread={spread} behind={behind}"
        if digest:
            low, value = struct.unpack_from("<H16s", frame, at)
            at += 18
            # The nearest tick with this end, of two the lower.
            more += f" digest={made + (low - made + 32768) % 65536 - 32768}:{text(value)}"
        lines = self.stream(sender, to, made, lists, frame[at:]) if inputs else []
        if not inputs and at < len(frame):
            raise Malformed("bytes after the frame")
        if direction.made is None or made >= direction.made:
            direction.made, direction.sent = made, sent
        self.lines.append(f"  GAME made={made} sent={sent}{more}")
        self.lines += lines

    def stream(self, sender: int, to: int, made: int, lists: int, data: bytes) -> list:
        reader, table, lines = Reader(data), probabilities(), []

        def received(seat: int) -> None:
            lines.append(f"    RECEIVED seat={seat} tick={made + reader.distance()}")

        def one(seat: int) -> bool:
            """A window; False if its known ticks are not there."""
            first = made + reader.distance()
            count = reader.uint(4)
            number = reader.bits(3) if lists else min(4, max(first - self.start, 0))
            if count > 255 or number > 4 or self.seats.get(seat) != sender:
                raise Malformed("no such window")
            known = [self.inputs.get((to, seat, tick)) for tick in range(first - number, first)]
            if None in known:
                lines.append("    STALE")
                return False
            ticks = window(reader, table, self.width, known, count)
            for tick, (value, pieces) in enumerate(ticks, first):
                found[to, seat, tick] = value
                lines.append(f"    INPUT seat={seat} tick={tick} {text(value)}"
                             + (f" pieces={text(pieces)}" if pieces else ""))
            return True

        found = {}
        if lists:
            mask = reader.bits(16) | reader.bits(16) << 16
            for seat in range(32):
                if mask >> seat & 1:
                    received(seat)
            complete = True
            while complete and reader.flag(32768):
                complete = one(reader.bits(5))
        else:
            mine = [seat for seat, machine in self.seats.items() if machine == to]
            theirs = [seat for seat, machine in self.seats.items() if machine == sender]
            if len(mine) != 1 or len(theirs) != 1:
                raise Malformed("needs lists")
            received(mine[0])
            complete = one(theirs[0])
        if complete:
            reader.end()
        self.inputs.update(found)
        return lines


# --- commands ---

def decode(path: pathlib.Path) -> tuple[list, str]:
    """The lines, and what was wrong with the capture ("" if nothing)."""
    decoder, number = Decoder(), 0
    try:
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            if line:
                decoder.line(line)
    except BadSignature as error:
        return decoder.lines, f"line {number}: {error}"
    except (OSError, ValueError, IndexError, struct.error) as error:
        return decoder.lines, f"line {number}: damaged: {error}"
    return decoder.lines, ""


def compare(path: pathlib.Path) -> bool:
    found, wrong = decode(path)
    expected = path.with_suffix(".expected")
    if not expected.is_file():
        print(f"FAILED {path.stem}: no {expected.name}")
        return False
    wanted = expected.read_text().splitlines()
    for i in range(max(len(wanted), len(found))):
        want = wanted[i] if i < len(wanted) else "(end)"
        got = found[i] if i < len(found) else "(end)"
        if want != got:
            print(f"FAILED {path.stem}: line {i + 1}\n  wanted: {want}\n  found:  {got}")
            return False
    if wrong:
        print(f"FAILED {path.stem}: {wrong}")
        return False
    packets = sum(not line.startswith(" ") for line in found)
    frames = sum(line.startswith("  ") and line[2] != " " for line in found)
    print(f"ok {path.stem}: {packets} packets, {frames} frames")
    return True


def main(arguments: list) -> int:
    if arguments == ["all"]:
        results = [compare(path) for path in sorted(HERE.glob("*.capture"))]
        if not results:
            print("no captures")
        return 0 if results and all(results) else 1
    if arguments[:1] == ["selftest"] and len(arguments) <= 2:
        import selftest
        return selftest.run(arguments[1:])
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    lines, wrong = decode(pathlib.Path(arguments[0]))
    for line in lines:
        print(line)
    if wrong:
        print(wrong, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
