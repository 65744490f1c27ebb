// Connection to the server. One query is in flight at a time, for the newest tick that is needed:
// dragging the timeline never queues old positions.

import { pack } from "./lines.js";

/** Limit on cached frames: ten seconds. */
const KEPT = 600;
/** Ticks in one query. */
const MOST = 16;
/** Age at which a query may be aborted for a newer one, ms. */
const LONG = 250;
/** Pause after a failure, ms. */
const REST = 700;
/** Interval of the liveness probe, ms. */
const BEAT = 2000;

export class Source {
  /** Calls `on.frame` for each frame, `on.lost` and `on.found` when the connection is lost and restored. */
  constructor(on) {
    this.on = on;
    this.frames = new Map();
    this.wanted = [];
    /** Switches of debug lines that are on. */
    this.lines = "";
    this.going = null;
    this.lost = false;
    /** Earliest time of the next query after a failure. */
    this.rests = 0;
    setInterval(() => this.look(), BEAT);
  }

  /** Fetches the metadata of the recording. Waits for the server. */
  async open() {
    for (;;) {
      try {
        const answer = await fetch("recording");
        if (answer.ok) return await answer.text();
      } catch {
        // Handled below.
      }
      this.setLost(true);
      await pause(1000);
    }
  }

  get(tick) {
    return this.frames.get(tick);
  }

  /** Requests frames with these debug lines from now on. */
  setLines(lines) {
    if (lines === this.lines) return;
    this.lines = lines;
    this.frames.clear();
    this.going?.stop.abort();
    this.pump();
  }

  /** Requests these ticks, first one first; replaces the last request. */
  want(ticks) {
    this.wanted = ticks;
    const { going } = this;
    if (going && ticks.length > 0 && !going.ticks.includes(ticks[0]) && !this.get(ticks[0]) && performance.now() - going.since > LONG) going.stop.abort();
    this.pump();
  }

  /** Age of the query for the first requested tick, ms. */
  waits() {
    return this.going?.ticks.includes(this.wanted[0]) && !this.get(this.wanted[0]) ? performance.now() - this.going.since : 0;
  }

  /** Verifies another chunk of the recording; returns the results so far, or `null` without a connection. */
  async verify() {
    try {
      const answer = await fetch("verify", { method: "POST", headers: { "Content-Type": "application/json" } });
      return answer.ok ? await answer.json() : null;
    } catch {
      return null;
    }
  }

  next() {
    return this.wanted.filter((tick) => !this.frames.has(tick)).slice(0, MOST);
  }

  async pump() {
    if (this.going || performance.now() < this.rests) return;
    const ticks = this.next();
    if (ticks.length === 0) return;
    const { lines } = this;
    const frames = await this.ask(ticks);
    // The switches may have changed meanwhile.
    for (const frame of lines === this.lines ? frames ?? [] : []) {
      if (frame.bodies) frame.bodies = new Float32Array(frame.bodies);
      if (frame.lines) frame.lines = pack(frame.lines);
      this.frames.set(frame.tick, frame);
      this.on.frame(frame);
    }
    // Evicts the oldest frames first; none of them is needed now.
    for (const tick of this.frames.keys()) {
      if (this.frames.size <= KEPT) break;
      if (!this.wanted.includes(tick)) this.frames.delete(tick);
    }
    setTimeout(() => this.pump(), frames ? 0 : REST + 10);
  }

  /** Fetches frames; `null` if the query failed. */
  async ask(ticks) {
    const stop = new AbortController();
    this.going = { ticks, stop, since: performance.now() };
    try {
      const answer = await fetch(`frames?ticks=${ticks.join()}${this.lines && `&lines=${this.lines}`}`, { signal: stop.signal });
      this.setLost(false);
      if (answer.ok) return await answer.json();
      // Superseded by another tab: retry after a pause.
      if (answer.status === 409) return this.rest();
      const error = (await answer.text()).trim();
      return ticks.map((tick) => ({ tick, error }));
    } catch (error) {
      if (error.name === "AbortError") return [];
      this.setLost(true);
      return this.rest();
    } finally {
      this.going = null;
    }
  }

  /** Probes the server while no query is in flight. */
  async look() {
    if (this.going || this.next().length > 0) return;
    const there = await fetch("alive").then((answer) => answer.ok, () => false);
    this.setLost(!there);
  }

  rest() {
    this.rests = performance.now() + REST;
    return null;
  }

  setLost(lost) {
    if (lost === this.lost) return;
    this.lost = lost;
    this.on[lost ? "lost" : "found"]();
  }
}

export const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
