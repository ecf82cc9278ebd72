import type { Page, Request } from '@playwright/test';
import type { Stack } from '@pulse-card/testkit/stack';
import { expect, testWithShortLives as test } from './test.ts';

test.describe('A live card', () => {
  test('shows a new run without a reload after one conditional request, and keeps the analysis open', async ({
    page,
    openPageWith,
    stack,
  }) => {
    test.setTimeout(120_000);
    await page.clock.install();
    await openPageWith('src_seattle_rain', 'src_life_expectancy');
    const cards = page.locator('pulse-card');
    await cards.evaluateAll((all) => {
      for (const card of all as HTMLElementTagNameMap['pulse-card'][]) card.live = true;
    });
    for (const card of await cards.all()) await expect(card).toHaveJSProperty('state', 'ready');
    await cards.first().locator('[part~=toggle]').click();
    const announcements = await recordAnnouncements(page);
    await askAgain(page, stack);
    stack.deliver('src_seattle_rain', 'In March, 104 mm fell.');
    await servedAnew(page, `${stack.bffUrl}/v1/sources/src_seattle_rain/pulse`, 'In March, 104 mm fell.');
    const request = await askAgain(page, stack);
    expect(new URL(request.url()).search).toBe('?ids=src_life_expectancy,src_seattle_rain');
    expect((await request.allHeaders())['if-none-match']).toBeTruthy();
    await expect(cards.first().locator('[part~=summary]')).toHaveText('In March, 104 mm fell.');
    await expect(cards.first()).toHaveJSProperty('open', true);
    await page.clock.runFor(1_000);
    await expect.poll(announcements).toContain('In March, 104 mm fell.');
  });
});

/**
 * Advances the clock until live cards send their next request. Resolves to this request when it gets a response. Other
 * readers keep the pulses fresh in the meantime: a card with a stale pulse sends its request at a different time.
 */
async function askAgain(page: Page, { bffUrl }: Stack): Promise<Request> {
  const sent: Request[] = [];
  page.on('request', (request) => void (request.url().includes('/v1/pulses') && sent.push(request)));
  // The clock advances by one second at a time. The clock stops when a request was sent, so that no deadline of the
  // card passes.
  for (let seconds = 0; sent.length === 0 && seconds < 37; seconds += 1) {
    await page.request.get(`${bffUrl}/v1/pulses?ids=src_life_expectancy,src_seattle_rain`);
    await page.clock.runFor(1_000);
  }
  const [request] = sent;
  if (request === undefined) throw new Error('No live card asked again within 37 s');
  await (await request.response())?.finished();
  return request;
}

/** Resolves once the BFF has `finding` for the pulse at `url`. */
async function servedAnew(page: Page, url: string, finding: string): Promise<void> {
  const served = async () => (await (await page.request.get(url)).json()).pulse.aiSummaryShort;
  await expect.poll(served, { timeout: 60_000 }).toBe(finding);
}

/**
 * Records the live region's messages from now on, because each is removed after a few seconds. Resolves to a function
 * that returns the recorded messages.
 */
async function recordAnnouncements(page: Page): Promise<() => Promise<string>> {
  const said = await page.evaluateHandle(() => {
    const texts: string[] = [];
    new MutationObserver(() => {
      texts.push(document.querySelector('body > [role=status]')?.textContent ?? '');
    }).observe(document.body, { subtree: true, childList: true });
    return texts;
  });
  return () => said.evaluate((texts) => texts.join('\n'));
}
