import type { Locator, Page } from '@playwright/test';
import type { PulseCard } from '@pulse-card/widget';
import { type Portal, signIn, signOut, startPortal } from '@pulse-card/testkit/portal';
import { expect, testWithTokens as test } from './test.ts';

const SHARED = 'src_us_employment';
const ALICES = 'src_seattle_rain';

const WAYS = { mounted: 'that mounts the BFF', tokens: 'that signs tokens' } as const;

for (const way of ['mounted', 'tokens'] as const)
  test.describe(`A portal ${WAYS[way]}`, () => {
    let portal: Portal;
    test.beforeAll(async ({ browser, stack }) => {
      portal = await startPortal(way, stack, way === 'mounted' ? { PULSE_IMAGES: 'proxy' } : {});
      // A new BFF might respond too late to its first reader, whose card then sends a second request.
      const page = await browser.newPage({ viewport: { width: 800, height: 2_000 } });
      await page.goto(portal.origin);
      await signIn(page, 'alice');
      for (const source of [SHARED, ALICES]) await expectChart(page, source);
      await page.close();
    });
    test.afterAll(() => portal.stop());
    test.beforeEach(({ page }) => page.setViewportSize({ width: 800, height: 2_000 }));

    test('shows each user their permitted sources after a single request', async ({ page }) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
      await page.goto(portal.origin);
      await signIn(page, 'bob');
      await expectChart(page, SHARED);
      await expectForbidden(page, ALICES);
      expect(asked.filter((line) => /^GET .*\/v1\/pulses$/.test(line))).toHaveLength(1);
      expect(asked.filter((line) => line.endsWith('/pulse-token'))).toHaveLength(way === 'tokens' ? 1 : 0);
    });

    test('T-91: hides the previous user’s content when another user signs in without a reload', async ({ page }) => {
      await page.addInitScript(recordWhatIsSeen);
      await page.goto(portal.origin);
      for (const user of ['bob', 'alice', 'bob']) {
        await signIn(page, user);
        await expectChart(page, SHARED);
        if (user === 'alice') await expectChart(page, ALICES);
        else await expectForbidden(page, ALICES);
        await signOut(page);
      }
      expect(await seen(page)).toEqual([`alice ${ALICES}`, `alice ${SHARED}`, `bob ${SHARED}`]);
    });

    test('tells readers that they’re signed out once the session expires', async ({ page, context }) => {
      await page.clock.install();
      await page.goto(portal.origin);
      await signIn(page, 'alice');
      await expectChart(page, SHARED);
      await context.clearCookies();
      // A token's maximum lifetime.
      await page.clock.fastForward('10:30');
      await cardOf(page, SHARED).evaluate((card: PulseCard) => card.refresh());
      await expect(cardOf(page, SHARED)).toContainText('Signed out');

      // A new card has no stored content, so it shows the error.
      await cardOf(page, ALICES).evaluate((card: PulseCard) => {
        const { sourceId, reader, tokenProvider } = card;
        const added = document.createElement('pulse-card');
        added.setAttribute('source-id', sourceId ?? '');
        card.replaceWith(Object.assign(added, { reader, tokenProvider }));
      });
      await expect(cardOf(page, ALICES)).toContainText('Sign in again to see the latest chart.');
    });

    test('shows nothing to signed-out visitors', async ({ page, stack }) => {
      await page.goto(portal.origin);
      await signIn(page, 'alice', 'wrong');
      await expect(page.getByRole('alert')).toBeVisible();
      const base = way === 'mounted' ? `${portal.origin}/pulse` : stack.bffUrl;
      const paths = [`/v1/pulses?ids=${SHARED}`, '/v1/sources', `/v1/sources/${SHARED}/image`, `/embed/${SHARED}`];
      for (const path of [...paths, ...(way === 'mounted' ? ['/pulse-card.js'] : [])])
        expect((await page.request.get(base + path)).status(), path).toBe(401);
    });

    if (way === 'mounted') {
      test('saves a card as an image with the user’s permissions', async ({ page }) => {
        await page.goto(portal.origin);
        await signIn(page, 'alice');
        await expectChart(page, ALICES);
        const type = await cardOf(page, ALICES).evaluate(async (card: PulseCard) => (await card.toBlob()).type);
        expect(type).toBe('image/png');
      });

      test('T-67: leaves no chart in the browser for the next user after a sign-out', async ({ page }) => {
        await page.goto(portal.origin);
        await signIn(page, 'alice');
        await expectChart(page, ALICES);
        const chart = await cardOf(page, ALICES).evaluate((card: PulseCard) => card.currentPulse?.imageUrl ?? '');
        expect(chart).toContain('/image?run=');
        const statusOf = () => page.evaluate(async (url) => (await fetch(url)).status, chart);
        expect(await statusOf()).toBe(200);
        await signOut(page);
        expect(await statusOf()).toBe(401);
      });
    } else
      test('keeps the token out of the page and URLs, and limits it to the portal’s pages', async ({ page, stack }) => {
        const addresses: string[] = [];
        page.on('request', (request) => addresses.push(request.url(), request.headers()['referer'] ?? ''));
        const token = await tokenOf(page, portal);
        const content = await page.content();
        const stored = await page.evaluate(
          () => [localStorage, sessionStorage].map((kept) => JSON.stringify(kept)).join('') + document.cookie,
        );
        expect([content, stored, ...addresses].join('\n')).not.toContain(token.split('.')[2]);
        const statusFor = async (origin: string) => {
          const headers = { Authorization: `Bearer ${token}`, Origin: origin };
          return (await page.request.get(`${stack.bffUrl}/v1/pulses?ids=${SHARED}`, { headers })).status();
        };
        expect([await statusFor(portal.origin), await statusFor(stack.site.origin)]).toEqual([200, 403]);
      });
  });

test.describe('The Studio of a BFF that requires tokens', () => {
  test('doesn’t offer a frame, and explains that the code can’t send a token', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SHARED}`);
    const code = page.getByRole('region', { name: 'Code for your page' });
    await page.getByLabel('Where will you paste it?').selectOption('iframe');
    await expect(code).toContainText('This code can’t send a token, so it can’t show private charts.');
    await expect(code.getByRole('button', { name: 'Copy' })).toHaveCount(0);
    await expect(code.locator('pre')).toHaveCount(0);
    await page.getByLabel('Where will you paste it?').selectOption('html');
    await expect(code.getByRole('button', { name: 'Copy' })).toBeVisible();
  });
});

function cardOf(page: Page, sourceId: string): Locator {
  return page.locator(`pulse-card[source-id=${sourceId}]`);
}

async function expectChart(page: Page, sourceId: string): Promise<void> {
  const card = cardOf(page, sourceId);
  await expect(card).toHaveJSProperty('state', 'ready');
  await expect(card.locator('[part~=summary]')).toContainText(/\d/);
  const image = card.locator('[part~=image]');
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1600);
}

async function expectForbidden(page: Page, sourceId: string): Promise<void> {
  await expect(cardOf(page, sourceId)).toHaveJSProperty('state', 'error');
  await expect(cardOf(page, sourceId)).toContainText('You don’t have access to this chart.');
}

/** Signs a user in and returns the user's token. */
async function tokenOf(page: Page, { origin }: Portal): Promise<string> {
  await page.goto(origin);
  const answered = page.waitForResponse(`${origin}/pulse-token`);
  await signIn(page, 'bob');
  const token = await (await answered).text();
  await expectChart(page, SHARED);
  return token;
}

/** Records in each animation frame who is signed in, and which cards show any part of a pulse. */
function recordWhatIsSeen(): void {
  const seen = new Set<string>();
  Object.assign(globalThis, { seen });
  requestAnimationFrame(function record() {
    const user = document.querySelector('#user')?.checkVisibility() === true ? document.querySelector('#user') : null;
    for (const card of document.querySelectorAll('pulse-card')) {
      const shows = card.shadowRoot?.querySelector('[part~=image], [part~=summary]') ?? card.currentPulse;
      if (user && shows) seen.add(`${user.textContent} ${card.sourceId}`);
    }
    requestAnimationFrame(record);
  });
}

function seen(page: Page): Promise<string[]> {
  return page.evaluate(() => [...(globalThis as unknown as { seen: Set<string> }).seen].toSorted());
}
