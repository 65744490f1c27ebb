// Player one: keyboard and gamepad, sent when they change. A bot plays until the first input.

const KEYS = {
  ArrowLeft: "left", KeyA: "left", ArrowRight: "right", KeyD: "right", ArrowUp: "up", KeyW: "up", ArrowDown: "down", KeyS: "down",
  Space: "jump", KeyE: "shove",
};
/** Dead zone of a stick. */
const DEAD = 0.2;
/** Minimum interval between two sent stick changes, ms. */
const PAUSE = 30;

export class Player {
  /** `send` takes a control. */
  constructor(send) {
    this.send = send;
    this.held = new Set();
    this.sent = "";
    this.padSent = 0;
    addEventListener("keydown", (event) => {
      const key = KEYS[event.code];
      // Keys typed into a control belong to that control.
      if (!key || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("aside, header, .pick")) return;
      event.preventDefault();
      if (this.held.has(key)) return;
      this.held.add(key);
      this.sendKeys();
    });
    addEventListener("keyup", (event) => { if (this.held.delete(KEYS[event.code])) this.sendKeys(); });
    addEventListener("blur", () => {
      if (this.held.size === 0) return;
      this.held.clear();
      this.sendKeys();
    });
  }

  sendKeys() {
    const axis = (less, more) => this.held.has(more) - this.held.has(less);
    const [x, y] = [axis("left", "right"), axis("up", "down")];
    const full = x && y ? 90 : 127;
    this.change({ do: "keys", x: x * full, y: y * full, jump: this.held.has("jump"), shove: this.held.has("shove") });
  }

  /** Polls the first gamepad; browsers send no events for its buttons. */
  poll(now) {
    const pad = navigator.getGamepads?.().find((pad) => pad?.connected && pad.axes.length >= 2);
    if (!pad || now - this.padSent < PAUSE) return;
    const axis = (value) => Math.abs(value) < DEAD ? 0 : Math.round(Math.max(-1, Math.min(1, value)) * 15) / 15;
    const down = (button) => Boolean(pad.buttons[button]?.pressed);
    const [x, y] = [axis(pad.axes[0]) || down(15) - down(14), axis(pad.axes[1]) || down(13) - down(12)];
    const what = { do: "keys", x: Math.round(x * 127), y: Math.round(y * 127), jump: down(0), shove: down(1) || down(2) };
    // An idle gamepad leaves the match to the bot and does not override the keys.
    const rests = !what.x && !what.y && !what.jump && !what.shove;
    if (rests && !this.padMoved) return;
    this.padMoved = !rests;
    this.padSent = now;
    this.change(what);
  }

  change(what) {
    const json = JSON.stringify(what);
    if (json === this.sent) return;
    this.sent = json;
    this.send(what);
  }
}
