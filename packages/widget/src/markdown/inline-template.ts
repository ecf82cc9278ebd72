import { html } from 'lit';
import { keepUnits } from './keep-units.ts';
import { type Budget, type Inline, type InlineElement, readInline } from './inline.ts';

/** The maximum number of elements in one line, such as the finding. */
const MAX_LINE_ELEMENTS = 100;

/** A line or paragraph of commentary as elements. Without `hasLinks`, only the text of links is shown. */
export function inlineTemplate(
  text: string,
  budget: Budget = { elements: MAX_LINE_ELEMENTS },
  hasLinks: boolean = false,
): unknown {
  return contentOf(readInline(text, budget), hasLinks);
}

/** Text without marks is returned as a string, because Lit would add markers for a list of parts. */
function contentOf(nodes: readonly Inline[], hasLinks: boolean): unknown {
  const parts = nodes.map((node) => (typeof node === 'string' ? node : elementOf(node, hasLinks)));
  return parts.length > 1 ? parts : (parts[0] ?? '');
}

function elementOf({ tag, url, children }: InlineElement, hasLinks: boolean): unknown {
  const content = contentOf(children, hasLinks);
  if (tag === 'strong') return html`<strong>${content}</strong>`;
  if (tag === 'em') return html`<em>${content}</em>`;
  if (tag === 'del') return html`<del>${content}</del>`;
  if (tag === 'code') return html`<code>${content}</code>`;
  return hasLinks ? html`<a href=${url} target="_blank" rel="nofollow noopener">${content}</a>` : content;
}

/** A finding as elements. Each number stays on one line with its unit. */
export function findingTemplate(text: string): unknown {
  return inlineTemplate(keepUnits(text));
}
