// Interpolated poses between two ticks.

/** Interpolates from `a` to `b` by `part` into `out`. Eight floats a body: position, rotation, and a flag taken from `b`. */
export function between(a, b, part, out) {
  out.set(b);
  for (let i = 0; i < b.length; i += 8) {
    // Teleported bodies are not interpolated.
    const [x, y, z] = [a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]];
    if (x * x + y * y + z * z > 4) continue;
    for (let k = 0; k < 3; k++) out[i + k] = a[i + k] + (b[i + k] - a[i + k]) * part;
    let dot = 0, sum = 0;
    for (let k = 3; k < 7; k++) dot += a[i + k] * b[i + k];
    for (let k = 3; k < 7; k++) {
      out[i + k] = a[i + k] + ((dot < 0 ? -1 : 1) * b[i + k] - a[i + k]) * part;
      sum += out[i + k] ** 2;
    }
    for (let k = 3; k < 7; k++) out[i + k] /= Math.sqrt(sum) || 1;
  }
  return out;
}
