import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chromium } from '@playwright/test';
import { bundleOf } from '../../bench/embeds/bundles.ts';
import { chartPicture, chromiumOptions } from '../../bench/embeds/chromium.ts';
import { pulseCard } from '../../bench/embeds/contestants.ts';
import { picturesOfSnippet } from './broken-picture.ts';
import { startChromium } from '@pulse-card/testkit/browsers/chromium';
import { isInstalled as hasFirefox, startFirefox } from '@pulse-card/testkit/browsers/firefox';
import { runChecks } from './run-checks.ts';
import { isInstalled as hasWebKit, startWebKit } from '@pulse-card/testkit/browsers/webkit';

async function drawnChart(): Promise<Buffer> {
  const browser = await chromium.launch(await chromiumOptions());
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

  describe(`<pulse-card> in ${name}`, () => {
    it('behaves as in the other browsers', options, async () => {
      await using driver = await start();
      const results = await runChecks(driver, await bundleOf(pulseCard), await drawnChart());
      const faults = results.filter(({ fault }) => fault !== undefined);
      assert.deepEqual(
        faults.map(({ promise, fault }) => `${promise}: ${fault}`),
        [],
      );
    });

    it('shows no part of a broken chart image before the script runs', options, async () => {
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
