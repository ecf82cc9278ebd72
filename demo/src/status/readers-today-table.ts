import type { StatusDocument } from '@pulse-card/bff';
import { html, nothing, type TemplateResult } from 'lit';
import { count, MAX_ROWS, moreWords, siteName } from './format.ts';

type ReadersToday = StatusDocument['readersToday'];
type SourceStatus = StatusDocument['sources'][number];

interface SiteViews {
  readonly site: string;
  readonly source: string;
  readonly views: number;
}

/** Today's views by site and source, highest first. */
export function siteViews({ sources }: ReadersToday, names: ReadonlyMap<string, string>): SiteViews[] {
  return sources
    .flatMap(({ sourceId, origins }) =>
      origins.map(({ origin, views }) => ({ site: siteName(origin), source: names.get(sourceId) ?? sourceId, views })),
    )
    .toSorted((a, b) => b.views - a.views);
}

/** Shows which sites displayed which charts today. */
export function readersTodayTemplate(
  readersToday: ReadersToday,
  sources: readonly SourceStatus[],
): TemplateResult | typeof nothing {
  const names = new Map(sources.flatMap(({ sourceId, name }) => (name === null ? [] : [[sourceId, name] as const])));
  const rows = siteViews(readersToday, names);
  if (rows.length === 0) return nothing;
  const more = moreWords(rows.length, location.pathname);
  return html`<section class="panel readers-today" aria-labelledby="readers-today-title">
    <header>
      <h2 id="readers-today-title">Where charts are read <small>today, since 00:00 UTC</small></h2>
    </header>
    <table aria-labelledby="readers-today-title">
      <thead>
        <tr>
          <th scope="col">Site</th>
          <th scope="col">Source</th>
          <th scope="col" class="number">Views</th>
        </tr>
      </thead>
      <tbody>
        ${rows.slice(0, MAX_ROWS).map(
          ({ site, source, views }) =>
            html`<tr>
              <th scope="row" class="site">${site}</th>
              <td>${source}</td>
              <td class="number" data-label="Views">${count(views)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${more && html`<p class="none quiet">${more}</p>`}
  </section>`;
}
