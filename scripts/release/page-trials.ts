import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { parse } from 'yaml';
import type { HostSite } from '../../packages/testkit/src/host-site.ts';
import { ROOT } from '../run.ts';
import type { Consumer } from '../../packages/testkit/src/registry/consumer.ts';
import type { Results } from './results.ts';

/** The address at which the examples expect a BFF. */
const EXAMPLE_BFF = 'http://localhost:4020';

const TIMEOUT_MS = 30_000;

/** What the page tests need. */
export interface PageParts {
  readonly browser: Browser;
  readonly site: HostSite;
  readonly bffUrl: string;
  readonly results: Results;
  /** Creates a consumer with an empty folder. */
  readonly open: () => Consumer;
}

const VANILLA = {
  'package.json': { dependencies: { '@pulse-card/widget': 'workspace:^' }, devDependencies: { vite: 'catalog:' } },
  'index.html': `<!doctype html><html lang="en"><title>Vanilla</title><script type="module" src="/main.js"></script>
<pulse-card source-id="src_us_employment" base-url="${EXAMPLE_BFF}"></pulse-card></html>`,
  'main.js': `import '@pulse-card/widget';`,
};

/** Builds the examples with Vite and the packages in the registry, and opens each example in the browser. */
export async function tryBundles(parts: PageParts): Promise<void> {
  const { results, open, bffUrl } = parts;
  for (const name of ['vanilla', 'react', 'vue', 'svelte'])
    await results.try('widget', `${name}, built by Vite`, async () => {
      const consumer = open();
      if (name === 'vanilla') writeVanilla(consumer);
      else cpSync(join(ROOT, 'examples', name), consumer.folder, { recursive: true, filter: isSource });
      useRegistry(consumer);
      replaceIn(consumer.folder, EXAMPLE_BFF, bffUrl);
      await consumer.install();
      await consumer.run('npx', ['vite', 'build', '--base', './']);
      parts.site.putFolder(`/${name}`, join(consumer.folder, 'dist'));
      const state = await stateOf(parts, `/${name}/index.html`);
      await consumer.close();
      return `card ${state}`;
    });
}

function writeVanilla(consumer: Consumer): void {
  for (const [file, content] of Object.entries(VANILLA))
    consumer.write(file, typeof content === 'string' ? content : JSON.stringify({ private: true, ...content }));
}

function isSource(path: string): boolean {
  return !/node_modules|\/dist(\/|$)/.test(path.slice(ROOT.length));
}

/**
 * Sets the versions that a reader of the example would install: those in the catalog, and the newest versions of our
 * packages.
 */
function useRegistry(consumer: Consumer): void {
  const path = join(consumer.folder, 'package.json');
  const { catalog } = parse(readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8')) as {
    catalog: Record<string, string>;
  };
  const manifest = readFileSync(path, 'utf8');
  const versions = manifest.replace(
    /"([^"]+)":\s*"(catalog:|workspace:[^"]*)"/g,
    (_, name: string) => `"${name}": "${catalog[name] ?? 'latest'}"`,
  );
  writeFileSync(path, versions);
}

function replaceIn(folder: string, old: string, replacement: string): void {
  for (const file of filesIn(folder)) {
    const text = readFileSync(file, 'utf8');
    if (text.includes(old)) writeFileSync(file, text.replaceAll(old, replacement));
  }
}

/** Renders a card on a server, and checks that the element takes it over. */
export async function tryServerRendering({ results, open, bffUrl, ...parts }: PageParts): Promise<void> {
  await results.try('widget', 'rendered on a server, then by the element', async () => {
    const consumer = open();
    await consumer.install('@pulse-card/widget');
    consumer.write(
      'render.js',
      `import { renderPulseCard } from '@pulse-card/widget/server';
      const answer = await (await fetch('${bffUrl}/v1/sources/src_us_employment/pulse')).json();
      console.log(renderPulseCard(answer, { sourceId: 'src_us_employment', baseUrl: '${bffUrl}' }));`,
    );
    const html = await consumer.run('node', ['render.js']);
    await consumer.close();
    if (!html.includes('shadowrootmode') || !html.includes('Up by 2')) throw new Error(`Not rendered: ${html}`);
    const script = `<script type="module" src="${bffUrl}/pulse-card.js"></script>`;
    parts.site.put('/server-rendered', pageWith(html + script));
    return `card ${await stateOf(parts, '/server-rendered')}`;
  });
}

/**
 * Loads `pulse-card.js` with its digest from a different host, such as a CDN. Checks that the browser rejects the file
 * if one byte differs.
 */
export async function tryIntegrity({ results, open, bffUrl, ...parts }: PageParts): Promise<void> {
  await results.try('widget', 'pulse-card.js pinned by integrity', async () => {
    const consumer = open();
    await consumer.install('@pulse-card/widget');
    const script = readFileSync(join(consumer.folder, 'node_modules/@pulse-card/widget/dist/pulse-card.js'), 'utf8');
    await consumer.close();
    const digest = `sha384-${createHash('sha384').update(script).digest('base64')}`;
    const card = `<pulse-card source-id="src_us_employment" base-url="${bffUrl}">Fallback</pulse-card>`;
    const states: string[] = [];
    for (const [path, text] of Object.entries({ '/whole.js': script, '/flipped.js': script.replace(';', ' ;') })) {
      parts.site.put(path, text, { 'content-type': 'text/javascript' });
      parts.site.put(
        `${path}.html`,
        pageWith(`<script type="module" src="${path}" integrity="${digest}"></script>${card}`),
      );
      states.push(path === '/whole.js' ? await stateOf(parts, `${path}.html`) : await textOf(parts, `${path}.html`));
    }
    if (states.join() !== 'ready,Fallback') throw new Error(states.join());
    return 'card is ready; if a byte is changed, only the fallback is shown';
  });
}

function pageWith(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Somebody's page</title>${body}</html>`;
}

type Opened = Pick<PageParts, 'browser' | 'site'>;

/** Resolves to the state that the card reaches. Rejects if the card doesn't become ready. */
async function stateOf({ browser, site }: Opened, path: string): Promise<string> {
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.goto(site.origin + path);
  const isReady = () => (document.querySelector('pulse-card') as { state?: string } | null)?.state === 'ready';
  await page.waitForFunction(isReady, undefined, { timeout: TIMEOUT_MS }).catch(() => {
    throw new Error(`The card on ${path} is not ready: ${faults.join('; ')}`);
  });
  await page.close();
  return 'ready';
}

async function textOf({ browser, site }: Opened, path: string): Promise<string> {
  const page = await browser.newPage();
  await page.goto(site.origin + path, { waitUntil: 'networkidle' });
  const text = await page.locator('pulse-card').innerText();
  await page.close();
  return text;
}

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => !name.includes('node_modules')).map((name) => join(folder, name));
  return files.filter((file) => statSync(file).isFile());
}
