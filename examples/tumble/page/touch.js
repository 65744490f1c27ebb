// A stick and two buttons for touch screens.

/** Share of the stick's radius without effect. */
const DEAD = 0.2;

/** Wires the controls of the page. `change` receives the stick, from −1 to 1, and the bits of the buttons that are down. */
export function touch(root, change) {
  const stick = root.querySelector(".stick"), knob = stick.firstElementChild;
  let lean = [0, 0], held = 0;
  const set = (x, y) => {
    const size = Math.hypot(x, y);
    // Sixteenths are precise enough, and change rarely.
    lean = size < DEAD ? [0, 0] : [x, y].map((axis) => Math.round((axis / Math.max(size, 1)) * 16) / 16);
    knob.style.transform = `translate(${lean[0] * 100}%, ${lean[1] * 100}%)`;
    change(lean, held);
  };
  const move = (event) => {
    const { left, top, width, height } = stick.getBoundingClientRect();
    set(((event.clientX - left) / width) * 2 - 1, ((event.clientY - top) / height) * 2 - 1);
  };
  const grab = (element, event) => {
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
  };
  stick.addEventListener("pointerdown", (event) => {
    grab(stick, event);
    move(event);
  });
  stick.addEventListener("pointermove", (event) => { if (stick.hasPointerCapture(event.pointerId)) move(event); });
  for (const end of ["pointerup", "pointercancel"]) stick.addEventListener(end, () => set(0, 0));
  for (const button of root.querySelectorAll("button")) {
    const bit = Number(button.dataset.bit);
    button.addEventListener("pointerdown", (event) => {
      grab(button, event);
      held |= bit;
      change(lean, held);
    });
    for (const end of ["pointerup", "pointercancel"]) button.addEventListener(end, () => {
      held &= ~bit;
      change(lean, held);
    });
    button.addEventListener("contextmenu", (event) => event.preventDefault());
  }
}
