// Small screens: a tab for each machine, and a drawer with one section of the panel at a time. Wide
// screens show everything, and ignore both.

import { MARKS } from "./names.js";

const $ = (id) => document.getElementById(id);

export class Layout {
  constructor() {
    for (const button of $("bar").querySelectorAll("button")) button.addEventListener("click", () => this.drawer(button.dataset.opens));
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && document.body.dataset.drawer && !$("confirm").open) this.drawer("");
    });
    $("tabs").addEventListener("keydown", (event) => this.key(event));
  }

  /** Tabs of a match: its machines, and all of them. */
  build(players) {
    const chosen = this.chosen !== undefined && (this.chosen === "all" || this.chosen < players) ? this.chosen : 0;
    this.tabs = [...Array(players).keys(), "all"].map((which) => {
      const text = which === "all" ? "All" : `${MARKS[which % 4]} ${which + 1}${which === 0 ? " you" : ""}`;
      const tab = Object.assign(document.createElement("button"), { type: "button", role: "tab", textContent: text, className: which === "all" ? "" : `side${which % 4}` });
      tab.setAttribute("aria-label", which === "all" ? "All machines" : `Machine ${which + 1}`);
      tab.setAttribute("aria-controls", which === "all" ? "peers" : `machine-${which + 1}`);
      tab.addEventListener("click", () => this.show(which));
      tab.which = which;
      return tab;
    });
    $("tabs").replaceChildren(...this.tabs);
    this.show(chosen);
  }

  show(which) {
    this.chosen = which;
    for (const tab of this.tabs) {
      tab.setAttribute("aria-selected", tab.which === which);
      tab.tabIndex = tab.which === which ? 0 : -1;
    }
    $("peers").dataset.shown = which === "all" ? "all" : which + 1;
    // The views have moved.
    dispatchEvent(new Event("resize"));
  }

  key(event) {
    const at = this.tabs.findIndex((tab) => tab.which === this.chosen);
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const tab = this.tabs[(next + this.tabs.length) % this.tabs.length];
    this.show(tab.which);
    tab.focus();
  }

  /** Opens a section of the panel, or closes the open one. */
  drawer(section) {
    const open = document.body.dataset.drawer === section ? "" : section;
    document.body.dataset.drawer = open;
    for (const button of $("bar").querySelectorAll("button")) button.setAttribute("aria-expanded", button.dataset.opens === open);
    dispatchEvent(new Event("resize"));
  }

  /** Marks the tabs of machines without a network or with another digest. */
  mark(frame) {
    frame.peers.forEach((peer, i) => this.tabs?.[i]?.classList.toggle("off", !peer.connected));
  }
}
