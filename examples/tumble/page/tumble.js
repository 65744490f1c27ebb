// The page of one player: reads frames from the stream, draws them with a small delay for even
// motion, shows the board, and sends keys. Display and input only; the machine runs the match.

import { painter } from "./draw.js";
import { touch } from "./touch.js";

export const SEATS = [
  ["Blue", "#3b82d6"], ["Amber", "#e8963a"], ["Jade", "#2fa37c"], ["Rose", "#d873a8"],
  ["Gold", "#d8b832"], ["Sky", "#62b8de"], ["Rust", "#cf4f3a"], ["Violet", "#8a75d1"],
];
/** Display delay in ms, so that there is a frame before and after. */
const LATE = 26;
/** Ticks a second. */
const RATE = 60;

const COARSE = matchMedia("(pointer: coarse)");
const $ = (id) => document.getElementById(id);
const paint = painter($("stage"), SEATS.map(([, color]) => color));
let scene = null, latest = null, gone = false;
const pictures = [];
/** Offset to the machine's clock, by the fastest frame. */
let offset = null;

// ---- the stream

const source = new EventSource("stream");
source.addEventListener("scene", (event) => {
  scene = JSON.parse(event.data);
  pictures.length = 0;
  offset = null;
  paint.scene(scene);
});
source.addEventListener("picture", (event) => {
  const picture = JSON.parse(event.data);
  const here = performance.now(), there = picture.now / 1000;
  if (offset === null || here - there < offset) offset = here - there;
  else offset += (here - there - offset) * 0.002;
  pictures.push(picture);
  if (pictures.length > 40) pictures.shift();
  latest = picture;
  board(picture);
});
source.addEventListener("note", (event) => say(JSON.parse(event.data)));
source.onerror = () => {
  latest = null;
  if (!gone) banner("The match is gone.\nIs the program still running?");
};

// ---- drawing

function frame() {
  requestAnimationFrame(frame);
  pad();
  if (!scene || !latest) return;
  const time = (performance.now() - offset - LATE) * 1000;
  while (pictures.length > 2 && pictures[1].now <= time) pictures.shift();
  const [a, b = a] = pictures;
  const t = b === a ? 1 : Math.min(Math.max((time - a.now) / (b.now - a.now), 0), 1);
  const bodies = b.bodies.map(([at, turn, cut], i) => {
    const [from, was] = a.bodies[i];
    if (cut || t === 1) return { at, turn };
    return { at: mix(from, at, t), turn: mixTurn(was, turn, t) };
  });
  const heads = paint.draw(b, bodies);
  label(b, heads);
}

const mix = (a, b, t) => a.map((value, i) => value + (b[i] - value) * t);

function mixTurn(a, b, t) {
  // Shortest arc.
  const side = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  const turn = a.map((value, i) => value + (b[i] * side - value) * t);
  const size = Math.hypot(...turn) || 1;
  return turn.map((value) => value / size);
}

const labels = [];
function label(picture, heads) {
  picture.players.forEach((player, seat) => {
    if (!labels[seat]) {
      labels[seat] = $("labels").appendChild(document.createElement("span"));
      labels[seat].style.setProperty("--seat", SEATS[seat][1]);
      labels[seat].className = seat === scene.me ? "me" : "";
    }
    const tag = labels[seat], head = heads[seat];
    tag.hidden = !head;
    if (!head) return;
    const text = name(seat);
    if (tag.textContent !== text) tag.textContent = text;
    tag.style.transform = `translate(${head[0].toFixed(1)}px, ${head[1].toFixed(1)}px) translate(-50%, -100%)`;
  });
}

// ---- the board

const name = (seat) => latest?.players[seat]?.name ?? SEATS[seat][0];

const rows = [];
function board(picture) {
  picture.players.forEach((player, seat) => {
    const row = rows[seat] ??= makeRow(seat);
    row.classList.toggle("out", player.out || !player.there);
    row.classList.toggle("me", seat === scene?.me);
    set(row.querySelector("b"), name(seat));
    const won = player.wins ? ` · ${"★".repeat(Math.min(player.wins, 6))}` : "";
    const trip = player.trip === null ? "" : `${player.trip} ms`;
    const who = player.who || (player.there ? trip || "there" : "not there");
    set(row.querySelector("small"), who + won);
    set(row.querySelector(".points"), String(player.points));
    const quality = player.trip === null ? 0 : player.trip < 60 ? 3 : player.trip < 140 ? 2 : 1;
    const bars = row.querySelector(".bars");
    bars.hidden = player.who !== "" && player.trip === null;
    bars.title = trip && `${trip} there and back`;
    [...bars.children].forEach((bar, i) => bar.classList.toggle("on", i < quality));
  });
  picture.news.forEach(fell);
  const seconds = Math.ceil(picture.left / RATE);
  const playing = picture.started && picture.phase === "play";
  set($("clock"), playing ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` : "");
  $("clock").classList.toggle("late", playing && seconds <= 10);
  set($("round"), picture.started ? `Round ${picture.round}, first to ${scene?.points ?? ""}` : "");
  set($("net"), picture.started
    ? `tick ${picture.tick} · ${picture.tick - Math.min(picture.confirmed, picture.tick)} guessed · delay ${picture.delay} · ${picture.rollbacks} rollbacks` : "");
  banner(headline(picture, seconds));
}

function headline(picture, seconds) {
  if (!picture.started) {
    const missing = picture.players.map((player, seat) => (player.there ? "" : name(seat))).filter(Boolean);
    return missing.length ? `Waiting for ${missing.join(", ")}` : "Waiting";
  }
  if (picture.phase === "ready") return seconds > 0 ? `Round ${picture.round}\n${seconds}` : "";
  if (picture.phase === "over") {
    return picture.winner === null ? "A draw" : picture.winner === scene?.me ? "You win the round" : `${name(picture.winner)} wins the round`;
  }
  const mine = picture.players[scene?.me];
  if (mine?.who === "bot for you") return picture.tick % 240 < 160 ? (COARSE.matches ? "Drag the stick to play" : "Press a key to play") : "";
  return "";
}

function makeRow(seat) {
  const row = $("players").appendChild(document.createElement("li"));
  row.style.setProperty("--seat", SEATS[seat][1]);
  const part = (tag, kind, inside = []) => {
    const element = document.createElement(tag);
    element.className = kind;
    element.append(...inside);
    return element;
  };
  row.append(
    part("span", "seat", [String(seat + 1)]),
    part("span", "name", [part("b", ""), part("small", "")]),
    part("span", "bars", [part("i", ""), part("i", ""), part("i", "")]),
    part("span", "points"),
  );
  return row;
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function banner(text) {
  set($("banner"), text);
}

// ---- messages

const falls = new Map();
function fell({ id, is, seat, by }) {
  if (is === "cancelled") {
    // A mispredicted fall is removed again.
    falls.get(id)?.remove();
    return;
  }
  const who = (seat) => {
    const word = document.createElement("b");
    word.style.setProperty("--seat", SEATS[seat][1]);
    word.textContent = name(seat);
    return word;
  };
  falls.set(id, say(...(by === null ? [who(seat), " fell"] : [who(by), " pushed ", who(seat), " off"])));
  if (falls.size > 30) falls.delete(falls.keys().next().value);
}

function say(...words) {
  const item = document.createElement("li");
  item.append(...words);
  $("news").prepend(item);
  while ($("news").children.length > 6) $("news").lastChild.remove();
  setTimeout(() => item.classList.add("old"), 5000);
  setTimeout(() => item.remove(), 6200);
  return item;
}

// ---- keys and gamepads

const WALK = {
  KeyW: [0, -1], ArrowUp: [0, -1], KeyS: [0, 1], ArrowDown: [0, 1],
  KeyA: [-1, 0], ArrowLeft: [-1, 0], KeyD: [1, 0], ArrowRight: [1, 0],
};
const PRESS = { Space: 1, KeyF: 2, KeyJ: 2, Enter: 2 };
const down = new Set();
let tapped = 0, sent = "", busy = false, stick = [0, 0], padHeld = 0, touchStick = [0, 0], touchHeld = 0;

touch($("touch"), (lean, held) => {
  tapped |= held & ~touchHeld;
  [touchStick, touchHeld] = [lean, held];
  send();
});

addEventListener("keydown", (event) => {
  const known = event.code in WALK || event.code in PRESS;
  if (!known || event.ctrlKey || event.metaKey || event.altKey) return;
  // A button focused with the tab key keeps its own keys.
  if (event.target instanceof HTMLButtonElement && event.code in PRESS) return;
  event.preventDefault();
  if (event.repeat) return;
  down.add(event.code);
  tapped |= PRESS[event.code] ?? 0;
  send();
});
addEventListener("keyup", (event) => { down.delete(event.code); send(); });
addEventListener("blur", () => { down.clear(); send(); });

function pad() {
  const gamepad = navigator.getGamepads?.().find(Boolean);
  if (!gamepad) return;
  const pressed = (...places) => places.some((place) => gamepad.buttons[place]?.pressed);
  let [x, y] = gamepad.axes;
  if (Math.hypot(x, y) < 0.25) [x, y] = [0, 0];
  x += pressed(15) - pressed(14);
  y += pressed(13) - pressed(12);
  const held = (pressed(0) ? 1 : 0) | (pressed(1, 2, 5, 7) ? 2 : 0);
  tapped |= held & ~padHeld;
  padHeld = held;
  // Sixteenths are precise enough, and change rarely.
  stick = [x, y].map((axis) => Math.round(axis * 16) / 16);
  send();
}

/** One request at a time keeps the order; the newest keys go next. */
async function send() {
  let [x, y] = [stick[0] + touchStick[0], stick[1] + touchStick[1]], held = padHeld | touchHeld;
  for (const code of down) {
    x += WALK[code]?.[0] ?? 0;
    y += WALK[code]?.[1] ?? 0;
    held |= PRESS[code] ?? 0;
  }
  const size = Math.max(Math.hypot(x, y), 1);
  const keys = { x: Math.round((x / size) * 127), y: Math.round((y / size) * 127), held };
  const text = JSON.stringify(keys);
  if (busy || gone || (text === sent && tapped === 0)) return;
  busy = true;
  sent = text;
  const body = JSON.stringify({ ...keys, tapped });
  tapped = 0;
  try {
    await fetch("keys", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  } catch {
    sent = "";
  }
  busy = false;
  if (sent !== "") send();
}

$("leave").addEventListener("click", async () => {
  gone = true;
  source.close();
  latest = null;
  await fetch("leave", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" }).catch(() => {});
  banner("You left the match.\nA bot plays on for you.");
});

requestAnimationFrame(frame);
