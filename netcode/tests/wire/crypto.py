"""X25519 (RFC 7748), ChaCha20-Poly1305 (RFC 8439) and checking of Ed25519 (RFC 8032) with plain integers.

Good for reading captures only: nothing here takes the same time for all secrets.
"""

import hashlib
import struct

P = 2**255 - 19


# --- X25519 ---

def x25519(secret: bytes, point: bytes) -> bytes:
    """The shared secret of a secret key and a public key."""
    k = int.from_bytes(secret, "little")
    k = (k & ~7 & ((1 << 255) - 1)) | (1 << 254)
    x1 = int.from_bytes(point, "little") & ((1 << 255) - 1)
    x2, z2, x3, z3, swap = 1, 0, x1, 1, 0
    for t in range(254, -1, -1):
        bit = (k >> t) & 1
        if swap != bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = bit
        a, b = x2 + z2, x2 - z2
        aa, bb = a * a % P, b * b % P
        e = aa - bb
        da, cb = (x3 - z3) * a % P, (x3 + z3) * b % P
        x3 = (da + cb) ** 2 % P
        z3 = x1 * (da - cb) ** 2 % P
        x2 = aa * bb % P
        z2 = e * (aa + 121665 * e) % P
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


def public_of(secret: bytes) -> bytes:
    return x25519(secret, b"\x09" + bytes(31))


# --- ChaCha20-Poly1305 ---

QUARTERS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
            (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def chacha_block(key: bytes, counter: int, nonce: bytes) -> bytes:
    m = 0xFFFFFFFF
    first = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574,
             *struct.unpack("<8I", key), counter & m, *struct.unpack("<3I", nonce))
    x = list(first)
    for _ in range(10):
        for i, j, k, l in QUARTERS:
            a, b, c, d = x[i], x[j], x[k], x[l]
            a = (a + b) & m
            d ^= a
            d = (d << 16 | d >> 16) & m
            c = (c + d) & m
            b ^= c
            b = (b << 12 | b >> 20) & m
            a = (a + b) & m
            d ^= a
            d = (d << 8 | d >> 24) & m
            c = (c + d) & m
            b ^= c
            x[i], x[j], x[k], x[l] = a, (b << 7 | b >> 25) & m, c, d
    return struct.pack("<16I", *((a + b) & m for a, b in zip(x, first)))


def chacha_xor(key: bytes, nonce: bytes, data: bytes) -> bytes:
    """Data with the key stream from block 1 on."""
    blocks = (len(data) + 63) // 64
    stream = b"".join(chacha_block(key, 1 + i, nonce) for i in range(blocks))[:len(data)]
    both = int.from_bytes(data, "little") ^ int.from_bytes(stream, "little")
    return both.to_bytes(len(data), "little")


def poly1305(key: bytes, data: bytes) -> bytes:
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for at in range(0, len(data), 16):
        total = (total + int.from_bytes(data[at:at + 16] + b"\x01", "little")) * r % (2**130 - 5)
    return ((total + int.from_bytes(key[16:], "little")) % 2**128).to_bytes(16, "little")


def tag_of(key: bytes, nonce: bytes, sealed: bytes, extra: bytes) -> bytes:
    def pad(data: bytes) -> bytes:
        return data + bytes(-len(data) % 16)
    lengths = struct.pack("<QQ", len(extra), len(sealed))
    return poly1305(chacha_block(key, 0, nonce)[:32], pad(extra) + pad(sealed) + lengths)


def seal(key: bytes, nonce: bytes, plain: bytes, extra: bytes = b"") -> bytes:
    sealed = chacha_xor(key, nonce, plain)
    return sealed + tag_of(key, nonce, sealed, extra)


def open_sealed(key: bytes, nonce: bytes, data: bytes, extra: bytes = b"") -> bytes | None:
    """The plain bytes, or None if the tag is wrong."""
    if len(data) < 16 or tag_of(key, nonce, data[:-16], extra) != data[-16:]:
        return None
    return chacha_xor(key, nonce, data[:-16])


# --- Ed25519: points are (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z ---

L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(n: int, p):
    q = (0, 1, 1, 0)
    while n:
        if n & 1:
            q = add(q, p)
        p = add(p, p)
        n >>= 1
    return q


def point_from(data: bytes):
    """The point that 32 bytes stand for, or None."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - xx) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = point_from((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def signature_fits(public: bytes, message: bytes, signature: bytes) -> bool:
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = point_from(public), point_from(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    p, q = times(s, BASE), add(r, times(k, a))
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0
