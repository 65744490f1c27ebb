// Connection to the server. One query is in flight at a time, for the newest tick that is needed:
// dragging the timeline never queues old positions.

/** Frames that are kept: ten seconds. */
const KEPT = 600;
/** Ticks in one question. */
const MOST = 16;
/** What takes longer is given up when something else is wanted by then, ms. */
const LONG = 250;
/** Between a failure and the next question, ms. */
const REST = 700;
/** Between two looks at whether the server is there, ms. */
const BEAT = 2000;

export class Source {
  /** `on.frame` with each that comes, `on.lost` and `on.found` when the server goes and comes back. */
  constructor(on) {
    this.on = on;
    this.frames = new Map();
    this.wanted = [];
    this.going = null;
    this.lost = false;
    /** When it may ask again, after a failure. */
    this.rests = 0;
    setInterval(() => this.look(), BEAT);
  }

  /** What never changes of the recording. Waits until there is a server. */
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

  /** Wants these ticks, the first one most; forgets what was wanted before. */
  want(ticks) {
    this.wanted = ticks;
    const { going } = this;
    if (going && ticks.length > 0 && !going.ticks.includes(ticks[0]) && !this.get(ticks[0]) && performance.now() - going.since > LONG) going.stop.abort();
    this.pump();
  }

  /** How long the first of what is wanted has been on its way, ms. */
  waits() {
    return this.going?.ticks.includes(this.wanted[0]) && !this.get(this.wanted[0]) ? performance.now() - this.going.since : 0;
  }

  /** Another stretch of the recording is verified; what was found so far, or `null` if the server is gone. */
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
    const frames = await this.ask(ticks);
    for (const frame of frames ?? []) {
      if (frame.bodies) frame.bodies = new Float32Array(frame.bodies);
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

  /** Frames; `null` if there are none this time. */
  async ask(ticks) {
    const stop = new AbortController();
    this.going = { ticks, stop, since: performance.now() };
    try {
      const answer = await fetch(`frames?ticks=${ticks.join()}`, { signal: stop.signal });
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

  /** Whether the server is there, while nothing is asked for. */
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
