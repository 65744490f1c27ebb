// Player one: keyboard, gamepad and touch, sent when they change. The keys are those of Tumble. A bot
// plays until the first input.

const KEYS = {
  ArrowLeft: "left", KeyA: "left", ArrowRight: "right", KeyD: "right", ArrowUp: "up", KeyW: "up", ArrowDown: "down", KeyS: "down",
  Space: "jump", KeyF: "shove", KeyJ: "shove", Enter: "shove",
};
/** Dead zone of a stick. */
const DEAD = 0.25;
const REST = { x: 0, y: 0, jump: false, shove: false };

export class Player {
  /** `send` posts a control, and resolves when it has arrived. */
  constructor(send) {
    this.send = send;
    this.held = new Map();
    this.sources = { keys: REST, pad: REST, touch: REST };
    this.sent = JSON.stringify(REST);
    this.waiting = [];
    addEventListener("keydown", (event) => {
      const key = KEYS[event.code];
      // Keys typed into a control belong to that control.
      if (!key || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("aside, header, nav, dialog, button, .pick, [role=tab]")) return;
      event.preventDefault();
      if (event.repeat) return;
      this.held.set(event.code, key);
      this.readKeys();
    });
    addEventListener("keyup", (event) => { if (this.held.delete(event.code)) this.readKeys(); });
    addEventListener("blur", () => {
      this.held.clear();
      this.readKeys();
    });
  }

  readKeys() {
    const down = new Set(this.held.values());
    const [x, y] = [down.has("right") - down.has("left"), down.has("down") - down.has("up")];
    const full = x && y ? 90 : 127;
    this.set("keys", { x: x * full, y: y * full, jump: down.has("jump"), shove: down.has("shove") });
  }

  /** Polls the first gamepad; browsers send no events for its buttons. */
  poll() {
    const pad = navigator.getGamepads?.().find((pad) => pad?.connected && pad.axes.length >= 2);
    if (!pad) return this.set("pad", REST);
    const down = (...buttons) => buttons.some((button) => pad.buttons[button]?.pressed);
    let [x, y] = pad.axes;
    if (Math.hypot(x, y) < DEAD) [x, y] = [0, 0];
    // Sixteenths are precise enough, and change rarely.
    const steps = (axis) => Math.round((Math.round(Math.max(-1, Math.min(1, axis)) * 16) / 16) * 127);
    this.set("pad", { x: steps(x + down(15) - down(14)), y: steps(y + down(13) - down(12)), jump: down(0), shove: down(1, 2, 5, 7) });
  }

  /** Sets the state of one source; the match receives their sum. */
  set(source, state) {
    this.sources[source] = state;
    const all = Object.values(this.sources);
    const axis = (name) => Math.max(-127, Math.min(127, all.reduce((sum, it) => sum + it[name], 0)));
    const sum = { x: axis("x"), y: axis("y"), jump: all.some((it) => it.jump), shove: all.some((it) => it.shove) };
    const json = JSON.stringify(sum);
    if (json === this.sent) return;
    this.sent = json;
    this.waiting.push({ do: "keys", ...sum });
    if (this.waiting.length === 1) this.flush();
  }

  /** One request at a time keeps the order. */
  async flush() {
    while (this.waiting.length > 0) {
      await this.send(this.waiting[0]);
      this.waiting.shift();
    }
  }
}
