// Entry point of the page: position in the recording, playback and display. Frames come from
// `source.js`.

import { Painter } from "./draw.js";
import { between } from "./motion.js";
import { MARKS, Names } from "./names.js";
import { Panel, element, plural, put } from "./panel.js";
import { Source } from "./source.js";
import { Switches } from "./switches.js";
import { Theme } from "./theme.js";
import { Timeline } from "./timeline.js";

const $ = (id) => document.getElementById(id);
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
const NAMES = { 0.25: "¼", 0.5: "½" };
/** Frames requested ahead of the current one. */
const AHEAD = 24;
/** Ticks cached on both sides while paused, for the arrow keys. */
const AROUND = 4;
/** Delay before a notice about slow loading, ms. */
const SLOW = 400;
/** Limit on the time step between two redraws, s: a hidden tab does not jump. */
const LONGEST = 0.1;

const theme = new Theme($("theme"));
const source = new Source({
  frame(frame) {
    if (frame.recorded) digest(frame.tick, frame.same);
    stale = true;
  },
  lost() {
    setBadge("waiting", "connection lost: restart isostep replay play");
  },
  async found() {
    // The server may have restarted with another recording.
    if (text && (await source.open()) !== text) location.reload();
    showBadge();
  },
});

const text = await source.open();
const recording = JSON.parse(text);
const { first, last, gaps } = recording;
const second = Math.max(Math.round(1 / recording.tick_seconds), 1);

/** Current tick, and the fraction of the way to the next one, 0 to 1. */
let at = first, part = 0;
let playing = false, way = 1, speed = 1;
let dragging = false, marked = -1;
/** True if a redraw is needed. */
let stale = true;

const switches = new Switches($("lines"), (lines) => {
  setLines(lines);
  remember();
});
const panel = new Panel(recording, (seat) => { marked = seat; stale = true; });
const timeline = new Timeline($("timeline"), recording, {
  go: (tick) => go(tick),
  drag(begins) {
    dragging = begins;
    if (!begins) remember();
  },
});

// ---- positions in the recording

/** Nearest available tick; of two equally near ones, the one in this direction. */
function reach(tick, direction = 0) {
  const wanted = Math.min(Math.max(Math.round(tick), first), last);
  const gap = gaps.find(([from, to]) => wanted > from && wanted < (to ?? Infinity));
  if (!gap) return wanted;
  const [from, to] = gap;
  if (to === null || direction < 0) return from;
  return direction > 0 || to - wanted < wanted - from ? to : from;
}

/** Next tick to show, or `null` at the end. Fast playback skips ticks. */
function following(tick) {
  const stride = Math.max(speed, 1);
  const grid = (tick - first) / stride;
  const next = first + (way > 0 ? Math.floor(grid) + 1 : Math.ceil(grid) - 1) * stride;
  let wanted = Math.min(Math.max(next, first), last);
  for (const [from, to] of gaps) {
    if (way > 0 && tick <= from && wanted > from) wanted = tick < from ? from : to ?? from;
    if (way < 0 && to !== null && tick >= to && wanted < to) wanted = tick > to ? to : from;
  }
  return wanted === tick ? null : wanted;
}

const leaps = (a, b) => gaps.some(([from, to]) => Math.min(a, b) <= from && Math.max(a, b) >= (to ?? Infinity));

/** Shows a tick. */
function go(tick, direction = 0) {
  at = reach(tick, direction);
  part = 0;
  stale = true;
  showTick();
  if (!dragging) remember();
}

function setLines(lines) {
  switches.set(lines);
  source.setLines(switches.on());
  stale = true;
}

const leap = (ticks) => { pause(); go(at + ticks, Math.sign(ticks)); };

function play(direction) {
  const again = playing && way === direction;
  pause();
  if (again) return;
  way = direction;
  // At the end, playback restarts.
  if (following(at) === null) go(way > 0 ? first : last);
  playing = following(at) !== null;
  showKeys();
}

function pause() {
  // A paused view shows a tick, not an interpolated pose.
  part = 0;
  playing = false;
  stale = true;
  showKeys();
  remember();
}

function setSpeed(next) {
  speed = SPEEDS.includes(next) ? next : 1;
  part = 0;
  for (const input of $("speeds").querySelectorAll("input")) input.checked = Number(input.value) === speed;
  remember();
}

// ---- the address

let remembering = 0;
/** Fragment that this page wrote or read last. Any other one is the user's, and `hashchange` is about to read it. */
let known = location.hash;

/** Writes the tick into the URL, at a limited rate: browsers refuse more. */
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    if (location.hash !== known) return;
    known = address();
    history.replaceState(null, "", known);
  }, 200);
}

const address = () => `#tick=${at}${speed === 1 ? "" : `&speed=${speed}`}${source.lines && `&lines=${source.lines}`}`;

function readAddress() {
  known = location.hash;
  const said = new URLSearchParams(location.hash.slice(1));
  setSpeed(Number(said.get("speed") ?? 1));
  setLines(said.get("lines") ?? "");
  const tick = Number(said.get("tick") ?? NaN);
  pause();
  go(Number.isFinite(tick) && said.get("tick") !== "" ? tick : recording.at);
}
addEventListener("hashchange", () => { if (location.hash !== known) readAddress(); });

// ---- digests

let checks = 0, wrong = [], verdict = null;

function digest(tick, same) {
  if (timeline.known.has(tick)) return;
  checks++;
  if (!same) wrong = [...wrong, tick].sort((a, b) => a - b);
  timeline.mark(tick, same);
  showBadge();
}

function setBadge(kind, content) {
  put("badge", content);
  $("badge").className = `badge ${kind}`;
}

function showBadge() {
  if (source.lost) return;
  if (verdict) return setBadge(...verdict);
  if (wrong.length > 0) return setBadge("bad", `✗ the recorded digest differs on tick ${wrong[0]}`);
  if (checks === 0) return setBadge("waiting", recording.digests.length > 0 ? "no digest compared yet" : "no digests to compare");
  setBadge("good", `✓ ${plural(checks, "digest")} compared, ${checks === 1 ? "the" : "all the"} same`);
}

let verifying = false;

async function verify() {
  if (verifying) {
    verifying = false;
    return;
  }
  verifying = true;
  $("check").textContent = "Stop";
  let found = null;
  do {
    found = await source.verify();
    if (!found) break;
    timeline.markUpTo(found.agreed);
    put("checked", `${Math.floor((100 * (found.tick - first)) / Math.max(last - first, 1))} %: ${plural(found.digests, "digest")} compared`);
  } while (verifying && !found.done);
  $("check").textContent = "Check all digests";
  verifying = false;
  if (found?.done) conclude(found);
  else if (!found) put("checked", "not finished: the server does not answer");
}

/** Shows the result of a verification. */
function conclude(found) {
  const { mismatch, error, agreed, ticks, digests } = found;
  const goTo = (tick) => Object.assign(element("a", `tick ${tick}`), { href: `#tick=${tick}` });
  $("checked").className = mismatch || error ? "wrong" : "good";
  if (mismatch) {
    timeline.mark(mismatch.tick, false);
    verdict = ["bad", `✗ differs from tick ${mismatch.tick} on`];
    const [field] = mismatch.fields;
    const what = field ? `; at tick ${mismatch.explained}: ${field.entity}, ${field.field}: ${field.recorded} recorded, ${field.computed} computed` : "";
    $("checked").replaceChildren("✗ correct to ", goTo(agreed), ", wrong at ", goTo(mismatch.tick), what);
  } else if (error) {
    verdict = ["bad", `✗ correct to tick ${agreed}, damaged after it`];
    $("checked").replaceChildren("✗ correct to ", goTo(agreed), `; ${error}`);
  } else {
    verdict = ["good", `✓ ${plural(ticks, "tick")} are right, by ${plural(digests, "digest")}`];
    put("checked", `✓ ${plural(digests, "digest")} are equal, including those of keyframes`);
  }
  stale = true;
  showBadge();
}

// ---- controls

for (const [id, action] of [
  ["start", () => { pause(); go(first, 1); }], ["end", () => { pause(); go(last, -1); }], ["back", () => leap(-1)], ["step", () => leap(1)],
  ["backwards", () => play(-1)], ["play", () => play(1)], ["check", verify],
  ["link", () => copy(`${location.origin}${location.pathname}${address()}`, $("link"))],
  ["command", () => copy(`isostep replay seek ${quoted(recording.file)} ${at}`, $("command"))],
]) $(id).addEventListener("click", action);

$("command").hidden = !recording.command;

$("goto").addEventListener("change", () => {
  const tick = $("goto").valueAsNumber;
  pause();
  go(Number.isFinite(tick) ? tick : at);
  $("goto").value = at;
});

$("speeds").classList.add("bar");
$("speeds").replaceChildren(...SPEEDS.map((value) => {
  const label = document.createElement("label");
  const input = Object.assign(document.createElement("input"), { type: "radio", name: "speed", value });
  input.setAttribute("aria-label", `${NAMES[value] ?? value} times the original speed`);
  input.addEventListener("change", () => setSpeed(value));
  label.append(input, element("span", `${NAMES[value] ?? value}×`));
  return label;
}));

const KEYS = {
  ArrowLeft: () => leap(-1), ArrowDown: () => leap(-1), ArrowRight: () => leap(1), ArrowUp: () => leap(1),
  PageDown: () => leap(-second), PageUp: () => leap(second), Home: () => { pause(); go(first, 1); }, End: () => { pause(); go(last, -1); },
  " ": () => play(way), b: () => play(-1), f: () => play(1),
  "-": () => setSpeed(SPEEDS[Math.max(SPEEDS.indexOf(speed) - 1, 0)]), "+": () => setSpeed(SPEEDS[Math.min(SPEEDS.indexOf(speed) + 1, SPEEDS.length - 1)]),
};

addEventListener("keydown", (event) => {
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const { target } = event;
  // Focused controls keep their own keys.
  const own = target.matches("input[type=checkbox]") ? event.key === " " : target.matches("input") && (event.key !== " " || target.type === "number");
  if (!action || event.ctrlKey || event.altKey || event.metaKey || own) return;
  if (event.key === " " && target.matches("button, a")) return;
  event.preventDefault();
  action();
});

async function copy(what, button) {
  const name = button.dataset.name ??= button.textContent;
  try {
    await navigator.clipboard.writeText(what);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = name; }, 1200);
  } catch {
    // Without clipboard access, print the text so that it can be selected.
    notice(what);
  }
}

const quoted = (path) => (/^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

function showKeys() {
  for (const [id, direction, name] of [["play", 1, "▶ Play"], ["backwards", -1, "◀ Back"]]) {
    const on = playing && way === direction;
    $(id).setAttribute("aria-pressed", on);
    put(id, on ? "‖ Pause" : name);
  }
  // Screen readers skip values that change sixty times a second.
  $("badge").setAttribute("aria-live", playing ? "off" : "polite");
}

function showTick() {
  panel.setTick(at);
  timeline.setTick(at);
  setBusy(shown?.tick !== at);
}

/** True while the panel still shows another tick. */
function setBusy(busy) {
  $("view").setAttribute("aria-busy", String(busy));
  document.body.classList.toggle("busy", busy);
}

function notice(content) {
  $("notice").hidden = !content;
  if (content) put("notice", content);
}

// ---- drawing

let painter = null, names = null;

function noPicture(why) {
  painter = null;
  $("view").replaceChildren(element("p", `This browser can’t draw the match: ${why}. Digests, inputs and the timeline still work.`, "apology"));
}
try {
  painter = new Painter($("canvas"));
  painter.setScene({ ...recording, things: structuredClone(recording.things) });
  names = new Names($("view"), Array.from({ length: recording.seats }, (_, seat) => `${MARKS[(seat % recording.sides) % 4]} player ${seat}`), recording.sides);
  $("canvas").addEventListener("webglcontextlost", () => noPicture("the graphics context was lost; reload the page"));
} catch (error) {
  noPicture(error.message);
}
addEventListener("resize", () => { stale = true; });

/** Text of the things in the painter's scene, if they are not those of the recording. */
let things = "";

/** Bodies come and go: a frame whose things are not those of the recording has its own. */
function setThings(frame) {
  const text = frame.text ??= frame.things ? JSON.stringify(frame.things) : "";
  if (text === things) return;
  things = text;
  const { cameras } = painter;
  painter.setScene({ ...recording, things: structuredClone(frame.things ?? recording.things) });
  painter.cameras = cameras;
}

const GHOSTS = new Float32Array(0);
let before = performance.now(), pictures = 0, shown = null, mixed = null, dark = null;

function paint(now) {
  requestAnimationFrame(paint);
  const passed = Math.min((now - before) / 1000, LONGEST);
  before = now;
  if (playing && !dragging) advance(passed);
  source.want(wanted());
  if (dark !== theme.isDark()) {
    dark = theme.isDark();
    timeline.draw();
    stale = true;
  }
  pictures++;
  // Redraws now and then in any case: the layout may have changed.
  if (stale || playing || pictures % 60 === 0) picture();
  if (playing && pictures % 60 === 0) remember();
}

/** Advances the playback; waits for missing frames. */
function advance(passed) {
  let left = passed;
  for (;;) {
    const next = following(at);
    if (next === null) {
      pause();
      break;
    }
    const length = (recording.tick_seconds * (leaps(at, next) ? 1 : Math.abs(next - at))) / speed;
    part += left / length;
    if (part < 1) break;
    if (!source.get(next)) {
      part = 1;
      break;
    }
    left = (part - 1) * length;
    part = 0;
    at = next;
  }
  showTick();
}

function wanted() {
  const ticks = [at];
  if (dragging) return ticks;
  if (playing) {
    for (let next = following(at); next !== null && ticks.length < AHEAD; next = following(next)) ticks.push(next);
    return ticks;
  }
  for (const direction of [1, -1]) for (let i = 1; i <= AROUND; i++) ticks.push(reach(at + i * direction, direction));
  return ticks;
}

function picture() {
  const frame = source.get(at);
  stale = !frame;
  const waits = source.waits();
  setBusy(!frame);
  if (frame && frame !== shown) panel.show(frame);
  if (frame?.error) notice(`Tick ${at} can’t be shown: ${frame.error}`);
  else if (frame && frame.recorded !== null && !frame.same && !playing) notice(`✗ The computed state differs from the recorded one${verdict ? "" : ": check all digests to see what differs"}.`);
  else if (!frame && waits > SLOW) notice(`Computing tick ${at} from the keyframe before it …`);
  else if (frame) notice("");
  shown = frame ?? shown;
  if (!painter || !shown?.bodies) return;
  const next = playing && frame ? following(at) : null;
  const ahead = next === null || leaps(at, next) ? null : source.get(next);
  let { bodies } = shown;
  setThings(shown);
  // Lines belong to a tick: bodies stand where they are on it.
  if (ahead?.bodies && part > 0 && !shown.lines && ahead.bodies.length === bodies.length) {
    mixed = mixed?.length === bodies.length ? mixed : new Float32Array(bodies.length);
    bodies = between(bodies, ahead.bodies, part, mixed);
  }
  const [heads] = painter.draw([$("view")], [{ bodies, ghosts: GHOSTS, islands: null, lines: shown.lines }], theme.isDark(), !playing);
  names.show(heads, marked);
}

readAddress();
showBadge();
requestAnimationFrame(paint);
