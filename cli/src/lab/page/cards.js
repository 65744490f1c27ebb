// A card for each machine: name, digest, score, viewport and curves. A bar of the rollback curve can
// be selected, with the pointer or the keyboard, to inspect that frame.

import { CURVES, HISTORY, drawCurve } from "./curves.js";
import { MARKS, Names } from "./names.js";
import { element } from "./report.js";

export class Cards {
  /** `choose` receives the selected frame and machine, or nothing. */
  constructor(root, choose) {
    this.root = root;
    this.choose = choose;
    this.list = [];
  }

  build(players, apology) {
    this.root.dataset.count = players;
    this.list = Array.from({ length: players }, (_, i) => this.card(i, players, apology));
    this.root.replaceChildren(...this.list.map((card) => card.root));
  }

  card(i, players, apology) {
    const root = element("section", "", "peer");
    root.id = `machine-${i + 1}`;
    root.setAttribute("aria-label", `Machine ${i + 1}`);
    const curve = ([name, hint], k) => `<li title="${hint}"><span>${name}</span> <b></b><div class="plot"><canvas aria-hidden="true"></canvas>${k > 0 ? "" : `
      <div class="pick" tabindex="0" role="slider" aria-label="Rollbacks of machine ${i + 1}: left and right select one, escape resumes" aria-valuetext="live" aria-valuemin="0" aria-valuemax="${HISTORY}" aria-valuenow="${HISTORY}"></div>`}</div></li>`;
    root.innerHTML = `<h2><span class="name side${i % 4}">${MARKS[i % 4]} Machine ${i + 1}${i === 0 ? " · you" : ""}</span><span class="digest"></span><span class="score"></span><span class="ticks"></span></h2>
      <div class="view"><div class="chosen" hidden><p></p><button type="button" class="resume" title="Back to the live match (Esc)">Resume</button></div>
      <div class="flags"><p class="severed">✗ no network</p><p class="waits">waits for inputs</p></div></div>
      <ul class="curves">${CURVES.map(curve).join("")}</ul>`;
    const find = (selector) => root.querySelector(selector);
    const view = find(".view");
    if (apology) view.append(element("p", apology, "apology"));
    const seats = Array.from({ length: players }, (_, seat) => `${MARKS[seat % 4]} Player ${seat + 1}`);
    const card = {
      root, view, digest: find(".digest"), ticks: find(".ticks"), score: find(".score"), pick: find(".pick"),
      canvases: root.querySelectorAll("canvas"), values: root.querySelectorAll("b"), chosen: find(".chosen"), names: new Names(view, seats, players), shown: [],
    };
    card.score.append("score");
    card.points = seats.map((_, seat) => card.score.appendChild(element("span", "", `side${seat % 4}`)));
    card.pick.addEventListener("pointerdown", (event) => this.pickAt(i, event.offsetX / card.pick.clientWidth));
    card.pick.addEventListener("keydown", (event) => this.pickByKey(i, event));
    find(".resume").addEventListener("click", () => {
      this.choose(null);
      card.pick.focus({ preventScroll: true });
    });
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
      card.chosen.firstChild.textContent = mine ? text : "";
      card.pick.setAttribute("aria-valuetext", mine ? text : "live");
    });
  }

  /** All cards' names, ticks, scores and digests. */
  name(frame) {
    this.list.forEach((card, i) => this.nameOne(card, frame, frame.peers[i]));
  }

  nameOne(card, frame, peer) {
    const votes = frame.peers.filter((other) => other.digest === peer.digest).length;
    // If digests differ, those held by at most half of the machines are marked.
    const fine = frame.verdict === 1 || votes * 2 > frame.peers.length;
    card.digest.textContent = frame.verdict === 0 ? "" : `${fine ? "✓" : "✗"} ${peer.digest.slice(0, 8)}`;
    card.digest.className = `digest ${fine ? "good" : "bad"}`;
    card.digest.title = `First bytes of the digest of tick ${frame.compared}, which is confirmed: ${peer.digest}`;
    // Figure spaces: the text keeps its width up to tick 9999.
    const [present, confirmed] = [peer.present, peer.confirmed].map((tick) => String(tick).padStart(4, "\u2007"));
    card.ticks.textContent = `tick ${present} · confirmed ${confirmed}`;
    card.points.forEach((span, seat) => {
      const text = `${MARKS[seat % 4]} ${String(peer.score[seat]).replace("-", "−")}`;
      if (span.textContent !== text) span.textContent = text;
    });
  }

  /** Greys machines without a network. */
  connect(frame) {
    this.list.forEach(({ root }, i) => root.classList.toggle("cut", !frame.peers[i].connected));
  }

  /** Places the names of the players over each view. */
  label(heads) {
    this.list.forEach((card, i) => card.names.show(heads?.[i], i));
  }

  /** One card's figures and curves. */
  show(i, history) {
    const card = this.list[i];
    const last = history.slice(-60).map((frame) => frame.peers[i].stalls);
    card.root.classList.toggle("waiting-for", last.reduce((a, b) => a + b, 0) >= 0.3 * last.length);
    card.shown = history.slice(-HISTORY);
    const mark = this.chosen?.machine === i ? this.chosen.frame : null;
    card.canvases.forEach((canvas, k) => {
      const text = drawCurve(canvas, k, history, i, mark);
      if (card.values[k].textContent !== text) card.values[k].textContent = text;
    });
  }
}
