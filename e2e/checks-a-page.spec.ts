import { brokenPages, type Places } from '../packages/bff/src/testing/broken-pages.ts';
import { expect, testOnOnePage as test } from './test.ts';

const SOURCE = 'src_us_employment';

test.describe('The Check page of a BFF', () => {
  test('names what keeps a card from working; with its line applied nothing is left, and the card is ready', async ({
    page,
    stack,
  }) => {
    const script = `<script type="module" src="${stack.bffUrl}/pulse-card.js"></script>`;
    const card = `<pulse-card source-id="${SOURCE}"></pulse-card>`;
    const policy = `script-src ${stack.bffUrl}; img-src *`;
    const address = stack.site.put('/checked', script + card, {
      'Content-Security-Policy': `${policy}; connect-src 'self'`,
    });
    await page.goto(`${stack.adminUrl}/studio/check/?url=${encodeURIComponent(address)}`);
    const findings = page.locator('.findings > li');
    await expect(findings).toHaveCount(1);
    const fix = await findings.getByLabel('What to change').innerText();
    stack.site.put('/checked', script + card, { 'Content-Security-Policy': `${policy}; ${fix}` });
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.locator('.result')).toContainText('Nothing keeps cards from working here.');
    await page.goto(address);
    await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
  });
});

test.describe('A page that keeps its card from working', () => {
  for (const { what, code, page: broken, mended } of pagesForAnyBff()) {
    test(`has its own finding, and shows the card with the line applied: ${what}`, async ({ page, stack }) => {
      const places = await placesOf(stack);
      const { html, headers } = broken(places);
      const address = stack.site.put('/broken', html, headers);
      const response = await page.request.post(`${stack.adminUrl}/studio/api/check`, {
        data: { url: address },
        headers: { Origin: stack.adminUrl },
      });
      const { findings } = (await response.json()) as { findings: { code: string; fix: string }[] };
      expect(findings.map((finding) => finding.code)).toEqual([code]);
      const repaired = mended(places, findings[0]?.fix ?? '');
      stack.site.put('/broken', repaired.html, repaired.headers);
      await page.goto(address);
      await expect(page.locator('pulse-card')).toHaveJSProperty('state', 'ready');
      await expect(page.locator('pulse-card [part~=image]')).toHaveJSProperty('complete', true);
    });
  }
});

/** The broken pages whose fault lies in the page alone, not in a variable of the BFF or in a frame. */
function pagesForAnyBff() {
  const places = { bff: 'http://bff.test', page: 'http://page.test', charts: 'http://charts.test', sourceId: SOURCE };
  const pages = brokenPages.filter(
    ({ code, page }) =>
      code !== 'csp_frame' && Object.keys(page(places).variables).length === 2 && code !== 'origin_not_allowed',
  );
  if (pages.length < 12) throw new Error(`only ${pages.length} broken pages`);
  return pages;
}

async function placesOf(stack: { bffUrl: string; site: { origin: string } }): Promise<Places> {
  const response = await fetch(`${stack.bffUrl}/v1/sources/${SOURCE}/pulse`);
  const { pulse } = (await response.json()) as { pulse: { imageUrl: string } };
  return { bff: stack.bffUrl, page: stack.site.origin, charts: new URL(pulse.imageUrl).origin, sourceId: SOURCE };
}
