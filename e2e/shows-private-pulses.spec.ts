import { openPortal, type Portal, TOKEN_KEYS_FILE } from './stack/portal.ts';
import { expect, test } from './test.ts';

const SEEN = ['src_us_employment', 'src_seattle_rain'];
const HIDDEN = 'src_co2_mauna_loa';

test.use({ bffEnv: { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: TOKEN_KEYS_FILE } });

test.describe('A portal with private pulses', () => {
  let portal: Portal;

  test.beforeEach(async ({ stack, page }) => {
    await page.setViewportSize({ width: 800, height: 3_000 });
    const shown = [...SEEN, HIDDEN];
    portal = await openPortal({ port: stack.demoPort, bffUrl: stack.bffUrl, sources: SEEN, shown });
  });
  test.afterEach(() => portal.close());

  test('shows its readers what they may see, with one token and one request', async ({ page, stack }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
    await page.goto(`${portal.origin}/login`);
    for (const id of SEEN) {
      const card = page.locator(`pulse-card[source-id=${id}]`);
      await expect(card).toHaveJSProperty('state', 'ready');
      await expect(card.locator('[part~=summary]')).toContainText(/\d/);
      const image = card.locator('[part~=image]');
      await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1600);
    }
    const hidden = page.locator(`pulse-card[source-id=${HIDDEN}]`);
    await expect(hidden).toHaveJSProperty('state', 'error');
    await expect(hidden).toContainText('may not show this chart');
    expect(portal.minted).toHaveLength(1);
    expect(asked.filter((line) => line.startsWith(`GET ${stack.bffUrl}/v1/`))).toHaveLength(1);
  });

  test('keeps the token out of the page and of every address', async ({ page }) => {
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url(), request.headers()['referer'] ?? ''));
    await page.goto(`${portal.origin}/login`);
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    const [token = 'none'] = portal.minted;
    const page_ = await page.content();
    const stored = await page.evaluate(
      () => [localStorage, sessionStorage].map((kept) => JSON.stringify(kept)).join('') + document.cookie,
    );
    expect([page_, stored, ...addresses].join('\n')).not.toContain(token.split('.')[2]);
  });

  test('shows nothing to those who are not signed in, nor to programs without a token', async ({ page, stack }) => {
    const answered = page.waitForResponse(`${portal.origin}/pulse-token`);
    await page.goto(portal.origin);
    expect((await answered).status()).toBe(401);
    await expect(page.locator('pulse-card').first()).not.toHaveJSProperty('state', 'ready');
    for (const path of [`/v1/pulses?ids=${SEEN[0]}`, '/v1/sources', `/embed/${SEEN[0]}`]) {
      expect((await page.request.get(stack.bffUrl + path)).status(), path).toBe(401);
    }
  });

  test('binds tokens to its own pages', async ({ page, stack }) => {
    await page.goto(`${portal.origin}/login`);
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    const ask = (origin: string) =>
      page.request.get(`${stack.bffUrl}/v1/pulses?ids=${SEEN[0]}`, {
        headers: { Authorization: `Bearer ${portal.minted[0]}`, Origin: origin },
      });
    expect((await ask(portal.origin)).status()).toBe(200);
    expect((await ask(stack.site.origin)).status()).toBe(403);
  });
});

test.describe('The Studio of a BFF that asks for tokens', () => {
  test('offers no frame to copy, which could show nothing, and says why', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SEEN[0]}`);
    const code = page.getByRole('region', { name: 'Code for your page' });
    await page.getByRole('tab', { name: 'iframe', exact: true }).click();
    await expect(code).toContainText('A frame carries no token');
    await expect(code.getByRole('button', { name: 'Copy' })).toHaveCount(0);
    await expect(code.locator('pre')).toHaveCount(0);
    await page.getByRole('tab', { name: 'HTML', exact: true }).click();
    await expect(code.getByRole('button', { name: 'Copy' })).toBeVisible();
  });
});
