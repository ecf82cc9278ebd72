import { html, nothing, type TemplateResult } from 'lit';
import { until } from 'lit/directives/until.js';
import { logo } from '../ui/icons.ts';
import './scheme-switch.ts';
import { findDocs } from './docs-url.ts';
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
  /** The current page. */
  readonly page: StudioPageId;
  /** The targets of the skip links, each with an ID and a label. @default the content */
  readonly skips?: readonly (readonly [id: string, words: string])[];
  /** The content before the scheme switch. */
  readonly actions?: TemplateResult;
}

/** The bar at the top of every page. */
export function barTemplate({ page, skips = [['main', 'Skip to content']], actions }: BarOptions) {
  return html`${skips.map(([id, words]) => html`<a class="skip" href="#${id}" @click=${focusTarget}>${words}</a>`)}
    <header class="bar">
      <a class="brand" href=${STUDIO_URL.href}>${logo}<span>Pulse Card</span></a>
      ${navigation(page)}
      <div class="end">${actions}<scheme-switch></scheme-switch></div>
    </header>`;
}

function navigation(current: StudioPageId): TemplateResult {
  return html`<nav aria-label="Pages">
    ${STUDIO_PAGES.filter(({ id }) => !IS_PREVIEW || !SERVED_PAGES.has(id)).map(
      ({ id, path, title }) =>
        html`<a href=${new URL(path, STUDIO_URL).href} aria-current=${id === current ? 'page' : nothing}>${title}</a>`,
    )}
    ${until((docs ??= docsLink()), nothing)}
  </nav>`;
}

let docs: ReturnType<typeof docsLink> | undefined;

/** Without documentation, there is no link. */
async function docsLink(): Promise<TemplateResult | typeof nothing> {
  const url = await findDocs().catch(() => undefined);
  return url === undefined ? nothing : html`<a href=${url} target="_blank" rel="noopener">Docs</a>`;
}

/** Moves focus without adding a fragment to the URL, which holds the settings. */
function focusTarget(event: Event): void {
  event.preventDefault();
  const id = (event.currentTarget as HTMLAnchorElement).hash.slice(1);
  document.getElementById(id)?.focus();
}
