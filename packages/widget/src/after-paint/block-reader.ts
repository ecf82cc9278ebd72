import { html } from 'lit';
import { isTask, type Item, listTemplate, type Style, tableTemplate } from './block-templates.ts';
import {
  alignmentsIn,
  cellsIn,
  endsFence,
  fenceIn,
  headingIn,
  isQuote,
  isRule,
  type ItemLine,
  itemIn,
  startsBlock,
} from './block-lines.ts';

/**
 * The number of elements in a block, not counting its items and rows. Few blocks have fewer, and only tables have more.
 */
const BLOCK_ELEMENTS = 2;

/** How deeply lists and quotes can be nested. At deeper levels, their marks are treated as text. */
const MAX_DEPTH = 8;

/**
 * Renders the lines of text, a quote, or an item from top to bottom. Once the budget is used up, the remaining lines
 * become one paragraph. Runs in linear time.
 */
export class BlockReader {
  readonly blocks: unknown[] = [];
  readonly #lines: readonly string[];
  readonly #style: Style;
  readonly #depth: number;
  readonly #isItem: boolean;
  #at = 0;
  #paragraph: string[] = [];

  constructor(lines: readonly string[], style: Style, depth: number = 0, isItem: boolean = false) {
    this.#lines = lines;
    this.#style = style;
    this.#depth = depth;
    this.#isItem = isItem;
    while (this.#at < lines.length) this.#readLine(this.#line());
    this.#endParagraph();
  }

  #line(ahead = 0): string {
    return this.#lines[this.#at + ahead] ?? '';
  }

  #readLine(line: string): void {
    const isText = this.#depth > MAX_DEPTH || this.#style.budget.elements <= 0;
    if (!isText && !line.trim()) this.#endParagraph();
    else if (isText || !this.#readBlock(line)) this.#paragraph.push(line.trim());
    else return;
    this.#at++;
  }

  /** Reads the block that begins on `line`. Returns whether there is one. */
  #readBlock(line: string): boolean {
    return (
      this.#readUnderline(line) ||
      this.#readCode(line) ||
      this.#readHeading(line) ||
      this.#readRule(line) ||
      this.#readQuote(line) ||
      this.#readList(line) ||
      this.#readTable(line)
    );
  }

  #add(block: unknown): true {
    this.#endParagraph();
    this.blocks.push(block);
    this.#style.budget.elements -= BLOCK_ELEMENTS;
    return true;
  }

  #endParagraph(isHeading = false): void {
    const text = this.#paragraph.join('\n');
    this.#paragraph = [];
    if (!text && !isHeading) return;
    const content = this.#style.inline(text);
    // An item's first paragraph is on the same line as its bullet.
    const isInline = this.#isItem && this.blocks.length === 0;
    if (isHeading) this.#add(html`<p dir="auto"><strong>${content}</strong></p>`);
    else this.#add(isInline ? content : html`<p dir="auto">${content}</p>`);
  }

  #readUnderline(line: string): boolean {
    if (this.#paragraph.length === 0 || !/^ *(?:=+|-+) *$/.test(line)) return false;
    this.#endParagraph(true);
    this.#at++;
    return true;
  }

  #readHeading(line: string): boolean {
    const text = headingIn(line);
    if (text === undefined) return false;
    this.#at++;
    this.#endParagraph();
    this.#paragraph = [text];
    this.#endParagraph(true);
    return true;
  }

  #readRule(line: string): boolean {
    if (!isRule(line)) return false;
    this.#at++;
    return this.#add(html`<hr />`);
  }

  #readCode(line: string): boolean {
    const fence = fenceIn(line);
    if (!fence) return false;
    const { mark, indent } = fence;
    const lines: string[] = [];
    for (this.#at++; this.#at < this.#lines.length && !endsFence(this.#line(), mark); this.#at++)
      lines.push(withoutIndent(this.#line(), indent));
    this.#at++;
    const { tabindex } = this.#style;
    // prettier-ignore
    return this.#add(html`<pre dir="auto" role="group" tabindex=${tabindex}><code>${lines.join('\n')}</code></pre>`);
  }

  #readQuote(line: string): boolean {
    if (!isQuote(line, this.#line(1))) return false;
    this.#endParagraph();
    const lines = this.#collect((quoted) => (/^ *>/.test(quoted) ? quoted.replace(/^ *> ?/, '') : undefined));
    // `dir="auto"` would make it ltr, because text in elements with their own `dir` doesn't count.
    return this.#add(html`<blockquote>${this.#blocksIn(lines)}</blockquote>`);
  }

  #readList(line: string): boolean {
    const first = itemIn(line);
    // Within a paragraph, a number other than 1 doesn't start a list.
    if (!first || (this.#paragraph.length > 0 && (!first.content || (first.value ?? 1) !== 1))) return false;
    this.#endParagraph();
    const items: Item[] = [];
    const isNext = (item: ItemLine | undefined) => item?.mark === first.mark && this.#style.budget.elements > 0;
    for (let item: ItemLine | undefined = first; item && isNext(item); item = itemIn(this.#line())) {
      this.#style.budget.elements -= 1;
      items.push({ ...item, blocks: this.#readItem(item) });
    }
    return this.#add(listTemplate(items));
  }

  #readItem({ indent, offset, value, content }: ItemLine): readonly unknown[] {
    this.#at++;
    const strip = (line: string): string | undefined => {
      const own = line.length - line.trimStart().length;
      // Bullets within an ordered list are often indented by less than the width of the number.
      const isInner = value !== undefined && own > indent + 1 && itemIn(line)?.value === undefined && !!itemIn(line);
      return own >= offset || isInner || !line.trim() ? withoutIndent(line, offset) : undefined;
    };
    const first = isTask(content) ? content.slice(4) : content;
    return this.#blocksIn([first, ...this.#collect(strip, first)], true);
  }

  /**
   * Takes the next lines that belong to a quote or an item, without their marks. A paragraph also continues on lines
   * without marks (CommonMark, "lazy continuation lines"). `last` is the line before them.
   */
  #collect(strip: (line: string) => string | undefined, last = ''): string[] {
    const lines: string[] = [];
    let fence = fenceIn(last)?.mark;
    for (; this.#at < this.#lines.length; this.#at++) {
      const stripped = strip(this.#line());
      if (stripped === undefined && (fence || !isLazy(this.#line(), last))) break;
      last = stripped ?? this.#line().trim();
      lines.push(last);
      if (fence && endsFence(last, fence)) fence = undefined;
      else fence ??= fenceIn(last)?.mark;
    }
    return lines;
  }

  #blocksIn(lines: readonly string[], isItem = false): readonly unknown[] {
    return new BlockReader(lines, this.#style, this.#depth + 1, isItem).blocks;
  }

  #readTable(line: string): boolean {
    const alignments = line.includes('|') ? alignmentsIn(this.#line(1)) : undefined;
    const head = alignments ? cellsIn(line) : [];
    if (!alignments || head.length !== alignments.length || head.length > this.#style.budget.elements) return false;
    this.#endParagraph();
    const rows = [head];
    this.#style.budget.elements -= head.length + 1;
    for (this.#at += 2; this.#isRow(); this.#at++) {
      const cells = cellsIn(this.#line());
      rows.push(cells);
      this.#style.budget.elements -= cells.length + 1;
    }
    return this.#add(tableTemplate(alignments, rows, this.#style));
  }

  #isRow(): boolean {
    const line = this.#line();
    return !!line.trim() && !startsBlock(line) && cellsIn(line).length < this.#style.budget.elements;
  }
}

/** Whether a line without a block marker continues the paragraph that `last` belongs to. */
function isLazy(line: string, last: string): boolean {
  const endsParagraph = !last.trim() || isRule(last) || headingIn(last) !== undefined || !!fenceIn(last);
  return !endsParagraph && !!line.trim() && !startsBlock(line);
}

function withoutIndent(line: string, indent: number): string {
  return line.slice(Math.min(indent, line.length - line.trimStart().length));
}
