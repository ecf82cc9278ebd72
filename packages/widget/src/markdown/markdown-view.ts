import { html, type TemplateResult } from 'lit/html.js';

/**
 * Strong, emphasis and code within a line. Each form ends at the next delimiter of its kind, so that no text takes more
 * than linear time; an underscore within a word, as in a column's name, is text.
 */
const MARK = /\*\*(?=\S)((?:[^*]|\*(?!\*))+)\*\*|\*(?=\S)([^*]*[^*\s])\*|\b_([^_]+)_\b|`([^`]+)`/;

/** A list item or heading, and the text of a line. */
const LINE = /^ *(?:([-+*•]|\d{1,9}[.)]) +|(#{1,6}) +)?(.*)/;

interface Block {
  readonly kind: string;
  readonly lines: unknown[];
}

/**
 * The subset of Markdown that a commentary may use, as elements: paragraphs, flat lists, strong, emphasis, code; a
 * heading becomes a strong paragraph. All else, HTML, links and images included, stays text.
 */
export function markdownView(text: string): TemplateResult[] {
  const blocks: Block[] = [];
  for (const line of text.split('\n')) {
    const [, item, heading, content = ''] = LINE.exec(line) ?? [];
    const kind = !content ? '' : item ? (+item[0]! >= 0 ? 'ol' : 'ul') : heading ? 'h' : 'p';
    const last = blocks.at(-1);
    const view = inlineView(content);
    if (last?.kind === kind && kind !== 'h') last.lines.push(kind === 'p' ? ['\n', view] : html`<li dir="auto">${view}</li>`);
    else blocks.push({ kind, lines: [item ? html`<li dir="auto">${view}</li>` : heading ? html`<strong>${view}</strong>` : view] });
  }
  return blocks.filter(({ kind }) => kind).map(blockView);
}

/** One line of commentary as elements. */
export function inlineView(text: string): unknown[] {
  return text.split(MARK).map((part, at) => {
    const kind = at % 5;
    if (!part || kind === 0) return part;
    if (kind === 4) return html`<code>${part}</code>`;
    return kind === 1 ? html`<strong>${inlineView(part)}</strong>` : html`<em>${part}</em>`;
  });
}

function blockView({ kind, lines }: Block): TemplateResult {
  if (kind === 'ul') return html`<ul>${lines}</ul>`;
  return kind === 'ol' ? html`<ol>${lines}</ol>` : html`<p dir="auto">${lines}</p>`;
}
