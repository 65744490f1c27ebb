// Entry point of the page: routes messages of the server to the cards, the panel and the report,
// and runs the clock that interpolates between two frames.

import { Cards } from "./cards.js";
import { Controls } from "./controls.js";
import { HISTORY, KEEP } from "./curves.js";
import { Painter } from "./draw.js";
import { explain, islandsOf } from "./inspect.js";
import { Layout } from "./layout.js";
import { unpack } from "./lines.js";
import { NetworkMap } from "./map.js";
import { between } from "./motion.js";
import { Player } from "./player.js";
import { Report } from "./report.js";
import { Switches } from "./switches.js";
import { Theme } from "./theme.js";
import { addTouch } from "./touch.js";
import { listen } from "./wire.js";

const $ = (id) => document.getElementById(id);
const TICK = 1000 / 60;
/** Time for which a body that differs is shown, ms. */
const SHOW_FOR = 4500;

let painter = null, apology = "";
let scene = null, history = [], offset = null, addressRead = false;
/** Selected frame and machine, instead of the live match. */
let chosen = null;
/** Script time of the last frames, ms. */
const cost = [];

const theme = new Theme($("theme"));
const report = new Report($("report"), showBody);
const controls = new Controls(report);
const player = new Player((what) => controls.send(what));
const switches = new Switches($("lines"), (on) => controls.send({ do: "lines", on }));
const cards = new Cards($("peers"), choose);
const layout = new Layout();
const map = new NetworkMap($("map"));

function noPicture(why) {
  painter = null;
  apology = `This browser can’t draw the match: ${why}. The match and its measurements continue.`;
}
try {
  painter = new Painter($("canvas"));
  $("canvas").addEventListener("webglcontextlost", () => {
    noPicture("the graphics context was lost; reload the page");
    if (scene) build();
  });
} catch (error) {
  noPicture(error.message);
}

function build() {
  const { players } = scene.settings;
  cards.build(players, apology);
  addTouch(cards.list[0].view, (state) => player.set("touch", state));
  layout.build(players);
  map.begin(players);
}

listen({
  scene(next) {
    if (!addressRead) {
      addressRead = true;
      const said = location.search.slice(1);
      if (said && said !== next.query) controls.send({ do: "open", query: said });
    }
    scene = next;
    history = [];
    offset = null;
    choose(null);
    report.begin();
    painter?.setScene(scene);
    build();
    controls.begin(scene);
    switches.set(scene.lines);
  },
  frame(frame) {
    if (!scene || frame.peers.length !== scene.settings.players) return;
    const now = performance.now();
    const drift = now - frame.number * TICK;
    // Follows the server's clock slowly, which hides late packets; jumps after a pause.
    offset = offset === null || Math.abs(drift - offset) > 150 ? drift : offset + 0.05 * (drift - offset);
    history.push(frame);
    if (history.length > KEEP) history.shift();
    map.add(frame, offset + frame.number * TICK);
    cards.connect(frame);
    layout.mark(frame);
  },
  note(note) {
    if (note.note === "settings") return controls.show({ ...scene, ...note });
    if (note.note === "lines") return switches.set(note.on);
    if (note.note === "stopped") setBadge("bad", "✗ stopped");
    report.note(note);
  },
  lost() {
    addressRead = false;
    setBadge("waiting", "connection lost: restart isostep lab");
  },
});

function setBadge(kind, content, digest = "") {
  if ($("verdict").textContent !== content) $("verdict").textContent = content;
  if ($("verdict-digest").textContent !== digest) $("verdict-digest").textContent = digest;
  $("badge").className = `badge ${kind}`;
}

// ---- inspecting one rollback, or a body that differs

function choose(frame, machine) {
  // The curves freeze while a frame is selected.
  chosen = frame ? { frame, machine, history: chosen?.history ?? history.slice() } : null;
  if (!chosen) return cards.setChosen(null);
  const peer = frame.peers[machine];
  chosen.islands = islandsOf(peer);
  cards.setChosen(chosen, explain(peer, chosen.islands));
}
addEventListener("keydown", (event) => { if (event.key === "Escape" && chosen && !$("confirm").open) choose(null); });

/** Moves the cameras to a body, which flashes. */
function showBody(body) {
  choose(null);
  painter?.focus(body, SHOW_FOR);
}

// ---- numbers

function showNumbers() {
  const frame = history.at(-1);
  const [first] = frame.peers;
  cards.name(frame);
  const all = frame.peers.length === 2 ? "both" : `all ${frame.peers.length}`;
  if (frame.verdict === 0) setBadge("waiting", "no tick compared yet");
  else if (frame.verdict === 1) setBadge("good", `✓ ${all} agree on tick ${frame.compared}`, `: ${first.digest}`);
  else setBadge("bad", `✗ desync: machines differ on tick ${frame.compared}`);
  const at = (values, part) => values[Math.floor((values.length - 1) * part)] ?? 0;
  const show = (values) => `${at(values, 0.5).toFixed(1)} ≤ ${at(values, 0.99).toFixed(1)} ms`;
  const server = history.map((frame) => frame.micros / 1000).sort((a, b) => a - b);
  const page = [...cost].sort((a, b) => a - b);
  $("cost").textContent = `server ${show(server)} · page ${show(page)}`;
  Object.assign($("cost").dataset, { server: at(server, 0.99), page: at(page, 0.99) });
  const seconds = Math.floor(frame.recorded / 60);
  $("recorded").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

// ---- drawing between two frames

/** Interval of the numbers, ms. */
const NUMBERS = 100;
const shown = [];
let painted = 0, numbered = 0;

function paint() {
  requestAnimationFrame(paint);
  const begun = performance.now();
  player.poll();
  if (history.length === 0) return;
  // Spreads the work: each repaint updates the curves of one machine.
  cards.show(painted++ % cards.list.length, chosen?.history ?? history);
  if (begun - numbered > NUMBERS) {
    numbered = begun;
    showNumbers();
  }
  map.draw(begun, controls.way);
  if (painter) cards.label(painter.draw(cards.list.map((card) => card.view), chosen ? still() : moving(begun), theme.isDark()));
  cost.push(performance.now() - begun);
  if (cost.length > HISTORY) cost.shift();
}
requestAnimationFrame(paint);

/** The selected frame, with the resimulated bodies of its machine. */
function still() {
  return chosen.frame.peers.map((peer, i) => ({ bodies: peer.bodies, ghosts: peer.ghosts, islands: i === chosen.machine ? chosen.islands : null, lines: linesOf(peer) }));
}

/** A machine's debug lines, decoded once. */
function linesOf(peer) {
  if (peer.lines && !peer.packed) peer.packed = unpack(peer.lines);
  return peer.packed ?? null;
}

/** Slightly in the past, so that there usually is a frame on both sides. */
function moving(time) {
  const now = (time - offset) / TICK - 1.5;
  let next = history.length - 1;
  while (next > 0 && history[next - 1].number >= now) next--;
  const [a, b] = [history[Math.max(next - 1, 0)], history[next]];
  const part = Math.min(Math.max((now - a.number) / Math.max(b.number - a.number, 1), 0), 1);
  return b.peers.map((peer, i) => {
    // Lines belong to a tick: bodies stand where they are on it.
    if (peer.lines) return { bodies: peer.bodies, ghosts: peer.ghosts, islands: null, lines: linesOf(peer) };
    shown[i] = shown[i]?.length === peer.bodies.length ? shown[i] : new Float32Array(peer.bodies.length);
    return { bodies: between(a.peers[i].bodies, peer.bodies, part, shown[i]), ghosts: peer.ghosts, islands: null };
  });
}
