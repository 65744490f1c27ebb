// Computes the number golden, or verifies and makes the golden recording, in WebAssembly, and compares with the committed file.
//
// usage: node determinism-tests/wasm/run.mjs MODULE.wasm numbers | replay | replay record FILE
// It takes these arguments, prints and exits as the native program does: 0 equal, 1 different, 2 misuse or a trap.

import { readFileSync, writeFileSync } from 'node:fs';

const USAGE = 'usage: node determinism-tests/wasm/run.mjs MODULE.wasm numbers | replay | replay record FILE';
const NUMBERS = new URL('../goldens/numbers.txt', import.meta.url);
const RECORDING = new URL('../goldens/arena.isoreplay', import.meta.url);

/** The lines without their padding: only `name count digest` matter. */
function lines(text) {
  return text.split('\n').filter((line) => line !== '').map((line) => line.trim().split(/\s+/).join(' '));
}

async function load(path) {
  // No imports: a module that asks for a clock, randomness or the host's math fails here.
  const { instance } = await WebAssembly.instantiate(readFileSync(path), {});
  return instance.exports;
}

/** Bytes that one function says the place of and another the length. */
function bytes({ memory }, start, length) {
  // The first call computes, which may grow the memory and detach a buffer taken before it.
  // Addresses come as signed numbers.
  const [from, many] = [start() >>> 0, length() >>> 0];
  return new Uint8Array(memory.buffer, from, many);
}

function text(exports, start, length) {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes(exports, start, length));
}

/** How many lines of the number golden differ. */
function numbers(exports) {
  const found = text(exports, exports.numbers_text, exports.numbers_len);
  process.stdout.write(found);
  const expected = lines(readFileSync(NUMBERS, 'utf8'));
  const computed = lines(found);
  let different = 0;
  for (let i = 0; i < Math.max(expected.length, computed.length); i += 1) {
    if (expected[i] !== computed[i]) {
      different += 1;
      console.log(`differs:\n  expected ${expected[i] ?? '(no such line)'}`);
      console.log(`  computed ${computed[i] ?? '(no such line)'}`);
    }
  }
  return different;
}

/** How many things of the golden recording differ: what the module found, and the bytes that it recorded. */
function replay(exports) {
  const found = text(exports, exports.replay_text, exports.replay_len);
  process.stdout.write(found);
  let different = found.split('\n').filter((line) => line === 'differs:').length;
  const recorded = bytes(exports, exports.recording_bytes, exports.recording_len);
  if (Buffer.compare(readFileSync(RECORDING), recorded) !== 0) {
    different += 1;
    console.log(`differs:\n  the ${recorded.length} bytes recorded here are not those of the file`);
  }
  return different;
}

async function main([path, part, ...rest]) {
  const parts = { numbers, replay };
  if (part === 'replay' && rest[0] === 'record' && rest.length === 2) {
    const exports = await load(path);
    writeFileSync(rest[1], bytes(exports, exports.recording_bytes, exports.recording_len));
    return 0;
  }
  if (!Object.hasOwn(parts, part ?? '') || rest.length > 0) {
    console.error(USAGE);
    return 2;
  }
  const different = parts[part](await load(path));
  console.log(different === 0
    ? `${part}: equal to the golden (wasm32)`
    : `${part}: ${different} things differ (wasm32)`);
  return different === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // A panic in the module is a trap here; its stack names the functions.
  console.error(error);
  process.exitCode = 2;
}
