import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, expect, type Page } from '@playwright/test';
import { standIn, SITE_ORIGIN } from './looks/stand-in.ts';
import { BFF_ORIGIN, NOW, SPECIMENS } from './looks/specimens.ts';
import { openChat } from './stack/chat.ts';
import { startStack } from '@pulse-card/testkit/stack';
import { framePageUrl } from '@pulse-card/widget/snippet';
import { ROOT } from '@pulse-card/testkit/root';
import { BROWSER_VARIABLE, provideBrowser } from '@pulse-card/testkit/system/programs';

const FOUR = ['src_us_employment', 'src_seattle_rain', 'src_life_expectancy', 'src_barley_yields'];

/**
 * The screenshots in the README and the guides, keyed by their names in docs/images. Each entry lists the attributes of
 * its cards, which the screenshot shows in two columns.
 */
const PICTURES: Readonly<Record<string, readonly string[]>> = {
  cards: FOUR.map((id) => `source-id="${id}"`),
  variants: ['card', 'chart', 'compact', 'text'].map((name) => `source-id="src_us_employment" variant="${name}"`),
  brands: ['source-id="src_us_employment" class="brand"', 'source-id="src_us_employment" class="own"'],
  parts: ['source-id="src_us_employment"', 'source-id="src_us_employment" class="own"'],
};

/** Six states of a card, side by side. */
const STATES = ['Ready', 'Earlier version', 'No pulse yet', 'Loading', 'Error, worth another try', 'BROKEN'];

/** The parts of the first card that get an outline. */
const PARTS = ['name', 'note', 'time', 'heading', 'chart', 'toggle'];

const PAGE_HEAD = `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark">
<script type="module" src="BFF/pulse-card.js"></script>
<style>
  body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#f6f7f9, #0e1014) }
  .own {
    --pulse-card-accent: light-dark(#b00020, #ff9d8a);
    --pulse-card-radius: 0;
    --pulse-card-font-family: Georgia, serif;
    font-size: 1.125rem;
  }
  .brand {
    --pulse-card-accent: light-dark(#0b5cad, #7cc4ff);
    --pulse-card-radius: 1.25em;
    --pulse-card-background: light-dark(#f4f9ff, #0f1b2b);
    --pulse-card-border: light-dark(#c9e0f8, #24415f);
  }
  .outline { position: absolute; border: 1px dashed #d6006c; border-radius: 3px }
  .outline::after {
    content: attr(title); position: absolute; top: -0.75rem; right: 0; padding: 0 0.25rem; border-radius: 3px;
    background: #d6006c; color: #fff; font: 0.6875rem/1.3 monospace;
  }
  .outline[title='heading']::after { top: auto; bottom: -0.5rem }
  main { position: relative; display: grid; grid-template-columns: 1fr 1fr; gap: 24px; padding: 24px; align-items: start }
</style>`;

/**
 * Takes the screenshots for the README and the guides, with the demo's pulses. Without the `docs` argument, also takes
 * the reference pictures for the card's looks (`e2e/pictures`). Needs a build.
 */
const executablePath = provideBrowser();
if (executablePath === undefined)
  throw new Error(`Cannot take pictures: Chromium is missing; set ${BROWSER_VARIABLE} to its path`);
const environment = { ...process.env };
// The BFF warns about unknown variables that begin with PULSE_, and the screenshots would show these warnings.
for (const name of Object.keys(environment)) if (name.startsWith(BROWSER_VARIABLE)) delete process.env[name];
// This time is short so that an outage becomes visible soon.
const stack = await startStack({ PULSE_FRESH_MS: '5000', PULSE_HISTORY: '30' });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
try {
  for (const name of Object.keys(PICTURES))
    for (const colorScheme of ['light', 'dark'] as const) {
      await takePicture(browser, name, colorScheme);
      // Later, the pulses would no longer be fresh.
      if (name === 'cards') await takeStatus(browser, `status-${colorScheme}`, colorScheme);
    }
  for (const colorScheme of ['light', 'dark'] as const) {
    await takeChat(browser, colorScheme);
    await takeStates(browser, colorScheme);
    await takeBoard(browser, colorScheme);
    await takeFrames(browser, colorScheme);
    await takeEnlarged(browser, colorScheme);
    await takeStudio(browser, colorScheme);
    await takeTerminals(browser, colorScheme);
  }
  await stack.stopService();
  await keepReading();
  for (const colorScheme of ['light', 'dark'] as const)
    await takeStatus(browser, `status-outage-${colorScheme}`, colorScheme, /has been failing/);
} finally {
  await browser.close();
  await stack.close();
}
if (process.argv[2] !== 'docs') takeLooks(executablePath);

function takeLooks(chromiumPath: string): void {
  const playwright = join(ROOT, 'node_modules/@playwright/test/cli.js');
  const { status } = spawnSync(process.execPath, [playwright, 'test', 'looks', '--update-snapshots=all'], {
    cwd: ROOT,
    env: { ...environment, [BROWSER_VARIABLE]: chromiumPath, NODE_OPTIONS: '--conditions=source' },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}

async function takePicture(opened: Browser, name: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const page = await opened.newPage({ viewport: { width: 1240, height: 1400 }, colorScheme, deviceScaleFactor: 1.5 });
  const cards = (PICTURES[name] ?? []).map(
    (attributes) => `<pulse-card ${attributes} chart-theme="auto"></pulse-card>`,
  );
  await page.goto(
    stack.site.put(`/${name}`, `${PAGE_HEAD}<main>${cards.join('')}</main>`.replace('BFF', stack.bffUrl)),
  );
  const main = page.locator('main');
  await expect(main.locator('pulse-card:state(ready)')).toHaveCount(cards.length, { timeout: 60_000 });
  for (const image of await main.locator('[part~=image]').all())
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
  if (name === 'parts') await main.evaluate(outline, PARTS);
  const path = join(ROOT, 'docs', 'images', `${name}-${colorScheme}.png`);
  await main.screenshot({ path, animations: 'disabled' });
  console.log(path.slice(ROOT.length + 1));
  await page.close();
}

type Scheme = 'light' | 'dark';

async function openedPage(opened: Browser, colorScheme: Scheme, width: number, height: number): Promise<Page> {
  return opened.newPage({ viewport: { width, height }, colorScheme, deviceScaleFactor: 1 });
}

/** Writes a screenshot of a page, or of the first element that matches `selector`. */
async function save(page: Page, name: string, selector?: string): Promise<void> {
  const path = join(ROOT, 'docs', 'images', `${name}.png`);
  await (selector === undefined ? page : page.locator(selector).first()).screenshot({ path, animations: 'disabled' });
  console.log(path.slice(ROOT.length + 1));
  await page.close();
}

async function takeStates(opened: Browser, colorScheme: Scheme): Promise<void> {
  const page = await openedPage(opened, colorScheme, 1_100, 1_000);
  const figures = STATES.map((title) => {
    const { sourceId, baseUrl } = SPECIMENS.find((specimen) => specimen.title === title) ?? { sourceId: '' };
    const base = baseUrl === undefined ? '' : ` base-url="${baseUrl}"`;
    return `<figure><figcaption>${title === 'BROKEN' ? 'Updates paused' : title.replace(', worth another try', '')}</figcaption><pulse-card source-id="${sourceId}" loading="eager" chart-theme="auto"${base}></pulse-card></figure>`;
  });
  const html = `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><script type="module" src="${BFF_ORIGIN}/pulse-board.js"></script>
<style>body { margin: 0; font: 15px/1.5 system-ui, sans-serif; background: light-dark(#f6f7f9, #0e1014) }
main { display: grid; grid-template-columns: repeat(3, 320px); gap: 20px; padding: 20px; align-items: start; width: fit-content }
figure { margin: 0 } figcaption { font: 13px/20px ui-monospace, monospace; opacity: 0.75 }</style><main>${figures.join('')}</main></html>`;
  await standIn(page.context(), html);
  await page.clock.setFixedTime(NOW);
  await page.goto(SITE_ORIGIN);
  await expect(page.locator('pulse-card:state(ready)')).toHaveCount(2);
  await expect(page.locator('pulse-card:state(error)')).toHaveCount(1, { timeout: 20_000 });
  for (const image of await page.locator('[part~=image]').all())
    await expect.poll(() => image.evaluate(isLoaded), { timeout: 20_000 }).toBe(true);
  await save(page, `states-${colorScheme}`, 'main');
}

async function takeBoard(opened: Browser, colorScheme: Scheme): Promise<void> {
  const page = await openedPage(opened, colorScheme, 1_100, 790);
  await page.goto(onSite(`board-${colorScheme}`, '<pulse-board chart-theme="auto"></pulse-board>', 'pulse-board.js'));
  await expect.poll(() => page.locator('pulse-card:state(ready)').count(), { timeout: 60_000 }).toBeGreaterThan(3);
  await expect.poll(() => page.locator('[part~=image]').first().evaluate(isLoaded)).toBe(true);
  await save(page, `board-${colorScheme}`);
}

/** Writes a screenshot of the same frame at three heights. */
async function takeFrames(opened: Browser, colorScheme: Scheme): Promise<void> {
  const page = await openedPage(opened, colorScheme, 1_100, 720);
  const url = framePageUrl({ sourceId: 'src_us_employment', baseUrl: stack.bffUrl, theme: colorScheme });
  const frames = [240, 420, 660].map(
    (height) =>
      `<figure><figcaption>${height} px</figcaption><iframe src="${url}" width="330" height="${height}" style="border:0"></iframe></figure>`,
  );
  const row = '<div style="display: flex; gap: 20px; align-items: start">';
  await page.goto(onSite(`frames-${colorScheme}`, `<style>figure { margin: 0 }</style>${row}${frames.join('')}</div>`));
  for (const frame of await page.locator('iframe').all())
    await expect(frame.contentFrame().getByRole('heading').first()).toBeVisible();
  await page.waitForLoadState('networkidle');
  await save(page, `frames-${colorScheme}`, 'main');
}

async function takeEnlarged(opened: Browser, colorScheme: Scheme): Promise<void> {
  const page = await openedPage(opened, colorScheme, 1_100, 760);
  const card = '<pulse-card source-id="src_life_expectancy" chart-theme="auto" style="max-width: 40em"></pulse-card>';
  await page.goto(onSite(`enlarged-${colorScheme}`, card));
  await expect(page.locator('pulse-card:state(ready)')).toHaveCount(1);
  await page.locator('[part~=enlarge]').click();
  await expect.poll(() => page.locator('dialog img').evaluate(isLoaded)).toBe(true);
  await save(page, `enlarged-${colorScheme}`);
}

async function takeStudio(opened: Browser, colorScheme: Scheme): Promise<void> {
  const page = await openedPage(opened, colorScheme, 1_360, 820);
  await page.goto(`${stack.adminUrl}/studio/`);
  await expect(page.locator('pulse-card [part~=heading]').first()).toBeVisible();
  await page.waitForLoadState('networkidle');
  await save(page, `studio-${colorScheme}`);
}

async function takeStatus(opened: Browser, name: string, colorScheme: Scheme, heading = /Readers get/): Promise<void> {
  const page = await openedPage(opened, colorScheme, 1_200, 900);
  await page.goto(stack.adminUrl);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading, { timeout: 90_000 });
  await save(page, name);
}

/** Requests a source until its refreshes fail, because an outage becomes visible only after calls have failed. */
async function keepReading(): Promise<void> {
  for (let reads = 0; reads < 25; reads += 1) {
    await fetch(`${stack.bffUrl}/v1/sources/src_us_employment/pulse`);
    await new Promise((resolve) => void setTimeout(resolve, 1_000));
  }
}

/** Writes screenshots of commands and their output, without the URLs that change from run to run. */
async function takeTerminals(opened: Browser, colorScheme: Scheme): Promise<void> {
  const site = stack.site.put(
    '/report.html',
    `<!doctype html><title>Report</title><pulse-card source-id="src_us_employement" base-url="${stack.bffUrl}"></pulse-card>`,
  );
  const env = {
    PULSE_API_KEY: stack.secrets.key,
    PULSE_BASE_URL: stack.serviceUrl,
    PULSE_PUBLIC_URL: 'https://pulse.example.com',
    PULSE_ALLOWED_ORIGINS: 'https://portal.example.com',
    PULSE_API_KEY_EXPIRES: '2099-02-20',
  };
  const commands = {
    'terminal-check': ['bff', 'check', '--origin', 'https://www.example.com'],
    'terminal-doctor': ['doctor', site],
  };
  for (const [name, [program = '', ...args]] of Object.entries(commands)) {
    const main = join(ROOT, 'packages', program, 'dist/main.js');
    // This process serves the page, so it can't wait synchronously. The exit code of a command that finds issues is 1.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env },
    }).catch((error: Record<'stdout' | 'stderr', string>) => error);
    const page = await openedPage(opened, colorScheme, 960, 700);
    const text = renamed(`$ pulse-${program} ${args.join(' ')}\n${stdout.trim()}\n${stderr}`);
    await page.setContent(`<meta name="color-scheme" content="light dark"><style>body { margin: 0 }
pre { margin: 0; padding: 20px 24px; width: fit-content; max-width: 900px; white-space: pre-wrap; font: 14px/1.55 ui-monospace, 'DejaVu Sans Mono', monospace; color: light-dark(#1f2937, #e5e7eb); background: light-dark(#f6f7f9, #11151d) }</style><pre></pre>`);
    await page.locator('pre').evaluate((element, shown) => void (element.textContent = shown), text);
    await save(page, `${name}-${colorScheme}`, 'pre');
  }
}

/** Replaces this machine's URLs with the URLs that the guides use. */
function renamed(text: string): string {
  return text
    .replaceAll(stack.serviceUrl, 'https://api.example.com')
    .replaceAll(stack.bffUrl, 'https://pulse.example.com')
    .replaceAll(stack.site.origin, 'https://www.example.com')
    .replaceAll(/http:\/\/(?:localhost|127\.0\.0\.1):\d+/g, 'https://pulse.example.com')
    .trim();
}

function onSite(name: string, body: string, script = 'pulse-card.js'): string {
  const head = PAGE_HEAD.replace('pulse-card.js', script).replaceAll('BFF', stack.bffUrl);
  return stack.site.put(`/${name}`, `${head}<main style="display: block">${body}</main>`);
}

function isLoaded(image: Element): boolean {
  return (image as HTMLImageElement).naturalWidth > 0;
}

/** Writes a screenshot of the card in a chat client. */
async function takeChat(opened: Browser, theme: 'light' | 'dark'): Promise<void> {
  const page = await opened.newPage({ viewport: { width: 760, height: 640 }, deviceScaleFactor: 1.5 });
  await openChat(page, stack, 'src_us_employment', { theme });
  await expect(page.frameLocator('iframe').frameLocator('iframe').getByRole('img')).toHaveJSProperty('complete', true);
  const path = join(ROOT, 'docs', 'images', `chat-${theme}.png`);
  await page.locator('body').screenshot({ path, animations: 'disabled' });
  console.log(path.slice(ROOT.length + 1));
  await page.close();
}

/** Draws a frame with a name around parts of the first card. */
function outline(main: HTMLElement, parts: readonly string[]): void {
  for (const part of parts) {
    const element = main.querySelector('pulse-card')?.shadowRoot?.querySelector(`[part~=${part}]`);
    if (!element) throw new Error(`The card has no part ${part}`);
    const { left, top, width, height } = element.getBoundingClientRect();
    const frame = Object.assign(document.createElement('div'), { className: 'outline', title: part });
    Object.assign(frame.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    main.append(frame);
  }
}
