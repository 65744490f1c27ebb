// Draws the match: WebGL2 with instances of a box and a capsule; without WebGL2, a top view in two
// dimensions. Display only.

/** The best renderer of this browser: `scene(scene)`, and `draw(picture, bodies)`, which returns the page positions of heads. */
export function painter(canvas, colors) {
  const paints = colors.map((color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255));
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
  return gl ? new Painter(canvas, gl, paints) : new FlatPainter(canvas, colors);
}

const VERTEX = `#version 300 es
layout(location=0) in vec3 corner;   // of the mesh, −1 to 1
layout(location=1) in vec3 normal;
layout(location=2) in vec3 at;       // from here on of the instance
layout(location=3) in vec4 turn;
layout(location=4) in vec3 size;     // of a capsule: radius, half length
layout(location=5) in vec4 paint;    // colour; what else depends on the mode
uniform mat4 camera;
uniform highp int mode;              // 0 box, 1 capsule, 2 something flat on the ground, 3 platform
out vec3 v_normal; out vec3 v_unit; out vec4 v_paint; out vec3 v_place; out vec3 v_size;
vec3 rotate(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void main() {
  vec3 local = mode == 1 ? corner * size.x + vec3(0, sign(normal.y) * size.y, 0) : corner * size;
  vec3 place = at + rotate(turn, local);
  v_normal = rotate(turn, mode == 1 ? corner : normal);
  v_unit = corner; v_paint = paint; v_place = place; v_size = size;
  gl_Position = camera * vec4(place, 1);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 v_normal; in vec3 v_unit; in vec4 v_paint; in vec3 v_place; in vec3 v_size;
uniform highp int mode; uniform float half_side; uniform float dark;
out vec4 color;
float band(float at, float from, float to) {
  float w = fwidth(at);
  return smoothstep(from - w, from + w, at) * (1.0 - smoothstep(to - w, to + w, at));
}
void main() {
  if (mode == 2) {
    // A shadow (w from 0, near, to ½, far above), a ring (1), or the wave of a shove towards +z (2
    // to 3: its progress).
    float far = length(v_unit.xz), kind = v_paint.w;
    if (max(abs(v_place.x), abs(v_place.z)) > half_side) discard;
    float alpha = (0.5 - kind) * smoothstep(1.0, 0.2, far);
    if (kind > 1.5) {
      float come = kind - 2.0, aside = dot(v_unit.xz / max(far, 0.001), vec2(0, 1));
      float front = mix(0.3, 0.95, come);
      alpha = (1.0 - come) * smoothstep(front - 0.3, front, far) * (1.0 - smoothstep(front, front + 0.05, far)) * smoothstep(0.45, 0.75, aside);
    } else if (kind > 0.5) alpha = 0.9 * band(far, 0.78, 0.92);
    color = vec4(v_paint.rgb, 1) * alpha;
    return;
  }
  vec3 n = normalize(v_normal);
  float sun = max(dot(n, normalize(vec3(-0.45, 0.9, 0.35))), 0.0);
  vec3 paint = v_paint.rgb;
  if (mode == 3) {
    if (n.y > 0.5) {
      vec2 p = v_place.xz, tile = floor(p);
      paint *= 1.0 + 0.022 * (mod(tile.x + tile.y, 2.0) * 2.0 - 1.0);
      float edge = half_side - max(abs(p.x), abs(p.y));
      paint = mix(paint, vec3(0.93, 0.45, 0.27), 0.75 * band(edge, 0.16, 0.32) * step(0.5, v_paint.w));
      paint = mix(paint, vec3(1), 0.14 * band(length(p), half_side * 0.42, half_side * 0.42 + 0.08));
    } else paint *= 1.0 + 0.12 * v_place.y;
  } else if (mode == 0) {
    // Planks and a frame.
    vec3 rim = step(vec3(0.80), abs(v_unit));
    if (rim.x + rim.y + rim.z > 1.5) paint *= 0.80;
    else {
      // Along the side that is not the face's own.
      float along = abs(v_unit.y) > 0.999 ? v_unit.z : v_unit.y;
      paint *= 1.0 - 0.16 * band(abs(fract(along * 1.5) - 0.5), -1.0, 0.06);
    }
  }
  float light = mix(0.52, 0.40, dark) + 0.14 * n.y + 0.46 * sun;
  // Fades into the sky far below the platform.
  float alpha = mode == 3 ? smoothstep(-5.0, -1.2, v_place.y) : smoothstep(-11.0, -3.0, v_place.y);
  color = vec4(paint * light * alpha, alpha);
}`;

const WOOD = [[0.80, 0.64, 0.44], [0.72, 0.56, 0.40]];
/** Floats of an instance. */
const ROW = 14;
const LEVEL = [0, 0, 0, 1];

class Painter {
  constructor(canvas, gl, paints) {
    Object.assign(this, { canvas, gl, paints });
    this.program = link(gl);
    this.uniform = Object.fromEntries(["camera", "mode", "half_side", "dark"].map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.box = mesh(gl, boxTriangles());
    this.round = mesh(gl, capsuleTriangles());
    this.buffer = gl.createBuffer();
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
  }

  scene(scene) { this.what = scene; this.camera = null; }

  draw(picture, bodies) {
    const { gl, canvas, uniform, what } = this;
    const scale = window.devicePixelRatio || 1;
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
    const [width, height] = [Math.round(wide * scale), Math.round(high * scale)];
    if (canvas.width !== width || canvas.height !== height || !this.camera) {
      Object.assign(canvas, { width, height });
      this.camera = fit(what.half, width / height);
    }
    const dark = this.dark.matches;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.uniformMatrix4fv(uniform.camera, false, this.camera);
    gl.uniform1f(uniform.half_side, what.half);
    gl.uniform1f(uniform.dark, dark ? 1 : 0);
    this.instances(this.box, 3, this.platform(dark));

    const boxes = [], rounds = [], flat = [];
    const players = picture.players.length;
    const on = ([x, y, z]) => y > -0.2 && Math.abs(x) < what.half + 0.4 && Math.abs(z) < what.half + 0.4;
    bodies.forEach(({ at, turn }, i) => {
      const size = i < players ? what.player[1] : what.crates[i - players];
      if (on(at)) {
        const above = Math.max(at[1] - size, 0), wide = size * (i < players ? 1.5 : 1.7) + 0.1 * above;
        flat.push(at[0], 0.012, at[2], ...LEVEL, wide, 0, wide, 0, 0, 0, Math.min(above / 9, 0.48));
      }
      if (i >= players) boxes.push(...at, ...turn, size, size, size, ...WOOD[i % 2], 0);
    });
    picture.players.forEach((player, seat) => {
      const { at } = bodies[seat], paint = this.paints[seat], [fx, fz] = player.facing;
      const [straight, radius] = what.player;
      rounds.push(...at, ...LEVEL, radius, straight, 0, ...paint, 0);
      const yaw = Math.atan2(fx, fz), turn = [0, Math.sin(yaw / 2), 0, Math.cos(yaw / 2)];
      // Two eyes mark the direction of a shove.
      for (const side of [-1, 1]) {
        const [ex, ez] = [fx * 0.36 - fz * 0.17 * side, fz * 0.36 + fx * 0.17 * side];
        rounds.push(at[0] + ex, at[1] + 0.42, at[2] + ez, ...LEVEL, 0.115, 0.05, 0, 1, 1, 1, 0);
        rounds.push(at[0] + ex + fx * 0.075, at[1] + 0.42, at[2] + ez + fz * 0.075, ...LEVEL, 0.062, 0.035, 0, 0.1, 0.12, 0.15, 0);
      }
      if (!on(at)) return;
      if (seat === what.me) flat.push(at[0], 0.02, at[2], ...LEVEL, 0.85, 0, 0.85, ...paint, 1);
      const come = player.shoved === null ? 1 : player.shoved / 18;
      if (come < 1) flat.push(at[0], 0.03, at[2], ...turn, 2.3, 0, 2.3, ...(dark ? [1, 1, 1] : paint), 2 + come);
    });
    gl.depthMask(false);
    // Transparent marks on the ground, in order.
    this.instances(this.box, 2, flat);
    gl.depthMask(true);
    this.instances(this.box, 0, boxes);
    this.instances(this.round, 1, rounds);
    return picture.players.map((_, seat) => this.project(bodies[seat].at, wide, high));
  }

  /** A slab, with steps below that fade into the sky. */
  platform(dark) {
    const { half, platform } = this.what;
    const top = dark ? [0.42, 0.49, 0.53] : [0.80, 0.84, 0.82], below = dark ? [0.30, 0.34, 0.39] : [0.66, 0.66, 0.64];
    const rows = [0, -platform, 0, ...LEVEL, half, platform, half, ...top, 1];
    [[0.35, 0.5], [1.0, 0.7], [2.0, 1.1]].reduce((y, [in_, high]) => {
      rows.push(0, y - high, 0, ...LEVEL, half - in_, high, half - in_, ...below, 0);
      return y - 2 * high;
    }, -2 * platform);
    return rows;
  }

  /** Page position above a head; nothing after a fall. */
  project([x, y, z], wide, high) {
    if (y < -3) return null;
    const m = this.camera, p = [x, y + 1.05, z, 1];
    const [cx, cy, , cw] = [0, 1, 2, 3].map((row) => p.reduce((sum, value, i) => sum + m[i * 4 + row] * value, 0));
    return [(cx / cw + 1) * wide / 2, (1 - cy / cw) * high / 2];
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

/** Top view, for browsers without WebGL2. */
class FlatPainter {
  constructor(canvas, colors) { Object.assign(this, { canvas, colors, pen: canvas.getContext("2d") }); }

  scene(scene) { this.what = scene; }

  draw(picture, bodies) {
    const { canvas, pen, what } = this;
    const scale = window.devicePixelRatio || 1;
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
    Object.assign(canvas, { width: wide * scale, height: high * scale });
    const metre = Math.min(wide, high) / (2 * what.half + 5);
    const place = ([x, , z]) => [wide / 2 + x * metre, high / 2 + z * metre];
    pen.scale(scale, scale);
    pen.fillStyle = "#8a979c";
    pen.strokeStyle = "#e0714a";
    pen.lineWidth = metre / 6;
    pen.beginPath();
    pen.rect(...place([-what.half, 0, -what.half]), 2 * what.half * metre, 2 * what.half * metre);
    pen.fill();
    pen.stroke();
    pen.lineWidth = 1;
    const players = picture.players.length;
    const heads = [];
    // Lower ones first.
    const order = bodies.map((body, i) => [body, i]).sort(([a], [b]) => a.at[1] - b.at[1]);
    for (const [{ at, turn }, i] of order) {
      const [x, y] = place(at);
      pen.globalAlpha = at[1] < -0.5 ? Math.max(0, 1 + at[1] / 8) : 1;
      pen.save();
      pen.translate(x, y);
      pen.beginPath();
      if (i < players) {
        const radius = what.player[1] * metre, [fx, fz] = picture.players[i].facing;
        pen.fillStyle = this.colors[i];
        pen.arc(0, 0, radius, 0, 7);
        pen.fill();
        pen.beginPath();
        pen.fillStyle = "#fff";
        pen.arc(fx * radius * 0.6, fz * radius * 0.6, radius * 0.3, 0, 7);
        pen.fill();
        heads[i] = at[1] < -3 ? null : [x, y - radius - 4];
      } else {
        const size = what.crates[i - players] * metre;
        pen.rotate(-2 * Math.atan2(turn[1], turn[3]));
        pen.fillStyle = "#b98f5c";
        pen.strokeStyle = "#7a5c38";
        pen.rect(-size, -size, 2 * size, 2 * size);
        pen.fill();
        pen.stroke();
      }
      pen.restore();
    }
    return heads;
  }
}

function link(gl) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
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

/** Two hemispheres, by the sign of the normal; the belt between them becomes the capsule's wall. */
function capsuleTriangles(around = 28, rings = 8) {
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

/** A camera from the south and above, at the least distance that shows the whole platform. */
function fit(half, aspect) {
  const corners = [-1, 1].flatMap((i) => [-1, 1].flatMap((j) => [-1.5, 1.5].map((y) => [i * (half + 0.6), y, j * (half + 0.6)])));
  let camera;
  for (let far = 16; far < 180; far += 0.25) {
    camera = look(far, aspect, 0.78);
    const inside = corners.every(([x, y, z]) => {
      const dot = (row) => camera[row] * x + camera[4 + row] * y + camera[8 + row] * z + camera[12 + row];
      // Leaves space for the board above and the keys below.
      return Math.abs(dot(0)) < dot(3) * 0.97 && dot(1) < dot(3) * 0.84 && dot(1) > -dot(3) * 0.90;
    });
    if (inside) break;
  }
  // On wide screens, slightly to the right of the board.
  const aside = Math.min(Math.max(aspect - 1.3, 0) * 0.2, 0.06);
  for (let column = 0; column < 16; column += 4) camera[column] += aside * camera[column + 3];
  return camera;
}

/** Looks down at a little below the middle from `far` metres, by column. */
function look(far, aspect, tilt) {
  const field = 0.36, near = 4, end = 300, low = -0.4;
  const [s, c] = [Math.sin(tilt), Math.cos(tilt)];
  const f = 1 / Math.tan(field / 2);
  const [depth, shift] = [(end + near) / (near - end), (2 * end * near) / (near - end)];
  // In eye space: x stays; y = c·(y − low) − s·z; z = s·(y − low) + c·z − far.
  const wy = -c * low, wz = -s * low - far;
  return new Float32Array([
    f / aspect, 0, 0, 0,
    0, f * c, depth * s, -s,
    0, -f * s, depth * c, -c,
    0, f * wy, depth * wz + shift, -wz,
  ]);
}
