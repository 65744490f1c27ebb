// Switches of debug lines, the same on both pages. The keys 1 to 7 toggle them, 0 turns all off. The server computes lines only for
// switches that are on.

/** Name, text, and what it shows. */
const SWITCHES = [
  ["shapes", "shapes", "Outlines of all shapes: fixed grey, dynamic white, sensors yellow"],
  ["contacts", "contacts", "Contact points (red: touching), normals (green), impulses (pink) and friction (orange) of the last tick"],
  ["bounds", "bounds", "Boxes by which the broad phase finds pairs, with the motion of the next tick"],
  ["islands", "islands", "Outlines and contacts in the colour of their island"],
  ["sleep", "sleep", "Sleeping bodies, in violet"],
  ["centres", "centres", "Centres of mass with the principal axes: x red, y green, z blue"],
  ["sensors", "sensors", "Sensors, orange with something inside"],
];

export class Switches {
  /** `change` receives the names that are on, with commas between them, in the order of the page. */
  constructor(root, change) {
    root.classList.add("switches-of-lines");
    root.setAttribute("role", "group");
    this.inputs = SWITCHES.map(([name, text, hint], i) => {
      const label = Object.assign(document.createElement("label"), { className: "chip", title: `${hint} (key ${i + 1})` });
      const input = Object.assign(document.createElement("input"), { type: "checkbox", name });
      input.addEventListener("change", () => change(this.on()));
      label.append(input, Object.assign(document.createElement("span"), { textContent: text }));
      root.append(label);
      return input;
    });
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.target.matches("input:not([type=checkbox], [type=radio]), select, dialog *")) return;
      const key = /^[0-7]$/.test(event.key) ? Number(event.key) : -1;
      if (key < 0) return;
      event.preventDefault();
      if (key === 0) this.set("");
      else this.inputs[key - 1].checked = !this.inputs[key - 1].checked;
      change(this.on());
    });
  }

  on() {
    return this.inputs.filter((input) => input.checked).map((input) => input.name).join(",");
  }

  /** Shows these names as on; unknown ones are ignored. */
  set(names) {
    const on = new Set(names.split(","));
    for (const input of this.inputs) input.checked = on.has(input.name);
  }
}
