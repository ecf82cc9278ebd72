import { expect, test } from './test.ts';

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

  test('explains a token alone, and keeps it out of the address', async ({ page, stack }) => {
    await page.goto(`${stack.adminUrl}/studio/check/`);
    await page.getByText('Explain a token, too').click();
    await page.getByLabel('Token', { exact: true }).fill('no.real.token');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.locator('.result')).toContainText('The token is refused');
    expect(page.url()).not.toContain('token');
  });
});
