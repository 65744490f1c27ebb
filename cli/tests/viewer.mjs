// The viewer of recordings in a real browser: opens a recording, drags the timeline, steps by keys, plays forwards and
// backwards, looks at a gap, a cut end and a wrong digest, on desktops and phones, in dark and light; checks that what is
// shown is what `isostep replay seek` says, that nothing scrolls at 1280 × 800 and that the console is clean. Keeps
// screenshots; one of them is the guide's.
//
// usage: node cli/tests/viewer.mjs ISOSTEP FOLDER [--pictures FOLDER]
//   ISOSTEP      the command
//   FOLDER       has node_modules with playwright-core; recordings and screenshots go there
//   --pictures   also writes the picture of docs/replays.md into this folder
// exit codes: 0 all is well, 1 something is not, 2 misuse

import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { FLAGS, NOT_OURS, SCREENS, TIMEOUT, expect, fits, isPhone, readable, still } from './page-checks.mjs';

const USAGE = 'usage: node cli/tests/viewer.mjs ISOSTEP FOLDER [--pictures FOLDER]';
const SIZE = { width: 1280, height: 800 };

class Bench {
  constructor(program, folder) {
    Object.assign(this, { program: resolve(program), folder, started: [] });
  }

  /** Runs a subcommand of `isostep replay`, with any exit code. */
  async replay(...args) {
    return promisify(execFile)(this.program, ['replay', ...args], { cwd: this.folder }).catch((error) => error);
  }

  async seek(file, tick) {
    return JSON.parse((await this.replay('seek', file, String(tick), '--json')).stdout);
  }

  /** Opens the viewer of a file on a free port. */
  async open(file, ...args) {
    const viewer = spawn(this.program, ['replay', 'play', file, '--web', '--port', '0', ...args], { cwd: this.folder, stdio: ['ignore', 'pipe', 'inherit'] });
    this.started.push(viewer);
    const address = await new Promise((done, failed) => {
      let said = '';
      viewer.once('error', (error) => failed(new Error(`the viewer does not start: ${error.message}`)));
      viewer.once('exit', (code) => failed(new Error(`the viewer ended with ${code}: ${said}`)));
      viewer.stdout.on('data', (data) => {
        said += data;
        const found = /http:\/\/\S+/.exec(said);
        if (found) done(found[0]);
      });
    });
    return { viewer, address };
  }

  close() {
    for (const viewer of this.started) viewer.kill();
  }
}

class Visit {
  constructor(page, folder) {
    Object.assign(this, { page, folder, console: [], asked: 0, most: 0 });
    page.setDefaultTimeout(TIMEOUT);
    page.on('console', (message) => { if (!NOT_OURS.test(message.text())) this.console.push(`${message.type()}: ${message.text()}`); });
    page.on('pageerror', (error) => this.console.push(`error: ${error.message}`));
    // Number of requests in flight.
    const frames = (request) => request.url().includes('/frames');
    page.on('request', (request) => { if (frames(request)) this.most = Math.max(this.most, ++this.asked); });
    for (const name of ['requestfinished', 'requestfailed']) page.on(name, (request) => { if (frames(request)) this.asked--; });
  }

  text(selector) {
    return this.page.locator(selector).first().textContent();
  }

  until(what, test, argument) {
    return this.page.waitForFunction(test, argument, { timeout: TIMEOUT, polling: 50 })
      .catch(() => { throw new Error(`in vain: ${what}`); });
  }

  /** Waits until a tick is shown completely. */
  async shows(tick, what) {
    await this.until(`${what}: tick ${tick}`, (wanted) => document.getElementById('tick').textContent === String(wanted)
      && document.getElementById('view').getAttribute('aria-busy') === 'false', tick);
  }

  async tick() {
    return Number(await this.text('#tick'));
  }

  /** Page position of a point of the timeline, from 0 to 1. */
  async place(part) {
    const box = await this.page.locator('#timeline').boundingBox();
    return [box.x + 74 + part * (box.width - 74 - 12), box.y + 30];
  }

  fits(what) {
    return fits(this.page, what, false);
  }

  async theme(name) {
    while (!(await this.text('#theme')).includes(name)) await this.page.locator('#theme').click();
    await this.page.evaluate(() => document.activeElement.blur());
    await this.page.mouse.move(2, 2);
    await this.repaints(3);
  }

  /** Pauses, unless playback has reached an end by itself: a click would start it again. */
  pause() {
    return this.page.evaluate(() => [...document.querySelectorAll('#play, #backwards')].find((it) => it.textContent.includes('Pause'))?.click());
  }

  /** Waits for this many repaints. */
  repaints(count) {
    return this.page.evaluate((count) => new Promise((done) => {
      const next = () => (count-- > 0 ? requestAnimationFrame(next) : done());
      next();
    }), count);
  }

  shot(name) {
    return this.page.screenshot({ path: join(this.folder, `viewer-${name}.png`) });
  }
}

/** The page shows the same tick as the command. */
async function agrees(visit, bench, file) {
  const tick = await visit.tick();
  await visit.shows(tick, 'to compare');
  const [digest, recorded] = [await visit.text('#digest'), await visit.text('#recorded')];
  const sought = await bench.seek(file, tick);
  expect(digest === sought.digest, `tick ${tick}: the page has ${digest}, the command ${sought.digest}`);
  const word = sought.recorded_digest === null ? '– none for this tick' : sought.same ? '✓ equal' : `✗ ${sought.recorded_digest}`;
  expect(recorded === word, `tick ${tick}: the page says ${recorded}, not ${word}`);
}

async function drag(visit, bench) {
  const { page } = visit;
  await visit.shows(0, 'at first');
  await visit.fits('at first');
  const [view] = [await page.locator('#view').boundingBox()];
  const picture = await page.screenshot({ clip: { x: view.x + 4, y: view.y + 4, width: view.width - 8, height: view.height - 8 } });
  expect(picture.length > 20_000, 'the match is not drawn');
  await page.mouse.move(...await visit.place(0));
  await page.mouse.down();
  visit.most = 0;
  for (let i = 1; i <= 120; i++) await page.mouse.move(...await visit.place(i / 160));
  await page.mouse.up();
  // Three quarters of twenty seconds.
  await visit.until('three quarters', () => Math.abs(Number(document.getElementById('tick').textContent) - 900) <= 2);
  await agrees(visit, bench, 'evening');
  expect(visit.most === 1, `${visit.most} questions were on their way at once`);
  await visit.until('the address', (tick) => location.hash === `#tick=${tick}`, await visit.tick());
  await page.mouse.click(...await visit.place(0.25));
  await visit.until('a quarter', () => Math.abs(Number(document.getElementById('tick').textContent) - 300) <= 1);
  await agrees(visit, bench, 'evening');
}

async function keyboard(visit, bench) {
  const { page } = visit;
  await page.locator('#timeline').focus();
  for (const [key, tick] of [
    ['Home', 0], ['ArrowRight', 1], ['ArrowRight', 2], ['PageUp', 62], ['ArrowLeft', 61], ['PageDown', 1], ['PageDown', 0], ['End', 1200], ['ArrowRight', 1200],
    ['PageDown', 1140], ['ArrowLeft', 1139], ['ArrowDown', 1138], ['ArrowUp', 1139],
  ]) {
    await page.keyboard.press(key);
    await visit.shows(tick, key);
  }
  await agrees(visit, bench, 'evening');
  expect(await page.locator('#timeline').getAttribute('aria-valuenow') === '1139', 'the slider says where it is');
  await page.locator('#goto').fill('640');
  await page.locator('#goto').press('Enter');
  await visit.shows(640, 'a number');
  await agrees(visit, bench, 'evening');
  await visit.until('as recorded', () => document.getElementById('recorded').textContent === '✓ equal');
  // Every control is reachable by keyboard and has a label.
  await page.locator('#link').focus();
  const reached = new Set();
  for (let i = 0; i < 24; i++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.name || document.activeElement.tagName));
  }
  for (const name of ['command', 'theme', 'LI', 'check', 'start', 'backwards', 'play', 'end', 'speed', 'goto', 'timeline']) {
    expect(reached.has(name), `the keyboard does not reach ${name}, but ${[...reached]}`);
  }
  const nameless = await page.evaluate(() => [...document.querySelectorAll('input, button, [tabindex]')]
    .filter((it) => !(it.labels?.length || it.getAttribute('aria-label') || it.textContent.trim())).map((it) => it.id));
  expect(nameless.length === 0, `without a name: ${nameless}`);
}

async function playing(visit, bench) {
  const { page } = visit;
  const passes = (from, way) => visit.until(`on from ${from}`, ([from, way]) => (Number(document.getElementById('tick').textContent) - from) * way > 20, [from, way]);
  await page.locator('#timeline').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  await passes(0, 1);
  await page.keyboard.press(' ');
  await visit.until('it stops', () => document.getElementById('play').textContent.includes('Play'));
  const stood = await visit.tick();
  await visit.repaints(12);
  expect(await visit.tick() === stood, 'it stands');
  await agrees(visit, bench, 'evening');
  // Backwards over keyframes, at increasing rates.
  await page.keyboard.press('End');
  for (const speed of ['1', '8', '0.25', '4']) {
    await page.locator(`#speeds input[value="${speed}"]`).check();
    const from = await visit.tick();
    await page.locator('#backwards').click();
    if (speed === '0.25') await visit.until('slowly', (from) => Number(document.getElementById('tick').textContent) < from, from);
    else await passes(from, -1);
    await visit.pause();
    await agrees(visit, bench, 'evening');
  }
  await visit.until('the address', () => location.hash.endsWith('&speed=4'));
  // To the end, where playback stops.
  await page.locator('#goto').fill('1100');
  await page.locator('#goto').press('Enter');
  await page.locator('#play').click();
  await visit.shows(1200, 'the end');
  await visit.until('it stops', () => document.getElementById('play').textContent.includes('Play'));
  await page.locator('#speeds input[value="1"]').check();
}

/** A tick's URL opens it in another page. */
async function sharing(visit, bench) {
  const { page } = visit;
  await page.evaluate(() => { location.hash = '#tick=777'; });
  await visit.shows(777, 'an address');
  await page.reload();
  await visit.shows(777, 'the address again');
  await agrees(visit, bench, 'evening');
  for (const [hash, tick] of [['#tick=99999', 1200], ['#tick=-4', 0], ['#tick=soon', 0], ['#tick=12.4&speed=3', 12]]) {
    await page.evaluate((hash) => { location.hash = hash; }, hash);
    await visit.shows(tick, hash);
  }
  // An address that is opened when the page is about to write its own is not lost.
  await page.evaluate(() => {
    setTimeout(() => { location.hash = '#tick=555'; }, 200);
    document.getElementById('step').click();
    const begin = performance.now();
    while (performance.now() < begin + 300);
  });
  await visit.shows(555, 'an address while another is written');
}

/** Switches of debug lines, by pointer, keys and address: lines of the shown tick appear and disappear. */
async function lines(visit) {
  const { page } = visit;
  const number = async (tick, what) => {
    await visit.shows(tick, what);
    await visit.repaints(2);
    return page.evaluate(() => Number(document.getElementById('canvas').dataset.lines));
  };
  const asked = [];
  const watch = (request) => { if (request.url().includes('/frames')) asked.push(request.url()); };
  page.on('request', watch);
  await page.evaluate(() => { location.hash = '#tick=300'; });
  expect(await number(300, 'without lines') === 0, 'there are lines before a switch is on');
  expect(asked.every((url) => !url.includes('lines')), `lines are requested: ${asked}`);
  // A switch asks for the tick again, so its lines appear some frames later.
  const becomes = async (what, test) => {
    const shown = () => number(300, what);
    let count = await shown();
    for (let i = 0; i < 100 && !test(count); i++) {
      await page.waitForTimeout(50);
      count = await shown();
    }
    expect(test(count), `${count} lines: ${what}`);
    return count;
  };
  await page.locator('#lines input[name=contacts]').check();
  const contacts = await becomes('contacts', (count) => count > 0);
  await page.keyboard.press('3');
  const both = await becomes('bounds as well', (count) => count > contacts);
  await visit.until('the address', () => location.hash.includes('lines=contacts,bounds'));
  await visit.shot('lines');
  // Space turns a focused switch off instead of playing.
  await page.locator('#lines input[name=contacts]').focus();
  await page.keyboard.press('Space');
  await becomes('bounds alone', (count) => count === both - contacts);
  expect(!(await page.locator('#lines input[name=contacts]').isChecked()), 'the switch of contacts is still on');
  // Playing on, and a tick that was there before: each has its own lines.
  await page.keyboard.press('ArrowRight');
  await visit.shows(301, 'the next tick');
  await visit.until('lines of the next tick', () => Number(document.getElementById('canvas').dataset.lines) > 0);
  await page.keyboard.press('0');
  await visit.until('no lines', () => document.getElementById('canvas').dataset.lines === '0');
  await page.evaluate(() => { location.hash = '#tick=302&lines=centres,nonsense'; });
  await visit.until('lines by address', () => Number(document.getElementById('canvas').dataset.lines) > 0);
  const centres = await number(302, 'by address');
  expect(centres > 0 && centres % 3 === 0, `${centres} lines of centres`);
  await page.keyboard.press('0');
  await visit.until('no lines again', () => document.getElementById('canvas').dataset.lines === '0');
  page.off('request', watch);
}

async function verifying(visit) {
  await visit.page.locator('#check').click();
  await visit.until('all are right', () => /^✓ 1,200 ticks are right, by \d+ digests$/.test(document.getElementById('badge').textContent));
}

async function pictures(visit, folder) {
  const { page } = visit;
  await page.evaluate(() => { location.hash = '#tick=704'; });
  await visit.shows(704, 'for a picture');
  for (const theme of ['light', 'dark']) {
    await visit.theme(theme);
    await visit.fits(theme);
    await visit.shot(theme);
  }
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'viewer.png');
  await page.screenshot({ path });
  console.log(`${path}: ${statSync(path).size} bytes`);
}

/** Every screen and theme: the match is on top, whole, and nothing lies beside the screen. */
async function screens(open, address, bench) {
  for (const [width, height] of SCREENS) for (const theme of ['light', 'dark']) {
    const what = `${width} px, ${theme}`;
    const phone = isPhone(width, height);
    const visit = await open({ viewport: { width, height }, colorScheme: theme, hasTouch: phone, isMobile: phone });
    const { page } = visit;
    await page.goto(`${address}#tick=704`);
    await visit.shows(704, what);
    await visit.repaints(2);
    await fits(page, what, width < 1000);
    await readable(page, what);
    const boxes = await page.evaluate(() => Object.fromEntries(['view', 'controls', 'inputs', 'timeline'].map((id) => [id, document.getElementById(id).getBoundingClientRect().toJSON()])));
    const before = phone && width > height ? boxes.view.right <= boxes.controls.left : boxes.view.bottom <= boxes.controls.top;
    expect(boxes.view.height >= 240 && before && boxes.timeline.bottom <= height, `${what}: the match is not first: ${JSON.stringify(boxes)}`);
    expect((boxes.inputs.top > boxes.controls.top) === (width < 1000), `${what}: the inputs are elsewhere`);
    // All players are in the picture, with their names.
    const names = await page.evaluate(() => [...document.querySelectorAll('.names span')].map((it) => [it.checkVisibility(), it.getBoundingClientRect().toJSON()]));
    expect(names.length === 4 && names.every(([shown, { left, right, top, bottom }]) => shown && left >= boxes.view.left && right <= boxes.view.right && top >= boxes.view.top && bottom <= boxes.view.bottom),
      `${what}: names lie outside: ${JSON.stringify(names)}`);
    await page.locator('#lines input[name=islands]').check();
    await page.locator('#lines input[name=contacts]').check();
    await visit.until(`${what}: lines`, () => Number(document.getElementById('canvas').dataset.lines) > 0);
    await page.screenshot({ path: join(bench.folder, `viewer-lines-${width}-${theme}.png`), fullPage: width < 1000 });
    await page.keyboard.press('0');
    await visit.until(`${what}: no lines`, () => Number(document.getElementById('canvas').dataset.lines) === 0);
    await page.locator('#play').click();
    await still(page, what);
    await visit.until(`${what}: it plays`, () => Number(document.getElementById('tick').textContent) > 704);
    await page.screenshot({ path: join(bench.folder, `viewer-screen-${width}-${theme}.png`), fullPage: width < 1000 });
    expect(visit.console.length === 0, `${what}: the console says\n${visit.console.join('\n')}`);
    await page.context().close();
  }
}

/** A faulty machine: its digest is red, and the difference is explained. */
async function fault(visit, bench, open) {
  const { page } = visit;
  await open('there');
  await visit.shows(0, 'another recording');
  await page.evaluate(() => { location.hash = '#tick=144'; });
  await visit.shows(144, 'the fault');
  await agrees(visit, bench, 'there');
  expect((await visit.text('#recorded')).startsWith('✗'), 'it is wrong');
  await page.locator('#check').click();
  await visit.until('the field', () => /players\[0\], kicks: 3 recorded, 2 computed/.test(document.getElementById('checked').textContent));
  await visit.until('the badge', () => document.getElementById('badge').textContent === '✗ differs from tick 144 on');
  await visit.fits('a fault');
  await visit.shot('fault');
}

/** A truncated file plays up to its end, with a notice. */
async function cut(visit, bench, open) {
  const bytes = readFileSync(join(bench.folder, 'evening'));
  writeFileSync(join(bench.folder, 'cut'), bytes.subarray(0, 9000));
  await open('cut', '--from', '200');
  await visit.shows(200, 'from where the command said');
  expect((await visit.text('#facts')).includes('not finished: '), 'it says that it was cut off');
  await visit.page.keyboard.press('End');
  await visit.until('the end', () => Number(document.getElementById('tick').textContent) > 200);
  await agrees(visit, bench, 'cut');
  await visit.shot('cut');
}

/** A recording without the blocks of some ticks and without its index, as after a write failure.
 *  REPLAY.md has the bytes. */
function holed(bytes) {
  const [KEYFRAME, END] = [1, 7];
  let at = 14 + bytes.readUInt32LE(10) + 8;
  const parts = [bytes.subarray(0, at)];
  while (bytes[at] !== END) {
    const [kind, length, tick] = [bytes[at], bytes.readUInt32LE(at + 1), bytes.readUInt32LE(at + 5)];
    const end = at + 11 + length + 8;
    if (tick < 300 || tick >= 600 || (kind === KEYFRAME && tick === 300)) parts.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(parts);
}

/** Playback jumps over gaps, both ways and at any speed. */
async function gap(visit, bench, open) {
  const { page } = visit;
  writeFileSync(join(bench.folder, 'holed'), holed(readFileSync(join(bench.folder, 'evening'))));
  await open('holed');
  await visit.shows(0, 'a recording with a gap');
  expect((await visit.text('#facts')).includes('▨ 299 ticks not recorded'), 'it says what is missing');
  const set = async (tick) => {
    await page.locator('#goto').fill(String(tick));
    await page.locator('#goto').press('Enter');
  };
  for (const [wanted, tick] of [[400, 300], [550, 600], [300, 300], [600, 600]]) {
    await set(wanted);
    await visit.shows(tick, `tick ${wanted}`);
    await agrees(visit, bench, 'holed');
  }
  await page.locator('#timeline').focus();
  for (const [key, tick] of [['ArrowLeft', 300], ['ArrowRight', 600], ['PageDown', 300], ['ArrowLeft', 299]]) {
    await page.keyboard.press(key);
    await visit.shows(tick, `${key} at the gap`);
  }
  for (const speed of ['1', '8']) {
    await page.locator(`#speeds input[value="${speed}"]`).check();
    await set(290);
    await page.locator('#play').click();
    await visit.until('over the gap', () => Number(document.getElementById('tick').textContent) > 600);
    await page.locator('#backwards').click();
    await visit.until('and back', () => Number(document.getElementById('tick').textContent) < 300);
    await visit.pause();
  }
  await agrees(visit, bench, 'holed');
  await page.locator('#check').click();
  await visit.until('all that is there is right', () => document.getElementById('badge').textContent.startsWith('✓ 900 ticks are right'));
  await page.mouse.move(...await visit.place(0.4));
  await visit.until('what is there', () => document.getElementById('tip').textContent.includes('not recorded: ticks 301 to 599'));
  await visit.fits('a gap');
  await visit.shot('gap');
}

/** Many players, many props. */
async function crowd(visit, bench, open) {
  await open('crowd');
  await visit.shows(0, 'a crowd');
  await visit.page.locator('#speeds input[value="2"]').check();
  await visit.page.locator('#play').click();
  await visit.shows(180, 'played');
  await agrees(visit, bench, 'crowd');
  await visit.fits('a crowd');
  await visit.shot('crowd');
}

/** The server stops and restarts on the same port. */
async function gone(visit, bench, { viewer, address }) {
  const { page } = visit;
  viewer.kill();
  await visit.page.keyboard.press('Home');
  await visit.until('it is gone', () => document.getElementById('badge').textContent.startsWith('connection lost'));
  await visit.shot('gone');
  const port = new URL(address).port;
  const again = spawn(bench.program, ['replay', 'play', 'crowd', '--web', '--port', port], { cwd: bench.folder, stdio: 'ignore' });
  bench.started.push(again);
  await visit.until('it is back', () => !document.getElementById('badge').textContent.startsWith('connection lost'));
  await visit.shows(0, 'back');
  await page.keyboard.press('ArrowRight');
  await visit.shows(1, 'and goes on');
}

/** Without WebGL2 the page shows a notice and keeps working. */
async function blind(browser, address, folder) {
  const page = await browser.newPage({ viewport: SIZE });
  await page.addInitScript(() => { HTMLCanvasElement.prototype.getContext = ((own) => function get(kind, ...rest) { return kind === 'webgl2' ? null : own.call(this, kind, ...rest); })(HTMLCanvasElement.prototype.getContext); });
  const visit = new Visit(page, folder);
  await page.goto(`${address}#tick=64`);
  await visit.shows(64, 'without WebGL');
  expect((await visit.text('.apology')).includes('still work'), 'it does not say that it can’t draw');
  await visit.until('the digest', () => document.getElementById('recorded').textContent === '✓ equal');
  expect(visit.console.length === 0, `the console says, without WebGL: ${visit.console}`);
  await page.close();
}

async function main([program, folder, ...options]) {
  if (!program || !folder || (options.length > 0 && (options[0] !== '--pictures' || options.length !== 2))) {
    console.error(USAGE);
    return 2;
  }
  const { chromium } = createRequire(join(resolve(folder), 'any.js'))('playwright-core');
  const bench = new Bench(program, resolve(folder));
  await bench.replay('record', 'evening', '--players', '4', '--seconds', '20');
  await bench.replay('record', 'here', '--seconds', '4', '--other', 'there', '--fault', '130');
  await bench.replay('record', 'crowd', '--players', '12', '--props', '60', '--seconds', '3');
  // The browser profile is a new folder, removed at the end.
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
  let visit;
  try {
    const context = await browser.newContext({ viewport: SIZE, colorScheme: 'dark' });
    visit = new Visit(await context.newPage(), bench.folder);
    const open = async (...args) => {
      const opened = await bench.open(...args);
      await visit.page.goto(opened.address);
      return opened;
    };
    const evening = await open('evening');
    const parts = [drag, keyboard, playing, sharing, lines, verifying];
    for (const part of parts) {
      await part(visit, bench);
      console.log(`${part.name}: fine`);
    }
    await pictures(visit, options[1]);
    await blind(browser, evening.address, bench.folder);
    await screens(async (options) => new Visit(await (await browser.newContext(options)).newPage(), bench.folder), evening.address, bench);
    console.log('screens: fine');
    for (const part of [fault, cut, gap]) {
      await part(visit, bench, open);
      console.log(`${part.name}: fine`);
    }
    let last;
    await crowd(visit, bench, async (...args) => { last = await open(...args); });
    console.log('crowd: fine');
    expect(visit.console.length === 0, `the console says:\n${visit.console.join('\n')}`);
    // The browser itself logs failed requests to its console.
    await gone(visit, bench, last);
    console.log('viewer: all is well');
    return 0;
  } catch (error) {
    await visit?.shot('failed').catch(() => {});
    console.error(`${error.stack}\n${visit?.console.join('\n') ?? ''}\n(a screenshot: ${join(folder, 'viewer-failed.png')})`);
    return 1;
  } finally {
    await browser.close();
    bench.close();
  }
}

process.exitCode = await main(process.argv.slice(2));
