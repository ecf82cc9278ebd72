import type { Page } from '@playwright/test';
import type { PulseCard } from '@pulse-card/widget';
import { renderPulseCard } from '@pulse-card/widget/server';
import { type Portal, signIn, signInElsewhere, startPortal } from '@pulse-card/testkit/portal';
import { expect, testWithBackCache as test } from './test.ts';

const SHARED = 'src_us_employment';
const ALICES = 'src_seattle_rain';

for (const way of ['mounted', 'tokens'] as const)
  test.describe(`The Back button, if the browser has cached the page (${way})`, () => {
    let portal: Portal;
    test.beforeAll(async ({ stack }) => {
      portal = await startPortal(way, stack);
    });
    test.afterAll(() => portal.stop());
    test.beforeEach(async ({ page }) => {
      await page.setViewportSize({ width: 800, height: 2_000 });
      await page.goto(portal.origin);
      await signIn(page, 'alice');
      await expectState(page, SHARED, 'ready');
      await expectState(page, ALICES, 'ready');
    });

    test('T-94: doesn’t show the previous user’s content to the next user, even before a script runs', async ({
      page,
    }) => {
      await page.locator(`pulse-card[source-id=${ALICES}]`).getByRole('button', { name: 'Enlarge' }).click();
      await expect(page.locator('pulse-card dialog')).toBeVisible();
      await leave(page, `${portal.origin}/session.js`);
      await signInElsewhere(page, portal, 'bob');
      const painted = await goBack(page);
      expect(painted.join()).not.toMatch(/<img|part="(summary|dialog|image)"|jobRunId/);
      await expectState(page, SHARED, 'ready');
      await expectState(page, ALICES, 'error');
      expect(await page.evaluate(() => document.querySelectorAll('pulse-card')[1]?.failure?.code)).toBe(
        'token_forbidden',
      );
    });

    test('T-94: shows signed-out readers an error, not stale content', async ({ page, context }) => {
      await leave(page, `${portal.origin}/session.js`);
      await context.clearCookies();
      const painted = await goBack(page);
      expect(painted.join()).not.toMatch(/<img|jobRunId/);
      await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
      for (const source of [SHARED, ALICES]) await expectState(page, source, 'error');
    });

    if (way === 'tokens') return;

    test('T-94: doesn’t show the previous user’s board or frame', async ({ page }) => {
      await page.evaluate(async () => {
        await import(`${location.origin}/pulse/pulse-board.js`);
        const board = document.createElement('pulse-board');
        board.loading = 'eager';
        const frame = document.createElement('iframe');
        frame.src = '/pulse/embed/src_seattle_rain';
        document.querySelector('main')?.prepend(frame, board);
      });
      await expect(page.locator('pulse-board')).toHaveJSProperty('state', 'ready');
      const inFrame = page.frameLocator('iframe').locator('pulse-card');
      await expect(inFrame).toHaveJSProperty('state', 'ready');
      await leave(page, `${portal.origin}/session.js`);
      await signInElsewhere(page, portal, 'bob');
      const painted = await goBack(page);
      expect(painted.join()).not.toMatch(/<img|part="(summary|dialog|image)"|jobRunId/);
      const stateInFrame = () =>
        page.evaluate(() => document.querySelector('iframe')?.contentDocument?.querySelector('pulse-card')?.state);
      await expect.poll(stateInFrame).toBe('error');
      await expect(page.locator('pulse-board')).toHaveJSProperty('state', 'ready');
      expect(
        await page.locator('pulse-board').evaluate((board) => board.shadowRoot?.querySelectorAll('pulse-card').length),
      ).toBe(1);
    });

    test('T-91: signs the card out if a different user signs in from another tab', async ({ page }) => {
      await signInElsewhere(page, portal, 'bob');
      const card = page.locator(`pulse-card[source-id=${SHARED}]`);
      expect(await card.evaluate((element: PulseCard) => element.refresh())).toBe('error');
      for (const source of [SHARED, ALICES]) {
        await expectState(page, source, 'error');
        await expect(page.locator(`pulse-card[source-id=${source}]`)).toContainText('Sign in again');
      }
    });
  });

for (const isPublic of [false, true])
  test(`T-94: the Back button ${isPublic ? 'keeps public' : 'removes other'} server-rendered content`, async ({
    page,
    stack,
  }) => {
    const pulse = { jobRunId: 'run_1', sourceId: SHARED, aiSummaryShort: 'For alice', imageUrl: null };
    const answer = { pulse, meta: { stale: false, requestedAt: new Date().toISOString() } };
    const html = renderPulseCard(answer, { sourceId: SHARED, baseUrl: stack.bffUrl, isPublic });
    const script = `<script type="module" src="${stack.bffUrl}/pulse-card.js"></script>`;
    const address = stack.site.put(`/rendered-${isPublic}`, `<!doctype html><title>Rendered</title>${script}${html}`);
    await page.goto(address);
    await expectState(page, SHARED, 'ready');
    await leave(page, stack.site.put('/other', '<!doctype html><title>Other</title>Other'));
    const painted = await goBack(page);
    expect(painted.join().includes('For alice')).toBe(isPublic);
    await expectState(page, SHARED, isPublic ? 'ready' : 'error');
  });

async function expectState(page: Page, sourceId: string, state: string): Promise<void> {
  await expect(page.locator(`pulse-card[source-id=${sourceId}]`)).toHaveJSProperty('state', state);
}

/**
 * Navigates to another page. The page that the reader leaves records its content as it goes into the back/forward
 * cache.
 */
async function leave(page: Page, address: string): Promise<void> {
  await page.evaluate(() => {
    const contents = (root: Document | ShadowRoot): string[] =>
      [...root.querySelectorAll<PulseCard>('pulse-card, pulse-board')].flatMap((element) => [
        element.outerHTML,
        element.shadowRoot?.innerHTML ?? '',
        JSON.stringify(element.currentPulse ?? null),
        ...(element.shadowRoot ? contents(element.shadowRoot) : []),
      ]);
    const taken = { painted: [] as string[], persisted: false };
    Object.assign(window, { taken });
    // Listeners run in the order in which they were added, so the elements' listeners have already run.
    for (const frame of [window, ...document.querySelectorAll('iframe')].map((one) =>
      one instanceof Window ? one : one.contentWindow,
    ))
      frame?.addEventListener('pagehide', () => taken.painted.push(...contents(frame.document)));
    addEventListener('pageshow', ({ persisted }) => (taken.persisted = persisted));
  });
  await page.goto(address);
}

/** Goes back to a cached page. Returns the page's content as it was before any of its scripts ran. */
async function goBack(page: Page): Promise<string[]> {
  await page.goBack({ waitUntil: 'commit' });
  const taken = () => page.evaluate(() => (window as { taken?: { persisted: boolean; painted: string[] } }).taken);
  await expect.poll(taken, 'the page as the browser has cached it').toMatchObject({ persisted: true });
  return (await taken())?.painted ?? [];
}
