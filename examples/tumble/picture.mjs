// Makes the moving picture of the README from a real match: records the stream of a player's page, then draws the seconds
// with the most falls frame by frame, with a clock of its own, so that a slow machine makes the same even picture.
//
// usage: node examples/tumble/picture.mjs TUMBLE FOLDER PICTURE
//   TUMBLE    the example, built with --release
//   FOLDER    has node_modules with playwright-core; frames go there
//   PICTURE   the file to write, docs/pictures/tumble.webp
// It needs `chromium` and `img2webp` (Debian: chromium, webp).
// exit codes: 0 the picture is written, 1 it is not, 2 misuse

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const USAGE = 'usage: node examples/tumble/picture.mjs TUMBLE FOLDER PICTURE';
/** Recorded and drawn seconds, frames a second, and pixels. */
const RECORDED = 45, DRAWN = 6, RATE = 15, SIZE = { width: 720, height: 450 };
/** The picture loads with the README. */
const MOST_BYTES = 1_500_000;
const FLAGS = ['--no-sandbox', '--disable-gpu', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

/** Starts a match; returns the process and the page's address. */
async function start(program) {
  const game = spawn(program, ['--local', '4'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((done, failed) => {
    let said = '';
    game.once('error', failed);
    game.once('exit', (code) => failed(new Error(`the game ended with ${code}: ${said}`)));
    game.stdout.on('data', (data) => {
      const found = /http:\/\/[\d.:]+/.exec(said += data);
      if (found) done(`${found[0]}/`);
    });
  });
  return { game, address };
}

/** Events of the stream for some seconds of the match. */
async function record(address) {
  const events = [];
  let text = '', first = null;
  const reader = (await fetch(`${address}stream`)).body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error('the stream ended');
    text += new TextDecoder().decode(value);
    const blocks = text.split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const [, type] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (!type || !data) continue;
      const now = type === 'picture' ? JSON.parse(data).now / 1000 : (events.at(-1)?.now ?? 0);
      events.push({ type, data, now });
      if (type === 'picture') first ??= now;
      if (first !== null && now - first > RECORDED * 1000) {
        await reader.cancel();
        return events;
      }
    }
  }
}

/** Start of the drawn seconds, ms: those with the most falls, during a round. */
function best(events) {
  const pictures = events.filter((event) => event.type === 'picture').map((event) => JSON.parse(event.data));
  const falls = pictures.flatMap((picture) => picture.news.filter((news) => news.is !== 'cancelled' && news.by !== null).map(() => picture.now / 1000));
  const starts = pictures.filter((picture) => picture.phase === 'play').map((picture) => picture.now / 1000);
  const end = events.at(-1).now - DRAWN * 1000;
  let [found, most] = [starts[0], -1];
  for (const from of starts) {
    const count = falls.filter((at) => at > from + 800 && at < from + DRAWN * 1000 - 800).length;
    if (from < end && count > most) [found, most] = [from, count];
  }
  return found;
}

/** Runs in the page before its scripts: a stream and a clock that the test moves. */
function fake() {
  let now = 0, number = 0;
  const timers = [], frames = [];
  window.requestAnimationFrame = (work) => frames.push(work);
  window.setTimeout = (work, wait) => (timers.push([now + wait, work]), ++number);
  performance.now = () => now;
  window.EventSource = class {
    constructor() { window.stream = this; this.on = {}; }
    addEventListener(type, work) { this.on[type] = work; }
  };
  /** Moves the clock, and delivers what is due. */
  window.advance = (to, events) => {
    for (const event of events) {
      now = Math.max(event.now, now);
      window.stream.on[event.type]?.({ data: event.data });
    }
    now = to;
    for (const timer of timers.splice(0)) timer[0] <= now ? timer[1]() : timers.push(timer);
    for (const work of frames.splice(0)) work(now);
  };
}

async function draw(address, events, folder) {
  const { chromium } = createRequire(join(resolve(folder), 'node_modules/'))('playwright-core');
  const browser = await chromium.launch({ executablePath: 'chromium', args: FLAGS }).catch(() => chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS }));
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light', bypassCSP: true });
  await page.addInitScript(fake);
  await page.goto(address);
  await page.addStyleTag({ content: '#banner, footer { display: none !important }' });
  const from = best(events);
  // What came before: the scene, the board and its news.
  let next = events.findIndex((event) => event.type === 'picture' && event.now >= from - 4000);
  await page.evaluate((scene) => window.advance(scene.now, [scene]), events.find((event) => event.type === 'scene'));
  const paths = [];
  for (let frame = -30; frame < DRAWN * RATE; frame++) {
    const to = from + (frame * 1000) / RATE, due = [];
    while (next < events.length && events[next].now <= to) due.push(events[next++]);
    await page.evaluate(([to, due]) => window.advance(to, due), [to, due]);
    if (frame < 0) continue;
    const path = join(folder, `tumble-${String(frame).padStart(3, '0')}.png`);
    writeFileSync(path, await page.screenshot());
    paths.push(path);
  }
  await browser.close();
  return paths;
}

const [program, folder, picture] = process.argv.slice(2);
if (!picture) {
  console.error(USAGE);
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const { game, address } = await start(program);
try {
  const events = await record(address);
  const paths = await draw(address, events, folder);
  execFileSync('img2webp', ['-loop', '0', '-min_size', '-lossy', '-q', '62', '-m', '6', '-d', String(Math.round(1000 / RATE)), ...paths, '-o', picture], { stdio: 'ignore' });
  for (const path of paths) rmSync(path);
  const { size } = statSync(picture);
  if (size > MOST_BYTES) throw new Error(`the picture has ${size} bytes, more than ${MOST_BYTES}`);
  console.log(`${picture}: ${size} bytes, ${paths.length} frames`);
} finally {
  game.removeAllListeners('exit');
  game.kill();
}
process.exit(0);
