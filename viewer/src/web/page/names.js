// Names of players above their bodies, over one view. They stay visible behind other bodies.

export const MARKS = ["■", "●", "▲", "◆"];

/** Size of a name, px. */
const WIDE = 78, HIGH = 17;

export class Names {
  /** `texts` has the name of each seat; `sides` is the number of sides. */
  constructor(view, texts, sides) {
    this.root = Object.assign(document.createElement("div"), { className: "names" });
    this.root.setAttribute("aria-hidden", "true");
    this.tags = texts.map((text, seat) => Object.assign(document.createElement("span"), { textContent: text, className: `side${(seat % sides) % 4}` }));
    this.root.append(...this.tags);
    view.append(this.root);
  }

  /** Places the names; `places` has a position from 0 to 1 for each seat or nothing, `marked` is the seat to mark. */
  show(places, marked) {
    const { clientWidth: wide, clientHeight: high } = this.root;
    const taken = [];
    this.tags.forEach((tag, seat) => {
      const place = places?.[seat];
      tag.hidden = !place;
      tag.classList.toggle("marked", seat === marked);
      if (!place) return;
      const x = Math.min(Math.max(place[0] * wide, WIDE / 2), wide - WIDE / 2);
      let y = Math.max(place[1] * high, HIGH);
      // Names don't cover each other.
      const covers = () => taken.find((other) => Math.abs(other[0] - x) < WIDE && Math.abs(other[1] - y) < HIGH);
      for (let other = covers(), tries = 0; other && tries < this.tags.length; other = covers(), tries++) y = other[1] - HIGH;
      taken.push([x, y]);
      tag.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
    });
  }
}
