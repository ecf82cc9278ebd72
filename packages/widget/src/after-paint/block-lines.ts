/** The first line of an item in a list. */
export interface ItemLine {
  readonly indent: number;
  /** The number of characters before the content. Lines with this indentation belong to the item. */
  readonly offset: number;
  /**
   * The bullet of an unordered list, or the character after the number. Items with different marks belong to different
   * lists.
   */
  readonly mark: string;
  /** The item's number in an ordered list. */
  readonly value: number | undefined;
  readonly content: string;
}

/** Matches a bullet or a number. A number with a leading zero is text, because a list can't show it. */
const ITEM = /^( *)([-+*•]|(0|[1-9]\d{0,8})[.)])( +|$)(.*)$/;

const RULE = /^ *([-*_])(?: *\1){2,} *$/;

const FENCE = /^( *)(`{3,}(?=[^`]*$)|~{3,})/;

/**
 * Matches a number, even after marks, a bracket, a quote, or a currency symbol. Before it, `-`, `+`, and `>` are signs.
 */
const NUMBER = /^(?! ?\d+[.)] )[ *_~(.,["%`]*(\p{Lu}*\p{Sc})? ?\p{N}/u;

/** The list item that begins on `line`, if any. */
export function itemIn(line: string): ItemLine | undefined {
  const [, indent = '', marker = '', value, gap = '', content = ''] = (!RULE.test(line) && ITEM.exec(line)) || [];
  if (!marker) return undefined;
  const width = indent.length + marker.length;
  return {
    indent: indent.length,
    // More than four spaces would be code in CommonMark. Here, they are only a wide gap.
    offset: width + (content && gap.length < 5 ? gap.length : 1),
    mark: marker.at(-1) as string,
    value: value ? Number(value) : undefined,
    content,
  };
}

/** The code fence that begins on `line`, if any: its indentation and its characters. */
export function fenceIn(line: string): { readonly indent: number; readonly mark: string } | undefined {
  const [, indent = '', mark] = FENCE.exec(line) ?? [];
  return mark === undefined ? undefined : { indent: indent.length, mark };
}

/** Whether `line` closes the code fence that `mark` opened. */
export function endsFence(line: string, mark: string): boolean {
  const text = line.trim();
  return text.length >= mark.length && text === (mark[0] as string).repeat(text.length);
}

/** Whether `line` is a horizontal rule. */
export function isRule(line: string): boolean {
  return RULE.test(line);
}

/** A heading's text; undefined if `line` isn't a heading. */
export function headingIn(line: string): string | undefined {
  if (!/^ *#{1,6}( |$)/.test(line)) return undefined;
  const text = line.trim().replace(/^#+/, '');
  return text.replace(/\s#+$/, '').trim();
}

/** Whether `line` is quoted. A `>` before a number or `=` means "greater than", unless the next line is quoted text. */
export function isQuote(line: string, next = ''): boolean {
  return /^ *>/.test(line) && [line, next].some(isPlainQuote);
}

function isPlainQuote(line: string): boolean {
  const [, text] = /^ *>(?! ?=)(.*)/.exec(line) ?? [];
  return text !== undefined && !startsWithNumber(text);
}

/** Whether `text` begins with a number. */
export function startsWithNumber(text: string): boolean {
  return NUMBER.test(text);
}

/** Whether a block other than a paragraph begins on `line`. */
export function startsBlock(line: string): boolean {
  return !!fenceIn(line) || isRule(line) || isQuote(line) || !!itemIn(line) || headingIn(line) !== undefined;
}

/** The cells in a table row. A `|` after a backslash is text. */
export function cellsIn(line: string): string[] {
  const cells = line.trim().split(/(?<!\\)\|/);
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells.map((cell) => cell.replaceAll(String.raw`\|`, '|').trim());
}

/** The alignments in a table's delimiter row; undefined if `line` isn't one. */
export function alignmentsIn(line: string): string[] | undefined {
  const cells = line.includes('|') ? cellsIn(line) : [];
  if (cells.length === 0 || !cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return cells.map((cell) => (cell.endsWith(':') ? (cell.startsWith(':') ? 'center' : 'end') : ''));
}
