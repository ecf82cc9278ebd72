import type { Browser } from '@playwright/test';
import { init, use } from 'echarts/core';
import { LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';

const SIZE = { width: 1_600, height: 900 };

use([LineChart, GridComponent, SVGRenderer]);

/** A chart as the service delivers it: a PNG of 1600 by 900. */
export async function chartPicture(browser: Browser): Promise<Buffer> {
  const chart = init(undefined, undefined, { renderer: 'svg', ssr: true, ...SIZE });
  const data = [135.4, 137.1, 138.1, 134.2, 130.3, 131.8, 134.1, 136.4, 139, 141.8, 143.1];
  chart.setOption({
    animation: false,
    backgroundColor: '#fff',
    textStyle: { fontSize: 32 },
    grid: { left: 120, right: 60, top: 60, bottom: 90 },
    xAxis: { type: 'category', data: data.map((_, year) => 2005 + year), axisLabel: { fontSize: 32 } },
    yAxis: { type: 'value', min: 125, axisLabel: { fontSize: 32, formatter: '{value}M' } },
    series: [{ type: 'line', data, lineStyle: { width: 6 }, areaStyle: { opacity: 0.15 }, showSymbol: false }],
  });
  const page = await browser.newPage({ viewport: SIZE });
  await page.setContent(`<style>body{margin:0}</style>${chart.renderToSVGString()}`);
  const picture = await page.screenshot();
  await page.close();
  chart.dispose();
  return picture;
}
