// A card for each machine: name, digest, viewport and curves. A bar of the rollback curve can be
// selected, with the pointer or the keyboard, to inspect that frame.

import { element, plural } from "./report.js";

/** Frames of history: 5 s. */
export const HISTORY = 300;

const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
const mean = (values) => values.reduce((a, b) => a + b, 0) / Math.max(values.length, 1);

/** Name, tooltip, value of a frame, minimum range of the curve, bars or line, and figure of the last second. */
const CURVES = [
  ["rollback", "Depth of the rollback in a frame, in ticks; orange if the machine stalled. Click a bar to see the resimulated bodies", (it) => it.depth, 4, "bars", (last) => plural(most(last.map((it) => it.depth)), "tick")],
  ["resimulated", "Bodies resimulated in a frame, summed over ticks", (it) => it.redone, 16, "bars", (last) => plural(Math.round(mean(last.map((it) => it.redone))), "body", "bodies")],
  ["delay", "Input delay in ticks", (it) => it.delay, 4, "line", (last) => plural(last.at(-1).delay, "tick")],
  ["tick rate", "Ticks a second: shows clock drift and dilation", (it) => it.rate, 1, "middle", (last) => `${last.at(-1).rate.toFixed(2)} Hz`],
  ["frame", "Simulation time of a frame in milliseconds, with rollbacks", (it) => it.millis, 1, "bars", (last) => `${mean(last.map((it) => it.millis)).toFixed(2)} ms`],
  ["sent", "Kilobytes sent, a second", (it) => it.bytes * 0.06, 4, "line", (last) => `${(mean(last.map((it) => it.bytes)) * 0.06).toFixed(1)} kB/s`],
];

export class Cards {
  /** `choose` receives the selected frame and machine, or nothing. */
  constructor(root, choose) {
    this.root = root;
    this.choose = choose;
    this.list = [];
    this.colors = null;
  }

  build(players, apology) {
    this.root.dataset.count = players;
    this.list = Array.from({ length: players }, (_, i) => this.card(i, apology));
    this.root.replaceChildren(...this.list.map((card) => card.root));
  }

  card(i, apology) {
    const root = element("section", "", "peer");
    root.setAttribute("aria-label", `Machine ${i + 1}`);
    const mark = "■●▲◆"[i % 4];
    root.innerHTML = `<h2><span class="side${i % 4}">${mark} Machine ${i + 1}${i === 0 ? " · you" : ""}</span><span class="digest"></span><span class="ticks"></span></h2>
      <div class="view"><p class="chosen" hidden></p><div class="flags"><p class="severed">disconnected</p><p class="waits">waits for inputs</p></div></div>
      <div class="curves"><ul>${CURVES.map(([name, hint]) => `<li title="${hint}">${name} <b></b></li>`).join("")}</ul><div class="plots"><canvas aria-hidden="true"></canvas>
      <div class="pick" tabindex="0" role="slider" aria-label="Rollbacks of machine ${i + 1}: left and right select one, escape resumes" aria-valuetext="live" aria-valuemin="0" aria-valuemax="${HISTORY}" aria-valuenow="${HISTORY}"></div></div></div>`;
    const find = (selector) => root.querySelector(selector);
    const view = find(".view");
    if (apology) view.append(element("p", apology, "apology"));
    const card = {
      root, view, digest: find(".digest"), ticks: find(".ticks"), canvas: find("canvas"), pick: find(".pick"), values: root.querySelectorAll("b"),
      chosen: find(".chosen"), shown: [],
    };
    card.pick.addEventListener("pointerdown", (event) => this.pickAt(i, event.offsetX / card.pick.clientWidth));
    card.pick.addEventListener("keydown", (event) => this.pickByKey(i, event));
    return card;
  }

  /** The rollback nearest to a position on the curve, from 0 to 1. */
  pickAt(machine, place) {
    const { shown } = this.list[machine];
    const wanted = place * HISTORY - (HISTORY - shown.length);
    let best = null;
    shown.forEach((frame, at) => {
      if (frame.peers[machine]?.depth > 0 && (best === null || Math.abs(at - wanted) < Math.abs(best - wanted))) best = at;
    });
    this.choose(best === null ? null : shown[best], machine);
  }

  pickByKey(machine, event) {
    if (event.key === "Escape") return this.choose(null);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const { shown } = this.list[machine];
    const chosen = this.chosen?.machine === machine ? shown.indexOf(this.chosen.frame) : shown.length;
    for (let at = chosen + step; at >= 0 && at < shown.length; at += step) {
      if (shown[at].peers[machine]?.depth > 0) return this.choose(shown[at], machine);
    }
    if (step > 0) this.choose(null);
  }

  /** Sets the selection: a frame of a machine, or the live match. */
  setChosen(chosen, text = "") {
    this.chosen = chosen;
    this.list.forEach((card, i) => {
      const mine = chosen?.machine === i;
      card.chosen.hidden = !mine;
      card.chosen.textContent = mine ? text : "";
      card.pick.setAttribute("aria-valuetext", mine ? text : "live");
    });
  }

  /** All cards' names, ticks and digests. */
  name(frame) {
    this.list.forEach((card, i) => this.nameOne(card, frame, frame.peers[i]));
  }

  nameOne(card, frame, peer) {
    const votes = frame.peers.filter((other) => other.digest === peer.digest).length;
    // If digests differ, those held by at most half of the machines are marked.
    const fine = frame.verdict === 1 || votes * 2 > frame.peers.length;
    card.digest.textContent = frame.verdict === 0 ? "" : `${fine ? "✓" : "✗"} ${peer.digest}`;
    card.digest.className = `digest ${fine ? "good" : "bad"}`;
    card.digest.title = `First bytes of the digest of tick ${frame.compared}, which is confirmed`;
    card.ticks.textContent = `${peer.score.map((points) => String(points).replace("-", "−")).join(":")} · tick ${peer.present} · confirmed ${peer.confirmed}`;
  }

  /** One card's figures and curves. */
  show(i, history) {
    const card = this.list[i];
    const last = history.slice(-60).map((frame) => frame.peers[i]);
    const waited = mean(last.map((it) => it.stalls));
    card.root.classList.toggle("waiting-for", waited >= 0.3);
    CURVES.forEach(([, , , , , figure], k) => { card.values[k].textContent = figure(last); });
    this.plot(card, i, history);
  }

  plot(card, index, history) {
    const { canvas } = card;
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const [real, high] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== real || canvas.height !== high) Object.assign(canvas, { width: real, height: high });
    const pen = canvas.getContext("2d");
    // Colours of the style sheet, as the theme resolves them.
    const style = getComputedStyle(canvas);
    const [back, ink, warn, line, dim] = [style.borderTopColor, style.color, style.caretColor, style.outlineColor, style.textDecorationColor];
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "10px system-ui, sans-serif";
    card.shown = history.slice();
    // Stacked if the card is tall enough, else side by side.
    const tall = height > 100;
    const gap = tall ? 6 : 8;
    const size = tall ? [width, (height + gap) / CURVES.length - gap] : [(width + gap) / CURVES.length - gap, height];
    CURVES.forEach(([, , value, least, kind], k) => {
      const left = tall ? 0 : k * (size[0] + gap), top = tall ? k * (size[1] + gap) : 0;
      if (k === 0) Object.assign(card.pick.style, { left: `${left}px`, top: `${top}px`, width: `${size[0]}px`, height: `${size[1]}px` });
      pen.fillStyle = back;
      pen.fillRect(left, top, ...size);
      const x = (at) => left + ((at + HISTORY - history.length) / HISTORY) * size[0];
      if (k === 0) this.marks(pen, index, history, x, [top, size[1]], warn);
      const full = curve(pen, history.map((frame) => value(frame.peers[index])), { x, bottom: top + size[1], high: size[1], wide: size[0] / HISTORY, least, kind, ink, line });
      if (tall) {
        pen.fillStyle = dim;
        pen.fillText(full, left + 4, top + 11);
      }
      if (k === 0 && this.chosen?.machine === index) {
        const at = history.indexOf(this.chosen.frame);
        pen.strokeStyle = warn;
        pen.lineWidth = 2;
        if (at >= 0) pen.strokeRect(x(at) - 3, top + 1, 6 + size[0] / HISTORY, size[1] - 2);
      }
    });
  }

  /** Marks stalls. */
  marks(pen, index, history, x, [top, high], warn) {
    pen.fillStyle = warn;
    history.forEach((frame, at) => { if (frame.peers[index].stalls) pen.fillRect(x(at), top + high - 3, 2, 3); });
  }
}

/** Draws bars from the bottom, or a line; deviations are drawn around the middle. Returns the value of the full height. */
function curve(pen, numbers, { x, bottom, high, wide, least, kind, ink, line }) {
  const room = high - 3;
  if (kind === "middle") {
    const span = numbers.reduce((a, b) => Math.max(a, Math.abs(b - 60)), least);
    pen.fillStyle = line;
    pen.fillRect(x(0), bottom - high / 2, x(numbers.length) - x(0), 1);
    stroke(pen, numbers, x, (number) => bottom - high / 2 - ((number - 60) / span) * (room / 2), ink);
    return `60 ± ${round(span)}`;
  }
  const top = numbers.reduce((a, b) => Math.max(a, b), least);
  const y = (number) => bottom - 1 - (number / top) * room;
  pen.fillStyle = ink;
  if (kind === "line") stroke(pen, numbers, x, y, ink);
  else numbers.forEach((number, at) => { if (number > 0) pen.fillRect(x(at), y(number), Math.max(1, wide), bottom - y(number)); });
  return `${round(top)}`;
}

const round = (number) => (number < 10 ? Math.round(number * 10) / 10 : Math.round(number));

function stroke(pen, numbers, x, y, ink) {
  pen.strokeStyle = ink;
  pen.lineWidth = 1.25;
  pen.beginPath();
  numbers.forEach((number, at) => pen.lineTo(x(at), y(number)));
  pen.stroke();
}
