import type { StatusDocument } from '@pulse-card/bff';
import { html, nothing, type TemplateResult } from 'lit';
import { count, MAX_ROWS, moreWords, siteName } from './format.ts';

type TurnedAway = StatusDocument['turnedAway'][number];

/** Shows rejected requests by code and site, with the action to take. */
export function turnedAwayTemplate(refusals: readonly TurnedAway[]): TemplateResult | typeof nothing {
  if (refusals.length === 0) return nothing;
  const more = moreWords(refusals.length, location.pathname);
  return html`<section class="panel turned-away" aria-labelledby="turned-away-title">
    <header>
      <h2 id="turned-away-title">Rejected <small>since the start</small></h2>
    </header>
    <table aria-labelledby="turned-away-title">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">From</th>
          <th scope="col" class="number">Times</th>
          <th scope="col">What to do</th>
        </tr>
      </thead>
      <tbody>
        ${refusals.slice(0, MAX_ROWS).map(
          ({ words, code, origin, count: times, advice }) =>
            html`<tr>
              <th scope="row">${words.slice(0, 1).toUpperCase() + words.slice(1)} <code>${code}</code></th>
              <td class="site">${siteName(origin)}</td>
              <td class="number" data-label="Times">${count(times)}</td>
              <td class="why">${advice}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${more && html`<p class="none quiet">${more}</p>`}
  </section>`;
}
