import { html } from 'lit';

/**
 * Matches strong, emphasis, and code within a line. Each form ends at the next delimiter of its kind, so matching takes
 * linear time. An underscore within a word, as in the name of a column, is text.
 */
const INLINE = /\*\*(?=\S)((?:[^*]|\*(?!\*))+)\*\*|\*(?=\S)([^*]*[^*\s])\*|\b_([^_]+)_\b|`([^`]+)`/;

/** Matches the marker of a list item or a heading, and the text of a line. */
const LINE = /^ *(?:([-+*•])|(\d{1,9}[.)])|(#{1,6}))? +(.+)/;

/** Matches a digit, a space, and a word of at most three letters, which are usually a number and its unit. */
const NUMBER_AND_UNIT = /(\d) (?=\p{L}{1,3}(?!\p{L}))/gu;

/** The maximum number of elements in an analysis. The rest is shown as text, so that no commentary takes long to draw. */
const MAX_ELEMENTS = 1_200;

/** The maximum number of elements in one line, such as the finding. */
const MAX_LINE_ELEMENTS = 100;

/** The number of elements that can still be created for the text. */
interface Budget {
  elements: number;
}

interface Block {
  readonly kind: 'p' | 'ul' | 'ol' | 'heading' | 'blank';
  readonly lines: unknown[];
}

/**
 * The subset of Markdown that an analysis can use, as elements: paragraphs, flat lists, strong, emphasis, and code. A
 * heading becomes a strong paragraph. Everything else stays text, including HTML, links, and images.
 */
export function markdownTemplate(text: string, maxElements: number = MAX_ELEMENTS): unknown[] {
  const budget: Budget = { elements: maxElements };
  const blocks: Block[] = [];
  for (const line of text.split('\n')) {
    const isOver = budget.elements <= 0;
    const parts = isOver ? null : LINE.exec(` ${line}`);
    const [, bullet, number, heading, content = isOver ? line : ''] = parts ?? [];
    const kind = bullet ? 'ul' : number ? 'ol' : heading ? 'heading' : content ? 'p' : 'blank';
    const inline = inlineTemplate(heading ? `**${content}**` : content, budget);
    const shown = bullet || number ? html`<li>${inline}</li>` : [inline, '\n'];
    const last = blocks.at(-1);
    budget.elements -= bullet || number ? 1 : 0;
    if (last && (last.kind === kind || isOver) && !heading) last.lines.push(shown);
    else {
      budget.elements -= 1;
      blocks.push({ kind, lines: [shown] });
    }
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
export function inlineTemplate(text: string, budget: Budget = { elements: MAX_LINE_ELEMENTS }): unknown {
  if (budget.elements <= 0) return text;
  const parts = text.split(INLINE).map((part, index) => inlinePart(part, index, budget));
  // Text without marks is returned as one part, because Lit would add markers for a list of parts.
  return parts.length === 1 ? parts[0] : parts.filter(Boolean);
}

function inlinePart(text: string | undefined, index: number, budget: Budget): unknown {
  // `split()` returns the text before each mark, followed by one group for each kind of mark.
  const kind = index % 5;
  if (!text || kind === 0 || budget.elements <= 0) return text;
  budget.elements -= 1;
  if (kind === 4) return html`<code>${text}</code>`;
  return kind === 1 ? html`<strong>${inlineTemplate(text, budget)}</strong>` : html`<em>${text}</em>`;
}

/** Markdown text without its formatting characters. */
export function plainText(text: string): string {
  return text.replaceAll(/[*`]/g, '');
}

/** A finding as elements. Each number stays on one line with its unit. */
export function findingTemplate(text: string): unknown {
  return inlineTemplate(keepUnits(text));
}

/** `text` with a no-break space between each number and its unit. */
export function keepUnits(text: string): string {
  return text.replaceAll(NUMBER_AND_UNIT, '$1\u00a0');
}
