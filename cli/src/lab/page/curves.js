// Curves of a machine over the last seconds: what they show, and how they are drawn. Rates are means over a window,
// because a frame has zero, one or two ticks of a machine, which is not a change of its rate.

import { plural } from "./report.js";

/** Frames shown: 5 s. */
export const HISTORY = 300;
/** Frames in the windows of rates and of times: a second, and a quarter of one. */
const SECOND = 60, QUARTER = 15;
/** Frames to keep, so that the first one shown has a window. */
export const KEEP = HISTORY + SECOND;

const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
const mean = (values) => values.reduce((a, b) => a + b, 0) / Math.max(values.length, 1);

/** A sum over frames as a value a second. */
function rate(history, peer, value) {
  return windows(history, SECOND, (from, to, frames) => {
    let sum = 0;
    for (let at = from + 1; at <= to; at++) sum += value(history[at].peers[peer]);
    return (sum * SECOND) / frames;
  });
}

/** Ticks played a second. */
function played(history, peer) {
  const tick = (at) => history[at].peers[peer].present;
  return windows(history, SECOND, (from, to, frames) => ((tick(to) - tick(from)) * SECOND) / frames);
}

/** `measure` of the window before each frame; of a part of it at the start of a match. */
function windows(history, length, measure) {
  const values = history.map((frame, to) => {
    const from = Math.max(to - length, 0);
    const frames = frame.number - history[from].number;
    return frames >= QUARTER ? measure(from, to, frames) : null;
  });
  const first = values.find((value) => value !== null) ?? 0;
  return values.map((value) => value ?? first);
}

/** Median of the window that ends at each frame. */
function medians(values) {
  return values.map((_, to) => {
    const sorted = values.slice(Math.max(to - QUARTER + 1, 0), to + 1).sort((a, b) => a - b);
    return sorted[sorted.length >> 1];
  });
}

const each = (value) => (history, peer) => history.map((frame) => value(frame.peers[peer]));

/** Name, explanation, values of the frames of a machine, minimum range, kind, and figure of the last second. */
export const CURVES = [
  ["rollback", "Depth of the rollback in a frame, in ticks; orange if the machine stalled. Click a bar to see the resimulated bodies",
    each((it) => it.depth), 4, "bars", (last) => plural(most(last), "tick")],
  ["resimulated", "Bodies resimulated in a frame, summed over ticks", each((it) => it.redone), 16, "bars", (last) => plural(Math.round(mean(last)), "body", "bodies")],
  ["delay", "Input delay in ticks", each((it) => it.delay), 4, "line", (last) => plural(last.at(-1), "tick")],
  ["speed", "Ticks played a second; fewer than the clock rate if the machine stalls", played, 60, "line", (last) => `${Math.round(last.at(-1))} ticks/s`],
  ["clock", "Rate of the machine’s clock, with drift and dilation", each((it) => it.rate), 1, "middle", (last) => `${last.at(-1).toFixed(2)} Hz`],
  ["compute", "Simulation time of a frame with its rollbacks, median of a quarter of a second", (history, peer) => medians(each((it) => it.millis)(history, peer)),
    1, "bars", (last) => `${mean(last).toFixed(2)} ms`],
  ["sent*", "Kilobytes of simulated datagrams sent a second; they are not encrypted, and the packets of the wire protocol have other sizes",
    (history, peer) => rate(history, peer, (it) => it.bytes / 1000), 4, "line", (last) => `${last.at(-1).toFixed(1)} kB/s`],
];

/** Draws a curve into its canvas. Returns its figure, and the value of its full height. */
export function drawCurve(canvas, k, history, peer, mark) {
  const [, , series, least, kind, figure] = CURVES[k];
  const all = series(history, peer);
  const values = all.slice(-HISTORY), frames = history.slice(-HISTORY);
  const text = figure(all.slice(-SECOND));
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width === 0 || height === 0) return text;
  const [real, high] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== real || canvas.height !== high) Object.assign(canvas, { width: real, height: high });
  const pen = canvas.getContext("2d");
  // Colours of the style sheet, as the theme resolves them.
  const style = getComputedStyle(canvas);
  const [ink, warn, line, dim] = [style.color, style.caretColor, style.outlineColor, style.textDecorationColor];
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  const x = (at) => ((at + HISTORY - values.length) / HISTORY) * width;
  const full = plot(pen, values, { x, width, height, least, kind, ink, line });
  if (k === 0) {
    // Stalls, and the selected rollback.
    pen.fillStyle = warn;
    frames.forEach((frame, at) => { if (frame.peers[peer].stalls) pen.fillRect(x(at), height - 3, 2, 3); });
    const at = frames.indexOf(mark);
    pen.strokeStyle = warn;
    pen.lineWidth = 2;
    if (at >= 0) pen.strokeRect(Math.min(Math.max(x(at) - 3, 1), width - 8), 1, 7, height - 2);
  }
  if (width > 110) {
    pen.fillStyle = dim;
    pen.font = "10px system-ui, sans-serif";
    pen.fillText(full, 4, 11);
  }
  return text;
}

/** Draws bars from the bottom, or a line; deviations are drawn around the middle. Returns the value of the full height. */
function plot(pen, numbers, { x, width, height, least, kind, ink, line }) {
  const room = height - 3;
  if (kind === "middle") {
    const span = numbers.reduce((a, b) => Math.max(a, Math.abs(b - 60)), least);
    pen.fillStyle = line;
    pen.fillRect(x(0), height / 2, x(numbers.length) - x(0), 1);
    stroke(pen, numbers, x, (number) => height / 2 - ((number - 60) / span) * (room / 2), ink);
    return `60 ± ${round(span)}`;
  }
  const top = numbers.reduce((a, b) => Math.max(a, b), least);
  const y = (number) => height - 1 - (number / top) * room;
  pen.fillStyle = ink;
  if (kind === "line") stroke(pen, numbers, x, y, ink);
  else numbers.forEach((number, at) => { if (number > 0) pen.fillRect(x(at), y(number), Math.max(1, width / HISTORY), height - y(number)); });
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
