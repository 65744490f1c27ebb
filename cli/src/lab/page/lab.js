// The page: controls, cards with curves, and the clock that draws between two frames.

import { Painter } from "./draw.js";
import { control, fromAddress, listen, toAddress } from "./wire.js";

const $ = (id) => document.getElementById(id);
const TICK = 1000 / 60;
/** Frames of history: 5 s. */
const HISTORY = 300;
const CURVES = [
  ["depth", "rolled back", (peer) => peer.depth, 4, "ticks gone back in a frame"],
  ["lead", "predicted", (peer) => peer.lead, 8, "ticks that rest on guesses"],
  ["again", "redone", (peer) => peer.again, 4, "ticks computed again in a frame"],
  ["stalls", "stalled", (peer) => peer.stalls, 1, "frames in which the machine had to wait"],
  ["bytes", "sent", (peer) => peer.bytes * 60, 12000, "bytes a second"],
];

let painter = null, painterError = "";
let scene = null, settings = null, cards = [], history = [];
let offset = null, addressRead = false, reports = 0;

try {
  painter = new Painter($("canvas"));
} catch (error) {
  painterError = `This browser can’t draw the match: ${error.message}. It is played and measured all the same.`;
}

// ---- what comes from the server

listen({
  scene(next) {
    if (!addressRead) {
      addressRead = true;
      const wanted = fromAddress(next.settings);
      if (wanted && JSON.stringify(wanted) !== JSON.stringify(next.settings)) send({ do: "restart", settings: wanted });
    }
    scene = next;
    settings = next.settings;
    history = [];
    offset = null;
    reports = 0;
    $("report").replaceChildren(paragraph("Arrow keys or WASD walk, space jumps, E kicks; until then player 1 plays alone. Make the network bad, cut a machine off, or plant a wrong bit and see it found and named here."));
    painter?.setScene(scene);
    buildCards();
    showSettings();
  },
  frame(frame) {
    if (!scene || frame.peers.length !== settings.players) return;
    frame.arrived = performance.now();
    const drift = frame.arrived - frame.number * TICK;
    // Follows the server's clock slowly, so that late packets don't show; after a pause at once.
    offset = offset === null || Math.abs(drift - offset) > 150 ? drift : offset + 0.05 * (drift - offset);
    history.push(frame);
    if (history.length > HISTORY) history.shift();
  },
  note: tell,
  lost() {
    addressRead = false;
    setBadge("waiting", "the server is gone: start isostep lab again");
  },
});

function tell(note) {
  const who = (index) => `machine ${index + 1}`;
  if (note.note === "desync") return tellDesync(note, who);
  const line = {
    planted: () => `Tick ${note.tick}: a bit will be wrong at ${who(note.machine)}, ${note.lasting ? "whenever it computes that tick" : "once"}.`,
    partition: () => `${who(note.machine)} is cut off for ${note.seconds} s.`,
    repaired: () => `${who(note.machine)} computed anew from tick ${note.tick} and is right again.`,
    agreed: () => `Tick ${note.tick}: ${who(note.machine)} and ${who(note.peer)} agree again.`,
    stopped: () => `The match can’t go on: ${note.why}`,
  }[note.note];
  if (note.note === "planted") reports = 0;
  if (note.note === "partition") {
    cards[note.machine]?.root.classList.add("cut");
    setTimeout(() => cards[note.machine]?.root.classList.remove("cut"), note.seconds * 1000);
  }
  if (note.note === "stopped") setBadge("bad", "✗ stopped");
  if (line) report(paragraph(line()[0].toUpperCase() + line().slice(1)));
}

function tellDesync(note, who) {
  // Every pair of machines has the same to say; the first one says it.
  if (reports++ > 0) return;
  const entity = note.entity.replace("arena.", "") + (note.thing ? ` (${note.thing})` : "");
  const [here, there] = note.itself ? ["right", "was"] : [who(note.machine), who(note.peer)];
  const facts = [["what", entity], ["field", note.field], [here, note.local], [there, note.remote], ["to blame", note.blame]];
  for (const [, field, ours, theirs] of note.more.filter((it) => /velocity/.test(it[1])).slice(0, 1)) facts.splice(4, 0, ["also", `${field}: ${ours}, ${theirs}`]);
  const box = document.createElement("div");
  box.className = "desync";
  box.append(element("h3", `✗ Desync on tick ${note.tick}`));
  const list = document.createElement("dl");
  for (const [name, value] of facts) list.append(element("dt", name), element("dd", value));
  box.append(list);
  report(box);
}

const element = (name, content) => Object.assign(document.createElement(name), { textContent: content });
const paragraph = (content) => element("p", content);

function report(node) {
  $("report").prepend(node);
  while ($("report").children.length > 12) $("report").lastChild.remove();
  $("report").scrollTop = 0;
}

function setBadge(kind, content) {
  if ($("badge").textContent !== content) $("badge").textContent = content;
  $("badge").className = `badge ${kind}`;
}

// ---- cards

function buildCards() {
  $("peers").dataset.count = settings.players;
  cards = Array.from({ length: settings.players }, (_, i) => {
    const root = document.createElement("section");
    root.className = "peer";
    const you = i === 0 ? " · you" : "";
    root.innerHTML = `<h2><span class="side${i % 2}">■ Machine ${i + 1}${you}</span><span class="digest"></span><span class="score"></span></h2>
      <div class="view"></div><div class="curves"><ul>${CURVES.map(([, name, , , hint]) => `<li title="${hint}">${name} <b></b></li>`).join("")}</ul><canvas aria-hidden="true"></canvas></div>`;
    const find = (selector) => root.querySelector(selector);
    if (!painter) find(".view").append(paragraph(painterError));
    return { root, view: find(".view"), digest: find(".digest"), score: find(".score"), canvas: find("canvas"), values: root.querySelectorAll("b") };
  });
  $("peers").replaceChildren(...cards.map((card) => card.root));
}

function showNumbers() {
  const frame = history.at(-1);
  const agreed = frame.verdict === 1;
  if (frame.verdict === 0) setBadge("waiting", "no tick compared yet");
  else if (agreed) setBadge("good", `✓ all ${settings.players} agree on tick ${frame.compared}` + (reports ? " again" : ""));
  else setBadge("bad", `✗ desync: machines differ on tick ${frame.compared}`);
  // Of four digests, the one that fewest have is marked.
  const votes = (digest) => frame.peers.filter((peer) => peer.digest === digest).length;
  cards.forEach((card, i) => {
    const peer = frame.peers[i];
    const fine = agreed || votes(peer.digest) * 2 > frame.peers.length;
    card.digest.textContent = frame.verdict === 0 ? "" : `${fine ? "✓" : "✗"} ${frame.compared}:${peer.digest}`;
    card.digest.className = `digest ${fine ? "good" : "bad"}`;
    card.digest.title = `The state of tick ${frame.compared}, which is confirmed, begins with this digest`;
    card.score.textContent = `tick ${peer.present}, confirmed ${peer.confirmed} · ${peer.goals.join(" : ")}`;
    const last = history.slice(-60).map((frame) => frame.peers[i]);
    const mean = (name) => last.reduce((sum, peer) => sum + peer[name], 0) / last.length;
    const most = (name) => Math.max(...last.map((peer) => peer[name]));
    const values = [most("depth"), most("lead"), mean("again").toFixed(1), `${Math.round(mean("stalls") * 100)} %`, `${(mean("bytes") * 0.06).toFixed(1)} kB/s`];
    values.forEach((value, k) => { card.values[k].textContent = value; });
    drawCurves(card.canvas, i);
  });
  const micros = history.map((frame) => frame.micros).sort((a, b) => a - b);
  const at = (part) => (micros[Math.floor((micros.length - 1) * part)] / 1000).toFixed(1);
  $("cost").textContent = `server ${at(0.5)} ms a tick, ${at(0.99)} at p99`;
}

function drawCurves(canvas, index) {
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  const pen = canvas.getContext("2d");
  // The style sheet's colours, as the theme resolves them.
  const { borderColor: back, color: blue, caretColor: orange } = getComputedStyle(canvas);
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  CURVES.forEach(([name, , value, least], k) => {
    // In a row, or below each other where there is room.
    const tall = height > 100;
    const [wide, high] = tall ? [width, height / CURVES.length - 6] : [width / CURVES.length - 8, height];
    const [left, bottom] = tall ? [0, (k + 1) * (high + 6) - 3] : [k * (wide + 8), height];
    const numbers = history.map((frame) => value(frame.peers[index]));
    const top = Math.max(least, ...numbers);
    pen.fillStyle = back;
    pen.fillRect(left, bottom - high, wide, high);
    const x = (i) => left + ((i + HISTORY - numbers.length) / HISTORY) * wide;
    pen.fillStyle = name === "stalls" ? orange : blue;
    pen.strokeStyle = blue;
    pen.beginPath();
    numbers.forEach((number, i) => {
      const y = bottom - (number / top) * (high - 2);
      if (name === "lead" || name === "bytes") pen.lineTo(x(i), y);
      else if (number > 0) pen.fillRect(x(i), y, Math.max(1, wide / HISTORY), bottom - y);
    });
    pen.stroke();
  });
}

// ---- drawing between two frames

let painted = 0;
function paint() {
  requestAnimationFrame(paint);
  if (history.length === 0) return;
  if (painted++ % 6 === 0) showNumbers();
  if (!painter) return;
  // A little in the past, so that there is mostly a frame on both sides.
  const now = (performance.now() - offset) / TICK - 1.5;
  let next = history.length - 1;
  while (next > 0 && history[next - 1].number >= now) next--;
  const [a, b] = [history[Math.max(next - 1, 0)], history[next]];
  const part = Math.min(Math.max((now - a.number) / Math.max(b.number - a.number, 1), 0), 1);
  painter.draw(cards.map((card) => card.view), b.peers.map((peer, i) => between(a.peers[i].bodies, peer.bodies, part)));
}
requestAnimationFrame(paint);

function between(a, b, part) {
  const out = new Float32Array(b);
  for (let i = 0; i < b.length; i += 8) {
    // Whoever was put elsewhere does not fly there.
    if (Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]) > 2) continue;
    for (let k = 0; k < 3; k++) out[i + k] = a[i + k] + (b[i + k] - a[i + k]) * part;
    let dot = 0, sum = 0;
    for (let k = 3; k < 7; k++) dot += a[i + k] * b[i + k];
    for (let k = 3; k < 7; k++) {
      out[i + k] = a[i + k] + ((dot < 0 ? -1 : 1) * b[i + k] - a[i + k]) * part;
      sum += out[i + k] ** 2;
    }
    for (let k = 3; k < 7; k++) out[i + k] /= Math.sqrt(sum) || 1;
  }
  return out;
}

// ---- controls

async function send(what) {
  const wrong = await control(what);
  if (wrong) report(paragraph(`Refused: ${wrong}`));
}

const sameWay = (a, b) => String(a ?? "") === String(b ?? "");
const chosenWay = () => ($("way").value ? $("way").value.split(",").map(Number) : undefined);
/** What holds for the chosen direction. */
const linkOf = (way) => settings.links.findLast((link) => sameWay(link.way, way)) ?? settings.links.find((link) => !link.way) ?? settings.links[0];

function showSettings() {
  const machines = Array.from({ length: settings.players }, (_, i) => i);
  const ways = machines.flatMap((a) => machines.filter((b) => b !== a).map((b) => [`${a},${b}`, `only ${a + 1} → ${b + 1}`]));
  fill($("way"), [["", "all"], ...ways]);
  fill($("victim"), machines.map((i) => [String(i), `machine ${i + 1}`]), String(settings.players - 1));
  for (const name of ["players", "predict", "delay", "seed"]) $(name).value = settings[name];
  showLink();
  toAddress(settings);
}

function fill(select, options, first = "") {
  const chosen = options.some(([value]) => value === select.value) && select.options.length ? select.value : first;
  select.replaceChildren(...options.map(([value, name]) => new Option(name, value)));
  select.value = chosen;
}

function showLink() {
  const link = linkOf(chosenWay());
  for (const name of ["latency", "jitter", "loss"]) $(name).value = link[name];
  $("bursts").checked = link.bursts;
  showUnits();
}

function showUnits() {
  for (const [name, unit] of [["latency", " ms"], ["jitter", "± ms"], ["loss", " %"], ["delay", $("delay").value === "1" ? " tick" : " ticks"]]) {
    const value = $(name).value;
    $(name).nextElementSibling.textContent = name === "jitter" ? `± ${value} ms` : value + unit;
  }
}

for (const name of ["latency", "jitter", "loss", "bursts"]) $(name).addEventListener("input", () => {
  const way = chosenWay();
  const link = { latency: $("latency").valueAsNumber, jitter: $("jitter").valueAsNumber, loss: $("loss").valueAsNumber, bursts: $("bursts").checked };
  // All links means all: what was said of single ones is forgotten.
  settings.links = way ? [...settings.links.filter((other) => !sameWay(other.way, way)), { way, ...link }] : [link];
  showUnits();
  toAddress(settings);
  send({ do: "links", links: settings.links });
});
$("way").addEventListener("change", showLink);
$("delay").addEventListener("input", () => {
  settings.delay = $("delay").valueAsNumber;
  showUnits();
  toAddress(settings);
  send({ do: "delay", ticks: settings.delay });
});
function restart() {
  const seed = Math.min(Math.max(Math.floor($("seed").valueAsNumber) || 0, 0), Number.MAX_SAFE_INTEGER);
  const players = Number($("players").value);
  const links = settings.links.filter((link) => !link.way || Math.max(...link.way) < players);
  send({ do: "restart", settings: { ...settings, seed, players, predict: Number($("predict").value), links } });
}
for (const name of ["players", "predict", "seed"]) $(name).addEventListener("change", restart);
$("restart").addEventListener("click", restart);
$("partition").addEventListener("click", () => send({ do: "partition", machine: Number($("victim").value) }));
$("plant").addEventListener("click", () => send({ do: "plant", machine: Number($("victim").value), spot: $("spot").value, lasting: $("lasting").value !== "" }));

// ---- keys

const KEYS = { ArrowLeft: "left", KeyA: "left", ArrowRight: "right", KeyD: "right", ArrowUp: "up", KeyW: "up", ArrowDown: "down", KeyS: "down", Space: "jump", KeyE: "kick" };
const held = new Set();

function sendKeys() {
  const axis = (less, more) => held.has(more) - held.has(less);
  const [x, y] = [axis("left", "right"), axis("up", "down")];
  const full = x && y ? 90 : 127;
  send({ do: "keys", x: x * full, y: y * full, jump: held.has("jump"), kick: held.has("kick") });
}

addEventListener("keydown", (event) => {
  const key = KEYS[event.code];
  // In a control, keys belong to it.
  if (!key || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("aside")) return;
  event.preventDefault();
  if (!held.has(key)) held.add(key) && sendKeys();
});
addEventListener("keyup", (event) => { if (held.delete(KEYS[event.code])) sendKeys(); });
addEventListener("blur", () => { if (held.size > 0) { held.clear(); sendKeys(); } });
