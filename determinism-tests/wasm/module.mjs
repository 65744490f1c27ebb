// The WebAssembly module of the goldens, for node and for browsers.

/** Imports of the module: only the matrix uses them, and none affects a result. */
const QUIET = { nanoseconds: () => 0n, tell: () => {}, cell: () => {} };

/** Starts the module. `host` may have `nanoseconds`, `tell(text)` and `cell(line)`. */
export async function load(bytes, host = {}) {
  const { nanoseconds, tell, cell } = { ...QUIET, ...host };
  let exports = null;
  const imports = {
    isostep: {
      nanoseconds,
      tell: (from, length) => tell(decode(exports, from, length)),
      cell: (from, length) => cell(decode(exports, from, length)),
    },
  };
  // No other imports: a module that requests a clock, randomness or the host's math fails here.
  ({ instance: { exports } } = await WebAssembly.instantiate(bytes, imports));
  return exports;
}

/** Text in the module's memory. Addresses are signed numbers. */
function decode({ memory }, from, length) {
  return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(memory.buffer, from >>> 0, length >>> 0));
}

/** Bytes at the address returned by one function, with the length returned by another. */
export function bytes({ memory }, start, length) {
  // The first call computes, which may grow the memory and detach an earlier buffer.
  const [from, many] = [start() >>> 0, length() >>> 0];
  return new Uint8Array(memory.buffer, from, many);
}

export function text(exports, start, length) {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes(exports, start, length));
}

/** A cell's line, split into fields. */
export function parse(line) {
  const [, variant, path, scene, ticks, digest, nanos, difference] = line.split('\t');
  return { variant, path, scene, ticks, digest, seconds: Number(nanos) / 1e9, difference, equal: difference === 'equal' };
}
