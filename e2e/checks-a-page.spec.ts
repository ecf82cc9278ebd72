import { brokenPages, type Places } from '@pulse-card/doctor/testing/broken-pages';
import { expect, testOnOnePage as test } from './test.ts';

const SOURCE = 'src_us_employment';

test.describe('A BFF’s Check page', () => {
  test('reports each problem on a page until the suggested lines are applied', async ({ page, stack }) => {
    const script = `<script type="module" src="${stack.bffUrl}/pulse-card.js"></script>`;
    const card = `<pulse-card source-id="${SOURCE}"></pulse-card>`;
    const policy = `script-src ${stack.bffUrl}; img-src *`;
    const address = stack.site.put('/checked', script + card, {
      'Content-Security-Policy': `${policy}; connect-src 'self'`,
    });
    await page.goto(`${stack.adminUrl}/studio/check/?url=${encodeURIComponent(address)}`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    const findings = page.locator('.findings > li');
    await expect(findings).toHaveCount(1);
    const fix = await findings.getByLabel('What to change').innerText();
    stack.site.put('/checked', script + card, { 'Content-Security-Policy': `${policy}; ${fix}` });
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.locator('.result')).toContainText('Cards work on this page.');
    await page.goto(address);
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
  });

  test('explains a token even if no URL is given, and reports no page problems', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/check/`);
    await page.getByText('Also explain a token').click();
    await page.getByLabel('Token').fill('not a token');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.locator('.result')).toHaveText(
      /^\s*The token\s+Not checked\s+The token can’t be checked, because the BFF has no token keys\.\s*$/,
    );
  });
});

test.describe('A link to the Studio from someone else', () => {
  test('can fill in fields and read data but nothing else (T-57)', async ({ page, stack }) => {
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET' || new URL(request.url()).hostname === '10.0.0.1')
        asked.push(`${request.method()} ${request.url()}`);
    });
    for (const path of [
      'check/?url=http%3A%2F%2F10.0.0.1%2F&origin=http%3A%2F%2F10.0.0.1&token=a.b.c',
      '?source=src_us_employment&site=http%3A%2F%2F10.0.0.1&live&open&state=fresh',
      'board/?columns=2&variant=text',
      'status/?url=http%3A%2F%2F10.0.0.1',
      'check/?url=https%3A%2F%2Fblog.example.net%2Freport',
    ]) {
      await page.goto(`${stack.adminUrl}/studio/${path}`);
      // Anything that a page does automatically starts before the page shows anything.
      await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
      expect(asked, path).toEqual([]);
    }
    await expect(page.getByLabel('URL of the page')).toHaveValue('https://blog.example.net/report');
    await expect(page.locator('.result')).toBeEmpty();
  });
});

test.describe('A page on which the card doesn’t work', () => {
  test('is reported with an issue and shows the card once the suggested line is applied', async ({ page, stack }) => {
    test.setTimeout(180_000);
    const places = await placesOf(stack);
    for (const { what, code, page: broken, mended } of pagesForAnyBff())
      await test.step(what, async () => {
        const { html, headers } = broken(places);
        const address = stack.site.put('/broken', html, headers);
        const response = await page.request.post(`${stack.adminUrl}/studio/api/check`, {
          data: { url: address },
          headers: { 'X-Pulse-Studio': '1' },
        });
        const { findings } = (await response.json()) as { findings: { code: string; fix: string }[] };
        expect(findings.map((finding) => finding.code)).toEqual([code]);
        const repaired = mended(places, findings[0]?.fix ?? '');
        stack.site.put('/broken', repaired.html, repaired.headers);
        await page.goto(address);
        await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
        await expect(page.locator('pulse-card [part~=image]')).toHaveJSProperty('complete', true);
      });
  });
});

/** The broken pages whose error is in the page itself, not in one of the BFF's variables or in a frame. */
function pagesForAnyBff() {
  const pages = brokenPages.filter(({ code }) => code !== 'csp_frame' && code !== 'origin_not_allowed');
  if (pages.length < 12) throw new Error(`only ${pages.length} broken pages`);
  return pages;
}

async function placesOf(stack: { bffUrl: string; site: { origin: string } }): Promise<Places> {
  const response = await fetch(`${stack.bffUrl}/v1/sources/${SOURCE}/pulse`);
  const { pulse } = (await response.json()) as { pulse: { imageUrl: string } };
  return { bff: stack.bffUrl, page: stack.site.origin, charts: new URL(pulse.imageUrl).origin, sourceId: SOURCE };
}
