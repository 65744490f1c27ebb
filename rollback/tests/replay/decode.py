"""Decodes a recording as REPLAY.md (and, for the windows, section 7 of WIRE.md) says. Shares no code with the library.

python3 decode.py FILE    prints what is in it, a line for each keyframe, input, seat change, digest and pause

It goes from block to block, and checks what the document says of recorders: that the index is that of the blocks, and
that keyframes have the seats, inputs and half commands that the blocks before lead to.
"""

import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "netcode" / "tests" / "wire"))
sys.dont_write_bytecode = True

from window import Reader, probabilities, window  # noqa: E402

IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
ORDER = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
LANES = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
         (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]
START, END, PARENT, ROOT = 1, 2, 4, 8


def compress(cv: list, block: bytes, counter: int, flags: int) -> list:
    words = list(struct.unpack("<16I", block.ljust(64, b"\0")))
    v = cv + IV[:4] + [counter & 0xFFFFFFFF, counter >> 32, len(block), flags]

    def turn(n: int, by: int) -> int:
        return n >> by | n << 32 - by & 0xFFFFFFFF

    for _ in range(7):
        for i, (a, b, c, d) in enumerate(LANES):
            for word, x, y in ((words[2 * i], 16, 12), (words[2 * i + 1], 8, 7)):
                v[a] = v[a] + v[b] + word & 0xFFFFFFFF
                v[d] = turn(v[d] ^ v[a], x)
                v[c] = v[c] + v[d] & 0xFFFFFFFF
                v[b] = turn(v[b] ^ v[c], y)
        words = [words[i] for i in ORDER]
    return [v[i] ^ v[i + 8] for i in range(8)]


def blake3(data: bytes, counter: int = 0, root: int = ROOT) -> list:
    if len(data) <= 1024:
        cv, blocks = IV, [data[i:i + 64] for i in range(0, len(data), 64)] or [b""]
        for i, block in enumerate(blocks):
            last = i + 1 == len(blocks)
            flags = (START if i == 0 else 0) | (END | root if last else 0)
            cv = compress(cv, block, counter, flags)
        return cv
    left = 1024
    while left * 2 < len(data):
        left *= 2
    sides = blake3(data[:left], counter, 0) + blake3(data[left:], counter + left // 1024, 0)
    return compress(IV, struct.pack("<16I", *sides), 0, PARENT | root)


def name(data: bytes) -> bytes:
    return struct.pack("<8I", *blake3(data))[:8]


def varint(data: bytes, at: int) -> tuple:
    value = 0
    for shift in range(0, 63, 7):
        byte, at = data[at], at + 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("a varint of ten bytes")


def text(data: bytes) -> str:
    return data.hex() or "-"


def blocks(data: bytes, at: int):
    """Whole blocks in a good order; the end block only with its trailer, at the end of the file."""
    keyframe, inputs, digests = -1, 0, 0
    while at + 19 <= len(data):
        kind, length, tick, span = struct.unpack_from("<BIIH", data, at)
        end = at + 11 + length
        if end + 8 > len(data) or name(data[at:end]) != data[end:end + 8]:
            return
        if kind == 1:
            good, keyframe = tick > keyframe, tick
        elif kind == 2:
            good = keyframe >= 0 and 1 <= span <= 1024 and inputs <= tick < 2**32 - span
            inputs = tick + span
        elif kind == 4:
            good, digests = tick >= digests, tick + span
        else:
            good = True
        if not good:
            return
        trailer = struct.pack("<I", length + 19) + b"ISOR-END"
        if kind == 7 and data[end + 8:] != trailer:
            return
        yield kind, tick, span, data[at + 11:end]
        at = end + 8


def index(payload: bytes) -> list:
    at, before, found = 0, 0, []
    while at < len(payload):
        kind = payload[at]
        length, at = varint(payload, at + 1)
        step, at = varint(payload, at)
        span, at = varint(payload, at)
        before += step // 2 if step % 2 == 0 else -(step + 1) // 2
        found.append((kind, length, before, span))
    return found


def commands(row: bytes, half: bytes | None, budget: int, longest: int) -> tuple:
    """The commands that a row of pieces ends, and what is half then."""
    assert len(row) <= budget, "a row over the budget"
    at, whole, last = 0, [], True
    while at < len(row):
        assert row[at] < 4 and last, "a piece out of place"
        first, last, opens = row[at] & 1, row[at] & 2, at == 0
        length, start = varint(row, at + 1)
        assert start - at == (2 if length < 128 else 3) and length < 16384, "a length in a longer form"
        at = start + length
        assert at <= len(row) and (first or opens) and (length > 0 or first and last), "a bad piece"
        half = b"" if first else half
        if half is not None:
            half += row[start:at]
            half = half if len(half) <= longest else None
        if last and half is not None:
            whole.append(half)
    return whole, None if last else half


def keyframe(payload: bytes, seats: int, width: int, longest: int) -> tuple:
    """Who, the input before and the half command of each seat; the name of the state."""
    at, found = 0, []
    for _ in range(seats):
        who, before = payload[at], payload[at + 1:at + 1 + width]
        more, at = varint(payload, at + 1 + width)
        assert who <= 2 and more <= longest + 1, "a seat that can't be"
        half = payload[at:at + more - 1] if more else None
        at += max(more - 1, 0)
        found.append([who, before, half])
    assert at + 8 <= len(payload), "a keyframe that is cut off"
    return found, payload[at:at + 8]


def main(data: bytes) -> None:
    assert data[:8] == b"ISOREPLY" and data[8:10] == b"\1\0"
    header = 14 + struct.unpack_from("<I", data, 10)[0]
    assert name(data[:header]) == data[header:header + 8]
    width, seats = data[30], data[39]
    every, _, first, budget, longest = struct.unpack_from("<5I", data, 48)
    print(f"header {text(data[14:30])} width {width} seats {seats} every {every}")
    found = list(blocks(data, header + 8))
    repairs = [(tick, tick + span) for kind, tick, span, _ in found if kind == 6]

    def void(tick: int) -> bool:
        return any(after < tick <= upto for after, upto in repairs)

    # What the blocks so far lead to: the next tick, and of each seat who, input before, half command.
    seen, at, line = [], None, None
    end = first
    for kind, tick, span, payload in found:
        if kind == 1:
            end = max(end, tick)
            said, state = keyframe(payload, seats, width, longest)
            assert line is not None or tick == first, "the first keyframe is not the first state's"
            if at == tick:
                for (who, before, half), (known, was, begun) in zip(said, line):
                    assert who == known and half == begun, "a keyframe with other seats"
                    assert who != 1 or was is None or before == was, "a keyframe with another input"
            at, line = tick, said
            if not void(tick):
                print(f"keyframe {tick}")
                print(f"state {tick} {text(state)}")
        elif kind == 2:
            end = max(end, tick + span)
            humans, reader, c = struct.unpack_from("<I", payload)[0], Reader(payload[4:]), probabilities()
            assert humans >> seats == 0, "a seat that there is not"
            for seat in range(seats):
                assert humans >> seat & 1 == (line[seat][0] == 1), "the bits are not the roster"
                if humans >> seat & 1:
                    for i, (inputs, pieces) in enumerate(window(reader, c, width, [], span)):
                        _, line[seat][2] = commands(pieces, line[seat][2], budget, longest)
                        line[seat][1] = inputs
                        print(f"input {tick + i} {seat} {text(inputs)} {text(pieces)}")
            reader.end()
            at = tick + span
        elif kind == 3:
            seat, who = payload
            # What the step before was given stays; this knows it of humans only.
            line[seat] = [who, line[seat][1] if line[seat][0] == 1 else None, None]
            print(f"seat {tick} {seat} {['Empty', 'Human', 'Bot'][who]}")
        elif kind == 4:
            for i, since in enumerate(range(0, span, every) if every else range(min(span, 1))):
                assert len(payload) >= 8 * i + 8, "a block of digests that is cut off"
                if not void(tick + since):
                    print(f"digest {tick + since} {text(payload[8 * i:8 * i + 8])}")
        elif kind == 5:
            print(f"pause {tick} {struct.unpack('<Q', payload)[0]}")
        elif kind == 7:
            assert index(payload) == seen, "the index is not that of the blocks"
        seen.append((kind, len(payload), tick, span))
    print(f"end {end}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).read_bytes())
