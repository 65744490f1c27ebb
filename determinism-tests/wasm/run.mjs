// Computes the number golden or the matrix, or verifies and makes the golden recording, in WebAssembly, and compares with the
// committed files.
//
// usage: node determinism-tests/wasm/run.mjs MODULE.wasm numbers | matrix [--long] | faults | replay | replay record FILE
// It takes these arguments, prints and exits as the native program does: 0 equal, 1 different, 2 misuse or a trap.

import { readFileSync, writeFileSync } from 'node:fs';
import { bytes, load, parse, text } from './module.mjs';

const USAGE = 'usage: node determinism-tests/wasm/run.mjs MODULE.wasm numbers | matrix [--long] | faults | replay | replay record FILE';
const NUMBERS = new URL('../goldens/numbers.txt', import.meta.url);
const RECORDING = new URL('../goldens/arena.isoreplay', import.meta.url);

/** Lines without padding: `name count digest`. */
function lines(text) {
  return text.split('\n').filter((line) => line !== '').map((line) => line.trim().split(/\s+/).join(' '));
}

/** Number of differing lines of the number golden. */
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

/** Number of differences of the golden recording: the module's findings, and the recorded bytes. */
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

/** Number of injected faults with an unexpected result. */
function faults(exports) {
  const found = text(exports, exports.faults_text, exports.faults_len);
  process.stdout.write(found);
  return found.split('\n').filter((line) => line === 'differs:').length;
}

/** Number of differing cells of the matrix. */
function matrix(exports, counted, long) {
  for (let scene = 0; scene < exports.matrix_scenes(); scene += 1) {
    if (exports.matrix_run(scene, Number(long)) !== 0) throw new Error('a committed golden can\'t be read');
  }
  if (counted.equal + counted.different === 0) throw new Error('the matrix has no cells');
  if (counted.different > 0) console.log('differs:\n  see the cells above');
  return counted.different;
}

async function main([path, part, ...rest]) {
  const parts = { numbers, faults, replay };
  if (part === 'replay' && rest[0] === 'record' && rest.length === 2) {
    const exports = await load(readFileSync(path));
    writeFileSync(rest[1], bytes(exports, exports.recording_bytes, exports.recording_len));
    return 0;
  }
  if (part === 'matrix' && (rest.length === 0 || (rest.length === 1 && rest[0] === '--long'))) {
    const counted = { equal: 0, different: 0 };
    const exports = await load(readFileSync(path), {
      nanoseconds: () => process.hrtime.bigint(),
      cell: (line) => {
        console.log(line);
        counted[parse(line).equal ? 'equal' : 'different'] += 1;
      },
    });
    return end(part, matrix(exports, counted, rest.length > 0));
  }
  if (!Object.hasOwn(parts, part ?? '') || rest.length > 0) {
    console.error(USAGE);
    return 2;
  }
  return end(part, parts[part](await start(path)));
}

/** Loads the module without progress output; prints its lanes. */
async function start(path) {
  const exports = await load(readFileSync(path));
  console.log(`lanes: ${text(exports, exports.lanes_text, exports.lanes_len)}`);
  return exports;
}

function end(part, different) {
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
