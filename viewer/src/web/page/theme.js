// Theme: dark, light or system. A button cycles through them, and the browser stores the choice.

const THEMES = ["auto", "light", "dark"];

export class Theme {
  constructor(button) {
    this.button = button;
    button.addEventListener("click", () => this.set(THEMES[(THEMES.indexOf(this.name) + 1) % THEMES.length]));
    this.set(read() ?? "auto");
  }

  set(name) {
    this.name = THEMES.includes(name) ? name : "auto";
    document.documentElement.dataset.theme = this.name;
    this.button.textContent = `◐ ${this.name}`;
    try {
      localStorage.setItem("theme", this.name);
    } catch {
      // Without storage the choice is not kept.
    }
  }

  isDark() {
    return this.name === "dark" || (this.name === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  }
}

function read() {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}
