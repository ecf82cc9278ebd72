import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chromium } from '@playwright/test';
import { startChromium } from '@pulse-card/testkit/browsers/chromium';
import { until } from '@pulse-card/testkit/until';
import { snippetFor } from '@pulse-card/widget/snippet';
import { bundleOf } from '@pulse-card/bench/embeds/bundles';
import { chartPicture } from '@pulse-card/bench/embeds/chart-picture';
import { chromiumOptions } from '@pulse-card/testkit/browsers/chromium';
import { pulseCard } from '@pulse-card/bench/embeds/contestants';
import { startStub } from '@pulse-card/bench/embeds/stub';
import { picturesOfSnippet } from './broken-picture.ts';
import { isInstalled as hasFirefox, startFirefox } from './firefox.ts';
import { isInstalled as hasWebKit, startWebKit } from './webkit.ts';

const LATE_MS = { script: 700, data: 400, image: 200 };

/** Runs before the delayed script and records the position of the text below the snippet. */
const REMEMBER = `<script>globalThis.topBefore = document.querySelector('#below').getBoundingClientRect().top</script>`;

async function drawnChart(): Promise<Buffer> {
  const browser = await chromium.launch(chromiumOptions());
  const chart = await chartPicture(browser);
  await browser.close();
  return chart;
}

for (const [name, isInstalled, start] of [
  ['Chromium', () => true, startChromium],
  ['Firefox', hasFirefox, startFirefox],
  ['WebKitGTK', hasWebKit, startWebKit],
] as const) {
  const options = { skip: isInstalled() ? false : `no ${name}` };

  describe(`The snippet in ${name}`, () => {
    it('doesn’t move the text below it, even if the script and the data load late', options, async () => {
      await using driver = await start();
      await using stub = await startStub(await bundleOf(pulseCard), await drawnChart(), { lateMs: LATE_MS });
      const snippet = snippetFor({ sourceId: 'ready-1', baseUrl: stub.embed, name: 'Q2 revenue' });
      stub.behavior.html = `<!doctype html><title>A page</title><body>${snippet}<p id="below">Below</p>${REMEMBER}</body>`;
      await driver.open(`${stub.page}/page`);
      await until('the card shows its chart', () =>
        driver.evaluate<boolean>(
          `document.querySelector('pulse-card').shadowRoot.querySelector('img').naturalWidth === 1600`,
        ),
      );
      const [before, after] = await driver.evaluate<[number, number]>(
        `[topBefore, document.querySelector('#below').getBoundingClientRect().top]`,
      );
      assert.ok(before > 200 && Math.abs(after - before) < 1, `${before} px, then ${after} px`);
    });

    it('doesn’t show any trace of a broken chart image before the script runs', options, async () => {
      await using driver = await start();
      const { whole, empty, broken } = await picturesOfSnippet(driver, await bundleOf(pulseCard), await drawnChart());
      assert.ok(!whole.equals(empty), 'a loaded chart is not shown');
      const icons = Object.entries(broken).filter(([, picture]) => !picture.equals(empty));
      assert.deepEqual(
        icons.map(([reason]) => reason),
        [],
      );
    });
  });
}
