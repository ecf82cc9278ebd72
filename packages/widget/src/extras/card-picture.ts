import { keepUnits } from '../markdown/keep-units.ts';
import type { ShownCard } from '../elements/pulse-card/shown-card.ts';
import { textsOf, viewOf } from './action-card.ts';
import { create } from '../dom.ts';
import { answerInTime } from './answer-in-time.ts';
import { lookOf } from './look.ts';
import { CHART_INSET, FINDING_LINE, FINDING_SIZE, NAME_SIZE, PAD, Pen, SOURCE_SIZE, WIDTH } from './pen.ts';
import { linesOf } from './text-lines.ts';

const MAX_CHART_HEIGHT = 1_200;

/**
 * The whole card as a 1,200 px wide PNG. The image looks the way the reader sees the card: light or dark, with the
 * page's colors and font.
 */
export async function cardPicture(card: ShownCard): Promise<Blob> {
  const chart = await chartOf(card);
  const look = lookOf(card);
  const texts = textsOf(card);
  const { summaryLang, language } = viewOf(card);
  const style = { font: `600 ${FINDING_SIZE}px ${look.font}`, widthPx: WIDTH - 2 * PAD, lineHeight: FINDING_LINE };
  const finding = linesOf(
    keepUnits(texts.finding),
    { ...style, language: summaryLang || language },
    card.host.shadowRoot as Node,
  );
  const chartHeight = chart ? Math.min(MAX_CHART_HEIGHT, ((WIDTH - 2 * CHART_INSET) * chart.height) / chart.width) : 0;
  const chartTop = PAD + NAME_SIZE + 28 + finding.lines.length * FINDING_LINE + (chart ? 28 : 0);
  const height = Math.ceil(chartTop + chartHeight + 36 + SOURCE_SIZE + PAD - 12);
  const canvas = create('canvas');
  Object.assign(canvas, { width: WIDTH, height, lang: language });
  const pen = new Pen(canvas, look);
  pen.facts(texts, height - PAD + 12);
  pen.finding(finding, style.font);
  if (chart) pen.chart(chart, chartTop, chartHeight);
  return pngOf(canvas);
}

/**
 * The chart for the run that the card shows, or undefined if the run has no chart. Rejects if the chart can't be
 * loaded.
 */
async function chartOf(card: ShownCard): Promise<ImageBitmap | HTMLImageElement | undefined> {
  const { pulse, request } = viewOf(card);
  const { imageUrl, sourceId, jobRunId } = pulse;
  if (!imageUrl) return undefined;
  if (imageUrl.startsWith('data:')) {
    const image = new Image();
    image.src = imageUrl;
    await answerInTime(image.decode());
    return image;
  }
  const path = `/v1/sources/${sourceId}/image?run=${encodeURIComponent(jobRunId)}`;
  const { signal } = new AbortController();
  const { body, failure } = await request(path, { revalidate: false, signal });
  if (failure) throw new Error(`Can’t load ${path}: ${failure.code}`);
  return answerInTime(createImageBitmap(body as Blob));
}

function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  const png = new Promise<Blob>((resolve, reject) => {
    canvas.toBlob((blob) => (blob?.size ? resolve(blob) : reject(new Error('the browser returned no PNG'))));
  });
  return answerInTime(png);
}
