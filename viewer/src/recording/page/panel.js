// Panel of the current tick: number, time, score, digests, inputs; and facts about the whole
// recording.

import { MARKS } from "./names.js";

const $ = (id) => document.getElementById(id);

/** Minutes, seconds and hundredths. */
export function clock(seconds) {
  const hundredths = Math.round(seconds * 100), minutes = Math.floor(hundredths / 6000);
  return `${minutes}:${String(Math.floor(hundredths / 100) % 60).padStart(2, "0")}.${String(hundredths % 100).padStart(2, "0")}`;
}

export const plural = (number, one, more = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : more}`;


export class Panel {
  /** `point` receives the seat under the pointer, or nothing. */
  constructor(recording, point) {
    this.recording = recording;
    this.seats = Array.from({ length: recording.seats }, (_, seat) => this.seat(seat, point));
    $("seats").replaceChildren(...this.seats.map((it) => it.root));
    $("seats").classList.toggle("many", recording.seats > 4);
    $("file").textContent = recording.file;
    $("file").title = recording.file;
    document.title = `${recording.file.split(/[\\/]/).at(-1)} · Isostep replay`;
    Object.assign($("goto"), { min: recording.first, max: recording.last });
    this.facts();
  }

  seat(seat, point) {
    const root = document.createElement("li");
    root.tabIndex = 0;
    const side = seat % this.recording.sides;
    root.className = `side${side % 4}`;
    root.innerHTML = `<svg viewBox="-16 -16 32 32" aria-hidden="true"><circle class="rim" r="15"/><line class="lean" x2="0" y2="0"/><circle class="knob" r="4"/></svg>
      <span><b>${MARKS[side % 4]} player ${seat}</b> <span class="who"></span></span><span class="pills"></span>`;
    const pills = this.recording.buttons.map((name) => element("span", name));
    root.querySelector(".pills").append(...pills);
    for (const [name, on] of [["pointerenter", true], ["pointerleave", false], ["focus", true], ["blur", false]]) root.addEventListener(name, () => point(on ? seat : -1));
    return { root, pills, who: root.querySelector(".who"), lean: root.querySelector(".lean"), knob: root.querySelector(".knob") };
  }

  facts() {
    const { recording } = this;
    const { first, last, tick_seconds, keyframes, digests, gaps, pauses, seat_changes, assets, unfinished } = recording;
    const count = digests.reduce((sum, run) => sum + run[2], 0);
    const missing = gaps.reduce((sum, [tick, next]) => sum + (next === null ? last - tick : next - tick - 1), 0);
    const facts = [
      ["ticks", `${first} to ${last}, ${clock((last - first) * tick_seconds)}`],
      ["keyframes", keyframes.length.toLocaleString("en")],
      ["digests", count === 0 ? "none: nothing to compare with" : count.toLocaleString("en")],
    ];
    for (const name of assets) facts.push(["with", name]);
    if (seat_changes.length > 0) facts.push(["seats", plural(seat_changes.length, "change")]);
    if (pauses.length > 0) facts.push(["stood still", plural(pauses.length, "time")]);
    if (gaps.length > 0) facts.push(["gaps", `▨ ${plural(missing, "tick")} not recorded`, "loss"]);
    if (unfinished) facts.push(["end", `✂ ${unfinished}`, "loss"]);
    $("facts").replaceChildren(...facts.flatMap(([name, value, kind = ""]) => [element("dt", name), element("dd", value, kind)]));
    $("check").hidden = count === 0;
  }

  /** Shows the current tick before its frame has arrived. */
  setTick(tick) {
    put("tick", String(tick));
    put("time", clock(tick * this.recording.tick_seconds));
    if (document.activeElement !== $("goto")) $("goto").value = tick;
  }

  show(frame) {
    if (frame.error) {
      for (const id of ["digest", "recorded", "score"]) put(id, "–");
      $("recorded").className = "";
      return;
    }
    const score = frame.score.join(":");
    if ($("score").dataset.text !== score) {
      $("score").dataset.text = score;
      const sides = frame.score.map((points, side) => element("span", `${MARKS[side % 4]} ${String(points).replace("-", "−")}`, `side${side % 4}`));
      $("score").hidden = sides.length === 0;
      $("score").replaceChildren("score  ", ...sides.flatMap((side, i) => (i > 0 ? ["  ", side] : [side])));
    }
    put("digest", frame.digest);
    const [text, kind] = frame.recorded === null ? ["– none for this tick", "waiting"] : frame.same ? ["✓ equal", "good"] : [`✗ ${frame.recorded}`, "bad"];
    put("recorded", text);
    $("recorded").className = frame.recorded !== null && !frame.same ? `${kind} digest` : kind;
    this.seats.forEach((seat, i) => showSeat(seat, frame.inputs[i]));
  }
}

function showSeat(seat, input) {
  if (!input) return;
  const { who, stick, held, commands } = input;
  const [x, y] = stick ?? [0, 0];
  const text = [who === "human" ? "" : who, input.text, commands > 0 ? "command" : ""].filter(Boolean).join(", ");
  seat.root.classList.toggle("plain", !stick);
  if (seat.who.textContent !== text) seat.who.textContent = text;
  const [right, down] = [(x / 127) * 11, (y / 127) * 11];
  for (const [name, value] of [["x2", right], ["y2", down]]) seat.lean.setAttribute(name, value);
  for (const [name, value] of [["cx", right], ["cy", down]]) seat.knob.setAttribute(name, value);
  seat.pills.forEach((pill, i) => pill.classList.toggle("down", held[i]));
  const buttons = seat.pills.filter((_, i) => held[i]).map((pill) => pill.textContent);
  seat.root.setAttribute("aria-label", `${seat.root.querySelector("b").textContent.slice(2)}: ${[text, stick ? lean(x, y) : "", ...buttons].filter(Boolean).join(", ")}`);
}

/** Direction of a stick as text. */
function lean(x, y) {
  const words = [y < 0 ? "up" : y > 0 ? "down" : "", x < 0 ? "left" : x > 0 ? "right" : ""].filter(Boolean);
  return words.length > 0 ? `stick ${words.join(" and ")}` : "stick centred";
}

export const element = (name, content, className = "") => Object.assign(document.createElement(name), { textContent: content, className });

export function put(id, content) {
  if ($(id).textContent !== content) $(id).textContent = content;
}
