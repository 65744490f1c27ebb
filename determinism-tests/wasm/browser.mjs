// Computes the matrix inside a browser: serves the page, drives Chromium through chromedriver, and prints what the page found.
//
// usage: node determinism-tests/wasm/browser.mjs MODULE.wasm [--long] [--screenshot FILE]
//        node determinism-tests/wasm/browser.mjs MODULE.wasm --serve [PORT]      for a browser of your own
// exit codes: 0 equal, 1 different, 2 misuse, a page that fails, or anything on its console

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const USAGE = 'usage: node determinism-tests/wasm/browser.mjs MODULE.wasm [--long] [--screenshot FILE] | --serve [PORT]';
const TYPES = { html: 'text/html; charset=utf-8', css: 'text/css', mjs: 'text/javascript', wasm: 'application/wasm' };
const PAGE = ['index.html', 'page.css', 'page.mjs', 'worker.mjs'];
/** Timeout for an emulated or busy machine. */
const TIMEOUT = { start: 60_000, run: 1_800_000 };

const sleep = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/** Serves the page and the module on the loopback interface. */
async function serve(module, port) {
  const files = new Map(PAGE.map((name) => [`/${name}`, readFileSync(new URL(`page/${name}`, import.meta.url))]));
  files.set('/', files.get('/index.html'));
  files.set('/module.mjs', readFileSync(new URL('module.mjs', import.meta.url)));
  files.set('/module.wasm', readFileSync(module));
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const type = TYPES[pathname === '/' ? 'html' : pathname.split('.').pop()];
    if (!files.has(pathname)) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(files.get(pathname));
  });
  await new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', done);
  });
  return { server, address: `http://127.0.0.1:${server.address().port}/` };
}

/** Starts chromedriver on a free port; returns a function that sends it commands. */
async function startDriver() {
  const driver = spawn('chromedriver', ['--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise((done, failed) => {
    let said = '';
    driver.once('error', (error) => failed(new Error(`chromedriver does not start: ${error.message}`)));
    driver.once('exit', (code) => failed(new Error(`chromedriver ended with ${code}: ${said}`)));
    driver.stdout.on('data', (data) => {
      said += data;
      const found = /started successfully on port (\d+)/.exec(said);
      if (found) done(found[1]);
    });
    setTimeout(() => failed(new Error('chromedriver does not answer')), TIMEOUT.start).unref();
  });
  const ask = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${path}: ${value.message}`);
    return value;
  };
  return { driver, ask };
}

async function openBrowser(ask, profile) {
  const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--no-first-run', '--window-size=1280,800', `--user-data-dir=${profile}`];
  const { sessionId } = await ask('POST', '/session', {
    capabilities: {
      alwaysMatch: {
        browserName: 'chrome',
        'goog:chromeOptions': { args, binary: process.env.CHROMIUM ?? '/usr/bin/chromium' },
        'goog:loggingPrefs': { browser: 'ALL' },
      },
    },
  });
  return `/session/${sessionId}`;
}

/** Waits for the page to finish; returns its state, text and cells. */
async function watch(ask, session, address) {
  await ask('POST', `${session}/url`, { url: address });
  const script = 'return [document.body.dataset.state, document.getElementById("state").textContent, window.cells ?? []]';
  const until = Date.now() + TIMEOUT.run;
  while (Date.now() < until) {
    const found = await ask('POST', `${session}/execute/sync`, { script, args: [] });
    if (['equal', 'different', 'failed'].includes(found[0])) return found;
    await sleep(250);
  }
  throw new Error('the page does not come to an end');
}

async function drive(module, long, screenshot) {
  const { server, address } = await serve(module, 0);
  const profile = mkdtempSync(join(tmpdir(), 'isostep-browser-'));
  const { driver, ask } = await startDriver();
  try {
    const session = await openBrowser(ask, profile);
    const [state, words, cells] = await watch(ask, session, long ? `${address}?long` : address);
    const log = await ask('POST', `${session}/se/log`, { type: 'browser' });
    if (screenshot) writeFileSync(screenshot, Buffer.from(await ask('GET', `${session}/screenshot`), 'base64'));
    await ask('DELETE', session);
    cells.forEach((line) => console.log(line));
    console.log(`browser: ${words}`);
    log.forEach(({ level, message }) => console.log(`console: ${level}: ${message}`));
    if (state === 'failed' || log.length > 0) return 2;
    console.log(state === 'equal' ? 'matrix: equal to the golden (browser)' : 'differs:\n  see the cells above');
    return state === 'equal' ? 0 : 1;
  } finally {
    driver.kill();
    server.close();
    await sleep(200);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function main([module, ...options]) {
  if (module === undefined) {
    console.error(USAGE);
    return 2;
  }
  if (options[0] === '--serve') {
    const { address } = await serve(module, Number(options[1] ?? 0));
    console.log(`open ${address} (or ${address}?long); stop with Ctrl-C`);
    return 0;
  }
  let [long, screenshot] = [false, undefined];
  while (options.length > 0) {
    const option = options.shift();
    if (option === '--long') long = true;
    else if (option === '--screenshot' && options.length > 0) screenshot = options.shift();
    else {
      console.error(USAGE);
      return 2;
    }
  }
  return drive(module, long, screenshot);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
