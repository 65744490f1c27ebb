// What every page of the command must hold on every screen: nothing beside the screen, readable text, no moving layout.
// Used by lab.mjs and viewer.mjs.

/** Timeout for a busy machine, ms. */
export const TIMEOUT = 90_000;
/** Console warning of Chromium's software renderer, which is not the page's. */
export const NOT_OURS = /GPU stall due to ReadPixels/;
export const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run',
];
/** Screens of the tests: a desktop, a small window, a phone upright and on its side. */
export const SCREENS = [[1440, 900], [900, 900], [390, 844], [844, 390]];
/** Whether a screen is a phone's. */
export const isPhone = (width, height) => Math.min(width, height) < 500;
/** Least contrast of text (WCAG AA). */
const CONTRAST = 4.5;
/** Repaints during which the layout must stand still. */
const REPAINTS = 12;

export function expect(holds, what) {
  if (!holds) throw new Error(what);
}

/** The page fits the width, and the height as well if it must not scroll. */
export async function fits(page, what, scrolls) {
  const { width, height } = page.viewportSize();
  const [wide, high] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
  expect(wide <= width && (scrolls || high <= height), `${what}: the page is ${wide} × ${high} on a screen of ${width} × ${height}`);
  const outside = await page.evaluate(({ width, height, scrolls }) => {
    // What a scrolling part hides can be reached.
    const reachable = (it) => it.closest('#report, #inputs, aside') && scrollable(it);
    const scrollable = (it) => { for (let at = it; at; at = at.parentElement) if (at.scrollHeight > at.clientHeight && getComputedStyle(at).overflowY === 'auto') return true; return false; };
    return [...document.querySelectorAll('header > *, button, input, select, .view, .curves, #view, #timeline, #tabs, #map')]
      .filter((it) => !it.closest('.bar, dialog') && it.checkVisibility() && it.textContent !== '-')
      .map((it) => [it.id || it.className || it.textContent, it.getBoundingClientRect(), reachable(it)])
      .filter(([, box, reachable]) => box.left < -0.5 || box.right > width + 0.5 || (!scrolls && !reachable && box.bottom > height + 0.5))
      .map(([name, box]) => `${name} (${Math.round(box.left)} to ${Math.round(box.right)}, bottom ${Math.round(box.bottom)})`);
  }, { width, height, scrolls });
  expect(outside.length === 0, `${what}: ${outside} lie outside`);
  // No cut text in buttons and in the header.
  const cut = await page.evaluate(() => [...document.querySelectorAll('button, header h1, #badge, legend')]
    .filter((it) => it.checkVisibility() && it.scrollWidth > it.clientWidth + 1).map((it) => it.textContent));
  expect(cut.length === 0, `${what}: the text is cut of ${cut}`);
}

/** Text stands out from its background. */
export async function readable(page, what) {
  const poor = await page.evaluate((least) => {
    const parse = (color) => {
      const numbers = color.match(/[\d.]+/g).map(Number);
      const scale = color.startsWith('color(') ? 255 : 1;
      return [...numbers.slice(0, 3).map((part) => part * scale), numbers[3] ?? 1];
    };
    const light = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const color = parse(getComputedStyle(at).backgroundColor);
        if (color[3] > 0.5) return color;
      }
      return [255, 255, 255, 1];
    };
    const found = [];
    for (const element of document.querySelectorAll('body *')) {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      if (!own || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest('noscript, script, :disabled, .busy')) continue;
      const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < least) found.push(`${element.tagName} ${element.id || element.className} "${element.textContent.trim().slice(0, 24)}": ${ratio.toFixed(2)}`);
    }
    return found;
  }, CONTRAST);
  expect(poor.length === 0, `${what}: too little contrast of\n${poor.join('\n')}`);
}

/** The layout stands still while numbers change. */
export async function still(page, what) {
  const moved = await page.evaluate((repaints) => new Promise((done) => {
    const found = [];
    const seen = (list) => list.getEntries().forEach((entry) => { if (!entry.hadRecentInput) found.push(`${entry.value.toFixed(4)} by ${entry.sources.map(({ node }) => node?.id || node?.className || node?.parentElement?.className)}`); });
    const observer = new PerformanceObserver(seen);
    observer.observe({ type: 'layout-shift' });
    let left = repaints;
    const next = () => {
      if (left-- > 0) return requestAnimationFrame(next);
      seen({ getEntries: () => observer.takeRecords() });
      observer.disconnect();
      done(found);
    };
    requestAnimationFrame(next);
  }), REPAINTS);
  expect(moved.length === 0, `${what}: the layout moves: ${moved}`);
}
