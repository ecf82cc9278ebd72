import type { Page } from '@playwright/test';
import { expect, test } from './test.ts';

// Short, so that a new run is soon looked for.
test.use({ bffEnv: { PULSE_FRESH_MS: '1000' } });

test.describe('A live card', () => {
  test('shows a new run without a reload, with what the reader has unfolded still open', async ({
    page,
    openPageWith,
    stack,
  }) => {
    test.setTimeout(120_000);
    await openPageWith('src_us_employment', 'src_co2_mauna_loa');
    const opened = page.waitForResponse((answer) => answer.url().includes('/v1/events'));
    const cards = page.locator('pulse-card');
    await expect(cards.first()).toHaveJSProperty('state', 'ready');
    await cards.evaluateAll((all) => {
      for (const card of all as HTMLElementTagNameMap['pulse-card'][]) card.live = true;
    });
    await cards.first().locator('[part~=toggle]').click();
    const stream = await opened;
    expect([stream.status(), stream.headers()['content-type']]).toEqual([200, 'text/event-stream']);
    const pages: string[] = [];
    page.on('request', (request) => request.isNavigationRequest() && pages.push(request.url()));
    const announcements = await recordAnnouncements(page);
    const run = stack.deliver('src_us_employment', 'Payrolls rose again, by 271 thousand.');
    await expect(cards.first().locator('[part~=summary]')).toHaveText('Payrolls rose again, by 271 thousand.', {
      timeout: 90_000,
    });
    await expect(cards.first()).toHaveJSProperty('open', true);
    await expect.poll(announcements).toContain('Payrolls rose again');
    expect(run).toBeTruthy();
    expect(pages).toEqual([]);
  });

  test('goes on when the page is seen again, with what came meanwhile', async ({ page, openPageWith, stack }) => {
    test.setTimeout(120_000);
    await openPageWith('src_co2_mauna_loa');
    const card = page.locator('pulse-card');
    await expect(card).toHaveJSProperty('state', 'ready');
    const opened = page.waitForResponse((answer) => answer.url().includes('/v1/events'));
    await card.evaluate((element: HTMLElementTagNameMap['pulse-card']) => void (element.live = true));
    await opened;
    await setHidden(page, true);
    stack.deliver('src_co2_mauna_loa', 'A new high at Mauna Loa.');
    const pulseUrl = `${stack.bffUrl}/v1/sources/src_co2_mauna_loa/pulse`;
    await expect
      .poll(async () => (await (await page.request.get(pulseUrl)).json()).pulse.aiSummaryShort, { timeout: 60_000 })
      .toBe('A new high at Mauna Loa.');
    await expect(card.locator('[part~=summary]')).not.toHaveText('A new high at Mauna Loa.');
    await setHidden(page, false);
    await expect(card.locator('[part~=summary]')).toHaveText('A new high at Mauna Loa.', { timeout: 30_000 });
  });
});

/** Keeps what the live region says from now on: it is gone again after seconds. Resolves to a reader of it. */
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

/** Has the page believe that it is hidden: a browser that is driven shows every page. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}
