import { frameHeightPx } from '@pulse-card/widget/snippet';
import { expect, inWholeBrowser, LONG, test } from './test.ts';

test.use({ launchOptions: async ({ launchOptions }, use) => use(inWholeBrowser(launchOptions)) });

test(
  'On a page that sizes frames by their content, a frame is as tall as a collapsed card',
  LONG,
  async ({ page, stack }) => {
    for (const width of [390, 600]) {
      const frame = `<iframe style="frame-sizing:content-height;width:${width}px" frameborder="0" src="${stack.bffUrl}/embed/src_us_employment"></iframe>`;
      await page.goto(stack.site.put('/sized-by-content', `<!doctype html><title>A page</title><body>${frame}`));
      // Chromium 154 and later adapt a frame's height to its content. Other browsers use the default iframe height.
      const isSized = await page.evaluate(() => CSS.supports('frame-sizing', 'content-height'));
      const heightPx = isSized ? frameHeightPx(width) : 150;
      // A difference of one pixel is allowed, because browsers round the content's height.
      const differenceOf = async () =>
        Math.abs((await page.locator('iframe').evaluate((element) => element.clientHeight)) - heightPx);
      await expect.poll(differenceOf).toBeLessThanOrEqual(1);
      await page.frameLocator('iframe').getByText('Read the analysis').click();
      await expect(page.frameLocator('iframe').locator('[part=analysis]')).toBeVisible();
      expect(await differenceOf()).toBeLessThanOrEqual(1);
    }
  },
);
