import type { StatusDocument } from '@pulse-card/bff';
import { html, svg, type TemplateResult } from 'lit';
import { count, percentage } from './format.ts';

type AnswerCounts = StatusDocument['lastHour'];

const KINDS = [
  { name: 'fresh', words: 'Fresh' },
  { name: 'stale', words: 'Earlier version' },
  { name: 'waited', words: 'Waited for the service' },
  { name: 'refused', words: 'Turned away' },
  { name: 'failed', words: 'Without a chart' },
] as const satisfies readonly { name: keyof AnswerCounts; words: string }[];

/** What readers got in the last hour. */
export function readersTemplate({ lastHour, live }: StatusDocument): TemplateResult {
  const { fresh, stale, waited, failed } = lastHour;
  const charts = fresh + stale + waited + failed;
  return html`<section class="panel readers" aria-labelledby="readers-title">
    <h2 id="readers-title">Readers <small>last hour</small></h2>
    ${
      charts === 0
        ? html`<p class="figure">0 <small>charts asked for</small></p>`
        : html`<p class="figure">${percentage(charts - failed, charts)} <small>got a chart</small></p>`
    }
    ${answersBar(lastHour, charts > 0)}
    <dl class="counts">
      ${KINDS.map(
        ({ name, words }) =>
          html`<div>
            <dt><span class="swatch ${name}"></span>${words}</dt>
            <dd>${count(lastHour[name])}</dd>
          </div>`,
      )}
      <div>
        <dt><span class="swatch"></span>Live streams open</dt>
        <dd>${count(live.connections)}</dd>
      </div>
    </dl>
  </section>`;
}

/** The bar stays empty where no chart was asked for, whoever was turned away. */
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
