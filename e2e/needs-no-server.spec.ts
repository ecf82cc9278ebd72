import type { Page } from '@playwright/test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '@pulse-card/testkit/root';
import { ask, pathOf } from '@pulse-card/testkit/system/ask';
import { hostPage } from './stack/host-page.ts';
import type { Stack } from '@pulse-card/testkit/stack';
import { STATIC_SERVERS, type StaticServer } from '@pulse-card/testkit/fronts/static-servers';
import { expect, LONG, test } from './test.ts';

const BFF_MAIN = join(ROOT, 'packages/bff/dist/main.js');

const IS_WITHOUT_NGINX = pathOf(process.env['PULSE_NGINX'] ?? 'nginx') === undefined;

/** The age of an old export. */
const DAYS_MS = 3 * 86_400_000;

const SHOWN = ['src_us_employment', 'src_seattle_rain'];
const WITHOUT_PULSE = 'src_case_no_run';

for (const [name, startServer] of Object.entries(STATIC_SERVERS)) {
  test.describe(`A reader of cards that a cron job exported, on ${name}`, name === 'nginx' ? {} : LONG, () => {
    test.skip(name === 'nginx' && IS_WITHOUT_NGINX, 'nginx is not installed');

    let folder: string;
    let server: StaticServer;
    test.beforeAll(async ({ stack }) => {
      folder = mkdtempSync(join(tmpdir(), 'pulse-export-'));
      server = await startServer(folder);
      exportTo(folder, server, stack);
    });
    test.afterAll(async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test('can read the cards and sees a message if a card is missing', async ({ browser, page, stack }) => {
      const asked = new Set<string>();
      page.on('request', (request) => asked.add(new URL(request.url()).origin));
      await page.goto(stack.site.put('/static', hostPage(server.url, { sourceIds: SHOWN, language: 'de' })));
      await expectCharts(page);
      for (const card of await page.locator('pulse-card').all()) await expect(card).toContainText('Analyse lesen');
      expect([...asked].sort()).toEqual([stack.site.origin, server.url].sort());

      const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
      expect((await plain.goto(`${server.url}/embed/${SHOWN[0]}`))?.headers()['content-type']).toContain('text/html');
      await expect(plain.locator('[part=summary]')).toBeVisible();
      await expect(plain.locator('article')).toHaveCSS('outline-style', 'solid');
      await plain.context().close();

      await page.goto(stack.site.put('/static-empty', hostPage(server.url, { sourceIds: [WITHOUT_PULSE] })));
      await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'empty');
      const list = await page.evaluate(async (url) => (await fetch(`${url}/v1/sources`)).json(), server.url);
      expect((list as { sources: unknown[] }).sources.length).toBeGreaterThan(0);
      // A board loads its script, and the button that saves a card loads the chart.
      for (const path of ['/pulse-board.js', `/v1/sources/${SHOWN[0]}/image`])
        expect(await page.evaluate(async (url) => (await fetch(url)).status, server.url + path)).toBe(200);
    });

    test('still sees the previous export if a new one fails', ({ stack }) => {
      const before = textsIn(folder);
      const unreachable = { ...stack, serviceUrl: 'http://127.0.0.1:2' };
      expect(() => exportTo(folder, server, unreachable)).toThrow(/Nothing was written/);
      expect(textsIn(folder)).toEqual(before);
    });

    test('sees how old the cards are if the job has stopped', async ({ page, stack }) => {
      const path = join(folder, 'v1/pulses');
      const text = readFileSync(path, 'utf8');
      try {
        writeFileSync(path, aged(text, DAYS_MS));
        await page.goto(stack.site.put('/static-old', hostPage(server.url, { sourceIds: SHOWN })));
        const card = page.locator('pulse-card').first();
        await expect(card).toHaveJSProperty('state', 'stale');
        await expect(card.locator('[part~=status]')).toHaveText('Earlier version');
        await expect(card.locator('[part~=time]')).toHaveText('3 days ago');
      } finally {
        writeFileSync(path, text);
      }
    });
  });
}

/** Waits until every card on the page shows its chart. */
async function expectCharts(page: Page): Promise<void> {
  await page.setViewportSize({ width: 600, height: 2_000 });
  for (const card of await page.locator('pulse-card').all()) {
    await expect(card).toHaveJSProperty('state', 'ready');
    const image = card.locator('[part~=image]');
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1600);
  }
}

/** Runs the job, which is an export with charts. If the job fails, throws an error with its output. */
function exportTo(dir: string, { url }: StaticServer, { serviceUrl, secrets, site }: Stack): void {
  const { ok, stdout, stderr } = ask(process.execPath, [BFF_MAIN, 'export', dir, '--images'], {
    PULSE_API_KEY: secrets.key,
    PULSE_BASE_URL: serviceUrl,
    PULSE_SOURCES: [...SHOWN, WITHOUT_PULSE].join(','),
    PULSE_PUBLIC_URL: url,
    PULSE_IMAGE_HOSTS: new URL(serviceUrl).host,
    PULSE_ALLOWED_ORIGINS: site.origin,
    NODE_OPTIONS: '',
  });
  for (const text of [stdout, stderr, ...Object.values(textsIn(dir))]) {
    expect(text).not.toContain(secrets.key);
    expect(text).not.toContain(secrets.email);
  }
  if (!ok) throw new Error(stdout + stderr);
}

function textsIn(dir: string): Record<string, string> {
  const all = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const files = all.filter((path) => statSync(join(dir, path)).isFile());
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(dir, path), 'utf8')]));
}

/** Makes an export's pulses `byMs` older. */
function aged(text: string, byMs: number): string {
  return text.replaceAll(/"(requestedAt|completedAt)":"([^"]+)"/g, (_, name: string, at: string) => {
    return `"${name}":"${new Date(Date.parse(at) - byMs).toISOString()}"`;
  });
}
