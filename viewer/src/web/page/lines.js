// Debug lines over a view: WebGL2, an instance for each line, of constant width on the screen. Lines that bodies hide are faint.

import { link } from "./meshes.js";

const VERTEX = `#version 300 es
layout(location=0) in vec2 corner;   // end of the line, 0 or 1, and side, −1 or 1
layout(location=1) in vec3 start;    // from here on of the instance
layout(location=2) in vec3 end;
layout(location=3) in vec4 paint;
uniform mat4 camera; uniform vec2 half_view; uniform float width;
out vec4 v_paint;
void main() {
  vec4 a = camera * vec4(start, 1), b = camera * vec4(end, 1);
  v_paint = paint;
  const float near = 0.05;
  if (max(a.w, b.w) < near) { gl_Position = vec4(0, 0, 2, 1); return; }
  if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * half_view;
  along = length(along) > 0.001 ? normalize(along) : vec2(1, 0);
  vec2 side = vec2(-along.y, along.x) * corner.y + along * (corner.x * 2.0 - 1.0);
  vec4 at = corner.x < 0.5 ? a : b;
  // Slightly nearer than the surface that it lies on.
  gl_Position = vec4(at.xy + side * width / half_view * at.w, at.z - 0.0012 * at.w, at.w);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec4 v_paint;
uniform float alpha; uniform float tint; uniform vec4 casing;
out vec4 color;
void main() { color = casing.a > 0.0 ? vec4(casing.rgb, casing.a * v_paint.a) : vec4(v_paint.rgb * tint, v_paint.a * alpha); }`;

/** Bytes of a line: six floats, four colour bytes. */
const LINE = 28;
/** Width of a line, px of the page, and of its casing on each side. */
const WIDTH = 1.7, CASING = 1;

/** Packs lines from seven numbers each: millimetres of both ends, colour with red in the highest byte. */
export function pack(numbers) {
  const count = numbers.length / 7;
  const bytes = new DataView(new ArrayBuffer(count * LINE));
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 6; k++) bytes.setFloat32(i * LINE + k * 4, numbers[i * 7 + k] / 1000, true);
    bytes.setUint32(i * LINE + 24, numbers[i * 7 + 6]);
  }
  return bytes;
}

/** Packs lines from the lab's stream: 16 bytes each, positions in 1/512 m. */
export function unpack(raw) {
  const from = new DataView(raw.buffer, raw.byteOffset, raw.byteLength), count = raw.byteLength / 16;
  const bytes = new DataView(new ArrayBuffer(count * LINE));
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 6; k++) bytes.setFloat32(i * LINE + k * 4, from.getInt16(i * 16 + k * 2, true) / 512, true);
    bytes.setUint32(i * LINE + 24, from.getUint32(i * 16 + 12));
  }
  return bytes;
}

export class Lines {
  constructor(gl) {
    this.gl = gl;
    this.program = link(gl, VERTEX, FRAGMENT);
    this.uniform = Object.fromEntries(["camera", "half_view", "width", "alpha", "tint", "casing"].map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 8, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const [place, parts, type, offset] of [[1, 3, gl.FLOAT, 0], [2, 3, gl.FLOAT, 12], [3, 4, gl.UNSIGNED_BYTE, 24]]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, parts, type, type === gl.UNSIGNED_BYTE, LINE, offset);
      gl.vertexAttribDivisor(place, 1);
    }
  }

  /** Draws packed lines into the current viewport. Leaves another program and buffer bound. Returns their number. */
  draw(bytes, matrix, [wide, high], dark) {
    const { gl, uniform } = this, count = bytes.byteLength / LINE, scale = window.devicePixelRatio || 1;
    if (count === 0) return 0;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STREAM_DRAW);
    gl.uniformMatrix4fv(uniform.camera, false, matrix);
    gl.uniform2f(uniform.half_view, wide / 2, high / 2);
    // The colours are for a dark background.
    gl.uniform1f(uniform.tint, dark ? 1 : 0.72);
    gl.disable(gl.CULL_FACE);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    const pass = (depth, width, alpha, casing) => {
      gl.depthFunc(depth);
      gl.uniform1f(uniform.width, (width / 2) * scale);
      gl.uniform1f(uniform.alpha, alpha);
      gl.uniform4fv(uniform.casing, casing);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    };
    pass(gl.GREATER, WIDTH, 0.45, [0, 0, 0, 0]);
    pass(gl.LEQUAL, WIDTH + 2 * CASING, 1, dark ? [0, 0, 0, 0.45] : [1, 1, 1, 0.55]);
    pass(gl.LEQUAL, WIDTH, 1, [0, 0, 0, 0]);
    gl.depthMask(true);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.BLEND);
    gl.enable(gl.CULL_FACE);
    return count;
  }
}
