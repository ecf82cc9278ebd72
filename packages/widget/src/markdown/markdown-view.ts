import { html } from 'lit/html.js';

/**
 * Strong, emphasis and code within a line. Each form ends at the next delimiter of its kind, so that no text takes more
 * than linear time; an underscore within a word, as in a column's name, is text.
 */
const MARK = /\*\*(?=\S)((?:[^*]|\*(?!\*))+)\*\*|\*(?=\S)([^*]*[^*\s])\*|\b_([^_]+)_\b|`([^`]+)`/;

/** The mark of a list item or a heading, and the text of a line. */
const LINE = /^ *(?:([-+*•])|(\d{1,9}[.)])|(#{1,6}))? +(.+)/;

/** Text whose first letter is of a script that runs from right to left. */
const RIGHT_TO_LEFT = /^\P{L}*[\u0590-\u08ff\ufb1d-\ufefc]/u;

/**
 * The subset of Markdown that a commentary may use, as elements: paragraphs, flat lists, strong, emphasis, code; a
 * heading becomes a strong paragraph. All else, HTML, links and images included, stays text. Lists run the way of their
 * first item; `dir="auto"` would have browsers find out anew for every item.
 */
export function markdownView(text: string): unknown[] {
  const blocks: { readonly kind: string; readonly dir: string; readonly lines: unknown[] }[] = [];
  for (const line of text.split('\n')) {
    const [, bullet, number, heading, content = ''] = LINE.exec(` ${line}`) ?? [];
    const kind = bullet ? 'ul' : number ? 'ol' : heading ? 'h' : content && 'p';
    const view = inlineView(heading ? `**${content}**` : content);
    const shown = bullet || number ? html`<li>${view}</li>` : [view, '\n'];
    const last = blocks.at(-1);
    if (last?.kind === kind && !heading) last.lines.push(shown);
    else blocks.push({ kind, dir: directionOf(content), lines: [shown] });
  }
  return blocks.map(({ kind, dir, lines }) => {
    if (kind === 'ul')
      return html`<ul dir="${dir}">
        ${lines}
      </ul>`;
    return kind === 'ol'
      ? html`<ol dir="${dir}">
          ${lines}
        </ol>`
      : kind && html`<p>${lines}</p>`;
  });
}

/** Which way `text` runs. */
export function directionOf(text: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.test(text) ? 'rtl' : 'ltr';
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
