// Computes the number golden in WebAssembly and compares it with the committed file.
//
// usage: node determinism-tests/wasm/run.mjs MODULE.wasm [PROFILE]
// It prints and exits as the native program does: 0 equal, 1 different, 2 misuse or a trap.

import { readFileSync } from 'node:fs';

const FILE = new URL('../goldens/numbers.txt', import.meta.url);

/** The lines without their padding: only `name count digest` matter. */
function lines(text) {
  return text.split('\n').filter((line) => line !== '').map((line) => line.trim().split(/\s+/).join(' '));
}

async function compute(path) {
  // No imports: a module that asks for a clock, randomness or the host's math fails here.
  const { instance } = await WebAssembly.instantiate(readFileSync(path), {});
  const { memory, numbers_text, numbers_len } = instance.exports;
  // The first call computes, which may grow the memory and detach a buffer taken before it.
  // Addresses come as signed numbers.
  const start = numbers_text() >>> 0;
  const length = numbers_len() >>> 0;
  return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(memory.buffer, start, length));
}

async function main([path, profile = 'release', ...rest]) {
  if (path === undefined || rest.length > 0) {
    console.error('usage: node determinism-tests/wasm/run.mjs MODULE.wasm [PROFILE]');
    return 2;
  }
  const text = await compute(path);
  process.stdout.write(text);
  const expected = lines(readFileSync(FILE, 'utf8'));
  const computed = lines(text);
  let different = 0;
  for (let i = 0; i < Math.max(expected.length, computed.length); i += 1) {
    if (expected[i] !== computed[i]) {
      different += 1;
      console.log(`differs:\n  expected ${expected[i] ?? '(no such line)'}`);
      console.log(`  computed ${computed[i] ?? '(no such line)'}`);
    }
  }
  console.log(different === 0
    ? `numbers: equal to the golden (wasm32 ${profile})`
    : `numbers: ${different} lines differ (wasm32 ${profile})`);
  return different === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // A panic in the module is a trap here; its stack names the functions.
  console.error(error);
  process.exitCode = 2;
}
