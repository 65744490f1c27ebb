// Draws the machines: WebGL2, one canvas, a viewport for each of them, instances of a box and of a round thing (a
// sphere that is cut at its equator and pulled apart: a capsule). Nothing here decides anything.

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
uniform highp int mode; uniform vec2 half_sides; uniform vec3 floor_paint; uniform float alpha;
out vec4 color;
float line(float distance) { float w = fwidth(distance); return 1.0 - smoothstep(0.05, 0.05 + w, abs(distance)); }
void main() {
  if (mode == 2) {
    float far = length(v_unit.xz);
    color = vec4(0, 0, 0, 0.42 * smoothstep(1.0, 0.25, far) / (1.0 + 0.6 * max(v_normal.y - 0.5, 0.0)));
    return;
  }
  if (mode == 3) {
    vec2 p = v_place.xz;
    vec2 tile = floor(p / 2.0);
    vec3 paint = floor_paint * (1.0 + 0.035 * (mod(tile.x + tile.y, 2.0) * 2.0 - 1.0));
    float lines = max(max(line(p.x), line(length(p) - 3.0)), line(max(abs(p.x) - half_sides.x, abs(p.y) - half_sides.y) + 0.25));
    color = vec4(mix(paint, vec3(0.95), 0.4 * lines), 1);
    return;
  }
  vec3 n = normalize(v_normal);
  float sun = max(dot(n, normalize(vec3(-0.45, 0.9, 0.4))), 0.0);
  vec3 paint = v_paint.rgb;
  if (mode == 0) {
    vec3 rim = step(0.84, abs(v_unit));
    if (rim.x + rim.y + rim.z > 1.5) paint *= 0.82;
  } else if (v_paint.a > 0.5) {
    // The ball: a pattern, so that spin shows.
    vec3 p = normalize(v_unit);
    if (abs(p.x) < 0.16 || abs(p.y) < 0.16 || abs(p.z) < 0.16) paint *= 0.35;
  } else if (v_unit.x * v_unit.z > 0.0) paint *= 0.86;
  color = vec4(paint * (0.46 + 0.16 * n.y + 0.55 * sun), alpha);
}`;

const BLUE = [0.27, 0.55, 0.93], ORANGE = [0.95, 0.58, 0.18];
const PROPS = [[0.62, 0.65, 0.70], [0.72, 0.66, 0.58], [0.56, 0.66, 0.66]];
/** Floats of an instance. */
const ROW = 14;

export class Painter {
  /** Throws when there is no WebGL2. */
  constructor(canvas) {
    this.canvas = canvas;
    const gl = this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true });
    if (!gl) throw new Error("it has no WebGL2");
    this.program = link(gl, VERTEX, FRAGMENT);
    this.uniform = Object.fromEntries(["camera", "mode", "half_sides", "floor_paint", "alpha"]
      .map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.box = mesh(gl, boxTriangles());
    this.round = mesh(gl, roundTriangles());
    this.buffer = gl.createBuffer();
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.enable(gl.SCISSOR_TEST);
    // The canvas itself stays opaque.
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
  }

  setScene(scene) {
    this.scene = scene;
    this.cameras = new Map();
  }

  /** `views`: where on the page each machine is drawn; `peers`: its bodies, eight numbers each. */
  draw(views, peers) {
    const { gl, canvas } = this;
    const scale = window.devicePixelRatio || 1;
    const box = canvas.getBoundingClientRect();
    const [width, height] = [Math.round(box.width * scale), Math.round(box.height * scale)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.scissor(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.uniform2fv(this.uniform.half_sides, this.scene.half);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    gl.uniform3fv(this.uniform.floor_paint, dark ? [0.20, 0.25, 0.27] : [0.60, 0.68, 0.66]);
    const sky = dark ? [0.063, 0.078, 0.102] : [0.902, 0.918, 0.941];
    views.forEach((view, i) => {
      const rect = view.getBoundingClientRect();
      const area = [(rect.left - box.left) * scale, (box.bottom - rect.bottom) * scale, rect.width * scale, rect.height * scale].map(Math.round);
      if (area[2] < 2 || area[3] < 2 || !peers[i]) return;
      gl.viewport(...area);
      gl.scissor(...area);
      gl.clearColor(...sky, 1);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      this.drawPeer(i, peers[i], area[2] / area[3]);
    });
  }

  drawPeer(peer, bodies, aspect) {
    const { gl, uniform, scene } = this;
    const key = aspect.toFixed(3);
    if (!this.cameras.has(key)) this.cameras.set(key, fit(scene.half, aspect));
    gl.uniformMatrix4fv(uniform.camera, false, this.cameras.get(key));
    gl.uniform1f(uniform.alpha, 1);
    const rows = { box: [], round: [], shadow: [], goal: [] };
    let seat = 0, prop = 0;
    scene.things.forEach((thing, i) => {
      const team = thing.team === 0 ? BLUE : ORANGE;
      if (!thing.moves) {
        if (thing.kind === "goal") rows.goal.push(...thing.at, 0, 0, 0, 1, ...thing.size, ...team, 0);
        else rows.box.push(...kerb(thing), 0.56, 0.59, 0.64, 0);
        return;
      }
      const body = bodies.subarray(i * 8, i * 8 + 8);
      let paint = [0.97, 0.96, 0.93], pattern = 1;
      if (thing.kind === "player") {
        paint = seat >= 2 ? team.map((c) => c * 0.6 + 0.36) : team;
        // Whoever sits at this machine has a mark over their head.
        if (seat++ === peer) rows.box.push(body[0], body[1] + 1.45, body[2], 0.36, 0.15, 0.36, 0.85, 0.2, 0.2, 0.2, 1, 1, 1, 0);
      } else if (thing.kind === "prop") {
        // Who sleeps is darker.
        paint = PROPS[prop++ % 3].map((c) => c * (body[7] ? 0.78 : 1));
        pattern = 0;
      }
      const row = [...body.subarray(0, 7), ...thing.size, ...paint, pattern];
      rows[thing.shape].push(...row);
      rows.shadow.push(...row);
    });
    const floor = [0, 0, 0, 0, 0, 0, 1, scene.half[0] + 0.1, 0, scene.half[1] + 0.1, 1, 1, 1, 0];
    this.instances(this.box, 3, floor);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    this.instances(this.box, 2, rows.shadow);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    this.instances(this.box, 0, rows.box);
    this.instances(this.round, 1, rows.round);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.uniform1f(uniform.alpha, 0.28);
    this.instances(this.box, 0, rows.goal);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  instances(mesh, mode, rows) {
    const { gl } = this;
    gl.uniform1i(this.uniform.mode, mode);
    gl.bindVertexArray(mesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(rows), gl.STREAM_DRAW);
    let offset = 0;
    [3, 4, 3, 4].forEach((count, i) => {
      gl.enableVertexAttribArray(2 + i);
      gl.vertexAttribPointer(2 + i, count, gl.FLOAT, false, ROW * 4, offset);
      gl.vertexAttribDivisor(2 + i, 1);
      offset += count * 4;
    });
    gl.drawArraysInstanced(gl.TRIANGLES, 0, mesh.count, rows.length / ROW);
  }
}

/** Of a wall only a kerb along its inner side is drawn: it is taller than anybody could look over. */
function kerb({ at, size }) {
  const across = size[0] < size[2] ? 0 : 2, along = 2 - across;
  const row = [0, 0.2, 0, 0, 0, 0, 1, 0, 0.2, 0];
  row[across] = Math.sign(at[across]) * (Math.abs(at[across]) - size[across] + 0.15);
  row[7 + across] = 0.15;
  row[7 + along] = size[along] - (across === 0 ? 2 : 1.7);
  return row;
}

function link(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  return program;
}

function mesh(gl, numbers) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
  for (const i of [0, 1]) {
    gl.enableVertexAttribArray(i);
    gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 24, i * 12);
  }
  return { array, count: numbers.length / 6 };
}

/** Corner and normal of each vertex. */
function boxTriangles() {
  const out = [];
  for (let axis = 0; axis < 3; axis++) for (const side of [1, -1]) {
    const corner = (a, b) => { const p = [0, 0, 0]; p[axis] = side; p[(axis + 1) % 3] = a * side; p[(axis + 2) % 3] = b; return p; };
    const normal = [0, 0, 0];
    normal[axis] = side;
    for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) out.push(...corner(a, b), ...normal);
  }
  return out;
}

/** A sphere of two halves; the normal's sign tells which, and a belt between them becomes the capsule's wall. */
function roundTriangles(around = 20, rings = 6) {
  const levels = [];
  for (let i = 0; i <= rings; i++) levels.push([-Math.PI / 2 + (i / rings) * Math.PI / 2, -1]);
  for (let i = 0; i <= rings; i++) levels.push([(i / rings) * Math.PI / 2, 1]);
  const vertex = ([up, side], turn) => [Math.cos(up) * Math.sin(turn), Math.sin(up), Math.cos(up) * Math.cos(turn), 0, side, 0];
  const out = [];
  for (let i = 0; i + 1 < levels.length; i++) for (let j = 0; j < around; j++) {
    const [a, b] = [j, j + 1].map((k) => (k / around) * 2 * Math.PI);
    const [p, q, r, s] = [vertex(levels[i], a), vertex(levels[i], b), vertex(levels[i + 1], b), vertex(levels[i + 1], a)];
    out.push(...p, ...q, ...r, ...p, ...r, ...s);
  }
  return out;
}

/** A camera from the south, high up, as near as the whole field allows. */
function fit([x, z], aspect) {
  const corners = [-1, 1].flatMap((i) => [-1, 1].flatMap((j) => [0, 1.2].map((y) => [i * (x + 0.4), y, j * (z + 0.4)])));
  let camera;
  for (let far = 10; far < 90; far += 0.25) {
    camera = look(far, z * 0.06, aspect, aspect < 1.3 ? 1.1 : 0.88);
    const inside = corners.every(([px, py, pz]) => {
      const dot = (row) => camera[row] * px + camera[4 + row] * py + camera[8 + row] * pz + camera[12 + row];
      return Math.abs(dot(0)) < dot(3) * 0.99 && Math.abs(dot(1)) < dot(3) * 0.98;
    });
    if (inside) break;
  }
  return camera;
}

/** Looks down at (0, 0, z) from `far` metres, by column. */
function look(far, z, aspect, tilt) {
  const field = 0.5, near = 1, end = 200;
  const [s, c] = [Math.sin(tilt), Math.cos(tilt)];
  const f = 1 / Math.tan(field / 2);
  const [depth, shift] = [(end + near) / (near - end), (2 * end * near) / (near - end)];
  // Eye space: x stays; y = c·y − s·z; z = s·y + c·z − far.
  const ey = [c, -s], ez = [s, c];
  const wy = s * z, wz = -c * z - far;
  return new Float32Array([
    f / aspect, 0, 0, 0,
    0, f * ey[0], depth * ez[0], -ez[0],
    0, f * ey[1], depth * ez[1], -ez[1],
    0, f * wy, depth * wz + shift, -wz,
  ]);
}
