import type { StatusDocument } from '@pulse-card/bff';
import { html, svg, type TemplateResult } from 'lit';

type BudgetStatus = StatusDocument['budget'];

/** The line's time span, in ms. */
const SPAN_MS = 30 * 60_000;

/** The drawing's width and height, in its own units. Pages stretch the drawing to fit the available space. */
const WIDTH = 300;
const HEIGHT = 96;

/** The number of usable calls and the current time. */
interface SparklineOptions {
  /** The number of calls in a window that aren't reserved. */
  readonly usable: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** The calls in the last half hour as a line, with the maximum number of usable calls. */
export function sparklineTemplate(history: BudgetStatus['history'], { usable, now }: SparklineOptions): TemplateResult {
  const points = sparklinePoints(history, { usable, now });
  const spent = history.map((point) => point.spent);
  const label = `Calls per window over the last 30 minutes: ${Math.min(...spent)} to ${Math.max(...spent)}, of ${usable} available`;
  const [first, last] = [points[0], points.at(-1)];
  const line = points.map(([x, y]) => `${x},${y}`).join(' ');
  return html`<figure class="sparkline">
    <p class="usable quiet">${usable} usable</p>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${label}>
      ${first && last ? svg`<polygon class="area" points="${first[0]},${HEIGHT} ${line} ${last[0]},${HEIGHT}" />` : ''}
      <line class="limit" x2=${WIDTH} y1="1" y2="1" />
      <polyline class="line" points=${line} />
    </svg>
    <figcaption class="quiet"><span>30 min ago</span><span>now</span></figcaption>
  </figure>`;
}

/** The line's points. `x` is the time. `y` grows downward, and the maximum number of usable calls is at the top. */
export function sparklinePoints(
  history: BudgetStatus['history'],
  { usable, now }: SparklineOptions,
): [x: number, y: number][] {
  const top = Math.max(1, usable, ...history.map(({ spent }) => spent));
  return history
    .map(({ at, spent }): [number, number] => [
      round(WIDTH * (1 - (now - Date.parse(at)) / SPAN_MS)),
      round(1 + (HEIGHT - 2) * (1 - spent / top)),
    ])
    .filter(([x]) => x >= -1);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
