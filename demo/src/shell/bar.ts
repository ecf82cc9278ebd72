import { html, nothing, type TemplateResult } from 'lit';
import { logo } from '../ui/icons.ts';
import './scheme-switch.ts';
import { DOCS_URL } from './docs-url.ts';
import { IS_PREVIEW } from './preview.ts';
import { STUDIO_URL } from './studio-url.ts';

/** The Studio's pages in navigation order. `path` is relative to the Studio. */
export const STUDIO_PAGES = [
  { id: 'studio', path: './', title: 'Studio' },
  { id: 'board', path: 'board/', title: 'Board' },
  { id: 'check', path: 'check/', title: 'Check' },
  { id: 'status', path: 'status/', title: 'Status' },
] as const;

/** A page in the Studio. */
export type StudioPageId = (typeof STUDIO_PAGES)[number]['id'];

/** The pages about a running BFF, which the preview doesn't have. */
const SERVED_PAGES: ReadonlySet<StudioPageId> = new Set(['check', 'status']);

/** The bar's data. */
export interface BarOptions {
  /** The current page. If omitted, the bar has no navigation. */
  readonly page?: StudioPageId;
  /** @default 'Pulse Card' */
  readonly brand?: string;
  /** The targets of the skip links, each with an ID and a label. @default the content */
  readonly skips?: readonly (readonly [id: string, words: string])[];
  /** The content before the scheme switch. */
  readonly actions?: TemplateResult;
}

/** The bar at the top of every page. */
export function barTemplate({
  page,
  brand = 'Pulse Card',
  skips = [['main', 'Skip to content']],
  actions,
}: BarOptions) {
  return html`${skips.map(([id, words]) => html`<a class="skip" href="#${id}" @click=${focusTarget}>${words}</a>`)}
    <header class="bar">
      <a class="brand" href=${STUDIO_URL.href}>${logo}<span>${brand}</span></a>
      ${page === undefined ? nothing : navigation(page)}
      <div class="end">${actions}<scheme-switch></scheme-switch></div>
    </header>`;
}

function navigation(current: StudioPageId): TemplateResult {
  return html`<nav aria-label="Pages">
    ${STUDIO_PAGES.filter(({ id }) => !IS_PREVIEW || !SERVED_PAGES.has(id)).map(
      ({ id, path, title }) =>
        html`<a href=${new URL(path, STUDIO_URL).href} aria-current=${id === current ? 'page' : nothing}>${title}</a>`,
    )}
    <a href=${DOCS_URL} target="_blank" rel="noopener">Docs</a>
  </nav>`;
}

/** Moves focus without adding a fragment to the URL, which holds the settings. */
function focusTarget(event: Event): void {
  event.preventDefault();
  const id = (event.currentTarget as HTMLAnchorElement).hash.slice(1);
  document.getElementById(id)?.focus();
}
