"""Noise_IK_25519_ChaChaPoly_BLAKE2s as seen with the static secrets and one ephemeral secret."""

import copy
import hashlib
import hmac
import struct

from crypto import open_sealed, public_of, seal, x25519

NAME = b"Noise_IK_25519_ChaChaPoly_BLAKE2s"


def nonce_of(number: int) -> bytes:
    return bytes(4) + struct.pack("<Q", number)


def hmac_of(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.blake2s).digest()


def derive(chaining: bytes, material: bytes) -> tuple[bytes, bytes]:
    """Noise's HKDF with two results."""
    key = hmac_of(chaining, material)
    first = hmac_of(key, b"\x01")
    return first, hmac_of(key, first + b"\x02")


class Handshake:
    """Chaining key, hash, key and nonce; the initiator's keys after the first message."""

    def __init__(self, prologue: bytes, responder_public: bytes):
        self.hash = self.chaining = hashlib.blake2s(NAME).digest()   # the name is longer than 32 bytes
        self.key, self.number = b"", 0
        self.ephemeral = self.static = b""
        self.mix_hash(prologue)
        self.mix_hash(responder_public)

    def mix_hash(self, data: bytes) -> None:
        self.hash = hashlib.blake2s(self.hash + data).digest()

    def mix_key(self, shared: bytes) -> None:
        self.chaining, self.key = derive(self.chaining, shared)
        self.number = 0

    def encrypt(self, plain: bytes) -> bytes:
        sealed = seal(self.key, nonce_of(self.number), plain, self.hash)
        self.number += 1
        self.mix_hash(sealed)
        return sealed

    def decrypt(self, sealed: bytes) -> bytes | None:
        plain = open_sealed(self.key, nonce_of(self.number), sealed, self.hash)
        self.number += 1
        self.mix_hash(sealed)
        return plain

    def split(self) -> tuple[bytes, bytes]:
        """Key of what the initiator sends, key of what the responder sends."""
        return derive(self.chaining, b"")


def read_first(prologue: bytes, responder_secret: bytes, message: bytes):
    """(handshake, payload) of `-> e, es, s, ss`, or None if it does not open."""
    if len(message) < 96:
        return None
    state = Handshake(prologue, public_of(responder_secret))
    state.ephemeral = message[:32]
    state.mix_hash(state.ephemeral)
    state.mix_key(x25519(responder_secret, state.ephemeral))
    static = state.decrypt(message[32:80])
    if static is None:
        return None
    state.static = static
    state.mix_key(x25519(responder_secret, static))
    payload = state.decrypt(message[80:])
    return None if payload is None else (state, payload)


def read_second(before: Handshake, statics: dict, ephemerals: dict, message: bytes):
    """(handshake, payload) of `<- e, ee, se`, or None. Both dictionaries give the secret to a public key."""
    if len(message) < 48:
        return None
    state = copy.copy(before)
    theirs = message[:32]
    if theirs in ephemerals:
        ee = x25519(ephemerals[theirs], state.ephemeral)
        se = x25519(ephemerals[theirs], state.static)
    elif state.ephemeral in ephemerals and state.static in statics:
        ee = x25519(ephemerals[state.ephemeral], theirs)
        se = x25519(statics[state.static], theirs)
    else:
        return None
    state.mix_hash(theirs)
    state.mix_key(ee)
    state.mix_key(se)
    payload = state.decrypt(message[32:])
    return None if payload is None else (state, payload)
