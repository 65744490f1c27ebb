// Draws the machines: WebGL2, one canvas, a viewport for each machine, instances of two meshes.
// Players have outlines that stay visible behind other bodies. Display only.

import { Camera, project } from "./camera.js";
import { Lines } from "./lines.js";
import { boxTriangles, link, mesh, roundTriangles } from "./meshes.js";

const VERTEX = `#version 300 es
layout(location=0) in vec3 corner;   // of the mesh, −1 to 1
layout(location=1) in vec3 normal;
layout(location=2) in vec3 at;       // from here on of the instance
layout(location=3) in vec4 turn;
layout(location=4) in vec3 size;
layout(location=5) in vec4 paint;    // colour, pattern
uniform mat4 camera;
uniform highp int mode;              // 0 box, 1 round, 2 shadow, 3 floor
out vec3 v_normal; out vec3 v_unit; out vec4 v_paint; out vec3 v_place;
vec3 rotate(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void main() {
  vec3 local = mode == 1 ? corner * size.x + vec3(0, sign(normal.y) * size.y, 0) : corner * size;
  vec3 place = at + rotate(turn, local);
  v_normal = rotate(turn, mode == 1 ? corner : normal);
  if (mode == 2) {
    float wide = max(size.x, size.z) + (size.x == size.z ? 0.0 : size.y * 0.3) + 0.12 * at.y;
    place = vec3(at.x, 0.02, at.z) + vec3(corner.x, 0, corner.z) * wide * 1.5;
    v_normal = vec3(0, at.y, 0);
  }
  v_unit = corner; v_paint = paint; v_place = place;
  gl_Position = camera * vec4(place, 1);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 v_normal; in vec3 v_unit; in vec4 v_paint; in vec3 v_place;
uniform highp int mode; uniform vec2 half_sides; uniform vec3 floor_paint; uniform float alpha; uniform float shade; uniform float ambient; uniform bool plain;
out vec4 color;
float line(float distance) { float w = fwidth(distance); return 1.0 - smoothstep(0.05, 0.05 + w, abs(distance)); }
void main() {
  if (plain) {
    color = vec4(v_paint.rgb, alpha);
    return;
  }
  if (mode == 2) {
    float far = length(v_unit.xz);
    color = vec4(0, 0, 0, shade * smoothstep(1.0, 0.25, far) / (1.0 + 0.6 * max(v_normal.y - 0.5, 0.0)));
    return;
  }
  if (mode == 3) {
    vec2 p = v_place.xz;
    vec2 tile = floor(p / 2.0);
    vec3 paint = floor_paint * (1.0 + 0.03 * (mod(tile.x + tile.y, 2.0) * 2.0 - 1.0));
    float lines = max(max(line(p.x), line(length(p) - 3.0)), line(max(abs(p.x) - half_sides.x, abs(p.y) - half_sides.y) + 0.25));
    color = vec4(mix(paint, vec3(0.95), 0.4 * lines), 1);
    return;
  }
  vec3 n = normalize(v_normal);
  float sun = max(dot(n, normalize(vec3(-0.45, 0.9, 0.4))), 0.0);
  vec3 paint = v_paint.rgb;
  float pattern = v_paint.a;
  if (pattern > 1.5) {
    // Resimulated bodies have stripes, so that they do not depend on colour alone.
    if (fract((v_place.x + v_place.y + v_place.z) * 2.2) < 0.36) paint *= 0.4;
  } else if (mode == 0) {
    vec3 rim = step(0.84, abs(v_unit));
    if (rim.x + rim.y + rim.z > 1.5) paint *= 0.82;
  } else if (pattern > 0.5) {
    // A pattern makes the ball's spin visible.
    vec3 p = normalize(v_unit);
    if (abs(p.x) < 0.16 || abs(p.y) < 0.16 || abs(p.z) < 0.16) paint *= 0.35;
  } else if (v_unit.x * v_unit.z > 0.0) paint *= 0.86;
  color = vec4(paint * (ambient + 0.16 * n.y + 0.55 * sun), alpha);
}`;

/** Colours of the sides; they also differ in lightness. */
const SIDES = [[0.27, 0.55, 0.93], [0.95, 0.58, 0.18], [0.16, 0.66, 0.50], [0.90, 0.62, 0.78]];
const WHITE = [0.97, 0.96, 0.93], KERB = [0.56, 0.59, 0.64], WOOD = [[0.74, 0.63, 0.49], [0.66, 0.55, 0.43]];
const PROPS = [[0.62, 0.65, 0.70], [0.72, 0.66, 0.58], [0.56, 0.66, 0.66]];
/** Colours of resimulated islands, in turn; distinguishable for most colour-blind readers. */
const ISLANDS = [[0.98, 0.87, 0.25], [0.35, 0.78, 0.95], [0.90, 0.48, 0.70], [0.25, 0.80, 0.62], [0.92, 0.42, 0.20]];
const DIM = [0.44, 0.46, 0.49];
/** Colours of a focused body, in turn. */
const FLASH = [[1, 0.25, 0.2], [1, 0.95, 0.9]];
/** Length of a flash, ms: fewer than three a second. */
const FLASH_FOR = 250;
/** Width of an outline, m. */
const OUTLINE = 0.07;
/** Floats of an instance: position, rotation, size, colour and pattern. */
const PARTS = [3, 4, 3, 4], ROW = 14;
/** Frames between two layout queries, which force a reflow. */
const LOOK_EVERY = 20;
const UPRIGHT = [0, 0, 0, 1];

/** Instances of one mesh, in a buffer reused from frame to frame. */
class Rows {
  constructor(room) {
    this.numbers = new Float32Array(room * ROW);
    this.count = 0;
  }

  /** `pose` has a position and a rotation from index `from` on. */
  add(pose, from, size, paint, pattern, tint = 1) {
    const { numbers } = this, to = this.count++ * ROW;
    for (let k = 0; k < 7; k++) numbers[to + k] = pose[from + k];
    for (let k = 0; k < 3; k++) numbers[to + 7 + k] = size[k];
    for (let k = 0; k < 3; k++) numbers[to + 10 + k] = paint[k] * tint;
    numbers[to + 13] = pattern;
  }

  /** Enlarges all instances along this many axes of their size, m. */
  grow(by, axes) {
    for (let row = 0; row < this.count; row++) for (let k = 0; k < axes; k++) this.numbers[row * ROW + 7 + k] += by;
  }
}

export class Painter {
  /** Throws without WebGL2. */
  constructor(canvas) {
    this.canvas = canvas;
    const gl = this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true, stencil: true });
    if (!gl) throw new Error("it has no WebGL2");
    this.program = link(gl, VERTEX, FRAGMENT);
    this.uniform = Object.fromEntries(["camera", "mode", "half_sides", "floor_paint", "alpha", "shade", "ambient", "plain"]
      .map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.buffer = gl.createBuffer();
    this.box = mesh(gl, boxTriangles(), this.buffer, PARTS);
    this.round = mesh(gl, roundTriangles(), this.buffer, PARTS);
    this.lines = new Lines(gl);
    new ResizeObserver(() => { this.places = null; }).observe(canvas);
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.enable(gl.SCISSOR_TEST);
    // The canvas itself stays opaque.
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
  }

  setScene(scene) {
    this.scene = scene;
    this.cameras = [];
    this.focused = null;
    this.places = null;
    const room = scene.things.length + 8;
    this.rows = Object.fromEntries(["box", "round", "shadow", "goal", "goalRound", "ghostBox", "ghostRound", "floor", "rimBox", "rimRound"].map((name) => [name, new Rows(room)]));
    let seat = 0, prop = 0;
    for (const thing of scene.things) {
      const side = SIDES[(thing.side ?? 0) % SIDES.length];
      thing.paint = WHITE;
      thing.pattern = thing.kind === "ball" ? 1 : 0;
      if (thing.kind === "player") {
        thing.seat = seat++;
        // The second player of a side is paler.
        thing.paint = thing.seat >= scene.sides ? side.map((c) => c * 0.6 + 0.36) : side;
      } else if (thing.kind === "prop") thing.paint = PROPS[prop++ % 3];
      else if (thing.kind === "crate") thing.paint = WOOD[prop++ % 2];
      else if (thing.kind === "platform") thing.paint = KERB;
      else if (thing.kind === "goal") thing.paint = side;
      else if (thing.kind === "block") thing.paint = KERB;
      thing.pose = [...thing.at, ...(thing.turn ?? UPRIGHT)];
      if (thing.kind === "wall") Object.assign(thing, kerb(thing));
    }
    // A platform has edges; walls have a floor. The marks lie slightly above the platform to avoid
    // z-fighting.
    this.open = scene.things.some((thing) => thing.kind === "platform");
    this.ground = scene.ground ?? true;
    this.floor = scene.half.map((half) => half + (this.open ? 0 : 0.1));
  }

  /** Moves all cameras to a body for some milliseconds, and lets it flash. */
  focus(body, length) {
    this.focused = { body, until: performance.now() + length };
  }

  /** `views`: the page area of each machine; `peers`: its bodies, ghosts, islands to mark or nothing, and packed debug
   *  lines or nothing. `still`: the cameras jump. Returns the place of each player's name in each view. */
  draw(views, peers, dark, still = false) {
    const { gl, canvas } = this;
    const now = performance.now();
    if (this.focused && now > this.focused.until) this.focused = null;
    canvas.dataset.focus = this.focused?.body ?? "";
    if (!this.places || this.places.age++ >= LOOK_EVERY) this.places = this.measure(views);
    const { width, height, areas } = this.places;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.scissor(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.uniform2fv(this.uniform.half_sides, this.scene.half);
    gl.uniform3fv(this.uniform.floor_paint, dark ? [0.20, 0.25, 0.27] : [0.66, 0.73, 0.71]);
    gl.uniform1f(this.uniform.shade, dark ? 0.42 : 0.3);
    gl.uniform1f(this.uniform.ambient, dark ? 0.46 : 0.76);
    const sky = dark ? [0.063, 0.078, 0.102] : [0.902, 0.918, 0.941];
    let lines = 0;
    const heads = areas.map((area, i) => {
      if (area[2] < 2 || area[3] < 2 || !peers[i]) return null;
      gl.viewport(...area);
      gl.scissor(...area);
      gl.clearColor(...sky, 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
      const { bodies } = peers[i];
      const from = this.focused ? this.focused.body * 8 : 0;
      const focus = this.focused ? [bodies[from], bodies[from + 1], bodies[from + 2]] : null;
      this.cameras[i] ??= new Camera();
      const matrix = this.cameras[i].follow(this.scene, bodies, area[2] / area[3], { focus, still: still || this.calm.matches, now });
      gl.uniformMatrix4fv(this.uniform.camera, false, matrix);
      this.gather(peers[i], now);
      this.drawRows();
      if (peers[i].lines) {
        lines += this.lines.draw(peers[i].lines, matrix, area.slice(2), dark);
        gl.useProgram(this.program);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
      }
      return this.heads(matrix, bodies);
    });
    if (canvas.dataset.lines !== String(lines)) canvas.dataset.lines = lines;
    return heads;
  }

  /** Places of the players' names; nothing for one who falls. */
  heads(matrix, bodies) {
    const heads = [];
    this.scene.things.forEach(({ seat, size }, i) => {
      const [x, y, z] = [bodies[i * 8], bodies[i * 8 + 1], bodies[i * 8 + 2]];
      if (seat !== undefined) heads[seat] = y < -2 ? null : project(matrix, x, y + size[0] + size[1] + 0.2, z);
    });
    return heads;
  }

  /** Viewports of the machines, in canvas pixels. */
  measure(views) {
    const scale = window.devicePixelRatio || 1;
    const box = this.canvas.getBoundingClientRect();
    const areas = views.map((view) => {
      const rect = view.getBoundingClientRect();
      return [rect.left - box.left, box.bottom - rect.bottom, rect.width, rect.height].map((length) => Math.round(length * scale));
    });
    return { width: Math.round(box.width * scale), height: Math.round(box.height * scale), areas, age: 0 };
  }

  gather({ bodies, ghosts, islands }, now) {
    const { rows, scene } = this;
    for (const list of Object.values(rows)) list.count = 0;
    if (this.ground) rows.floor.add([0, this.open ? 0.01 : 0, 0, ...UPRIGHT], 0, [this.floor[0], 0, this.floor[1]], WHITE, 0);
    scene.things.forEach((thing, i) => {
      if (!thing.moves) return rows[thing.kind === "goal" ? (thing.shape === "box" ? "goal" : "goalRound") : thing.shape].add(thing.pose, 0, thing.size, thing.paint, 0);
      const from = i * 8;
      let { paint, pattern } = thing, tint = 1;
      if (islands) {
        const island = islands.get(i);
        paint = island === undefined ? DIM : ISLANDS[island % ISLANDS.length];
        pattern = island === undefined ? 0 : 2;
      } else if (thing.seat === undefined && bodies[from + 7]) tint = 0.78; // Sleeping bodies are darker.
      const flash = this.focused?.body === i && FLASH[this.calm.matches ? 0 : Math.floor(now / FLASH_FOR) % 2];
      if (flash) [paint, pattern, tint] = [flash, 0, 1];
      rows[thing.shape].add(bodies, from, thing.size, paint, pattern, tint);
      if (flash || thing.seat !== undefined) rows[thing.shape === "box" ? "rimBox" : "rimRound"].add(bodies, from, thing.size, flash || thing.paint, 0);
      // Bodies outside the field cast no shadow.
      const [wide, long] = scene.half;
      if (this.ground && bodies[from + 1] > 0 && Math.abs(bodies[from]) < wide && Math.abs(bodies[from + 2]) < long) rows.shadow.add(bodies, from, thing.size, paint, 0);
    });
    for (let j = 0; j < ghosts.length; j += 8) {
      const thing = scene.things[ghosts[j + 7]];
      if (thing) rows[thing.shape === "box" ? "ghostBox" : "ghostRound"].add(ghosts, j, thing.size, thing.paint, thing.pattern);
    }
  }

  drawRows() {
    const { gl, uniform, rows } = this;
    const see = (through) => {
      gl[through < 1 ? "enable" : "disable"](gl.BLEND);
      gl.depthMask(through === 1);
      gl.uniform1f(uniform.alpha, through);
    };
    see(1);
    this.instances(this.box, 3, rows.floor);
    see(0.99);
    this.instances(this.box, 2, rows.shadow);
    see(1);
    this.instances(this.box, 0, rows.box);
    this.instances(this.round, 1, rows.round);
    this.outlines(see);
    see(0.34);
    this.instances(this.box, 0, rows.ghostBox);
    this.instances(this.round, 1, rows.ghostRound);
    see(0.28);
    this.instances(this.box, 0, rows.goal);
    this.instances(this.round, 1, rows.goalRound);
    see(1);
  }

  /** Outlines around players and a focused body, and a tint where other bodies hide them. */
  outlines(see) {
    const { gl, uniform, rows } = this;
    const both = () => {
      this.instances(this.box, 0, rows.rimBox);
      this.instances(this.round, 1, rows.rimRound);
    };
    gl.uniform1i(uniform.plain, 1);
    see(0.4);
    gl.depthFunc(gl.GREATER);
    both();
    gl.depthFunc(gl.LESS);
    // The stencil keeps the silhouettes; grown ones are drawn around them.
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.ALWAYS, 1, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.REPLACE);
    gl.colorMask(false, false, false, false);
    both();
    gl.colorMask(true, true, true, true);
    gl.stencilFunc(gl.NOTEQUAL, 1, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.KEEP);
    rows.rimBox.grow(OUTLINE, 3);
    rows.rimRound.grow(OUTLINE, 1);
    see(0.95);
    both();
    gl.disable(gl.STENCIL_TEST);
    gl.enable(gl.DEPTH_TEST);
    gl.uniform1i(uniform.plain, 0);
  }

  instances(mesh, mode, rows) {
    if (rows.count === 0) return;
    const { gl } = this;
    gl.uniform1i(this.uniform.mode, mode);
    gl.bindVertexArray(mesh.array);
    gl.bufferData(gl.ARRAY_BUFFER, rows.numbers.subarray(0, rows.count * ROW), gl.STREAM_DRAW);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, mesh.count, rows.count);
  }
}

/** Draws only a low kerb along a wall's inner side: the whole wall would hide the field. */
function kerb({ at, size }) {
  const across = size[0] < size[2] ? 0 : 2, along = 2 - across;
  const pose = [0, 0.2, 0, ...UPRIGHT], kerb = [0, 0.2, 0];
  pose[across] = Math.sign(at[across]) * (Math.abs(at[across]) - size[across] + 0.15);
  kerb[across] = 0.15;
  kerb[along] = size[along] - (across === 0 ? 2 : 1.7);
  return { pose, size: kerb, paint: KERB };
}
