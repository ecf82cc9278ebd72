import type { StatusDocument } from '@pulse-card/bff';
import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { searchField } from '../ui/fields.ts';
import { count } from './format.ts';
import { isIdle, type SourceLine, sourceLines, sourceRow } from './source-row.ts';

/** The search field appears if there are at least this many sources. */
const SEARCH_FROM = 6;

/** Shows the sources by name. Sources with problems come first. Sources without readers are collapsed into one row. */
export class SourcesTable extends LitElement {
  static override properties: PropertyDeclarations = { status: { attribute: false }, search: { state: true } };
  declare status: StatusDocument;
  declare search: string;

  constructor() {
    super();
    this.search = '';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override render(): TemplateResult {
    const lines = sourceLines(this.status);
    const found = lines.filter((source) => isFound(source, this.search));
    const idle = this.search === '' ? found.filter(isIdle) : [];
    const read = found.filter((source) => !idle.includes(source));
    const mostViews = Math.max(0.1, ...lines.map(({ viewsPerMinute }) => viewsPerMinute));
    return html`<section class="panel sources" aria-labelledby="sources-title">
      <header>
        <h2 id="sources-title">Sources <small>problems first, then by views</small></h2>
        ${lines.length < SEARCH_FROM ? nothing : this.#searchField()}
      </header>
      ${read.length === 0 ? nothing : sourcesTable('Sources with readers', read, mostViews)}
      ${
        idle.length === 0
          ? nothing
          : html`<details>
              <summary>${idleWords(idle.length, read.length > 0)}</summary>
              ${sourcesTable('Sources without readers', idle, mostViews)}
            </details>`
      }
      ${found.length === 0 ? html`<p class="none quiet">${this.#noneWords()}</p>` : nothing}
    </section>`;
  }

  #searchField(): TemplateResult {
    const onInput = (value: string) => (this.search = value);
    return searchField({ label: 'Find a source', placeholder: 'Find a source', value: this.search, onInput });
  }

  #noneWords(): string {
    return this.search === '' ? 'No sources are known yet.' : 'No source has this name or ID.';
  }
}

function isFound({ sourceId, name }: SourceLine, search: string): boolean {
  return `${name ?? ''} ${sourceId}`.toLowerCase().includes(search.trim().toLowerCase());
}

function idleWords(sources: number, isMore: boolean): string {
  const words = isMore ? `${count(sources)} more without readers.` : `${count(sources)} without readers.`;
  return `${words} The server requests them when a reader arrives.`;
}

function sourcesTable(label: string, sources: readonly SourceLine[], mostViews: number): TemplateResult {
  const canWithhold = sources.some((source) => source.canWithhold);
  return html`<table aria-label=${label}>
    <thead>
      <tr>
        <th scope="col">Source</th>
        <th scope="col">Readers see</th>
        <th scope="col" class="number">Age</th>
        <th scope="col" class="number">Next refresh</th>
        <th scope="col">Why</th>
        <th scope="col" class="number">Views a minute</th>
        ${canWithhold ? html`<th scope="col" class="number">AI text</th>` : nothing}
      </tr>
    </thead>
    <tbody>
      ${sources.map((source) => sourceRow(source, mostViews))}
    </tbody>
  </table>`;
}

customElements.define('sources-table', SourcesTable);
