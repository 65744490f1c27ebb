// The network as a map: machines, and the packets in flight between them. A lost packet stops half-way.

import { MARKS } from "./names.js";

/** Places of the machines by their number, from 0 to 1. */
const PLACES = {
  2: [[0.14, 0.5], [0.86, 0.5]],
  3: [[0.14, 0.22], [0.86, 0.22], [0.5, 0.8]],
  4: [[0.14, 0.2], [0.86, 0.2], [0.14, 0.8], [0.86, 0.8]],
};
const RADIUS = 12;
/** Distance of a direction's line from the middle of its pair, px. */
const ASIDE = 4;
/** Time that a lost packet is shown, ms. */
const LOST_FOR = 500;
/** Limit on packets shown. */
const MOST = 600;

export class NetworkMap {
  constructor(canvas) {
    this.canvas = canvas;
    this.packets = [];
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
  }

  begin(players) {
    this.players = players;
    this.packets = [];
    this.connected = Array(players).fill(true);
  }

  /** Adds the packets sent in a frame at that time. */
  add(frame, sent) {
    this.connected = frame.peers.map((peer) => peer.connected);
    for (const { from, to, millis } of frame.packets) this.packets.push({ from, to, sent, millis });
    if (this.packets.length > MOST) this.packets.splice(0, this.packets.length - MOST);
  }

  /** Draws the map; `way` is the chosen direction, as in `1-2`, or empty. */
  draw(now, way) {
    const { canvas, players } = this;
    this.packets = this.packets.filter(({ sent, millis }) => now - sent < (millis ?? LOST_FOR));
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!players || width === 0) return;
    const flying = this.packets.filter((packet) => packet.millis !== null).length;
    canvas.dataset.flying = flying;
    canvas.dataset.lost = this.packets.length - flying;
    const scale = window.devicePixelRatio || 1;
    const [real, high] = [Math.round(width * scale), Math.round(height * scale)];
    if (canvas.width !== real || canvas.height !== high) Object.assign(canvas, { width: real, height: high });
    const pen = canvas.getContext("2d");
    const style = getComputedStyle(canvas);
    const [line, bad, dim, back] = [style.borderTopColor, style.caretColor, style.outlineColor, style.backgroundColor];
    const colors = this.colors();
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const places = PLACES[players].map(([x, y]) => [x * width, y * height]);
    pen.lineWidth = 1;
    for (let from = 0; from < players; from++) for (let to = 0; to < players; to++) {
      if (from === to) continue;
      const [a, b] = ends(places, from, to);
      const chosen = way === `${from + 1}-${to + 1}`;
      pen.strokeStyle = chosen ? colors[from] : line;
      pen.lineWidth = chosen ? 2 : 1;
      pen.setLineDash(this.connected[from] && this.connected[to] ? [] : [3, 4]);
      pen.beginPath();
      pen.moveTo(...a);
      pen.lineTo(...b);
      pen.stroke();
    }
    pen.setLineDash([]);
    for (const { from, to, sent, millis } of this.packets) {
      const [a, b] = ends(places, from, to);
      const lost = millis === null;
      // Without motion a packet is shown in the middle of its way.
      const part = this.calm.matches ? 0.5 : now < sent ? 0 : lost ? Math.min((now - sent) / LOST_FOR, 1) / 2 : (now - sent) / millis;
      const [x, y] = [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part];
      pen.fillStyle = pen.strokeStyle = lost ? bad : colors[from];
      if (lost && (now - sent > LOST_FOR / 2 || this.calm.matches)) {
        pen.lineWidth = 1.5;
        pen.beginPath();
        for (const d of [-1, 1]) {
          pen.moveTo(x - 3, y - 3 * d);
          pen.lineTo(x + 3, y + 3 * d);
        }
        pen.stroke();
      } else {
        pen.beginPath();
        pen.arc(x, y, 2.2, 0, 7);
        pen.fill();
      }
    }
    pen.font = "600 11px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    places.forEach(([x, y], i) => {
      const on = this.connected[i];
      pen.fillStyle = back;
      pen.strokeStyle = on ? colors[i] : dim;
      pen.lineWidth = 1.5;
      pen.setLineDash(on ? [] : [3, 3]);
      pen.beginPath();
      pen.roundRect(x - RADIUS - 3, y - RADIUS + 2, 2 * RADIUS + 6, 2 * RADIUS - 4, 6);
      pen.fill();
      pen.stroke();
      pen.fillStyle = on ? colors[i] : dim;
      pen.fillText(`${MARKS[i]} ${i + 1}`, x, y + 0.5);
    });
    pen.setLineDash([]);
  }

  /** Colours of the machines, as the theme resolves them. */
  colors() {
    return [0, 1, 2, 3].map((side) => {
      this.probe ??= this.canvas.parentElement.appendChild(Object.assign(document.createElement("span"), { hidden: true }));
      this.probe.className = `side${side}`;
      return getComputedStyle(this.probe).color;
    });
  }
}

/** Start and end of a direction's line: slightly to the right of the pair's middle, and outside of the machines. */
function ends(places, from, to) {
  const [a, b] = [places[from], places[to]];
  const [x, y] = [b[0] - a[0], b[1] - a[1]];
  const size = Math.hypot(x, y) || 1;
  const [ux, uy] = [x / size, y / size];
  const beside = ([px, py], along) => [px - uy * ASIDE + ux * along, py + ux * ASIDE + uy * along];
  return [beside(a, RADIUS + 3), beside(b, -RADIUS - 3)];
}
