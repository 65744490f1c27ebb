// Text and bodies of one selected rollback.

import { plural } from "./report.js";

/** Island number of each resimulated body of a machine in a frame. */
export function islandsOf({ groups }) {
  const numbers = new Map(), islands = new Map();
  for (let j = 0; j < groups.length; j += 2) {
    const [body, least] = [groups[j], groups[j + 1]];
    if (!numbers.has(least)) numbers.set(least, numbers.size);
    islands.set(body, numbers.get(least));
  }
  return islands;
}

/** What a rollback resimulated. */
export function explain(peer, islands) {
  const count = new Set(islands.values()).size;
  const bodies = islands.size === 0 ? "nothing, since the prediction gave the same state"
    : `${plural(islands.size, "body", "bodies")} of ${peer.bodies.length / 8} in ${plural(count, "island")}, ${plural(peer.redone, "step")} of bodies`;
  const to = peer.present - peer.depth - (peer.stalls ? 0 : 1);
  return `Rolled back ${plural(peer.depth, "tick")}, to tick ${to}: resimulated ${bodies}, in ${peer.millis.toFixed(2)} ms.`;
}
