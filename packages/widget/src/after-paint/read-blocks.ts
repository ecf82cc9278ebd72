import type { Budget } from '../markdown/inline.ts';
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
  startsWithNumber,
} from './block-lines.ts';

/** A block of Markdown. Text in paragraphs, headings, and cells can contain inline Markdown. */
export type Block =
  | { readonly kind: 'paragraph' | 'heading' | 'code'; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly ListItem[] }
  | { readonly kind: 'table'; readonly alignments: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** An item in a list. */
export interface ListItem {
  /** The number in an ordered list. */
  readonly value: number | undefined;
  /** The sign of the number that the item begins with; empty in lists without signs. */
  readonly sign: string;
  /** Whether a task is done; undefined if the item isn't a task. */
  readonly isDone: boolean | undefined;
  readonly blocks: readonly Block[];
}

/**
 * The number of elements in a block, not counting its items and rows. Few blocks have fewer, and only tables have more.
 */
const BLOCK_ELEMENTS = 2;

/** How deeply lists and quotes can be nested. At deeper levels, their marks are treated as text. */
const MAX_DEPTH = 8;

/**
 * The blocks in `text`. Once the budget is used up, the rest of the text becomes one paragraph. Runs in linear time.
 */
export function readBlocks(text: string, budget: Budget): readonly Block[] {
  return new BlockReader(text.split('\n'), budget, 0).blocks;
}

/** Reads the lines of text, a quote, or an item from top to bottom. */
class BlockReader {
  readonly blocks: Block[] = [];
  readonly #lines: readonly string[];
  readonly #budget: Budget;
  readonly #depth: number;
  #at = 0;
  #paragraph: string[] = [];

  constructor(lines: readonly string[], budget: Budget, depth: number) {
    this.#lines = lines;
    this.#budget = budget;
    this.#depth = depth;
    while (this.#at < lines.length) this.#readLine(this.#line());
    this.#endParagraph();
  }

  #line(ahead = 0): string {
    return this.#lines[this.#at + ahead] ?? '';
  }

  #readLine(line: string): void {
    const isText = this.#depth > MAX_DEPTH || this.#budget.elements <= 0;
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

  #add(block: Block): true {
    this.#endParagraph();
    this.blocks.push(block);
    this.#budget.elements -= BLOCK_ELEMENTS;
    return true;
  }

  #endParagraph(kind: 'paragraph' | 'heading' = 'paragraph'): void {
    const text = this.#paragraph.join('\n');
    this.#paragraph = [];
    if (text) this.#add({ kind, text });
  }

  #readUnderline(line: string): boolean {
    if (this.#paragraph.length === 0 || !/^ *(?:=+|-+) *$/.test(line)) return false;
    this.#endParagraph('heading');
    this.#at++;
    return true;
  }

  #readHeading(line: string): boolean {
    const text = headingIn(line);
    if (text === undefined) return false;
    this.#at++;
    return this.#add({ kind: 'heading', text });
  }

  #readRule(line: string): boolean {
    if (!isRule(line)) return false;
    this.#at++;
    return this.#add({ kind: 'rule' });
  }

  #readCode(line: string): boolean {
    const fence = fenceIn(line);
    if (!fence) return false;
    const { mark, indent } = fence;
    const lines: string[] = [];
    for (this.#at++; this.#at < this.#lines.length && !endsFence(this.#line(), mark); this.#at++)
      lines.push(withoutIndent(this.#line(), indent));
    this.#at++;
    return this.#add({ kind: 'code', text: lines.join('\n') });
  }

  #readQuote(line: string): boolean {
    if (!isQuote(line, this.#line(1))) return false;
    this.#endParagraph();
    const lines = this.#collect((quoted) => (/^ *>/.test(quoted) ? quoted.replace(/^ *> ?/, '') : undefined));
    return this.#add({ kind: 'quote', blocks: this.#blocksIn(lines) });
  }

  #readList(line: string): boolean {
    const first = itemIn(line);
    // Within a paragraph, a number other than 1 doesn't start a list.
    if (!first || (this.#paragraph.length > 0 && (!first.content || (first.value ?? 1) !== 1))) return false;
    this.#endParagraph();
    const found: (ItemLine & Pick<ListItem, 'blocks'>)[] = [];
    const isNext = (item: ItemLine | undefined) => item?.mark === first.mark && this.#budget.elements > 0;
    for (let item: ItemLine | undefined = first; item && isNext(item); item = itemIn(this.#line())) {
      this.#budget.elements -= 1;
      found.push({ ...item, blocks: this.#readItem(item) });
    }
    const isSigned = /[-+]/.test(first.mark) && found.every(({ content }) => startsWithNumber(content));
    const items = found.map(({ value, mark, content, blocks }) => ({
      value,
      sign: isSigned ? `${mark} ` : '',
      isDone: isTask(content) ? content[1] !== ' ' : undefined,
      blocks,
    }));
    return this.#add({ kind: 'list', isOrdered: first.value !== undefined, items });
  }

  #readItem({ indent, offset, value, content }: ItemLine): readonly Block[] {
    this.#at++;
    const strip = (line: string): string | undefined => {
      const own = line.length - line.trimStart().length;
      // Bullets within an ordered list are often indented by less than the width of the number.
      const isInner = value !== undefined && own > indent + 1 && itemIn(line)?.value === undefined && !!itemIn(line);
      return own >= offset || isInner || !line.trim() ? withoutIndent(line, offset) : undefined;
    };
    const first = isTask(content) ? content.slice(4) : content;
    return this.#blocksIn([first, ...this.#collect(strip, first)]);
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

  #blocksIn(lines: readonly string[]): readonly Block[] {
    return new BlockReader(lines, this.#budget, this.#depth + 1).blocks;
  }

  #readTable(line: string): boolean {
    const alignments = line.includes('|') ? alignmentsIn(this.#line(1)) : undefined;
    const head = alignments ? cellsIn(line) : [];
    if (!alignments || head.length !== alignments.length || head.length > this.#budget.elements) return false;
    this.#endParagraph();
    const rows = [head];
    this.#budget.elements -= head.length + 1;
    for (this.#at += 2; this.#isRow(); this.#at++) {
      const cells = cellsIn(this.#line());
      rows.push(cells);
      this.#budget.elements -= cells.length + 1;
    }
    return this.#add({ kind: 'table', alignments, rows });
  }

  #isRow(): boolean {
    const line = this.#line();
    return !!line.trim() && !startsBlock(line) && cellsIn(line).length < this.#budget.elements;
  }
}

/** Whether a line without a block marker continues the paragraph that `last` belongs to. */
function isLazy(line: string, last: string): boolean {
  const endsParagraph = !last.trim() || isRule(last) || headingIn(last) !== undefined || !!fenceIn(last);
  return !endsParagraph && !!line.trim() && !startsBlock(line);
}

function isTask(content: string): boolean {
  return /^\[[ xX]\] /.test(content);
}

function withoutIndent(line: string, indent: number): string {
  return line.slice(Math.min(indent, line.length - line.trimStart().length));
}
