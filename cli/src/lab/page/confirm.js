// Asks before a setting restarts the match.

const $ = (id) => document.getElementById(id);

let asks = true;

/** Resolves to true if the match may restart. */
export function mayRestart(what) {
  if (!asks) return Promise.resolve(true);
  const dialog = $("confirm");
  $("confirm-text").textContent = `${what} restarts the match from tick 0.`;
  return new Promise((done) => {
    // Escape closes it without a value.
    dialog.returnValue = "";
    dialog.addEventListener("close", () => {
      const yes = dialog.returnValue === "restart";
      if (yes && $("confirm-never").checked) asks = false;
      done(yes);
    }, { once: true });
    dialog.showModal();
  });
}
