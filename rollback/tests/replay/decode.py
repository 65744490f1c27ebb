"""Decodes a recording as REPLAY.md (and, for the windows, WIRE.md) says. Shares no code with the library.

python3 decode.py FILE    prints what is in it, a line for each keyframe, input, seat change, digest and pause
"""

import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "netcode" / "tests" / "wire"))
sys.dont_write_bytecode = True

from window import Reader, chances, window  # noqa: E402

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
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def text(data: bytes) -> str:
    return data.hex() or "-"


def blocks(data: bytes, at: int):
    while at + 19 <= len(data):
        kind, length, tick, span = struct.unpack_from("<BIIH", data, at)
        end = at + 11 + length
        if end + 8 > len(data) or name(data[at:end]) != data[end:end + 8]:
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


def main(data: bytes) -> None:
    assert data[:8] == b"ISOREPLY" and data[8:10] == b"\1\0"
    header = 14 + struct.unpack_from("<I", data, 10)[0]
    assert name(data[:header]) == data[header:header + 8]
    width, seats = data[30], data[39]
    every = struct.unpack_from("<I", data, 48)[0]
    print(f"header {text(data[14:30])} width {width} seats {seats} every {every}")
    seen = []
    for kind, tick, span, payload in blocks(data, header + 8):
        if kind == 1:
            at = 0
            for _ in range(seats):
                more, at = varint(payload, at + 1 + width)
                at += max(more - 1, 0)
            print(f"keyframe {tick}")
            print(f"state {tick} {text(payload[at:at + 8])}")
        elif kind == 2:
            humans, reader, c = struct.unpack_from("<I", payload)[0], Reader(payload[4:]), chances()
            for seat in range(seats):
                if humans >> seat & 1:
                    ticks = window(reader, c, width, [], span)
                    for i, (inputs, pieces) in enumerate(ticks):
                        print(f"input {tick + i} {seat} {text(bytes(inputs))} {text(bytes(pieces))}")
        elif kind == 3:
            print(f"seat {tick} {payload[0]} {['Nobody', 'Human', 'Bot'][payload[1]]}")
        elif kind == 4:
            for i in range(len(payload) // 8):
                print(f"digest {tick + i * every} {text(payload[8 * i:8 * i + 8])}")
        elif kind == 5:
            print(f"pause {tick} {struct.unpack('<Q', payload)[0]}")
        elif kind == 7:
            assert index(payload) == seen, "the index is not that of the blocks"
            assert data[-8:] == b"ISOR-END" and struct.unpack("<I", data[-12:-8])[0] == len(payload) + 19
            print(f"end {tick}")
        seen.append((kind, len(payload), tick, span))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).read_bytes())
