// Connection to the server: decodes the stream's messages (layout: frame.rs) and posts controls.

const text = new TextDecoder();

/** Reads messages forever; calls `on.scene`, `on.frame`, `on.note`, and `on.lost` when the connection is lost. */
export async function listen(on) {
  for (;;) {
    try {
      const reader = (await fetch("stream")).body.getReader();
      let held = new Uint8Array(0);
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        let bytes = value;
        if (held.length > 0) {
          bytes = new Uint8Array(held.length + value.length);
          bytes.set(held);
          bytes.set(value, held.length);
        }
        held = bytes.subarray(take(bytes, on));
      }
    } catch (error) {
      if (!(error instanceof TypeError)) console.error(error);
    }
    on.lost();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** Handles all complete messages; returns their length in bytes. */
function take(bytes, on) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at + 4 <= bytes.length) {
    const end = at + 4 + view.getUint32(at, true);
    if (end > bytes.length) break;
    const kind = bytes[at + 4];
    if (kind === 2) on.frame(readFrame(view, at + 5));
    else on[kind === 1 ? "scene" : "note"](JSON.parse(text.decode(bytes.subarray(at + 5, end))));
    at = end;
  }
  return at;
}

const hex = (byte) => byte.toString(16).padStart(2, "0");

function readFrame(view, at) {
  const u32 = () => view.getUint32((at += 4) - 4, true);
  const u16 = () => view.getUint16((at += 2) - 2, true);
  const i16 = () => view.getInt16((at += 2) - 2, true);
  const u8 = () => view.getUint8(at++);
  const pose = (into, j) => {
    for (let k = 0; k < 3; k++) into[j + k] = i16() / 512;
    for (let k = 3; k < 7; k++) into[j + k] = i16() / 32767;
  };
  const frame = { number: u32(), micros: u32(), compared: u32(), recorded: u32(), verdict: u8(), peers: [] };
  const peers = u8(), bodies = u16();
  for (let i = 0; i < peers; i++) {
    const peer = {
      present: u32(), confirmed: u32(), lead: u16(), depth: u16(), again: u16(), redone: u16(), stalls: u16(),
      bytes: u16(), delay: u16(), rate: u16() / 500, millis: u16() / 100, connected: u8() === 1,
    };
    peer.score = Array.from({ length: u8() }, i16);
    peer.digest = "";
    for (let k = 0; k < 8; k++) peer.digest += hex(u8());
    // Position, rotation, asleep: eight numbers a body.
    peer.bodies = new Float32Array(bodies * 8);
    for (let j = 0; j < bodies * 8; j += 8) {
      pose(peer.bodies, j);
      peer.bodies[j + 7] = u8();
    }
    // Resimulated bodies: index, and the lowest index of the island.
    peer.groups = new Uint8Array(2 * u8());
    for (let j = 0; j < peer.groups.length; j++) peer.groups[j] = u8();
    // Confirmed poses: body index, then a pose.
    peer.ghosts = new Float32Array(8 * u8());
    for (let j = 0; j < peer.ghosts.length; j += 8) {
      peer.ghosts[j + 7] = u8();
      pose(peer.ghosts, j);
    }
    // Debug lines: 16 bytes each, decoded when they are drawn.
    const length = 16 * u16();
    peer.lines = length > 0 ? new Uint8Array(view.buffer, view.byteOffset + at, length).slice() : null;
    at += length;
    frame.peers.push(peer);
  }
  // Packets sent since the last frame; lost ones have no time of flight.
  frame.packets = Array.from({ length: u8() }, () => {
    const [from, to, millis] = [u8(), u8(), u16()];
    return { from, to, millis: millis === 65535 ? null : millis };
  });
  return frame;
}

/** Posts a control; returns the error text, or nothing. */
export async function control(what) {
  try {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch("control", { method: "POST", headers, body: JSON.stringify(what) });
    return answer.ok ? "" : await answer.text();
  } catch {
    return "the server does not answer";
  }
}

/** Fetches the recording so far; throws the error text. */
export async function saveReplay() {
  const answer = await fetch("replay", { method: "POST", headers: { "Content-Type": "application/json" } });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.blob();
}
