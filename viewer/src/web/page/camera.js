// Cameras: from the south and above, at the least distance that shows the whole field and every body
// on it, so that stacks are not cropped. A body can be focused for some seconds.

/** Field of view, and the used part of the viewport's half width and height. */
const FIELD = 0.5, WIDE = 0.98, HIGH = 0.96;
const NEAR = 1, END = 300;
const SCALE = 1 / Math.tan(FIELD / 2);
/** Least distance from a focused body, and what is visible beside it, m. */
const CLOSE = 11, AROUND = 3;
/** Time constants of the motion, ms: away from a growing scene, back to it, and to a focused body. */
const OUT = 120, IN = 1500, FOCUS = 350;
/** Bodies outside the field by more than this, m, or below it, are not followed. */
const BESIDE = 1.5, BELOW = -1.5, ABOVE = 40;
/** Space above a player for the name, m. */
const NAME = 1.7;

/** Camera of one viewport. */
export class Camera {
  constructor() {
    this.at = null;
    this.near = 0;
    this.time = 0;
  }

  /** Follows the scene; `focus` is the position of a focused body or nothing, `still` jumps. Returns the matrix, by column. */
  follow(scene, bodies, aspect, { focus = null, still = false, now = performance.now() } = {}) {
    const passed = still || this.aspect !== aspect ? Infinity : now - this.time;
    Object.assign(this, { time: now, aspect });
    const tilt = aspect < 1.3 ? 1.1 : 0.88;
    const [s, c] = [Math.sin(tilt), Math.cos(tilt)];
    const wanted = overview(scene, bodies, aspect, s, c);
    const ease = (constant) => 1 - Math.exp(-passed / constant);
    if (!this.at) this.at = wanted;
    else {
      const part = ease(wanted.far > this.at.far ? OUT : IN);
      for (const key of ["x", "y", "far"]) this.at[key] += (wanted[key] - this.at[key]) * part;
    }
    if (focus) this.point = focus;
    this.near += ((focus ? 1 : 0) - this.near) * ease(FOCUS);
    if (this.near < 0.001 || !this.point) return look(this.at, aspect, s, c);
    const [x, y, z] = this.point;
    const close = { x, y: c * y - s * z, far: s * y + c * z + Math.max(CLOSE, (AROUND * SCALE) / aspect) };
    const mixed = Object.fromEntries(["x", "y", "far"].map((key) => [key, this.at[key] + (close[key] - this.at[key]) * this.near]));
    return look(mixed, aspect, s, c);
  }
}

/** The least distance, and the point to look at, that show the field's corners and its bodies. */
function overview({ half: [wide, long], things }, bodies, aspect, s, c) {
  const bounds = [-Infinity, -Infinity, -Infinity, -Infinity];
  const across = SCALE / aspect / WIDE, up = SCALE / HIGH;
  const include = (x, y, z, r) => {
    const [v, d] = [c * y - s * z, s * y + c * z + r];
    bounds[0] = Math.max(bounds[0], d + across * (x + r));
    bounds[1] = Math.max(bounds[1], d - across * (x - r));
    bounds[2] = Math.max(bounds[2], d + up * (v + r));
    bounds[3] = Math.max(bounds[3], d - up * (v - r));
  };
  for (const x of [-wide, wide]) for (const z of [-long, long]) include(x, 0, z, 0.3);
  things.forEach(({ moves, size, kind, at }, i) => {
    if (kind === "goal") for (const side of [-1, 1]) include(at[0], at[1] + size[1], at[2] + side * size[2], size[0]);
    if (!moves) return;
    const [x, y, z] = [bodies[i * 8], bodies[i * 8 + 1], bodies[i * 8 + 2]];
    if (y < BELOW || y > ABOVE || Math.abs(x) > wide + BESIDE || Math.abs(z) > long + BESIDE) return;
    include(x, y, z, Math.max(...size));
    if (kind === "player") include(x, y + NAME, z, 0);
  });
  const [right, left, top, bottom] = bounds;
  return { x: (right - left) / (2 * across), y: (top - bottom) / (2 * up), far: Math.max((right + left) / 2, (top + bottom) / 2) };
}

/** The matrix of a camera: in eye space x stays; up = c·y − s·z; towards the eye = s·y + c·z. */
function look({ x, y, far }, aspect, s, c) {
  const [depth, shift] = [(END + NEAR) / (NEAR - END), (2 * END * NEAR) / (NEAR - END)];
  return new Float32Array([
    SCALE / aspect, 0, 0, 0,
    0, SCALE * c, depth * s, -s,
    0, -SCALE * s, depth * c, -c,
    (-SCALE / aspect) * x, -SCALE * y, shift - depth * far, far,
  ]);
}

/** Position of a point in a viewport, from 0 to 1, from the top left; nothing behind the camera. */
export function project(matrix, x, y, z) {
  const row = (k) => matrix[k] * x + matrix[4 + k] * y + matrix[8 + k] * z + matrix[12 + k];
  const w = row(3);
  return w > 0 ? [(row(0) / w + 1) / 2, (1 - row(1) / w) / 2] : null;
}
