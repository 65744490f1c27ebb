// The timeline: the whole recording from left to right, with rows for time, keyframes, digests and
// events. It is dragged with the pointer; the page handles keys. Marks are redrawn when they
// change; the playhead is a separate element.

import { clock } from "./panel.js";

/** Space for the names of rows, and after the last tick, px. */
const LEFT = 74, RIGHT = 12;
/** Top and height of each row, px. */
const RULER = [0, 17], TRACK = [18, 24], KEYFRAMES = [46, 12], DIGESTS = [61, 18], EVENTS = [83, 16];
/** Verification states of the digests in a pixel column; higher values cover lower ones. */
const THERE = 1, SAME = 2, DIFFERS = 3;

export class Timeline {
  /** Calls `on.go` with the tick during a drag, `on.drag` at its start and end. */
  constructor(root, recording, on) {
    Object.assign(this, { root, recording, on });
    this.canvas = root.querySelector("canvas");
    this.tip = root.querySelector("p");
    this.head = Object.assign(document.createElement("div"), { className: "head" });
    this.played = Object.assign(document.createElement("div"), { className: "played" });
    root.append(this.played, this.head);
    this.events = [
      ...recording.seat_changes.map(({ tick, player, who }) => ({ tick, sign: "▲", text: `player ${player}: ${who}` })),
      ...recording.pauses.map(({ tick, milliseconds }) => ({ tick, sign: "‖", text: `paused for ${(milliseconds / 1000).toFixed(1)} s` })),
    ].sort((a, b) => a.tick - b.tick);
    root.style.height = `${this.events.length > 0 ? EVENTS[0] + EVENTS[1] : DIGESTS[0] + DIGESTS[1] + 2}px`;
    /** Ticks with a compared digest, and the tick up to which all were compared. */
    this.known = new Map();
    this.agreed = -1;
    this.tick = recording.first;
    root.setAttribute("aria-valuemin", recording.first);
    root.setAttribute("aria-valuemax", recording.last);
    root.addEventListener("pointerdown", (event) => this.press(event));
    root.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) root.addEventListener(name, () => this.release());
    root.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    new ResizeObserver(() => this.draw()).observe(root);
  }

  // ---- positions of ticks

  x(tick) {
    const { first, last } = this.recording;
    return LEFT + ((tick - first) / Math.max(last - first, 1)) * this.wide;
  }

  tickAt(x) {
    const { first, last } = this.recording;
    return Math.round(first + Math.min(Math.max((x - LEFT) / this.wide, 0), 1) * (last - first));
  }

  get wide() {
    return Math.max(this.root.clientWidth - LEFT - RIGHT, 1);
  }

  // ---- the pointer

  press(event) {
    if (event.button !== 0) return;
    this.root.setPointerCapture(event.pointerId);
    this.dragged = true;
    this.root.focus({ preventScroll: true });
    event.preventDefault();
    this.on.drag(true);
    this.move(event);
  }

  move(event) {
    const x = event.clientX - this.root.getBoundingClientRect().left;
    if (this.dragged) this.on.go(this.tickAt(x));
    this.explain(x);
  }

  release() {
    if (!this.dragged) return;
    this.dragged = false;
    this.on.drag(false);
  }

  /** Shows a tooltip for the position under the pointer. */
  explain(x) {
    const tick = this.tickAt(x);
    const near = (other) => Math.abs(this.x(other) - x) < 4;
    const texts = [`tick ${tick}`, clock(tick * this.recording.tick_seconds)];
    const gap = this.recording.gaps.find(([from, to]) => tick > from && tick < (to ?? Infinity));
    if (gap) texts.push(`not recorded: ticks ${gap[0] + 1} to ${(gap[1] ?? this.recording.last + 1) - 1}`);
    const keyframe = this.recording.keyframes.find(near);
    if (keyframe !== undefined) texts.push(`keyframe ${keyframe}`);
    texts.push(...this.events.filter((event) => near(event.tick)).slice(0, 3).map((event) => event.text));
    const differs = [...this.known].find(([other, same]) => !same && near(other));
    if (differs) texts.push(`✗ the digest of tick ${differs[0]} differs`);
    this.tip.textContent = texts.join(" · ");
    this.tip.hidden = false;
    const wide = this.tip.offsetWidth;
    this.tip.style.left = `${Math.min(Math.max(x - wide / 2, LEFT), this.root.clientWidth - wide)}px`;
  }

  // ---- verification results

  /** Sets the current tick. */
  setTick(tick) {
    this.tick = tick;
    Object.assign(this.played.style, { left: `${LEFT + 1}px`, top: `${TRACK[0] + 1}px`, height: `${TRACK[1] - 2}px`, transform: `scaleX(${Math.max(this.x(tick) - LEFT - 1, 0)})` });
    this.head.style.transform = `translateX(${this.x(tick)}px)`;
    this.root.setAttribute("aria-valuenow", tick);
    this.root.setAttribute("aria-valuetext", `tick ${tick}, ${clock(tick * this.recording.tick_seconds)}`);
  }

  /** Records the comparison of a tick's digest. */
  mark(tick, same) {
    if (this.known.get(tick) === same) return;
    this.known.set(tick, same);
    if (this.columns) this.pin(tick, same ? SAME : DIFFERS);
  }

  /** Records that all digests up to this tick are equal. */
  markUpTo(agreed) {
    for (const tick of this.digestTicks(this.agreed + 1, agreed)) if (this.columns) this.pin(tick, SAME);
    this.agreed = Math.max(agreed, this.agreed);
  }

  *digestTicks(from, to) {
    for (const [first, step, count] of this.recording.digests) {
      const begin = step === 0 ? Number(first < from) : Math.max(Math.ceil((from - first) / step), 0);
      for (let i = begin; i < count && first + i * step <= to; i++) yield first + i * step;
    }
  }

  // ---- drawing

  draw() {
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [this.root.clientWidth, this.root.clientHeight];
    Object.assign(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    const pen = this.pen = this.canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.colors = colors(this.root);
    this.columns = new Uint8Array(width + 1);
    pen.font = "11px system-ui, sans-serif";
    this.drawRuler(pen);
    this.drawTrack(pen);
    this.drawKeyframes(pen);
    this.name("digests", DIGESTS);
    for (const tick of this.digestTicks(this.recording.first, this.recording.last)) this.pin(tick, tick <= this.agreed ? SAME : THERE);
    for (const [tick, same] of this.known) this.pin(tick, same ? SAME : DIFFERS);
    if (this.events.length > 0) this.drawEvents(pen);
    this.setTick(this.tick);
  }

  name(text, [top, high]) {
    this.pen.fillStyle = this.colors.dim;
    this.pen.textAlign = "left";
    this.pen.textBaseline = "middle";
    this.pen.fillText(text, 0, top + high / 2);
  }

  drawRuler(pen) {
    const { first, last, tick_seconds: length } = this.recording;
    this.name("time", RULER);
    const step = STEPS.find((step) => (step / length / Math.max(last - first, 1)) * this.wide >= 62) ?? STEPS.at(-1);
    pen.textAlign = "center";
    for (let at = Math.ceil((first * length) / step) * step; at <= last * length + 1e-9; at += step) {
      const x = this.x(at / length);
      pen.fillStyle = this.colors.line;
      pen.fillRect(Math.round(x), RULER[1] - 4, 1, 4);
      pen.fillStyle = this.colors.dim;
      if (x < LEFT + this.wide - 10) pen.fillText(step < 1 ? `${at.toFixed(2)} s` : clock(at).slice(0, -3), x, RULER[1] / 2 - 1);
    }
  }

  drawTrack(pen) {
    const [top, high] = TRACK;
    const { gaps, last, unfinished } = this.recording;
    this.name("match", TRACK);
    pen.fillStyle = this.colors.sink;
    pen.fillRect(LEFT, top, this.wide, high);
    pen.strokeStyle = this.colors.line;
    pen.strokeRect(LEFT + 0.5, top + 0.5, this.wide - 1, high - 1);
    for (const [from, to] of gaps) this.drawGap(pen, this.x(from), this.x(to ?? last));
    if (!unfinished) return;
    // A torn edge: the recording was not finished.
    pen.strokeStyle = this.colors.orange;
    pen.lineWidth = 2;
    pen.beginPath();
    for (let i = 0; i <= 6; i++) pen.lineTo(LEFT + this.wide + (i % 2 === 0 ? -1 : 5), top + (i / 6) * high);
    pen.stroke();
    pen.lineWidth = 1;
  }

  /** Hatched, so that it does not depend on colour alone. */
  drawGap(pen, from, to) {
    const [top, high] = TRACK, wide = Math.max(to - from, 3);
    pen.save();
    pen.beginPath();
    pen.rect(from, top, wide, high);
    pen.clip();
    pen.fillStyle = this.colors.panel;
    pen.fillRect(from, top, wide, high);
    pen.strokeStyle = this.colors.orange;
    for (let x = from - high; x < from + wide; x += 6) {
      pen.beginPath();
      pen.moveTo(x, top + high);
      pen.lineTo(x + high, top);
      pen.stroke();
    }
    pen.strokeRect(from + 0.5, top + 0.5, wide - 1, high - 1);
    pen.restore();
    const text = "not recorded";
    const width = pen.measureText(text).width + 10;
    if (wide < width + 6) return;
    pen.fillStyle = this.colors.panel;
    pen.fillRect(from + (wide - width) / 2, top + 4, width, high - 8);
    pen.fillStyle = this.colors.orange;
    pen.textAlign = "center";
    pen.fillText(text, from + wide / 2, top + high / 2);
  }

  drawKeyframes(pen) {
    this.name("keyframes", KEYFRAMES);
    const { keyframes } = this.recording;
    const middle = KEYFRAMES[0] + KEYFRAMES[1] / 2;
    // Diamonds if they fit, else lines.
    const half = this.wide / Math.max(keyframes.length, 1) >= 9 ? 4 : 0;
    pen.fillStyle = this.colors.text;
    let before = -1;
    for (const tick of keyframes) {
      const x = Math.round(this.x(tick));
      if (x === before) continue;
      before = x;
      if (half === 0) pen.fillRect(x, middle - 4, 1, 8);
      else {
        pen.beginPath();
        for (const [dx, dy] of [[0, -half], [half, 0], [0, half], [-half, 0]]) pen.lineTo(x + dx, middle + dy);
        pen.fill();
      }
    }
  }

  /** Draws a digest: a short line, a tall one if it was compared, a cross if it differs. */
  pin(tick, state) {
    const { pen, columns, colors } = this;
    const x = Math.round(this.x(tick));
    if (columns[x] >= state) return;
    columns[x] = state;
    const [top, high] = DIGESTS;
    pen.clearRect(x, top, 1, high);
    if (state === DIFFERS) {
      pen.strokeStyle = colors.bad;
      pen.lineWidth = 2;
      pen.beginPath();
      for (const turn of [-1, 1]) {
        pen.moveTo(x - 4, top + high / 2 - turn * 6);
        pen.lineTo(x + 4, top + high / 2 + turn * 6);
      }
      pen.stroke();
      pen.lineWidth = 1;
      return;
    }
    pen.fillStyle = state === SAME ? colors.good : colors.dim;
    const tall = state === SAME ? high : high / 3;
    pen.fillRect(x, top + (high - tall) / 2, state === SAME ? 2 : 1, tall);
  }

  drawEvents(pen) {
    this.name("events", EVENTS);
    pen.fillStyle = this.colors.text;
    pen.textAlign = "center";
    for (const { tick, sign } of this.events) pen.fillText(sign, this.x(tick), EVENTS[0] + EVENTS[1] / 2);
  }
}

/** Interval of the ruler's labels, seconds. */
const STEPS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400];

/** Colours of the style sheet, as the theme resolves them. */
function colors(root) {
  const probe = document.createElement("i");
  root.append(probe);
  const found = Object.fromEntries(["text", "dim", "line", "sink", "panel", "orange", "good", "bad"].map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  }));
  probe.remove();
  return found;
}
