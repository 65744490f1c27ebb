"""Opened payloads and frames of the committed captures, as seeds of the targets `payload` and `frame`.

Captures hold sealed packets and the keys to them; the decoder beside them opens both.
"""

import pathlib
import sys

WIRE = pathlib.Path(__file__).resolve().parent.parent / "netcode/tests/wire"
sys.dont_write_bytecode = True
sys.path.insert(0, str(WIRE))

import decode  # noqa: E402


class Collector(decode.Decoder):
    """Decoder that keeps what it opens."""

    def __init__(self):
        super().__init__()
        self.payloads, self.sessions = [], []

    def frames(self, connection, time, sender, to, data):
        self.payloads.append(data)
        super().frames(connection, time, sender, to, data)

    def rest(self, way, sender, to, data):
        if data[0] >= 0x80:
            self.sessions.append(data)
        return super().rest(way, sender, to, data)


def seeds() -> dict:
    """Target -> inputs."""
    found = {"payload": [], "frame": []}
    for path in sorted(WIRE.glob("*.capture")):
        collector = Collector()
        for line in path.read_text().splitlines():
            collector.line(line)
        found["payload"] += collector.payloads
        found["frame"] += collector.sessions
    return found
