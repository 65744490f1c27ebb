"""The stream of inputs, section 7 of WIRE.md: the range coder, its probabilities and windows.

Reader and Known (and the Writer of the self test) answer the same questions. Each question comes with the answer
that a writer would give: Reader does not look at it, Known only lets the probabilities learn from it.
"""


class Malformed(Exception):
    """Bytes that no writer makes."""


def signed(n: int) -> int:
    return (n + 128) % 256 - 128


def adapt(probabilities: list, i: int, answer: int) -> int:
    c = probabilities[i]
    probabilities[i] = c - (c >> 3) if answer else c + ((65535 - c) >> 3)
    return answer


def probabilities() -> dict:
    """The probabilities at the start of a stream."""
    def row(*values):
        return [(256 - y) * 256 for y in values]
    return {
        "active": row(28, 110, 40, 226),
        "changed": [row(112, 136, 124, 236, 208, 240, 20) for _ in range(16)],
        "again": [row(100, 36) for _ in range(16)],
        "carried": row(190),
        "back": row(112, 52),
        "raw": row(40, 8, 208, 196),
        "longer": [row(192, 192, 160, 168, 132, 180, 64), row(88, 136, 80, 32, 24, 100, 100)],
        "power": [row(210, 210, 192), row(76, 96, 24)],
        "up": row(136, 120, 140, 236, 40),
        "pieces": row(1),
    }


class Questions:
    """What follows from `ask` and `bits` for reading and writing alike."""

    def learn(self, probabilities: list, i: int, answer: int = 0) -> int:
        return adapt(probabilities, i, self.ask(probabilities[i], int(answer)))

    def flag(self, chance: int, answer: int = 0) -> int:
        return self.ask(65536 - chance, answer)

    def uint(self, k: int, value: int = 0) -> int:
        value += 1 << k
        length, wanted = k, value.bit_length() - 1
        while length < 32 and self.bits(1, int(length < wanted)):
            length += 1
        got = 0
        if length > 16:
            got = self.bits(length - 16, value >> 16 & ((1 << length - 16) - 1)) << 16
        if length:
            rest = min(length, 16)
            got += self.bits(rest, value & ((1 << rest) - 1))
        got += (1 << length) - (1 << k)
        if got >= 1 << 32:
            raise Malformed("number too great")
        return got

    def distance(self, d: int = 0) -> int:
        n = self.uint(4, 2 * d if d >= 0 else -2 * d - 1)
        return -(n + 1) // 2 if n & 1 else n // 2


class Reader(Questions):
    def __init__(self, data: bytes):
        self.data, self.at = data, 4
        self.range = 0xFFFFFFFF
        self.code = int.from_bytes(data[:4].ljust(4, b"\0"), "big")

    def shift(self) -> None:
        while self.range < 1 << 24:
            byte = self.data[self.at] if self.at < len(self.data) else 0
            self.at += 1
            if self.at > len(self.data) + 8:
                raise Malformed("stream too short")
            self.range <<= 8
            self.code = (self.code << 8 | byte) & 0xFFFFFFFF

    def ask(self, no: int, answer: int = 0) -> int:
        bound = (self.range >> 16) * no
        if self.code < bound:
            self.range, answer = bound, 0
        else:
            self.code -= bound
            self.range -= bound
            answer = 1
        self.shift()
        return answer

    def bits(self, n: int, value: int = 0) -> int:
        self.range >>= n
        value = self.code // self.range
        if value >= 1 << n:
            raise Malformed("no such value")
        self.code -= value * self.range
        self.shift()
        return value

    def end(self) -> None:
        if self.at < len(self.data):
            raise Malformed("bytes after the stream")


class Known(Questions):
    """Neither reads nor writes."""

    def ask(self, no: int, answer: int) -> int:
        return answer

    def bits(self, n: int, value: int) -> int:
        return value


class Byte:
    """What a window remembers of one byte of the input."""

    def __init__(self, value: int):
        self.value, self.lately, self.step, self.wild = value, 0, 0, False


def step_of(q, c: dict, byte: Byte, i: int, carry: int, s: int) -> int:
    """The step of a byte that changed; `s` is the one a writer has."""
    m = byte.lately & 1
    e = byte.step if m else 0
    d = signed(s - e)
    size = abs(d)
    backwards = signed(-byte.step)
    same = s == e if m else carry != 0 and s == carry
    back = byte.step != 0 and s == backwards
    if byte.wild and q.learn(c["raw"], 2 + m, size >= 8 and not same and not back):
        return signed(q.bits(8, s & 255))
    if m:
        if q.learn(c["again"][i % 16], int(carry != 0), same):
            return e
    elif carry and q.learn(c["carried"], 0, same):
        return carry
    if byte.step and q.learn(c["back"], m, back):
        return backwards
    if not byte.wild and q.learn(c["raw"], m, size >= 32 and size & (size - 1) != 0):
        byte.wild = True
        return signed(q.bits(8, s & 255))
    byte.wild = False
    n = 0
    while n < 7 and q.learn(c["longer"][m], n, size >= 2 << n):
        n += 1
    if n == 7:
        return signed(e - 128)
    r = 0
    if n == 1:
        r = q.bits(1, size & 1)
    elif 2 <= n <= 4 and not q.learn(c["power"][m], n - 2, size == 1 << n):
        r = q.bits(n, size & ((1 << n) - 1))
    if r == 0 and m == 0:
        x = 3 + (byte.value >> n & 1)
    else:
        x = 0 if byte.step == 0 else 1 if byte.step > 0 else 2
    size = (1 << n) + r
    return signed(e + (size if q.learn(c["up"], x, d > 0) else -size))


def input_of(q, c: dict, was: int, line: list, target: bytes) -> int:
    """Goes through the input of one tick, changes `line` and gives the new `was`."""
    active = q.learn(c["active"], was, any(b.value != t for b, t in zip(line, target)))
    was = (2 * was + active) % 4
    if not active:
        for byte in line:
            byte.lately = 2 * byte.lately % 4
        return was
    carry, any_before = 0, False
    for i, byte in enumerate(line):
        s = signed(target[i] - byte.value)
        if i == len(line) - 1 and not any_before:
            changed = 1
        else:
            if carry:
                x = 4 + byte.lately % 2
            elif byte.lately == 0 and any_before:
                x = 6
            else:
                x = byte.lately
            changed = q.learn(c["changed"][i % 16], x, s != 0)
        if changed:
            s = step_of(q, c, byte, i, carry, s)
            total = byte.value + s
            carry = 1 if total > 255 else -1 if total < 0 else 0
            byte.value, byte.step, any_before = total % 256, s, True
        else:
            carry = 0
        byte.lately = (2 * byte.lately + changed) % 4
    return was


def window(q, c: dict, width: int, known: list, count: int, ticks: list | None = None) -> list:
    """The `count` ticks of a window as (input, pieces). `ticks` are those that a writer has."""
    line = [Byte(b) for b in (known[0] if known else bytes(width))]
    was = 0
    for target in known[1:]:
        was = input_of(Known(), c, was, line, target)
    result = []
    for i in range(count):
        target, want = ticks[i] if ticks else (bytes(width), b"")
        was = input_of(q, c, was, line, target)
        pieces = b""
        if q.learn(c["pieces"], 0, want != b""):
            size = q.uint(4, max(len(want) - 1, 0)) + 1
            if size > 16383:
                raise Malformed("pieces too long")
            pieces = bytes(q.bits(8, want[k] if k < len(want) else 0) for k in range(size))
        result.append((bytes(b.value for b in line), pieces))
    return result
