// Talks to the server: reads the stream's messages (frame.rs says how they look), posts controls, and keeps the
// settings in the page's address.

const text = new TextDecoder();

/** Reads messages for ever; calls `on.scene`, `on.frame`, `on.note`, and `on.lost` when the server is gone. */
export async function listen(on) {
  for (;;) {
    try {
      const reader = (await fetch("stream")).body.getReader();
      let held = new Uint8Array(0);
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const joined = new Uint8Array(held.length + value.length);
        joined.set(held);
        joined.set(value, held.length);
        held = joined.subarray(take(joined, on));
      }
    } catch (error) {
      if (!(error instanceof TypeError)) console.error(error);
    }
    on.lost();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** Handles all whole messages; returns how many bytes they were. */
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

function readFrame(view, at) {
  const u32 = () => view.getUint32((at += 4) - 4, true);
  const u16 = () => view.getUint16((at += 2) - 2, true);
  const i16 = () => view.getInt16((at += 2) - 2, true);
  const u8 = () => view.getUint8(at++);
  const frame = { number: u32(), micros: u32(), compared: u32(), verdict: u8(), peers: [] };
  const peers = u8(), bodies = u16();
  for (let i = 0; i < peers; i++) {
    const peer = { present: u32(), confirmed: u32(), lead: u16(), depth: u16(), again: u16(), stalls: u16(), bytes: u16() };
    peer.goals = [u16(), u16()];
    peer.digest = Array.from({ length: 4 }, () => u8().toString(16).padStart(2, "0")).join("");
    // Position, rotation, asleep: eight numbers a body.
    peer.bodies = new Float32Array(bodies * 8);
    for (let j = 0; j < bodies * 8; j += 8) {
      for (let k = 0; k < 3; k++) peer.bodies[j + k] = i16() / 512;
      for (let k = 3; k < 7; k++) peer.bodies[j + k] = i16() / 32767;
      peer.bodies[j + 7] = u8();
    }
    frame.peers.push(peer);
  }
  return frame;
}

/** Asks for something; what was wrong with it as text, or nothing. */
export async function control(what) {
  try {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch("control", { method: "POST", headers, body: JSON.stringify(what) });
    return answer.ok ? "" : await answer.text();
  } catch {
    return "the server does not answer";
  }
}

const NUMBERS = ["seed", "players", "predict", "delay"];

/** The settings with what the address says of them, or nothing if it says nothing. */
export function fromAddress(settings) {
  const said = new URLSearchParams(location.search);
  if (said.size === 0) return null;
  const wanted = structuredClone(settings);
  for (const name of NUMBERS) if (said.has(name)) wanted[name] = Number(said.get(name));
  const links = [...said].filter(([name]) => /^net(\d\d)?$/.test(name)).map(([name, value]) => {
    const [latency, jitter, loss, bursts] = value.split(",").map(Number);
    const link = { latency, jitter, loss, bursts: bursts === 1 };
    return name === "net" ? link : { way: [Number(name[3]) - 1, Number(name[4]) - 1], ...link };
  });
  if (links.length > 0) wanted.links = links;
  return wanted;
}

export function toAddress(settings) {
  const said = NUMBERS.map((name) => `${name}=${settings[name]}`);
  for (const { way, latency, jitter, loss, bursts } of settings.links) {
    const name = way ? `net${way[0] + 1}${way[1] + 1}` : "net";
    said.push(`${name}=${latency},${jitter},${loss},${bursts ? 1 : 0}`);
  }
  history.replaceState(null, "", `?${said.join("&")}`);
}
