import { html, type TemplateResult } from 'lit/html.js';

/**
 * Strong, emphasis and code within a line. Each form ends at the next delimiter of its kind, so that no text takes more
 * than linear time; an underscore within a word, as in a column's name, is text.
 */
const MARK = /\*\*(?=\S)((?:[^*]|\*(?!\*))+)\*\*|\*(?=\S)([^*]*[^*\s])\*|\b_([^_]+)_\b|`([^`]+)`/;

/** The mark of a list item or a heading, and the text of a line. */
const LINE = /^ *(?:([-+*•])|(\d{1,9}[.)])|(#{1,6}))? +(.+)/;

/**
 * The subset of Markdown that a commentary may use, as elements: paragraphs, flat lists, strong, emphasis, code; a
 * heading becomes a strong paragraph. All else, HTML, links and images included, stays text.
 */
export function markdownView(text: string): TemplateResult[] {
  const blocks: { readonly kind: string; readonly lines: unknown[] }[] = [];
  for (const line of text.split('\n')) {
    const [, bullet, number, heading, content = ''] = LINE.exec(` ${line}`) ?? [];
    const kind = bullet ? 'ul' : number ? 'ol' : heading ? 'h' : content && 'p';
    const view = inlineView(heading ? `**${content}**` : content);
    const shown = bullet || number ? html`<li>${view}</li>` : [view, '\n'];
    const last = blocks.at(-1);
    if (last?.kind === kind && !heading) last.lines.push(shown);
    else blocks.push({ kind, lines: [shown] });
  }
  return blocks.map(({ kind, lines }) => {
    if (kind === 'ul')
      return html`<ul dir="auto">
        ${lines}
      </ul>`;
    return kind === 'ol'
      ? html`<ol dir="auto">
          ${lines}
        </ol>`
      : html`<p dir="auto">${lines}</p>`;
  });
}

/** One line of commentary as elements. */
export function inlineView(text: string): unknown[] {
  return text.split(MARK).map((part, at) => {
    const kind = at % 5;
    if (!part || !kind) return part;
    if (kind === 4) return html`<code>${part}</code>`;
    return kind === 1 ? html`<strong>${inlineView(part)}</strong>` : html`<em>${part}</em>`;
  });
}
