import type { Browser } from '@playwright/test';

const SIZE = { width: 1_600, height: 900 };

/** Employment in the United States by year, in millions. The first year is 2005. */
const VALUES = [135.4, 137.1, 138.1, 134.2, 130.3, 131.8, 134.1, 136.4, 139, 141.8, 143.1];

/** A chart like the service's: a 1600 by 900 PNG. */
export async function chartPicture(browser: Browser): Promise<Buffer> {
  const points = VALUES.map((value, at) => [120 + at * 142, 840 - ((value - 125) / 20) * 780] as const);
  const labels = points.map(([x], at) => `<text x="${x - 34}" y="885" font-size="32">${2005 + at}</text>`);
  const lines = [125, 130, 135, 140, 145].map((value, at) => {
    const y = 840 - at * 195;
    return `<path d="M120 ${y}H1540" stroke="#ccc"/><text x="10" y="${y + 10}" font-size="32">${value}M</text>`;
  });
  const line = `<polyline points="${points.join(' ')}" fill="none" stroke="#2a62c9" stroke-width="6"/>`;
  const page = await browser.newPage({ viewport: SIZE });
  const svg = `<svg width="1600" height="900" font-family="sans-serif">${[...lines, ...labels, line].join('')}</svg>`;
  await page.setContent(`<style>body{margin:0;background:#fff}</style>${svg}`);
  const picture = await page.screenshot();
  await page.close();
  return picture;
}
