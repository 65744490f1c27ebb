// Shows the worker's results: progress, and a table that grows cell by cell.

import { parse } from './module.mjs';

const at = (id) => document.getElementById(id);
const scenes = [];
const rows = new Map();
const counts = { equal: 0, different: 0 };

/** The module's lines, for the driver of the page. */
window.cells = [];

function end(state, words) {
  document.body.dataset.state = state;
  at('state').textContent = words;
  at('doing').textContent = '\u00a0';
}

function column(scene) {
  if (!scenes.includes(scene)) {
    scenes.push(scene);
    const head = document.createElement('th');
    head.scope = 'col';
    head.textContent = scene;
    at('scenes').append(head);
    for (const row of rows.values()) row.insertCell().textContent = '·';
  }
  return 3 + scenes.indexOf(scene);
}

function row(variant, path, ticks) {
  const key = `${variant}\t${path}`;
  if (!rows.has(key)) {
    const line = at('rows').insertRow();
    for (const words of [variant, path]) {
      const head = document.createElement('th');
      head.scope = 'row';
      head.textContent = words;
      line.append(head);
    }
    line.insertCell().textContent = ticks;
    scenes.forEach(() => { line.insertCell().textContent = '·'; });
    rows.set(key, line);
  }
  return rows.get(key);
}

function show(line) {
  window.cells.push(line);
  const { variant, path, scene, ticks, digest, seconds, difference, equal } = parse(line);
  const place = column(scene.split(' ')[0]);
  const cell = row(variant, path, ticks).cells[place];
  counts[equal ? 'equal' : 'different'] += 1;
  cell.className = equal ? 'equal' : 'different';
  cell.textContent = equal ? seconds.toFixed(2) : `≠ ${/tick (\d+)/.exec(difference)?.[1] ?? ''}`;
  cell.title = `${scene}, tick ${ticks}: ${digest}`;
  if (!equal) {
    const item = document.createElement('li');
    item.textContent = `${variant}, ${path}, ${scene}: ${difference}`;
    at('differences').append(item);
  }
}

const takes = {
  lanes: ({ words }) => { at('state').textContent = `Computing … (${words} lanes)`; },
  tell: ({ words }) => { at('doing').textContent = words; },
  progress: ({ done, all }) => { at('progress').max = all; at('progress').value = done; },
  cell: ({ line }) => show(line),
  done: () => {
    const { equal, different } = counts;
    if (equal > 0 && different === 0) end('equal', `Yes: all ${equal} cells are equal, bit for bit.`);
    else end('different', `No: ${different} of ${equal + different} cells differ.`);
  },
  failed: ({ words }) => end('failed', `It failed: ${words}`),
};

document.body.dataset.state = 'running';
// In a worker, so that the page stays responsive. `?long` computes everything.
const worker = new Worker(`worker.mjs${window.location.search}`, { type: 'module' });
worker.onmessage = ({ data }) => takes[data.kind](data);
worker.onerror = (event) => end('failed', `It failed: ${event.message ?? 'the worker could not start'}`);
