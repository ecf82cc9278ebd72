// The card beside other embeds (bytes, shifts, requests, errors, policies, time to chart), a hundred on a page, and in Firefox
// and WebKit.
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { browsers } from './browsers.ts';
import { chartPicture } from './chart-picture.ts';
import { chromiumOptions } from './chromium-options.ts';
import { embedsTable } from './embeds-table.ts';
import { hundredCards } from './hundred-cards.ts';
import { chartTimes } from './time-to-chart.ts';

const PARTS = ['table', 'chart', 'hundred', 'browsers'];

const { values } = parseArgs({
  options: {
    /** Parts to measure, comma-separated. */
    only: { type: 'string', default: PARTS.join(',') },
  },
});
const parts = values.only.split(',');
const unknown = parts.filter((part) => !PARTS.includes(part));
if (unknown.length > 0) throw new Error(`Cannot measure "${unknown.join(', ')}": there are ${PARTS.join(', ')}`);

console.log(`Embeds, about six minutes: ${parts.join(', ')}`);
const browser = await chromium.launch(await chromiumOptions());
try {
  const chart = await chartPicture(browser);
  if (parts.includes('hundred')) await hundredCards(browser, chart);
  if (parts.includes('table')) await embedsTable(browser, chart);
  if (parts.includes('chart')) await chartTimes(browser, chart);
  if (parts.includes('browsers')) await browsers(chart);
} finally {
  await browser.close();
}
