import type { StatusDocument } from '@pulse-card/bff';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { count, shortDuration } from './format.ts';
import { sparklineTemplate } from './sparkline.ts';

type BudgetStatus = StatusDocument['budget'];

/** Shows the window's spent, reserved, and remaining calls, and the calls during the last half hour. */
export function budgetTemplate({ budget, summary, at }: StatusDocument): TemplateResult {
  const { limit, windowMs, spent, reserved, others, earlier, free, capacity, history } = budget;
  return html`<section class="panel budget" aria-labelledby="budget-title">
    <h2 id="budget-title">Calls to the service <small>last ${count(windowMs / 1_000)} seconds</small></h2>
    <div class="columns">
      <div>
        <p class="figure">${count(spent)} <small>of ${count(limit)}</small></p>
        ${budgetBar(budget)}
        <ul class="legend">
          <li><span class="swatch spent"></span>Spent <b>${count(spent)}</b></li>
          <li><span class="swatch reserved"></span>Reserved <b>${count(reserved)}</b></li>
          ${others > 0 ? html`<li><span class="swatch others"></span>Spent by others <b>${count(others)}</b></li>` : nothing}
          ${earlier > 0 ? html`<li><span class="swatch others"></span>Spent before <b>${count(earlier)}</b></li>` : nothing}
          <li><span class="swatch free"></span>Remaining <b>${count(free)}</b></li>
        </ul>
        <p class="quiet">${budgetWords(budget, summary.level)}</p>
      </div>
      ${sparklineTemplate(history, { usable: capacity, now: Date.parse(at) })}
    </div>
  </section>`;
}

function budgetBar({ limit, spent, reserved, others, earlier }: BudgetStatus): TemplateResult {
  const share = (calls: number): string => `${(100 * calls) / limit}%`;
  return html`<svg class="bar-chart" width="100%" height="10" aria-hidden="true">
    <defs>
      <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="2" height="5" class="hatch" />
      </pattern>
    </defs>
    <rect width="100%" height="10" rx="5" class="track" />
    <rect width=${share(spent)} height="10" rx="5" class="spent" />
    <rect x=${share(spent)} width=${share(reserved)} height="10" rx="3" fill="url(#hatch)" />
    ${others + earlier > 0 ? svg`<rect x=${share(spent + reserved)} width=${share(others + earlier)} height="10" rx="3" class="others" />` : nothing}
  </svg>`;
}

/** How many calls the budget allows right now. */
export function budgetWords(
  { free, left, pausedForMs }: Pick<BudgetStatus, 'free' | 'left' | 'pausedForMs'>,
  level: StatusDocument['summary']['level'],
): string {
  if (pausedForMs > 0) return `The service won’t accept calls for another ${shortDuration(pausedForMs / 1_000)}.`;
  if (level === 'down') return 'The server has paused calls until the service recovers, so that none are wasted.';
  return `${freeWords(Math.floor(free), Math.floor(left))} The sources with the most readers are refreshed first.`;
}

/** Calls are spread over the window, so the remaining calls can't all be made now. */
function freeWords(free: number, left: number): string {
  if (free === 0) return 'All calls in this window have been used.';
  if (free === 1)
    return left === 0 ? 'One call remains; it can be made shortly.' : 'The remaining call can be made now.';
  if (left >= free) return `All ${count(free)} remaining calls can be made now.`;
  return left === 0
    ? `${count(free)} calls remain; the next one can be made shortly.`
    : `${count(left)} of the ${count(free)} remaining calls can be made now, the rest later in the window.`;
}
