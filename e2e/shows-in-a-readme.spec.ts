import { startImageProxy } from '@pulse-card/testkit/image-proxy';
import { expect, LONG, test } from './test.ts';

const SOURCE = 'src_us_employment';

test.describe('A chart in a README', () => {
  test('shows a new run within a minute behind an image proxy such as GitHub’s', LONG, async ({ page, stack }) => {
    await using proxy = await startImageProxy();
    const url = proxy.urlOf(`${stack.bffUrl}/v1/sources/${SOURCE}/image`);
    const shown = async () => {
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
      return answer.headers.get('etag');
    };
    await page.goto(stack.site.put('/readme', `<img src="${url}" alt="US nonfarm employment">`));
    await expect(page.locator('img')).toHaveJSProperty('naturalWidth', 1600);
    const before = await shown();
    expect(await shown()).toBe(before);
    stack.deliver(SOURCE, 'Payrolls rose again, by 271 thousand.');
    await expect.poll(shown, { timeout: 60_000, intervals: [1_000] }).not.toBe(before);
  });
});
