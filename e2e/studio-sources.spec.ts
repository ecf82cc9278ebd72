import { emptyStorage, expect, test as testOnOwnPage, testOnOnePage as test } from './test.ts';

const SOURCE = 'src_us_employment';

test.beforeEach(({ page, stack }) => emptyStorage(page, stack.adminUrl));

test.describe('A source that is not listed', () => {
  test('can be entered before any card has loaded', async ({ page, stack }) => {
    await page.route(/\/v1\/(pulses|sources\/)/, () => {});
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await page.getByLabel('Source', { exact: true }).selectOption({ label: 'Another, by ID' });
    await expect(page.getByText('Type the ID of a source to see its card.').first()).toBeVisible();
    await expect(page.locator('pulse-card')).toHaveCount(0);
    await expect(page.locator('.code pre')).toContainText('source-id="SOURCE_ID"');
    await page.getByLabel('ID', { exact: true }).fill('src_jobless_by_industry');
    await page.getByLabel('ID', { exact: true }).press('Enter');
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('sourceId', 'src_jobless_by_industry');
  });
});

test.describe('An id that no source can have', () => {
  test('is rejected with a message, and no other source is shown instead', async ({ page, stack }) => {
    const id = '<script>alert(1)</script>';
    await page.goto(`${stack.adminUrl}/studio/?source=${encodeURIComponent(id)}`);
    const expectRefused = async () => {
      await expect(page.getByRole('alert')).toContainText(`“${id}” can’t be an ID`);
      await expect(page.getByLabel('ID', { exact: true })).toHaveValue(id);
      await expect(page.locator('pulse-card')).toHaveCount(0);
      await expect(page.locator('.code pre')).toContainText('source-id="SOURCE_ID"');
    };
    await expectRefused();
    await page.getByLabel('ID', { exact: true }).fill(SOURCE);
    await page.getByLabel('ID', { exact: true }).press('Enter');
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    await page.getByLabel('Source', { exact: true }).selectOption({ label: 'Another, by ID' });
    await page.getByLabel('ID', { exact: true }).fill(id);
    await page.getByLabel('ID', { exact: true }).press('Enter');
    await expectRefused();
  });
});

test.describe('The Studio of an account without charts', () => {
  test('shows a sample, and code with a placeholder for the id', async ({ page, stack }) => {
    await page.route('**/studio/api/bff/v1/sources', (route) =>
      route.fulfill({ json: { meta: { requestedAt: new Date().toISOString(), stale: false }, sources: [] } }),
    );
    await page.goto(`${stack.adminUrl}/studio/`);
    await expect(page.getByRole('alert')).toContainText('This account has no sources yet');
    await expect(page.locator('pulse-card').first()).toHaveJSProperty('state', 'ready');
    await expect(page.locator('.code pre')).toContainText('source-id="SOURCE_ID"');
  });

  testOnOwnPage('shows the status page’s text until the problem is over', async ({ page, stack }) => {
    const summary = { level: 'down', headline: 'The service refuses the API key.', advice: 'Create a new key.' };
    await page.clock.install();
    await page.route('**/studio/api/bff/v1/sources', (route) => route.fulfill({ status: 503, json: {} }));
    await page.route('**/studio/api/status', (route) => route.fulfill({ json: { summary } }));
    await page.goto(`${stack.adminUrl}/studio/`);
    await expect(page.getByRole('alert')).toContainText('The service refuses the API key. Create a new key.');
    await expect(page.locator('.code pre')).toContainText(`${stack.bffUrl}/pulse-card.js`);
    await page.unrouteAll();
    await page.clock.runFor(10_000);
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByLabel('Source', { exact: true }).getByRole('option')).toHaveCount(11);
  });
});

test.describe('A site owner in the Studio', () => {
  test('sees whether the site is allowed, or which line the operator must add', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/?source=${SOURCE}`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.getByText('Type the address of your site')).toBeVisible();
    await page.getByLabel('Is my site allowed?').fill(`${stack.site.origin}/any/page`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.getByText('Yes, pages on this site can show the card.')).toBeVisible();
    await page.getByLabel('Is my site allowed?').fill('blog.example.net');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.getByText('Not yet. Ask the server’s operator to allow this site.')).toBeVisible();
    const line = page.getByLabel('The line for the operator');
    await expect(line).toContainText(',https://blog.example.net');
    const rowsOfOrigins = await line.evaluate((pre) =>
      [...pre.childNodes]
        .filter((node) => node.textContent?.startsWith('http'))
        .map((origin) => {
          const range = document.createRange();
          range.selectNodeContents(origin);
          return range.getClientRects().length;
        }),
    );
    expect(rowsOfOrigins).toContain(1);
    expect(new Set(rowsOfOrigins).size).toBe(1);
  });

  test('goes from a card on the board to its snippet', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/board/`);
    await page.getByRole('link', { name: 'Get the snippet for Rain in Seattle' }).click();
    await expect(page.locator('.code pre')).toContainText('source-id="src_seattle_rain"');
  });
});
