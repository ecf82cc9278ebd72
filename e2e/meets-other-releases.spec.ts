import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedRelease } from './fixtures/recorded-release.ts';
import { startReplayServer } from './stack/replay-server.ts';
import type { Page } from '@playwright/test';
import { expect, testOnOnePage as test } from './test.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const RELEASES = readdirSync(FIXTURES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const BATCH = ['src_us_employment', 'src_case_no_run', 'src_case_null_all', 'src_unheard_of'];
const STATES = ['ready', 'empty', 'ready', 'error'];

// Short, so that a new run is soon looked for.
test.use({ bffEnv: { PULSE_FRESH_MS: '5000' } });

for (const version of RELEASES) {
  test.describe(`The card of release ${version}, with this BFF`, () => {
    const script = readFileSync(join(FIXTURES, version, 'pulse-card.js'), 'utf8');

    test('shows each source in its own state', async ({ page, stack }, { testId }) => {
      const scriptUrl = stack.site.put(`/${version}/pulse-card.js`, script, { 'content-type': 'text/javascript' });
      await page.goto(stack.site.put(`/${testId}`, pageOf(scriptUrl, cardsOf(BATCH, stack.bffUrl))));
      await expectStates(page);
      await expect(page.locator('pulse-card').first()).toContainText('Payrolls reached');
    });

    test('follows new pulses', async ({ page, stack }, { testId }) => {
      test.setTimeout(120_000);
      const scriptUrl = stack.site.put(`/${version}/pulse-card.js`, script, { 'content-type': 'text/javascript' });
      const cards = cardsOf(['src_seattle_rain'], stack.bffUrl, 'live');
      await page.goto(stack.site.put(`/${testId}`, pageOf(scriptUrl, cards)));
      await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
      stack.deliver('src_seattle_rain', 'It rained again.');
      await expect(page.locator('pulse-card')).toContainText('It rained again.', { timeout: 90_000 });
    });

    test('lists the sources', async ({ page, stack }, { testId }) => {
      const scriptUrl = stack.site.put(`/${version}/pulse-card.js`, script, { 'content-type': 'text/javascript' });
      const board = `<pulse-board base-url="${stack.bffUrl}"></pulse-board>`;
      await page.goto(stack.site.put(`/${testId}`, pageOf(scriptUrl, board)));
      await expect(page.locator('pulse-board')).toContainText('US nonfarm employment');
    });

    test('shares a page with the card of this release', async ({ page, stack }, { testId }) => {
      const errors: Error[] = [];
      page.on('pageerror', (error) => errors.push(error));
      const old = stack.site.put(`/${version}/pulse-card.js`, script, { 'content-type': 'text/javascript' });
      const cards = cardsOf(['src_us_employment', 'src_seattle_rain'], stack.bffUrl);
      const html = pageOf(old, `<script type="module" src="${stack.bffUrl}/pulse-card.js"></script>${cards}`);
      await page.goto(stack.site.put(`/${testId}`, html));
      for (const card of await page.locator('pulse-card').all()) await expect(card).toHaveJSProperty('state', 'ready');
      expect(errors).toEqual([]);
    });
  });

  test.describe(`The card of this release, with a BFF of release ${version}`, () => {
    const path = join(FIXTURES, version, 'answers.json');
    const release = JSON.parse(readFileSync(path, 'utf8')) as RecordedRelease;

    test('shows each source in its own state, and in an outage what it had', async ({ page, stack }, { testId }) => {
      const bff = await startReplayServer(release);
      await page.goto(stack.site.put(`/${testId}`, pageOf(`${bff.url}/pulse-card.js`, cardsOf(BATCH, bff.url))));
      await expectStates(page);
      await expect(page.locator('pulse-card').first()).toContainText('Payrolls reached');
      bff.goStale();
      await page.reload();
      await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'stale');
      await bff.close();
    });

    test('lists the sources', async ({ page, stack }, { testId }) => {
      const bff = await startReplayServer(release);
      const board = `<pulse-board base-url="${bff.url}"></pulse-board>`;
      await page.goto(stack.site.put(`/${testId}`, pageOf(`${bff.url}/pulse-board.js`, board)));
      await expect(page.locator('pulse-board')).toContainText('US nonfarm employment');
      await bff.close();
    });
  });
}

function cardsOf(sourceIds: readonly string[], baseUrl: string, attributes = ''): string {
  const tags = sourceIds.map(
    (id) => `<pulse-card source-id="${id}" base-url="${baseUrl}" loading="eager" ${attributes}></pulse-card>`,
  );
  return tags.join('\n');
}

function pageOf(scriptUrl: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Somebody's page</title>
<script type="module" src="${scriptUrl}"></script>${body}</html>`;
}

async function expectStates(page: Page): Promise<void> {
  for (const [index, state] of STATES.entries())
    await expect(page.locator('pulse-card').nth(index)).toHaveJSProperty('state', state);
}
