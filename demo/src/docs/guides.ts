import { html, nothing, type TemplateResult } from 'lit';
import type { Token, Tokens } from 'marked';
import project from '../../../project.json' with { type: 'json' };
import csp from '../../../docs/cards/csp.md';
import frameworks from '../../../docs/cards/frameworks.md';
import languages from '../../../docs/cards/languages.md';
import otherSites from '../../../docs/cards/other-sites.md';
import embed from '../../../docs/embed.md';
import embedBehindALogin from '../../../docs/embed-behind-a-login.md';
import troubleshoot from '../../../docs/operate/troubleshoot.md';
import style from '../../../docs/style.md';
import '../ui/copy-button.ts';
import { liveSample } from './live-sample.ts';

/** The address of the repository. Null until the repository has an address. */
const REPOSITORY: string | null = project.repository;

/** The guides of docs/ for people who run a page. `path` is below docs/. */
export const GUIDES = [
  { id: 'embed', path: 'embed.md', title: 'Embed a card', tokens: embed },
  { id: 'frameworks', path: 'cards/frameworks.md', title: 'React, Vue, Svelte', tokens: frameworks },
  { id: 'sites', path: 'cards/other-sites.md', title: 'WordPress and other sites', tokens: otherSites },
  { id: 'style', path: 'style.md', title: 'Style a card', tokens: style },
  { id: 'languages', path: 'cards/languages.md', title: 'Languages', tokens: languages },
  { id: 'policy', path: 'cards/csp.md', title: 'Content-Security-Policy', tokens: csp },
  { id: 'login', path: 'embed-behind-a-login.md', title: 'Embed behind a login', tokens: embedBehindALogin },
  { id: 'troubleshoot', path: 'operate/troubleshoot.md', title: 'Troubleshoot', tokens: troubleshoot },
] as const;

/** A guide of docs/. */
export type Guide = (typeof GUIDES)[number];

/** A guide's headings, for its table of contents. */
export function headingsOf({ tokens }: Guide): readonly { readonly id: string; readonly text: string }[] {
  return tokens
    .filter((token): token is Tokens.Heading => token.type === 'heading' && token.depth === 2)
    .map(({ text }) => ({ id: headingId(text), text: text.replaceAll('`', '') }));
}

/** Renders a guide. Each sample of an element is followed by the element itself, with a source from this account. */
export function guideTemplate({ tokens, path }: Guide, sourceId: string): TemplateResult {
  return html`<article class="guide">
    ${tokens.map((token) => [block(token, path), token.type === 'code' ? liveSample(token as Tokens.Code, sourceId) : nothing])}
  </article>`;
}

function block(token: Token, path: string): TemplateResult | typeof nothing {
  const inside = (tokens: readonly Token[] | undefined) => (tokens ?? []).map((child) => inline(child, path));
  switch (token.type) {
    case 'heading':
      return heading(token as Tokens.Heading, inside(token.tokens));
    case 'paragraph':
      return html`<p>${inside(token.tokens)}</p>`;
    case 'code':
      return html`<div class="lines">
        <pre tabindex="0" dir="ltr" aria-label="Code">${token.text}</pre>
        <copy-button kind="icon" label="Copy" .text=${token.text as string}></copy-button>
      </div>`;
    case 'list':
      return list(token as Tokens.List, path);
    case 'picture':
      return pictureTemplate(token as unknown as Picture);
    case 'table':
      return table(token as Tokens.Table, path);
    default:
      return nothing;
  }
}

/** A picture, as `guidesPlugin()` reads it. */
interface Picture {
  readonly light: string;
  readonly dark: string;
  readonly alt: string;
  readonly width: number;
  readonly height: number;
}

function pictureTemplate({ light, dark, alt, width, height }: Picture): TemplateResult {
  const image = (scheme: string, url: string) =>
    html`<img class=${scheme} src=${url} alt=${alt} width=${width} height=${height} loading="lazy" />`;
  return html`${image('for-light', light)}${image('for-dark', dark)}`;
}

function heading({ depth, text }: Tokens.Heading, words: unknown): TemplateResult {
  if (depth === 1) return html`<h1>${words}</h1>`;
  if (depth === 2) return html`<h2 id=${headingId(text)}>${words}</h2>`;
  return html`<h3 id=${headingId(text)}>${words}</h3>`;
}

function list({ ordered, items }: Tokens.List, path: string): TemplateResult {
  const rows = items.map((item) => html`<li>${item.tokens.map((token) => itemPart(token, path))}</li>`);
  return ordered
    ? html`<ol>
        ${rows}
      </ol>`
    : html`<ul>
        ${rows}
      </ul>`;
}

/** The text of a list item, or a block inside the item. */
function itemPart(token: Token, path: string): unknown {
  if (token.type !== 'text') return block(token, path);
  return ((token as Tokens.Text).tokens ?? [token]).map((child) => inline(child, path));
}

function table({ header, rows }: Tokens.Table, path: string): TemplateResult {
  const words = ({ tokens }: Tokens.TableCell) => tokens.map((token) => inline(token, path));
  return html`<div class="table" tabindex="0" role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${header.map((cell) => html`<th scope="col">${words(cell)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${words(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function inline(token: Token, path: string): unknown {
  const inside = () => (token as Tokens.Strong).tokens.map((child) => inline(child, path));
  switch (token.type) {
    case 'codespan':
      return html`<code>${(token as Tokens.Codespan).text}</code>`;
    case 'strong':
      return html`<strong>${inside()}</strong>`;
    case 'em':
      return html`<em>${inside()}</em>`;
    case 'link':
      return html`<a href=${linkOf((token as Tokens.Link).href, path) ?? nothing}>${inside()}</a>`;
    default:
      return 'text' in token ? String(token.text) : token.raw;
  }
}

/**
 * The target of a guide's link: a guide or the reference in the Studio, or a page in the repository. Null if the
 * repository has no address yet.
 */
function linkOf(href: string, path: string): string | null {
  if (/^(?:https?:|#)/.test(href)) return href;
  const { pathname, hash } = new URL(href, `${ROOT}docs/${path}`);
  const file = pathname.slice(1);
  if (file === 'docs/reference/elements.md') return '?';
  const guide = GUIDES.find((known) => file === `docs/${known.path}`);
  if (guide !== undefined) return `?guide=${guide.id}${hash}`;
  return REPOSITORY === null ? null : `${REPOSITORY}/blob/main/${file}${hash}`;
}

/** An arbitrary origin, because only the paths of links matter. */
const ROOT = 'https://repository.test/';

/** The fragment that GitHub generates for a heading, so that links to the heading also work in the Studio. */
function headingId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
