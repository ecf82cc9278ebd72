import type { StatusDocument } from '@pulse-card/bff';
import { html, LitElement, nothing, type PropertyDeclarations, svg, type TemplateResult } from 'lit';
import { icon, type IconName } from '../ui/icons.ts';
import { count, providerName, shortDuration } from './format.ts';

type SourceStatus = StatusDocument['sources'][number];

/** The search is shown from this many sources on. */
const SEARCH_FROM = 6;

const SEEN: Readonly<Record<SourceStatus['readersSee'], readonly [words: string, kind: string, icon: IconName]>> = {
  fresh: ['Fresh', '', 'check'],
  'earlier-version': ['Earlier version', 'warning', 'clock'],
  'no-chart': ['No chart yet', '', 'info'],
  error: ['An error', 'danger', 'cross'],
  unknown: ['Nobody asked yet', '', 'info'],
};

/** Words for the last failure, by its detail in the log. */
const FAILURES: Readonly<Record<string, string>> = {
  'upstream-unavailable': 'Service not answering',
  'upstream-timeout': 'The last call timed out',
  'upstream-error': 'Service answers with an error',
  'upstream-invalid': 'The answer cannot be read',
  auth: 'Key refused',
  'rate-limited': 'Service allows no calls',
  budget: 'Waiting for a free call',
  paused: 'Service allows no calls',
  starting: 'Server is starting',
};

/** The sources by name, troubled first; those no one looks at are folded into one row. */
export class SourcesTable extends LitElement {
  static override properties: PropertyDeclarations = { sources: { attribute: false }, search: { state: true } };
  declare sources: readonly SourceStatus[];
  declare search: string;

  constructor() {
    super();
    this.sources = [];
    this.search = '';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override render(): TemplateResult {
    const found = this.sources.filter((source) => isFound(source, this.search));
    const idle = this.search === '' ? found.filter(isIdle) : [];
    const read = found.filter((source) => !idle.includes(source));
    const mostViews = Math.max(0.1, ...this.sources.map(({ viewsPerMinute }) => viewsPerMinute));
    return html`<section class="panel sources" aria-labelledby="sources-title">
      <header>
        <h2 id="sources-title">Sources <small>troubled first, then by readers</small></h2>
        ${this.sources.length < SEARCH_FROM ? nothing : this.#searchField()}
      </header>
      ${read.length === 0 ? nothing : sourcesTable('Sources with readers', read, mostViews)}
      ${
        idle.length === 0
          ? nothing
          : html`<details>
              <summary>${idleWords(idle.length, read.length > 0)}</summary>
              ${sourcesTable('Sources nobody looks at', idle, mostViews)}
            </details>`
      }
      ${found.length === 0 ? html`<p class="none quiet">${this.#noneWords()}</p>` : nothing}
    </section>`;
  }

  #searchField(): TemplateResult {
    return html`<label class="search"
      >${icon('search')}<span class="unseen">Find a source</span>
      <input
        type="search"
        placeholder="Find a source"
        .value=${this.search}
        @input=${(event: Event) => (this.search = (event.target as HTMLInputElement).value)}
    /></label>`;
  }

  #noneWords(): string {
    return this.search === '' ? 'No source is known yet.' : 'No source has this name or id.';
  }
}

function isFound({ sourceId, name }: SourceStatus, search: string): boolean {
  return `${name ?? ''} ${sourceId}`.toLowerCase().includes(search.trim().toLowerCase());
}

function isIdle({ nextRefreshInMs }: SourceStatus): boolean {
  return nextRefreshInMs === null;
}

function idleWords(sources: number, isMore: boolean): string {
  const words = isMore ? `${count(sources)} more that nobody looks at.` : `${count(sources)} that nobody looks at.`;
  return `${words} They are asked for when a reader comes.`;
}

function sourcesTable(label: string, sources: readonly SourceStatus[], mostViews: number): TemplateResult {
  return html`<table aria-label=${label}>
    <thead>
      <tr>
        <th scope="col">Source</th>
        <th scope="col">Readers see</th>
        <th scope="col" class="number">Age</th>
        <th scope="col" class="number">Next refresh</th>
        <th scope="col">Last failure</th>
        <th scope="col" class="number">Views a minute</th>
      </tr>
    </thead>
    <tbody>
      ${sources.map((source) => sourceRow(source, mostViews))}
    </tbody>
  </table>`;
}

function sourceRow(source: SourceStatus, mostViews: number): TemplateResult {
  const { sourceId, name, provider, readersSee, ageMs, nextRefreshInMs, lastFailure, viewsPerMinute } = source;
  const [words, kind, iconName] = SEEN[readersSee];
  return html`<tr>
    <th scope="row" title=${provider === null ? sourceId : `${sourceId}, ${providerName(provider)}`}>
      <span class="name">${name ?? html`<code>${sourceId}</code>`}</span>
    </th>
    <td class="seen ${kind}"><span>${icon(iconName)}${words}</span></td>
    <td class="number" data-label="Age">${ageMs === null ? '–' : shortDuration(ageMs / 1_000)}</td>
    <td class="number" data-label="Next refresh">${nextWords(nextRefreshInMs)}</td>
    <td class="why">${failureWords(lastFailure)}</td>
    <td class="number views" data-label="Views a minute">
      <svg width="56" height="4" aria-hidden="true">
        <rect width="56" height="4" rx="2" class="track" />
        ${svg`<rect width=${(56 * viewsPerMinute) / mostViews} height="4" rx="2" class="views" />`}
      </svg>
      <span>${viewsPerMinute.toFixed(1)}</span>
    </td>
  </tr>`;
}

function failureWords(failure: SourceStatus['lastFailure']): string {
  if (failure === null) return '';
  const words = FAILURES[failure.detail] ?? 'The last call failed';
  return failure.forMs < 60_000 ? words : `${words}, for ${shortDuration(failure.forMs / 1_000)}`;
}

function nextWords(ms: number | null): string {
  if (ms === null) return '–';
  return ms < 500 ? 'now' : `in ${shortDuration(ms / 1_000)}`;
}

customElements.define('sources-table', SourcesTable);
