// The lab in a real browser: opens the page, moves sliders, flips switches, disconnects a machine, injects a desync, looks
// at a rollback, plays with the keyboard, saves a replay, on desktops and phones, in dark and light; checks that the machines
// agree again, that nothing scrolls at 1280 × 800 and that the console is clean. Keeps screenshots; two of them are the README's.
//
// usage: node cli/tests/lab.mjs ISOSTEP FOLDER [--pictures FOLDER]
//   ISOSTEP      the command
//   FOLDER       has node_modules with playwright-core; screenshots go there
//   --pictures   also writes the pictures of the README into this folder
// exit codes: 0 all is well, 1 something is not, 2 misuse

import { execFile, spawn } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { curves, debugLines, scene, screens } from './lab-screens.mjs';
import { FLAGS, NOT_OURS, TIMEOUT, expect, fits } from './page-checks.mjs';

const USAGE = 'usage: node cli/tests/lab.mjs ISOSTEP FOLDER [--pictures FOLDER]';
const SIZE = { width: 1280, height: 800 };

/** Starts the lab on a free port. */
async function startLab(program) {
  const lab = spawn(program, ['lab', '--port', '0', '--seed', '4'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((done, failed) => {
    let said = '';
    lab.once('error', (error) => failed(new Error(`the lab does not start: ${error.message}`)));
    lab.once('exit', (code) => failed(new Error(`the lab ended with ${code}: ${said}`)));
    lab.stdout.on('data', (data) => {
      said += data;
      const found = /http:\/\/[\d.:]+\//.exec(said);
      if (found) done(found[0]);
    });
  });
  return { lab, address };
}

class Visit {
  constructor(page, folder) {
    Object.assign(this, { page, folder, console: [] });
    page.setDefaultTimeout(TIMEOUT);
    page.on('console', (message) => { if (!NOT_OURS.test(message.text())) this.console.push(`${message.type()}: ${message.text()}`); });
    page.on('pageerror', (error) => this.console.push(`error: ${error.message}`));
    page.on('requestfailed', (request) => {
      // Leaving the page aborts the stream.
      if (!request.url().endsWith('/stream')) this.console.push(`failed: ${request.url()}`);
    });
  }

  text(selector) {
    return this.page.locator(selector).first().textContent();
  }

  until(what, test, argument) {
    return this.page.waitForFunction(test, argument, { timeout: TIMEOUT, polling: 100 })
      .catch(() => { throw new Error(`in vain: ${what}`); });
  }

  /** Waits until all machines agree on this tick or a later one. */
  async agreed(tick, what) {
    const test = (least) => Number(/^✓ (?:both|all \d) agree on tick (\d+): [0-9a-f]{16}$/.exec(document.getElementById('badge').textContent)?.[1]) >= least;
    await this.until(`${what}: they agree on tick ${tick}`, test, tick);
  }

  async tick() {
    return Number(/tick\s+(\d+)/.exec(await this.text('.ticks'))[1]);
  }

  async slide(id, value) {
    await this.page.locator(`#${id}`).fill(String(value));
  }

  async address(part) {
    await this.until(`the address has ${part}`, (wanted) => decodeURIComponent(location.search).includes(wanted), part);
  }

  reported(what) {
    return this.until(`the report says ${what}`, (wanted) => new RegExp(wanted).test(document.getElementById('report').textContent), what);
  }

  fits(what) {
    return fits(this.page, what, false);
  }

  /** Bytes of a machine's view as a picture: an empty one has few. */
  async drawn(machine) {
    const box = await this.page.locator('.view').nth(machine).boundingBox();
    const bytes = await this.page.screenshot({ clip: { x: box.x + 4, y: box.y + 4, width: box.width - 8, height: box.height - 8 } });
    return bytes.length;
  }

  shot(name) {
    return this.page.screenshot({ path: join(this.folder, `${name}.png`) });
  }
}

/** Sliders and switches, and their values in the URL and the command. */
async function settings(visit) {
  const { page } = visit;
  await visit.agreed(64, 'at first');
  expect((await visit.text('#badge')).startsWith('✓ both agree'), 'two machines: both agree');
  expect(/^score■ −?\d+● −?\d+$/.test(await visit.text('.score')), `the score is ${await visit.text('.score')}`);
  expect(/simulated datagrams.*not.*wire protocol/.test(await visit.text('.note')), 'the page says that its bytes are not those of the wire');
  for (const view of [0, 1]) await page.locator('.view').nth(view).locator('.names span:visible').first().waitFor();
  await visit.until('packets in flight', () => Number(document.getElementById('map').dataset.flying) >= 4);
  await visit.fits('two machines');
  expect(await visit.drawn(0) > 8000 && await visit.drawn(1) > 8000, 'the machines are not drawn');
  await visit.slide('latency', 120);
  await visit.slide('jitter', 40);
  await visit.slide('loss', 5);
  await visit.slide('bursts', 3);
  await visit.address('net=120,40,5,3');
  await visit.until('a lost packet', () => Number(document.getElementById('map').dataset.lost) > 0);
  await page.locator('#way').selectOption('1-2');
  await visit.slide('latency', 20);
  await visit.address('link=1-2:20,40,5,3');
  await page.locator('#profile').selectOption('wifi');
  await visit.address('link=1-2:wifi');
  await visit.until('a mark of the direction', () => document.querySelector('#way option[value="1-2"]').textContent === '1→2 •');
  await page.locator('#clock').selectOption('2');
  await visit.slide('drift', 5000);
  await visit.address('drift=2:5000');
  await page.locator('#dilation').uncheck();
  await visit.address('dilation=off');
  await page.locator('#incremental').uncheck();
  await visit.address('resim=full');
  await visit.slide('delay', 4);
  await visit.address('delay=4');
  await page.locator('#dilation').check();
  await page.locator('#incremental').check();
  await visit.until('rollbacks are drawn', () => [...document.querySelectorAll('.curves b')].some((it) => /[1-9]\d* ticks?/.test(it.textContent)));
  await visit.agreed(await visit.tick(), 'after the sliders');
  const command = await page.evaluate(async () => {
    document.getElementById('command').click();
    await new Promise((done) => { setTimeout(done, 200); });
    return document.querySelector('#report p').textContent;
  });
  expect(/isostep demo --seed 4 --players 2 .*--link 1-2:wifi --drift 2:5000/.test(command), `the command is: ${command}`);
}

async function trouble(visit) {
  const { page } = visit;
  const second = page.locator('.peer').nth(1);
  // A busy machine may draw rarely, so the page itself notes what it showed.
  await page.evaluate(() => {
    window.looks = [];
    const [first, second] = document.querySelectorAll('.peer');
    const filter = (peer) => getComputedStyle(peer.querySelector('.view')).backdropFilter;
    const visible = (selector) => second.querySelector(selector).checkVisibility();
    new MutationObserver(() => looks.push({ first: filter(first), second: filter(second), severed: visible('.severed'), waits: visible('.waits') })).observe(second, { attributeFilter: ['class'] });
  });
  await page.locator('#cut').click();
  await visit.until('a grey machine without a network', () => looks.some((it) => it.second.includes('grayscale(1)') && it.first === 'none' && it.severed));
  expect((await second.locator('.severed').textContent()).includes('no network'), 'it says that there is no network');
  await visit.shot('cut');
  await visit.until('it waits', () => looks.some((it) => it.waits));
  await visit.reported('Tick \\d+: machine 2 is connected again');
  await visit.until('colours again', () => looks.at(-1).second === 'none' && !looks.at(-1).severed);
  // The log and the URL count the same ticks.
  const [, tick] = /Tick (\d+): machine 2 is disconnected for 2 s/.exec(await visit.text('#report'));
  await visit.address(`cut=2@${tick}`);
  await visit.agreed(await visit.tick() + 32, 'after the cut');
  // A single bit flip is repaired; a permanent fault is not, and is explained.
  await page.locator('#flip').click();
  await visit.reported('Desync on tick \\d+.*entityworld body .*\\((a crate|player \\d)\\).*field.*right.*was.*machine 2 found its own state wrong');
  await visit.shot('desync');
  await visit.agreed(await visit.tick() + 32, 'after bad memory');
  await page.locator('#target').selectOption('score always');
  await page.locator('#flip').click();
  // Points beyond the goal also end the round, and then the board comes first in the report.
  await visit.reported('Desync on tick \\d+.*(entityplayers\\[0\\]fieldpoints|entityboard)');
  // The cameras move to the player whose points differ, who flashes.
  await visit.until('the body that differs is in the middle', () => /entity\s*board/.test(document.getElementById('report').textContent) || document.getElementById('canvas').dataset.focus === '0'
    && [...document.querySelectorAll('.view')].every((view) => {
      const [box, name] = [view.getBoundingClientRect(), view.querySelector('.names span').getBoundingClientRect()];
      const [x, y] = [(name.left + name.right) / 2 - (box.left + box.right) / 2, (name.top + name.bottom) / 2 - (box.top + box.bottom) / 2];
      return Math.abs(x) < box.width * 0.1 && Math.abs(y) < box.height * 0.35;
    }));
  await visit.shot('desync-body');
  await visit.until('the cameras go back', () => document.getElementById('canvas').dataset.focus === '');
  if (!/entity\s*board/.test(await visit.text('#report'))) {
    await page.locator('#report button', { hasText: 'Show body' }).first().click();
    await visit.until('the body again', () => document.getElementById('canvas').dataset.focus === '0');
  }
  await visit.until('the badge says that they differ', () => document.getElementById('badge').textContent.startsWith('✗ desync'));
  await page.locator('#restart').click();
  await visit.agreed(16, 'after a restart');
  expect(!page.url().includes('flip'), 'a restart forgets what went wrong');
}

/** A rollback, selected with the pointer and by keys. */
async function rollback(visit) {
  const { page } = visit;
  await page.locator('#way').selectOption('');
  await page.locator('#profile').selectOption('mobile');
  await visit.until('a rollback', () => /[1-9]/.test(document.querySelector('.curves b').textContent));
  await page.locator('.pick').first().click();
  await visit.until('what was computed again', () => /Rolled back \d+ ticks?, to tick \d+: resimulated (\d+ bod|nothing)/.test(document.querySelector('.chosen').textContent));
  await page.locator('.pick').first().press('ArrowLeft');
  await visit.shot('rollback');
  await page.locator('.pick').first().press('Escape');
  expect(await page.locator('.chosen').first().isHidden(), 'escape goes on');
  await page.locator('.pick').first().click();
  await page.locator('.resume').first().click();
  expect(await page.locator('.chosen').first().isHidden(), 'the button goes on');
}

async function keyboard(visit) {
  const { page } = visit;
  // Every control is reachable by keyboard and has a label.
  await page.locator('#link').focus();
  const reached = new Set();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.name || document.activeElement.className));
  }
  for (const name of ['command', 'save', 'theme', 'stage', 'pick', 'way', 'profile', 'latency', 'bursts', 'drift', 'players', 'mode', 'adaptive', 'crates', 'restart', 'cut', 'flip']) {
    expect(reached.has(name), `the keyboard does not reach ${name}, but ${[...reached]}`);
  }
  const nameless = await page.evaluate(() => [...document.querySelectorAll('input, select, button, [tabindex]')]
    .filter((it) => !(it.labels?.length || it.getAttribute('aria-label') || it.textContent.trim())).map((it) => it.id));
  expect(nameless.length === 0, `without a name: ${nameless}`);
  await page.locator('#stage').focus();
  const digest = await visit.text('.digest');
  await page.keyboard.down('ArrowRight');
  await visit.until('another digest', (before) => document.querySelector('.digest').textContent !== before, digest);
  // A slow machine sends it later, and it is none of the posts below.
  const released = page.waitForRequest((request) => request.postData()?.includes('"x":0,"y":0'));
  await page.keyboard.up('ArrowRight');
  await released;
  // The keys of Tumble; E is none of them.
  const posts = [];
  const watch = (request) => { if (request.postData()?.includes('"do":"keys"')) posts.push(JSON.parse(request.postData())); };
  page.on('request', watch);
  await page.keyboard.press('e');
  for (const key of ['f', 'j', 'Enter', ' ']) {
    const [does, count] = [key === ' ' ? 'jump' : 'shove', posts.length];
    await page.keyboard.down(key);
    await page.keyboard.up(key);
    while (posts.length < count + 2) await page.waitForEvent('request');
    expect(posts[count][does] && !posts[count + 1][does], `the key ${key} sends ${JSON.stringify(posts)}`);
  }
  page.off('request', watch);
  expect(posts.length === 8, `other keys send as well: ${JSON.stringify(posts)}`);
  // A gamepad with its stick to the right.
  const sent = page.waitForRequest((request) => request.postData()?.includes('"x":127,"y":0'));
  await page.evaluate(() => { navigator.getGamepads = () => [{ connected: true, axes: [1, 0], buttons: [] }]; });
  await sent;
  await page.evaluate(() => { navigator.getGamepads = () => []; });
}

/** Switches of debug lines, by pointer and keys: lines appear and disappear, and the server sends none while all are off. */
async function lines(visit) {
  const { page } = visit;
  const count = (what, test) => visit.until(`${what}: ${test}`, (test) => {
    const lines = Number(document.getElementById('canvas').dataset.lines);
    return test === 'some' ? lines > 0 : test === 'none' ? lines === 0 : lines > test;
  }, test);
  const number = () => page.evaluate(() => Number(document.getElementById('canvas').dataset.lines));
  const on = (names) => visit.until(`on: ${names}`, (names) => [...document.querySelectorAll('#lines input:checked')].map((it) => it.name).join() === names, names);
  await count('at first', 'none');
  for (const name of ['shapes', 'contacts', 'bounds', 'islands', 'sleep', 'centres', 'sensors']) await page.locator(`#lines input[name=${name}]`).check();
  await on('shapes,contacts,bounds,islands,sleep,centres,sensors');
  // Two machines, at least ten bodies, their edges and bounds.
  await count('all switches', 2 * 10 * 24);
  await visit.fits('debug lines');
  await visit.shot('lines');
  await page.locator('#stage').focus();
  await page.keyboard.press('0');
  await on('');
  await count('key 0', 'none');
  await page.keyboard.press('6');
  await on('centres');
  await count('key 6', 'some');
  const centres = await number();
  await page.keyboard.press('3');
  await on('bounds,centres');
  await count('key 3', centres);
  // Other pages show the same switches, and a restarted match keeps them.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForFunction(() => [...document.querySelectorAll('#lines input:checked')].length === 2);
  await other.locator('#lines input[name=bounds]').uncheck();
  await on('centres');
  await other.close();
  await page.locator('#restart').click();
  await count('restarted', 'some');
  await page.locator('#stage').focus();
  await page.keyboard.press('6');
  await on('');
  await count('key 6 again', 'none');
}

async function replay(visit, program) {
  const download = visit.page.waitForEvent('download');
  await visit.page.locator('#save').click();
  const file = join(visit.folder, 'saved.isoreplay');
  await (await download).saveAs(file);
  const { stdout } = await promisify(execFile)(program, ['replay', 'verify', file]);
  expect(/ticks are correct/.test(stdout), stdout);
  console.log(`replay: ${stdout.trim().split('\n')[0]}`);
}

/** Lockstep, and adaptive delay. The page asks before a match restarts. */
async function modes(visit) {
  const { page } = visit;
  const asks = page.locator('#confirm');
  await page.locator('#mode label', { hasText: 'lockstep' }).click();
  await asks.waitFor();
  await visit.shot('confirm');
  const before = await visit.tick();
  await asks.locator('button', { hasText: 'Keep' }).click();
  await visit.until('the match goes on', (before) => Number(/tick\s+(\d+)/.exec(document.querySelector('.ticks').textContent)[1]) > before, before);
  expect(await page.locator('#mode input[value=rollback]').isChecked() && page.url().includes('mode=rollback'), 'the mode is kept');
  await page.locator('#mode label', { hasText: 'lockstep' }).click();
  await asks.locator('button', { hasText: 'Restart' }).click();
  await visit.address('mode=lockstep');
  await page.locator('#profile').selectOption('severe');
  // The speed is that of the ticks played, the clock goes on.
  // A function, not text: the page's content policy forbids evaluation.
  await visit.until('lockstep is slow', () => {
    const figure = (name) => parseFloat([...document.querySelectorAll('.curves li')].find((it) => it.querySelector('span').textContent === name).querySelector('b').textContent);
    return figure('speed') > 0 && figure('speed') < 40 && Math.abs(figure('clock') - 60) < 10;
  });
  await page.locator('#adaptive').check();
  await asks.locator('#confirm-never').check();
  await asks.locator('button', { hasText: 'Restart' }).click();
  await visit.address('adaptive=on');
  await page.locator('#profile').selectOption('mobile');
  await visit.agreed(32, 'in lockstep');
  for (const players of [3, 4]) {
    await page.locator('#players label', { hasText: String(players) }).click();
    await visit.until(`${players} machines`, (count) => document.querySelectorAll('.peer').length === count, players);
    await visit.agreed(16, `${players} machines`);
    await visit.fits(`${players} machines`);
  }
}

/** A URL opens a match: four machines with a bit flip; dark and light. */
async function pictures(visit, address, folder) {
  const { page } = visit;
  await page.goto(`${address}?seed=4&players=4&mode=rollback&net=mobile&flip=2@400:velocity`);
  await visit.reported('Desync on tick');
  await visit.agreed(464, 'after the desync');
  await visit.until('the cameras go back', () => document.getElementById('canvas').dataset.focus === '');
  for (const theme of ['light', 'dark']) {
    while (!(await visit.text('#theme')).includes(theme)) await page.locator('#theme').click();
    await page.evaluate(() => document.activeElement.blur());
    await page.mouse.move(0, 0);
    await visit.until('the theme', (theme) => document.documentElement.dataset.theme === theme, theme);
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
    await visit.fits(theme);
    await visit.shot(theme);
    if (folder) await picture(page, folder, theme);
  }
  const [server, own] = await page.evaluate(() => [document.getElementById('cost').dataset.server, document.getElementById('cost').dataset.page]);
  console.log(`p99 of a frame while all this went on: server ${Number(server).toFixed(1)} ms, page ${Number(own).toFixed(1)} ms`);
}

async function picture(page, folder, theme) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, theme === 'dark' ? 'lab.png' : 'lab-light.png');
  // Frame times depend on this machine and its software renderer, so they are hidden in pictures.
  const show = (how) => page.evaluate((how) => { document.getElementById('cost').style.visibility = how; }, how);
  await show('hidden');
  await page.screenshot({ path });
  await show('');
  console.log(`${path}: ${statSync(path).size} bytes`);
}

/** Without WebGL2 the page shows a notice and keeps working. */
async function blind(browser, address, folder) {
  const page = await browser.newPage({ viewport: SIZE });
  await page.addInitScript(() => { HTMLCanvasElement.prototype.getContext = ((own) => function get(kind, ...rest) { return kind === 'webgl2' ? null : own.call(this, kind, ...rest); })(HTMLCanvasElement.prototype.getContext); });
  const visit = new Visit(page, folder);
  await page.goto(address);
  await visit.agreed(32, 'without WebGL');
  expect((await visit.text('.apology')).includes('The match and its measurements continue'), 'it does not say that it can’t draw');
  expect(visit.console.length === 0, `the console says, without WebGL: ${visit.console}`);
  await page.close();
}

async function main([program, folder, ...options]) {
  if (!program || !folder || (options.length > 0 && (options[0] !== '--pictures' || options.length !== 2))) {
    console.error(USAGE);
    return 2;
  }
  const { chromium } = createRequire(join(resolve(folder), 'any.js'))('playwright-core');
  const { lab, address } = await startLab(program);
  // The browser profile is a new folder, removed at the end.
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
  let visit;
  try {
    const context = await browser.newContext({ viewport: SIZE, colorScheme: 'dark', acceptDownloads: true });
    visit = new Visit(await context.newPage(), folder);
    await visit.page.goto(address);
    for (const part of [curves, scene, debugLines, settings, trouble, rollback, keyboard, lines, modes]) {
      await part(visit);
      console.log(`${part.name}: fine`);
    }
    await replay(visit, program);
    await pictures(visit, address, options[1]);
    await screens(async (options) => new Visit(await (await browser.newContext(options)).newPage(), folder), address, folder);
    console.log('screens: fine');
    expect(visit.console.length === 0, `the console says:\n${visit.console.join('\n')}`);
    // The URL opens the same match in another page.
    const said = visit.page.url();
    await visit.page.close();
    await blind(browser, said, folder);
    console.log('lab: all is well');
    return 0;
  } catch (error) {
    await visit?.shot('failed').catch(() => {});
    console.error(`${error.stack}\n${visit?.console.join('\n') ?? ''}\n(a screenshot: ${join(folder, 'failed.png')})`);
    return 1;
  } finally {
    await browser.close();
    lab.kill();
  }
}

process.exitCode = await main(process.argv.slice(2));
