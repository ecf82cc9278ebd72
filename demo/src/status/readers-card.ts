import type { StatusDocument } from '@pulse-card/bff';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { count, percentage } from './format.ts';

type AnswerCounts = StatusDocument['lastHour'];

const KINDS = [
  { name: 'fresh', words: 'Fresh' },
  { name: 'stale', words: 'Earlier version' },
  { name: 'waited', words: 'Waited for the service' },
  { name: 'refused', words: 'Rejected' },
  { name: 'failed', words: 'Without a chart' },
] as const satisfies readonly { name: keyof AnswerCounts; words: string }[];

/** The large number in the readers panel, and its text. */
export function readersFigure(counts: AnswerCounts): readonly [figure: string, words: string] {
  const requests = requestsOf(counts);
  if (requests === 0) return ['0', 'requests from cards'];
  const words = `of ${count(requests)} ${requests === 1 ? 'request' : 'requests'} got a chart`;
  return [percentage(requests - counts.failed, requests), words];
}

/**
 * Explains where views are counted if charts were only loaded as images. Empty if there are no such views or if cards
 * have requested charts.
 */
export function pictureWords(
  counts: AnswerCounts,
  sources: readonly Pick<StatusDocument['sources'][number], 'viewsPerMinute'>[],
): string {
  if (requestsOf(counts) > 0 || sources.every(({ viewsPerMinute }) => viewsPerMinute === 0)) return '';
  return 'Charts that are loaded only as images (/image) are counted as views below, not here.';
}

/** The number of chart requests from readers who are allowed to see them. */
function requestsOf({ fresh, stale, waited, failed }: AnswerCounts): number {
  return fresh + stale + waited + failed;
}

/** Shows how the BFF responded to readers in the last hour. */
export function readersTemplate({ lastHour, sources }: StatusDocument): TemplateResult {
  const [figure, words] = readersFigure(lastHour);
  const note = pictureWords(lastHour, sources);
  return html`<section class="panel readers" aria-labelledby="readers-title">
    <h2 id="readers-title">Readers <small>last hour</small></h2>
    <p class="figure">${figure} <small>${words}</small></p>
    ${answersBar(lastHour, requestsOf(lastHour) > 0)}
    <dl class="counts">
      ${KINDS.map(
        ({ name, words }) =>
          html`<div>
            <dt><span class="swatch ${name}"></span>${words}</dt>
            <dd>${count(lastHour[name])}</dd>
          </div>`,
      )}
    </dl>
    ${note === '' ? nothing : html`<p class="quiet">${note}</p>`}
  </section>`;
}

/** The bar stays empty if no chart was requested, even if requests were rejected. */
function answersBar(counts: AnswerCounts, hasCharts: boolean): TemplateResult {
  const all = Math.max(
    1,
    KINDS.reduce((sum, { name }) => sum + counts[name], 0),
  );
  let from = 0;
  return html`<svg class="bar-chart" width="100%" height="8" aria-hidden="true">
    <rect width="100%" height="8" rx="4" class="track" />
    ${KINDS.map(({ name }) => {
      const share = (100 * counts[name]) / all;
      const x = from;
      from += share;
      return share === 0 || !hasCharts ? '' : svg`<rect x="${x}%" width="${share}%" height="8" class=${name} />`;
    })}
  </svg>`;
}
