import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from '@playwright/test';
import { type Stack, startStack } from '@pulse-card/testkit/stack';
import { frameHeightPx } from '@pulse-card/widget/snippet';
import { freePort } from '@pulse-card/testkit/free-port';
import { provideBrowser } from '@pulse-card/testkit/system/programs';
import { openWordPress, type WordPressSite } from '@pulse-card/testkit/wordpress/site';

const SOURCE = 'src_us_employment';
const QUOTATION = 'blockquote.wp-embedded-content';

/** How long, in ms, the text must stay before the test assumes that no frame will replace it. */
const SETTLED_MS = 2_000;

let browser: Browser;
let stack: Stack;
let wordpress: WordPressSite;
let post: string;
before(async () => {
  const port = await freePort();
  const executablePath = provideBrowser();
  browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
  stack = await startStack({ PULSE_ALLOWED_ORIGINS: `http://localhost:${port}` });
  wordpress = await openWordPress(port, Number(new URL(stack.bffUrl).port));
  const url = `${stack.bffUrl}/embed/${SOURCE}`;
  post = await wordpress.publish(`<!-- wp:embed {"url":"${url}","type":"rich"} -->
<figure class="wp-block-embed is-type-rich"><div class="wp-block-embed__wrapper">
${url}
</div></figure>
<!-- /wp:embed -->`);
});
after(async () => {
  await browser.close();
  await wordpress[Symbol.asyncDispose]();
  await stack.close();
});

async function open(url: string, look: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
  await page.goto(url);
  await look(page);
  await page.close();
}

/** Checks that readers see text and a link, but no frame. */
async function expectTextAndLink(page: Page): Promise<void> {
  await page.waitForTimeout(SETTLED_MS);
  const quotation = page.locator(QUOTATION);
  assert.ok(await quotation.isVisible());
  assert.match((await quotation.textContent()) ?? '', /^US nonfarm employment AI-generated Payrolls reached /);
  assert.equal(await quotation.getByRole('link').getAttribute('href'), `${stack.bffUrl}/embed/${SOURCE}`);
}

describe('The URL of a card’s frame in a WordPress post', () => {
  for (const column of [340, 640])
    // The page is opened ten times, because the frame sometimes loads before WordPress starts listening.
    it(`becomes a frame as tall as its card in a ${column} px column`, async (test) => {
      for (let times = 0; times < 10; times += 1)
        await open(`${post}&column=${column}`, async (page) => {
          await page.locator(QUOTATION).waitFor({ state: 'hidden' });
          await page.frameLocator('iframe').locator('pulse-card:state(ready)').waitFor();
          const { width, height } = (await page.locator('iframe').boundingBox()) ?? { width: 0, height: 0 };
          if (times === 0) test.diagnostic(`${width} × ${height} px`);
          assert.ok(Math.abs(height - frameHeightPx(width)) <= 1, `${height} px high, ${width} px wide`);
        });
    });

  it('becomes text and a link on a site that the BFF doesn’t allow', () =>
    open(post.replace('localhost', '127.0.0.1'), expectTextAndLink));

  it('becomes text and a link while the BFF isn’t responding', async () => {
    await stack.close();
    await open(post, expectTextAndLink);
  });
});
