// Meshes: a box, and a capsule (a sphere cut at its equator and pulled apart).

export function link(gl, vertex, fragment) {
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

/** A mesh with instances of `parts` floats each, from `buffer`. */
export function mesh(gl, numbers, buffer, parts) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
  for (const i of [0, 1]) {
    gl.enableVertexAttribArray(i);
    gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 24, i * 12);
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  const row = parts.reduce((sum, count) => sum + count, 0) * 4;
  let offset = 0;
  parts.forEach((count, i) => {
    gl.enableVertexAttribArray(2 + i);
    gl.vertexAttribPointer(2 + i, count, gl.FLOAT, false, row, offset);
    gl.vertexAttribDivisor(2 + i, 1);
    offset += count * 4;
  });
  return { array, count: numbers.length / 6 };
}

/** Corner and normal of each vertex. */
export function boxTriangles() {
  const out = [];
  for (let axis = 0; axis < 3; axis++) for (const side of [1, -1]) {
    const corner = (a, b) => { const p = [0, 0, 0]; p[axis] = side; p[(axis + 1) % 3] = a * side; p[(axis + 2) % 3] = b; return p; };
    const normal = [0, 0, 0];
    normal[axis] = side;
    for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) out.push(...corner(a, b), ...normal);
  }
  return out;
}

/** A sphere of two halves, by the sign of the normal; the belt between them becomes the capsule's wall. */
export function roundTriangles(around = 20, rings = 6) {
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
