import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chromium } from '@playwright/test';
import { bundleOf } from '../../bench/embeds/bundles.ts';
import { chartPicture, chromiumOptions } from '../../bench/embeds/chromium.ts';
import { pulseCard } from '../../bench/embeds/contestants.ts';
import { isInstalled as hasFirefox, startFirefox } from './firefox.ts';
import { runChecks } from './run-checks.ts';
import { isInstalled as hasWebKit, startWebKit } from './webkit.ts';

describe('<pulse-card>', () => {
  for (const [name, isInstalled, start] of [
    ['Firefox', hasFirefox, startFirefox],
    ['WebKitGTK', hasWebKit, startWebKit],
  ] as const) {
    it(`does in ${name} what it does in Chromium`, { skip: isInstalled() ? false : `no ${name}` }, async () => {
      const drawing = await chromium.launch(await chromiumOptions());
      const chart = await chartPicture(drawing);
      await drawing.close();
      await using driver = await start();
      const results = await runChecks(driver, await bundleOf(pulseCard), chart);
      const faults = results.filter(({ fault }) => fault !== undefined);
      assert.deepEqual(
        faults.map(({ promise, fault }) => `${promise}: ${fault}`),
        [],
      );
    });
  }
});
