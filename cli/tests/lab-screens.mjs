// The lab on a desktop, in a small window and on phones, light and dark; and parts of its page that need no match:
// curves, outlines. lab.mjs runs them.

import { join } from 'node:path';
import { SCREENS, expect, fits, isPhone, readable, still } from './page-checks.mjs';

/** Least size of a machine's view, px: on a phone, on one on its side, elsewhere, and beside others on a phone. */
const PHONE_VIEW = [300, 240], SIDE_VIEW = [400, 240], VIEW = [300, 180], SHARED_VIEW = [150, 130];

async function views(page, what, [wide, high], count) {
  const boxes = await page.evaluate(() => [...document.querySelectorAll('.view')].filter((it) => it.checkVisibility()).map((it) => [it.clientWidth, it.clientHeight]));
  expect(boxes.length === count && boxes.every(([width, height]) => width >= wide && height >= high), `${what}: the views are ${boxes.join(' and ')}`);
}

/** Every screen and theme. `open` opens a page and returns its visit. */
export async function screens(open, address, folder) {
  for (const [width, height] of SCREENS) for (const theme of ['light', 'dark']) {
    const what = `${width} px, ${theme}`;
    const phone = isPhone(width, height);
    const visit = await open({ viewport: { width, height }, colorScheme: theme, hasTouch: phone, isMobile: phone });
    const { page } = visit;
    await page.goto(`${address}?seed=4&players=4&net=mobile`);
    await visit.agreed(16, what);
    const scrolls = width < 1000 && !phone;
    await fits(page, what, scrolls);
    await readable(page, what);
    await still(page, what);
    if (phone) await onPhone(visit, what, width > height ? SIDE_VIEW : PHONE_VIEW);
    else {
      await views(page, what, VIEW, 4);
      const below = await page.evaluate(() => document.querySelector('aside').getBoundingClientRect().top >= document.getElementById('stage').getBoundingClientRect().bottom);
      expect(below === scrolls, `${what}: the panel is ${below ? 'below' : 'beside'} the machines`);
    }
    await page.screenshot({ path: join(folder, `screen-${width}-${theme}.png`), fullPage: scrolls });
    expect(visit.console.length === 0, `${what}: the console says\n${visit.console.join('\n')}`);
    await page.context().close();
  }
}

/** Tabs, drawer, stick and buttons. */
async function onPhone(visit, what, least) {
  const { page } = visit;
  for (const [tab, key] of [[0, 'Home'], [1, 'ArrowRight'], [2, 'ArrowRight'], [3, 'ArrowRight']]) {
    await page.locator('#tabs [aria-selected=true]').press(key);
    const shown = await page.evaluate(() => [...document.querySelectorAll('.peer')].findIndex((it) => it.checkVisibility()));
    expect(shown === tab, `${what}: ${key} shows machine ${shown + 1}, not ${tab + 1}`);
    await views(page, what, least, 1);
  }
  expect(await visit.drawn(3) > 4000, `${what}: machine 4 is not drawn`);
  await page.locator('#tabs button').last().tap();
  await views(page, `${what}, all`, SHARED_VIEW, 4);
  await fits(page, `${what}, all`, false);
  await page.locator('#tabs button').first().tap();
  for (const section of ['network', 'match', 'fault', 'debug', 'report', 'more']) {
    const button = page.locator(`#bar [data-opens=${section}]`);
    await button.tap();
    expect(await page.locator(`#${section}`).isVisible() && await button.getAttribute('aria-expanded') === 'true', `${what}: the drawer does not open ${section}`);
    const open = await page.evaluate(() => [...document.querySelectorAll('aside > *, #more')].filter((it) => it.checkVisibility()).map((it) => it.id));
    expect(open.length === 1, `${what}: the drawer shows ${open}`);
    await views(page, `${what}, ${section}`, [300, 100], 1);
    await fits(page, `${what}, ${section}`, false);
    await readable(page, `${what}, ${section}`);
    if (section === 'network') await page.screenshot({ path: join(visit.folder, `drawer-${what.replace(/\W+/g, '-')}.png`) });
    if (section === 'debug') await lines(visit, what);
    await page.keyboard.press('Escape');
    expect(!(await page.locator(`#${section}`).isVisible()), `${what}: ${section} does not close`);
  }
  const keys = (part) => page.waitForRequest((request) => request.postData()?.includes(part) ?? false);
  const jumps = keys('"jump":true');
  await page.locator('.touch [data-does=jump]').tap();
  await jumps;
  const box = await page.locator('.stick').boundingBox();
  const walks = keys('"x":127,"y":0');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 20, box.y + box.height / 2);
  await walks;
  const rests = keys('"x":0,"y":0');
  await page.mouse.up();
  await rests;
}

/** Switches of debug lines, by touch; they are off again afterwards. */
async function lines(visit, what) {
  const { page } = visit;
  const count = (some) => visit.until(`${what}: ${some ? 'lines' : 'no lines'}`, (some) => (Number(document.getElementById('canvas').dataset.lines) > 0) === some, some);
  const chips = ['contacts', 'islands', 'centres'].map((name) => page.locator(`#lines input[name=${name}]`));
  for (const chip of chips) await chip.tap();
  await count(true);
  await page.screenshot({ path: join(visit.folder, `lines-${what.replace(/\W+/g, '-')}.png`) });
  for (const chip of chips) await chip.tap();
  await count(false);
}

/** A frame with no tick and one with two are an even rate: curves have no spikes. */
export async function curves({ page }) {
  const spans = await page.evaluate(async () => {
    const { CURVES } = await import('./curves.js');
    const history = Array.from({ length: 360 }, (_, number) => ({
      number,
      peers: [{ present: number + (number % 9 === 4 ? 1 : 0), depth: 0, redone: 0, delay: 1, rate: 60, millis: number % 50 === 7 ? 9 : 0.2, bytes: number % 9 === 4 ? 200 : number % 9 === 5 ? 0 : 100, stalls: 0 }],
    }));
    return ['speed', 'compute', 'sent*'].map((name) => {
      const values = CURVES.find((curve) => curve[0] === name)[2](history, 0);
      const [least, most] = [Math.min(...values), Math.max(...values)];
      return [name, least, most];
    });
  });
  for (const [name, least, most] of spans) expect(least > 0 && most / least < 1.3, `the curve of ${name} goes from ${least} to ${most}`);
  // A machine that plays 16 of 60 ticks.
  const speed = await page.evaluate(async () => {
    const { CURVES } = await import('./curves.js');
    const history = Array.from({ length: 360 }, (_, number) => ({ number, peers: [{ present: Math.floor((number * 16) / 60) }] }));
    const [, , values, , , figure] = CURVES.find((curve) => curve[0] === 'speed');
    return figure(values(history, 0));
  });
  expect(speed === '16 ticks/s', `16 ticks a second are shown as ${speed}`);
}

/** A player behind a crate is visible, and a high stack is not cropped. */
export async function scene({ page }) {
  const found = await page.evaluate(async () => {
    const [{ Painter }, { Camera, project }] = [await import('./draw.js'), await import('./camera.js')];
    const canvas = Object.assign(document.createElement('canvas'), { width: 300, height: 300 });
    canvas.style.cssText = 'position:fixed;left:0;top:0;width:300px;height:300px;z-index:9';
    document.body.append(canvas);
    const painter = new Painter(canvas);
    const things = [
      { kind: 'player', side: 0, shape: 'round', size: [0.4, 0.4, 0.4], moves: true, at: [0, 0, 0] },
      { kind: 'crate', shape: 'box', size: [1.5, 1.5, 1.5], moves: true, at: [0, 0, 0] },
      { kind: 'platform', shape: 'box', size: [5, 0.75, 5], moves: false, at: [0, -0.75, 0] },
    ];
    const scene = { half: [5, 5], sides: 1, things };
    painter.setScene(scene);
    // The crate is between the camera, which is in the south, and the player.
    const bodies = new Float32Array([0, 0.8, -1.2, 0, 0, 0, 1, 0, 0, 1.5, 1, 0, 0, 0, 1, 0]);
    const gl = canvas.getContext('webgl2');
    const picture = (y) => {
      bodies[1] = y;
      painter.draw([canvas], [{ bodies, ghosts: [], islands: null }], true, true);
      const pixels = new Uint8Array(4 * canvas.width * canvas.height);
      gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      return pixels;
    };
    const heads = picture(0.8), without = picture(-40);
    let different = 0;
    for (let at = 0; at < heads.length; at += 4) if (Math.abs(heads[at + 2] - without[at + 2]) > 24) different++;
    canvas.remove();
    // A tower of 14 m, in views of many shapes.
    const tower = new Float32Array(16 * 8).map((_, at) => (at % 8 === 1 ? 0.5 + (at >> 3) * 0.9 : at % 8 === 0 ? 3.5 : at % 8 === 2 ? -3.5 : at % 8 === 6 ? 1 : 0));
    const crates = Array.from({ length: 16 }, () => ({ ...things[1], size: [0.5, 0.5, 0.5] }));
    const cropped = [0.4, 0.7, 1, 1.5, 2.5].filter((aspect) => {
      const matrix = new Camera().follow({ half: [5, 5], things: crates }, tower, aspect, { still: true });
      return crates.some((_, i) => [-0.5, 0.5].some((x) => [-0.5, 0.5].some((y) => {
        const place = project(matrix, tower[i * 8] + x, tower[i * 8 + 1] + y, tower[i * 8 + 2]);
        return !place || place.some((part) => part < 0 || part > 1);
      })));
    });
    return { different, cropped };
  });
  expect(found.different > 60, `a player behind a crate changes ${found.different} pixels`);
  expect(found.cropped.length === 0, `a stack is cropped at the aspect ratios ${found.cropped}`);
}

/** A debug line is drawn where it is, in its colour; it is darker on a light page, and faint behind a body. */
export async function debugLines({ page }) {
  const found = await page.evaluate(async () => {
    const [{ Painter }, { Camera, project }, { pack }] = [await import('./draw.js'), await import('./camera.js'), await import('./lines.js')];
    const canvas = Object.assign(document.createElement('canvas'), { width: 300, height: 300 });
    canvas.style.cssText = 'position:fixed;left:0;top:0;width:300px;height:300px;z-index:9';
    document.body.append(canvas);
    const painter = new Painter(canvas);
    const things = [{ kind: 'crate', shape: 'box', size: [1, 1, 1], moves: true, at: [0, 0, 0] }];
    const scene = { half: [5, 5], sides: 1, things };
    painter.setScene(scene);
    const bodies = new Float32Array([0, 1, 0, 0, 0, 0, 1, 0]);
    const matrix = new Camera().follow(scene, bodies, 1, { still: true });
    const gl = canvas.getContext('webgl2');
    // Pixel at a point, with a line along x through it.
    const pixel = ([x, y, z], dark, color) => {
      const lines = color === undefined ? null : pack([x - 0.4, y, z, x + 0.4, y, z].map((c) => c * 1000).concat(color));
      painter.draw([canvas], [{ bodies, ghosts: [], islands: null, lines }], dark, true);
      const [across, down] = project(matrix, x, y, z), out = new Uint8Array(4);
      gl.readPixels(Math.floor(across * canvas.width), Math.floor((1 - down) * canvas.height), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
      return [out[0], out[1], out[2], Number(canvas.dataset.lines)];
    };
    const above = [0, 2.5, 0], behind = [0, 0.5, -1.5], red = 0xff0000ff;
    const pixels = { plain: pixel(above, true), line: pixel(above, true, red), light: pixel(above, false, red), hidden: pixel(behind, true, red), again: pixel(above, true) };
    canvas.remove();
    return pixels;
  });
  const { plain, line, light, hidden, again } = found, text = JSON.stringify(found);
  const isRed = ([r, g, b, count]) => r > 150 && g < 60 && b < 60 && count === 1;
  expect(isRed(line) && isRed(light) && light[0] < line[0], `a red line is ${text}`);
  expect(!isRed(hidden) && hidden[3] === 1, `a hidden line is ${text}`);
  expect(plain[3] === 0 && String(again) === String(plain), `without lines: ${text}`);
}
