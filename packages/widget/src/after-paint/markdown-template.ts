import { html, nothing, type TemplateResult } from 'lit';
import type { Budget } from '../markdown/inline.ts';
import { type Block, type ListItem, readBlocks } from './read-blocks.ts';

/**
 * The maximum number of elements in an analysis. The rest is shown as plain text, so that commentary is never slow to
 * draw.
 */
const MAX_ELEMENTS = 1_300;

/** The maximum number of elements in a preview, which shows only the first few lines of an analysis. */
const MAX_PREVIEW_ELEMENTS = 100;

/** The largest number that fits in a list's margin. */
const MAX_MARGIN_NUMBER = 99;

/** Renders inline Markdown in a paragraph, a heading, or a cell. */
type InlineTemplate = (text: string, budget: Budget, hasLinks: boolean) => unknown;

/** How blocks are rendered. */
interface Style {
  readonly inline: (text: string) => unknown;
  /** The tab index of wide content, which can be scrolled with the keyboard. */
  readonly tabindex: 0 | typeof nothing;
}

/**
 * An analysis as elements: CommonMark's paragraphs, headings, lists, quotes, fences, and rules, and GitHub's tables and
 * tasks. Headings become bold paragraphs. HTML and images are left as text. A preview has fewer elements, none of which
 * can be focused.
 */
export function markdownTemplate(text: string, inlineTemplate: InlineTemplate, isPreview: boolean = false): unknown[] {
  const elements = (isPreview ? MAX_PREVIEW_ELEMENTS : MAX_ELEMENTS) / 2;
  const budget = { elements };
  const inline = (line: string): unknown => inlineTemplate(line, budget, !isPreview);
  return blockTemplates(readBlocks(text, { elements }), { inline, tabindex: isPreview ? nothing : 0 });
}

function blockTemplates(blocks: readonly Block[], style: Style): TemplateResult[] {
  return blocks.map((block) => blockTemplate(block, style));
}

function blockTemplate(block: Block, style: Style): TemplateResult {
  const { inline, tabindex } = style;
  switch (block.kind) {
    case 'paragraph':
      return html`<p dir="auto">${inline(block.text)}</p>`;
    case 'heading':
      return html`<p dir="auto"><strong>${inline(block.text)}</strong></p>`;
    case 'code':
      return html`<pre dir="auto" role="group" tabindex=${tabindex}><code>${block.text}</code></pre>`;
    case 'rule':
      return html`<hr />`;
    case 'quote':
      // `dir="auto"` would make it ltr, because text in elements with their own `dir` doesn't count.
      return html`<blockquote>${blockTemplates(block.blocks, style)}</blockquote>`;
    case 'list':
      return listTemplate(block, style);
    default:
      return tableTemplate(block, style);
  }
}

function listTemplate({ isOrdered, items }: Extract<Block, { kind: 'list' }>, style: Style): TemplateResult {
  const rows = items.map((item) => itemTemplate(item, style));
  const isWide = items.some(({ value }) => (value ?? 0) > MAX_MARGIN_NUMBER);
  // Line breaks in these templates would be visible.
  // prettier-ignore
  if (isOrdered) return html`<ol dir="auto" class=${isWide ? 'wide' : nothing}>${rows}</ol>`;
  // prettier-ignore
  return html`<ul dir="auto" class=${items[0]?.sign ? 'signed' : nothing}>${rows}</ul>`;
}

function itemTemplate({ value, sign, isDone, blocks }: ListItem, style: Style): TemplateResult {
  const task = isDone === undefined ? '' : isDone ? '☑ ' : '☐ ';
  // An item's first paragraph is on the same line as its bullet.
  const [first, ...rest] = blocks;
  const isText = first?.kind === 'paragraph';
  const content = isText ? [style.inline(first.text), ...blockTemplates(rest, style)] : blockTemplates(blocks, style);
  // prettier-ignore
  return html`<li value=${value ?? nothing} class=${task ? 'task' : nothing}>${sign}${task}${content}</li>`;
}

function tableTemplate(
  { alignments, rows: [head = [], ...body] }: Extract<Block, { kind: 'table' }>,
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
