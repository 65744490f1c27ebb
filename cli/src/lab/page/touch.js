// A stick and two buttons for touch screens.

/** Share of the stick's radius without effect. */
const DEAD = 0.2;

/** Adds the controls to a view. `change` receives x and y from −127 to 127, and the buttons that are down. */
export function addTouch(view, change) {
  const root = Object.assign(document.createElement("div"), { className: "touch" });
  root.innerHTML = `<div class="stick" role="img" aria-label="Walk: drag the stick"><i></i></div>
    <div class="buttons"><button type="button" data-does="jump">Jump</button><button type="button" data-does="shove">Shove</button></div>`;
  const state = { x: 0, y: 0, jump: false, shove: false };
  const stick = root.querySelector(".stick"), knob = stick.firstChild;
  const lean = (x, y) => {
    const size = Math.max(Math.hypot(x, y), 1);
    const [right, down] = Math.hypot(x, y) < DEAD ? [0, 0] : [x / size, y / size];
    knob.style.transform = `translate(${right * 100}%, ${down * 100}%)`;
    // Sixteenths are precise enough, and change rarely.
    Object.assign(state, { x: Math.round(Math.round(right * 16) / 16 * 127), y: Math.round(Math.round(down * 16) / 16 * 127) });
    change({ ...state });
  };
  const move = (event) => {
    const box = stick.getBoundingClientRect();
    lean((event.clientX - box.left) / box.width * 2 - 1, (event.clientY - box.top) / box.height * 2 - 1);
  };
  stick.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    stick.setPointerCapture(event.pointerId);
    move(event);
  });
  stick.addEventListener("pointermove", (event) => { if (stick.hasPointerCapture(event.pointerId)) move(event); });
  for (const name of ["pointerup", "pointercancel"]) stick.addEventListener(name, () => lean(0, 0));
  for (const button of root.querySelectorAll("button")) {
    const set = (down) => {
      state[button.dataset.does] = down;
      change({ ...state });
    };
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      button.setPointerCapture(event.pointerId);
      set(true);
    });
    for (const name of ["pointerup", "pointercancel"]) button.addEventListener(name, () => set(false));
    button.addEventListener("contextmenu", (event) => event.preventDefault());
  }
  view.append(root);
}
