// Runs the module's matrix, a scene at a time, and reports to the page.

import { load, text } from './module.mjs';

async function run() {
  const response = await fetch('module.wasm');
  if (!response.ok) throw new Error(`module.wasm: ${response.status}`);
  const exports = await load(await response.arrayBuffer(), {
    nanoseconds: () => BigInt(Math.round(performance.now() * 1e6)),
    tell: (words) => postMessage({ kind: 'tell', words }),
    cell: (line) => postMessage({ kind: 'cell', line }),
  });
  postMessage({ kind: 'lanes', words: text(exports, exports.lanes_text, exports.lanes_len) });
  const long = Number(new URL(self.location).searchParams.has('long'));
  const all = exports.matrix_scenes();
  for (let scene = 0; scene < all; scene += 1) {
    postMessage({ kind: 'progress', done: scene, all });
    if (exports.matrix_run(scene, long) !== 0) throw new Error('a committed golden can\'t be read');
  }
  postMessage({ kind: 'progress', done: all, all });
  postMessage({ kind: 'done' });
}

run().catch((error) => postMessage({ kind: 'failed', words: String(error?.stack ?? error) }));
