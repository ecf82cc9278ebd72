import { html, nothing, type TemplateResult } from 'lit';
import type { Budget } from '../markdown/inline.ts';
import { type ItemLine, startsWithNumber } from './block-lines.ts';

/** The largest number that fits in a list's margin. */
const MAX_MARGIN_NUMBER = 99;

/** How blocks are rendered. */
export interface Style {
  /** Renders inline Markdown in a paragraph, a heading, or a cell. */
  readonly inline: (text: string) => unknown;
  /** The tab index of wide content, which can be scrolled with the keyboard. */
  readonly tabindex: 0 | typeof nothing;
  /** The number of elements that blocks can still create. */
  readonly budget: Budget;
}

/** An item in a list. */
export interface Item extends ItemLine {
  readonly blocks: readonly unknown[];
}

/** Whether an item is a task. */
export function isTask(content: string): boolean {
  return /^\[[ xX]\] /.test(content);
}

/** A list. If each bullet is a plus or a minus before a number, the bullets are shown as signs. */
export function listTemplate(items: readonly Item[]): TemplateResult {
  const isSigned = items.every(({ mark, content }) => /[-+]/.test(mark) && startsWithNumber(content));
  const isWide = items.some(({ value = 0 }) => value > MAX_MARGIN_NUMBER);
  // Line breaks in these templates would be visible.
  const rows = items.map(({ value, mark, content, blocks }) => {
    const task = isTask(content) ? (content[1] === ' ' ? '☐ ' : '☑ ') : '';
    // prettier-ignore
    return html`<li value=${value ?? nothing} class=${task ? 'task' : nothing}>${isSigned ? `${mark} ` : ''}${task}${blocks}</li>`;
  });
  // prettier-ignore
  if (items[0]?.value !== undefined) return html`<ol dir="auto" class=${isWide ? 'wide' : nothing}>${rows}</ol>`;
  // prettier-ignore
  return html`<ul dir="auto" class=${isSigned ? 'signed' : nothing}>${rows}</ul>`;
}

/** A table, which scrolls if it is too wide. The first row is its head. */
export function tableTemplate(
  alignments: readonly string[],
  [head = [], ...body]: readonly (readonly string[])[],
  { inline, tabindex }: Style,
): TemplateResult {
  const classOf = (index: number): unknown => alignments[index] || nothing;
  const headers = head.map((cell, index) => html`<th class=${classOf(index)}>${inline(cell)}</th>`);
  const cellsOf = (cells: readonly string[]): TemplateResult[] =>
    cells.map((cell, index) => html`<td class=${classOf(index)}>${inline(cell)}</td>`);
  // prettier-ignore
  const rows = body.map((cells) => html`<tr>${cellsOf(cells)}</tr>`);
  // prettier-ignore
  return html`<div class="table" role="group" tabindex=${tabindex}><table dir="auto"><thead><tr>${headers}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
