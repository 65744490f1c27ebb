// The panel: shows the server's settings and sends changes by name and value. Only the server
// formats settings; URLs and commands come from it.

import { mayRestart } from "./confirm.js";
import { plural } from "./report.js";
import { control, saveReplay } from "./wire.js";

const $ = (id) => document.getElementById(id);
/** Sliders of a link, in the order of its text. */
const LINK = ["latency", "jitter", "loss", "bursts"];
/** Settings that restart the match, for the question. */
const NAMES = {
  seed: "Another seed", players: "Another number of machines", crates: "Another number of crates", mode: "Another mode",
  predict: "Another limit on prediction", adaptive: "Switching adaptive delay",
};
const UNITS = { latency: "ms", jitter: "ms", loss: "%", bursts: "%" };
/** Minimum interval between two sent slider values, ms. */
const PAUSE = 60;

export class Controls {
  constructor(report) {
    this.report = report;
    /** Direction of the sliders, as in `1-2`; empty for all. */
    this.way = "";
    this.waiting = new Map();
    this.wire();
  }

  async send(what) {
    const wrong = await control(what);
    if (wrong) this.report.line(`refused: ${wrong}`, "wrong");
  }

  /** Sends a setting; asks first if it restarts the match. */
  async set(name, value) {
    if (this.state.anew.includes(name) && !(await mayRestart(NAMES[name] ?? `Changing ${name}`))) return this.show(this.state);
    await this.send({ do: "set", name, value: String(value) });
  }

  /** Sends the newest value of a slider at a limited rate. */
  slide(name, value) {
    const timer = this.waiting.has(name);
    this.waiting.set(name, value);
    if (timer) return;
    setTimeout(() => {
      const newest = this.waiting.get(name);
      this.waiting.delete(name);
      this.set(name, newest());
    }, PAUSE);
  }

  wire() {
    for (const name of LINK) $(name).addEventListener("input", () => this.slideLink());
    for (const name of ["predict", "delay"]) {
      // Settings that restart the match are sent on release, not on every step of the slider.
      $(name).addEventListener("input", () => this.outputs());
      $(name).addEventListener("change", () => this.set(name, $(name).value));
    }
    $("drift").addEventListener("input", () => {
      this.outputs();
      this.slide("drift", () => `${$("clock").value}:${$("drift").value}`);
    });
    $("clock").addEventListener("change", () => this.show(this.state));
    $("profile").addEventListener("change", () => {
      const name = $("profile").value;
      if (name) this.setLink(name);
    });
    for (const name of ["adaptive", "dilation"]) $(name).addEventListener("change", () => this.set(name, $(name).checked ? "on" : "off"));
    $("incremental").addEventListener("change", () => this.set("resim", $("incremental").checked ? "incremental" : "full"));
    for (const name of ["seed", "crates"]) $(name).addEventListener("change", () => this.set(name, $(name).value));
    $("way").addEventListener("change", () => {
      this.way = $("way").value;
      this.show(this.state);
    });
    $("restart").addEventListener("click", () => this.send({ do: "restart" }));
    $("cut").addEventListener("click", () => this.send({ do: "cut", machine: Number($("victim").value) }));
    $("flip").addEventListener("click", () => {
      const [target, always] = $("target").value.split(" ");
      this.send({ do: "flip", machine: Number($("victim").value), target, always: always === "always" });
    });
    radios($("players"), "players", [["2", "2 machines"], ["3", "3"], ["4", "4"]], (value) => this.set("players", value));
    radios($("mode"), "mode", [["rollback", "rollback"], ["lockstep", "lockstep"]], (value) => this.set("mode", value));
    $("link").addEventListener("click", () => this.copy(location.href, "link"));
    $("command").addEventListener("click", () => this.copy(this.state.command, "command"));
    $("save").addEventListener("click", () => this.save());
  }

  /** Called at the start of a match. */
  begin(scene) {
    const { players } = scene.settings;
    const machines = Array.from({ length: players }, (_, i) => i);
    fill($("victim"), machines.map((i) => [String(i), `machine ${i + 1}`]), String(players - 1));
    fill($("clock"), machines.map((i) => [String(i + 1), String(i + 1)]), String(players));
    this.profiles = scene.profiles;
    fill($("profile"), [["", "custom"], ...scene.profiles.map(({ name }) => [name, name])]);
    if (this.way && this.way.split("-").some((machine) => machine > players)) this.way = "";
    const numbers = machines.map((i) => i + 1);
    const ways = numbers.flatMap((from) => numbers.filter((to) => to !== from).map((to) => [`${from}-${to}`, `${from}→${to}`]));
    fill($("way"), [["", "all"], ...ways]);
    $("way").value = this.way;
    this.show(scene);
  }

  linkOf(way) {
    const { links, net } = this.state.settings;
    const found = links.find(([[from, to]]) => `${from + 1}-${to + 1}` === way);
    return found ? found[1] : net;
  }

  /** Shows the server's settings; a slider that is being moved is not changed. */
  show(state) {
    this.state = state;
    const { settings } = state;
    history.replaceState(null, "", `?${state.query}`);
    const link = this.linkOf(this.way);
    const busy = document.activeElement?.matches?.("input[type=range]:active") ? document.activeElement : null;
    const put = (id, value) => { if ($(id) !== busy && !this.waiting.has(id)) $(id).value = value; };
    for (const name of LINK) if (this.waiting.size === 0) put(name, link[name]);
    for (const name of ["predict", "delay", "seed", "crates"]) put(name, settings[name]);
    put("drift", settings.drift[$("clock").value - 1] ?? 0);
    for (const name of ["adaptive", "dilation"]) $(name).checked = settings[name];
    $("incremental").checked = settings.resim === "incremental";
    check("players", String(settings.players));
    check("mode", settings.mode);
    $("predict").disabled = settings.mode === "lockstep";
    $("profile").value = this.profiles.find((it) => LINK.every((name) => it.link[name] === link[name]))?.name ?? "";
    for (const option of $("way").options) {
      const own = settings.links.some(([[from, to]]) => `${from + 1}-${to + 1}` === option.value);
      // A dot marks a direction with its own values.
      option.textContent = `${option.value.replace("-", "→") || "all"}${own ? " •" : ""}`;
    }
    this.outputs();
  }

  outputs() {
    const say = (id, text) => {
      const output = $(id).closest("label").querySelector("output");
      if (output.textContent !== text) output.textContent = text;
    };
    for (const name of LINK) say(name, `${$(name).value} ${UNITS[name]}`);
    say("predict", $("predict").disabled ? "none" : plural($("predict").value, "tick"));
    say("delay", plural($("delay").value, "tick"));
    const percent = $("drift").value / 10000;
    say("drift", `${percent > 0 ? "+" : percent < 0 ? "−" : "±"}${Math.abs(percent)} %`);
  }

  slideLink() {
    this.outputs();
    const name = this.way ? "link" : "net";
    const way = this.way;
    this.slide(name, () => `${way ? `${way}:` : ""}${LINK.map((name) => $(name).value).join(",")}`);
  }

  setLink(link) {
    if (this.way) this.set("link", `${this.way}:${link}`);
    else this.set("net", link);
  }

  async copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
      this.report.line(`copied: ${text}`);
    } catch {
      // Without clipboard access, print the text so that it can be selected.
      this.report.line(`the ${what}: ${text}`);
    }
  }

  async save() {
    try {
      const blob = await saveReplay();
      const { seed, players } = this.state.settings;
      const anchor = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `lab-${players}-players-seed-${seed}.isoreplay` });
      anchor.click();
      setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
      this.report.line(`saved ${blob.size} bytes: isostep replay verify ${anchor.download}. A new recording starts here.`);
    } catch (error) {
      this.report.line(`not saved: ${error.message}`, "wrong");
    }
  }
}

function fill(select, options, first = "") {
  const chosen = options.some(([value]) => value === select.value) && select.options.length ? select.value : first;
  select.replaceChildren(...options.map(([value, name]) => new Option(name, value)));
  select.value = chosen;
}

/** Radio buttons that look like one bar. */
function radios(root, name, options, change) {
  root.classList.add("bar");
  root.replaceChildren(...options.map(([value, text]) => {
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "radio", name, value });
    input.addEventListener("change", () => change(value));
    label.append(input, Object.assign(document.createElement("span"), { textContent: text }));
    return label;
  }));
}

function check(name, value) {
  const input = document.querySelector(`input[name="${name}"][value="${value}"]`);
  if (input) input.checked = true;
}
