import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import optimise, { init as initOptimise } from '@jsquash/oxipng/optimise.js';
import { renderAsync } from '@resvg/resvg-js';
import { init, type EChartsOption } from 'echarts';
import { CHART_HEIGHT, CHART_WIDTH } from './frame.ts';

// resvg reads static TrueType fonts. The Studio's Inter is a variable WOFF2 font, which resvg ignores without a message.
const FONT_FILES = [
  import.meta.resolve('@expo-google-fonts/inter/500Medium/Inter_500Medium.ttf'),
  import.meta.resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf'),
  import.meta.resolve('@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf'),
].map((url) => fileURLToPath(url));

const OPTIMISER = '@jsquash/oxipng/codec/pkg/squoosh_oxipng_bg.wasm';

/** Draws a chart as SVG. The same `option` always produces the same text. */
export function chartSvg(option: EChartsOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: CHART_WIDTH, height: CHART_HEIGHT });
  try {
    chart.setOption(option);
    return withoutHover(chart.renderToSVGString()).replaceAll(/\bzr\d+-/g, 'zr-');
  } finally {
    chart.dispose();
  }
}

/**
 * Removes the hover styles, which an image doesn't need. The names of these styles contain numbers that increase with
 * every drawing.
 */
function withoutHover(svg: string): string {
  return svg.replaceAll(/ class="zr[^"]*"/g, '').replace(/<style[^]*?<\/style>/, '');
}

/** Names a drawing after its content, so that an existing drawing isn't drawn again. */
export function chartName(svg: string): string {
  return createHash('sha256').update(svg).digest('hex').slice(0, 20);
}

/**
 * Converts a drawing to PNG bytes. Uses this package's fonts, never the machine's fonts. The image is compressed
 * without loss to half its size, because every clone and every first start contains it.
 */
export async function chartPng(svg: string): Promise<Uint8Array> {
  const image = await renderAsync(svg, {
    font: { fontFiles: FONT_FILES, loadSystemFonts: false, defaultFontFamily: 'Inter' },
  });
  await initOptimise(new WebAssembly.Module(readFileSync(new URL(import.meta.resolve(OPTIMISER)))));
  return new Uint8Array(await optimise(new Uint8Array(image.asPng()).buffer, { level: 4, interlace: false }));
}
