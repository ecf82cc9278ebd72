import { html } from 'lit';

/**
 * Strong, emphasis and code within a line. Each form ends at the next delimiter of its kind, so matching takes linear
 * time; an underscore within a word, as in the name of a column, is text.
 */
const INLINE = /\*\*(?=\S)((?:[^*]|\*(?!\*))+)\*\*|\*(?=\S)([^*]*[^*\s])\*|\b_([^_]+)_\b|`([^`]+)`/;

/** The marker of a list item or a heading, and the text of a line. */
const LINE = /^ *(?:([-+*•])|(\d{1,9}[.)])|(#{1,6}))? +(.+)/;

/** A digit, a space and a word of at most three letters: a number and its unit, as a rule. */
const NUMBER_AND_UNIT = /(\d) (?=\p{L}{1,3}(?!\p{L}))/gu;

interface Block {
  readonly kind: 'p' | 'ul' | 'ol' | 'heading' | 'blank';
  readonly lines: unknown[];
}

/**
 * The subset of Markdown that an analysis may use, as elements: paragraphs, flat lists, strong, emphasis and code; a
 * heading becomes a strong paragraph. Everything else, HTML, links and images included, stays text.
 */
export function markdownTemplate(text: string): unknown[] {
  const blocks: Block[] = [];
  for (const line of text.split('\n')) {
    const [, bullet, number, heading, content = ''] = LINE.exec(` ${line}`) ?? [];
    const kind = bullet ? 'ul' : number ? 'ol' : heading ? 'heading' : content ? 'p' : 'blank';
    const inline = inlineTemplate(heading ? `**${content}**` : content);
    const shown = bullet || number ? html`<li>${inline}</li>` : [inline, '\n'];
    const last = blocks.at(-1);
    if (last?.kind === kind && !heading) last.lines.push(shown);
    else blocks.push({ kind, lines: [shown] });
  }
  return blocks.map(blockTemplate);
}

function blockTemplate({ kind, lines }: Block): unknown {
  if (kind === 'blank') return '';
  if (kind === 'ul')
    return html`<ul dir="auto">
      ${lines}
    </ul>`;
  if (kind === 'ol')
    return html`<ol dir="auto">
      ${lines}
    </ol>`;
  return html`<p dir="auto">${lines}</p>`;
}

/** One line of commentary as elements. */
export function inlineTemplate(text: string): unknown {
  const parts = text.split(INLINE).map(inlinePart);
  // A text alone needs no markers of a list around it.
  return parts.length === 1 ? parts[0] : parts.filter(Boolean);
}

function inlinePart(text: string | undefined, index: number): unknown {
  // The text between two marks, then one group for each kind of mark.
  const kind = index % 5;
  if (!text || kind === 0) return text;
  if (kind === 4) return html`<code>${text}</code>`;
  return kind === 1 ? html`<strong>${inlineTemplate(text)}</strong>` : html`<em>${text}</em>`;
}

/** Markdown as text without its marks. */
export function plainText(text: string): string {
  return text.replaceAll(/[*`]/g, '');
}

/** `text` with its numbers kept on one line with their units. */
export function keepUnits(text: string): string {
  return text.replaceAll(NUMBER_AND_UNIT, '$1\u00a0');
}
