import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { Stack } from '../../packages/testkit/src/stack.ts';
import { expect, testOnOnePage as test } from '../../e2e/test.ts';
import type { RecordedRelease } from '../../packages/testkit/src/upgrade/recorded-release.ts';
import { startReplayServer } from '../../packages/testkit/src/upgrade/replay-server.ts';

/** The folder that `record-release.ts` wrote in the checkout of the old release. */
const RECORD = process.env['PULSE_OLD_RELEASE'] ?? '';
const BATCH = ['src_us_employment', 'src_case_no_run', 'src_case_null_all', 'src_unheard_of'];
const STATES = ['ready', 'empty', 'ready', 'error'];

// Short, so that the BFF soon requests a new run.
test.use({ bffEnv: { PULSE_FRESH_MS: '5000' } });

test.describe('An old release’s card, with this BFF', () => {
  /** Puts a script of the old release on the host site. Returns its address. */
  const putOld = (stack: Stack, name = 'pulse-card.js'): string =>
    stack.site.put(`/old/${name}`, readFileSync(join(RECORD, name), 'utf8'), { 'content-type': 'text/javascript' });

  test('shows each source in its own state', async ({ page, stack }, { testId }) => {
    const scriptUrl = putOld(stack);
    await page.goto(stack.site.put(`/${testId}`, pageOf(scriptUrl, cardsOf(BATCH, stack.bffUrl))));
    await expectStates(page);
    await expect(page.locator('pulse-card').first()).toContainText('Payrolls reached');
  });

  test('shows new pulses when they arrive', async ({ page, stack }, { testId }) => {
    test.setTimeout(120_000);
    const scriptUrl = putOld(stack);
    const cards = cardsOf(['src_seattle_rain'], stack.bffUrl, 'live');
    await page.goto(stack.site.put(`/${testId}`, pageOf(scriptUrl, cards)));
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
    stack.deliver('src_seattle_rain', 'It rained again.');
    await expect(page.locator('pulse-card')).toContainText('It rained again.', { timeout: 90_000 });
  });

  test('lists the sources', async ({ page, stack }, { testId }) => {
    const scriptUrl = putOld(stack, 'pulse-board.js');
    const board = `<pulse-board base-url="${stack.bffUrl}"></pulse-board>`;
    await page.goto(stack.site.put(`/${testId}`, pageOf(scriptUrl, board)));
    await expect(page.locator('pulse-board')).toContainText('US nonfarm employment');
  });

  test('works on the same page as this release’s card', async ({ page, stack }, { testId }) => {
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    const old = putOld(stack);
    const cards = cardsOf(['src_us_employment', 'src_seattle_rain'], stack.bffUrl);
    const html = pageOf(old, `<script type="module" src="${stack.bffUrl}/pulse-card.js"></script>${cards}`);
    await page.goto(stack.site.put(`/${testId}`, html));
    for (const card of await page.locator('pulse-card').all()) await expect(card).toHaveJSProperty('state', 'ready');
    expect(errors).toEqual([]);
  });
});

test.describe('This release’s card, with an old release’s BFF', () => {
  const release = JSON.parse(readFileSync(join(RECORD, 'answers.json'), 'utf8')) as RecordedRelease;

  test('shows each source in its own state, and shows the last content in an outage', async ({ page, stack }, {
    testId,
  }) => {
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

function cardsOf(sourceIds: readonly string[], baseUrl: string, attributes = ''): string {
  const tags = sourceIds.map(
    (id) => `<pulse-card source-id="${id}" base-url="${baseUrl}" loading="eager" ${attributes}></pulse-card>`,
  );
  return tags.join('\n');
}

function pageOf(scriptUrl: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
<script type="module" src="${scriptUrl}"></script>${body}</html>`;
}

async function expectStates(page: Page): Promise<void> {
  for (const [index, state] of STATES.entries())
    await expect(page.locator('pulse-card').nth(index)).toHaveJSProperty('state', state);
}
