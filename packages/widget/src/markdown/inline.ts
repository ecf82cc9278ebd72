import { cleanText } from '@pulse-card/contract/text';
import { safeUrl } from '../data/sanitize.ts';
import { endOf, type Mark, matchRuns, type Pair, runIn } from './emphasis.ts';

/** Text, or an element in a line of text. */
export type Inline = string | InlineElement;

/** An element in a line of text: strong, emphasis, deleted text, code, or a link. */
export interface InlineElement {
  readonly tag: Pair['tag'];
  readonly children: readonly Inline[];
  /** The URL of a link, which is always `https:`. */
  readonly url: string | undefined;
}

/** The number of elements that can still be created for the text. */
export interface Budget {
  elements: number;
}

type Part = string | Mark;

/** How many elements can contain each other. The marks of more elements are text. */
const MAX_DEPTH = 8;

/** Matches an escaped character. */
const ESCAPE = /\\([!-/:-@[-`{-~])|&(#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,4});/gi;

/** Matches everything that isn't plain text. No alternative looks further than the text that it matches. */
const TOKEN =
  /\\(?:[!-/:-@[-`{-~]|(?=\n))|&#?\w{1,8};|`+|\*+|_+|~+|!?\[|\](?:\(\s*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)?)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\))?|<(https:[^\s<>]*)>/gi;

/** The entities that programs write if they escape text for HTML. */
const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
]);

/**
 * Reads the Markdown in a line or a paragraph: CommonMark's inlines and GitHub's `~~deleted~~`. HTML, links that aren't
 * `https:`, and marks between two Latin letters or digits are text. Takes linear time.
 */
export function readInline(text: string, budget: Budget): readonly Inline[] {
  const parts = new InlineReader(text).parts;
  matchRuns(parts);
  return treeOf(parts, budget);
}

/** Markdown text without its marks. */
export function plainText(text: string): string {
  return readInline(text, { elements: Infinity }).map(textOf).join('');
}

function textOf(node: Inline): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('');
}

/** Splits text into plain text and marks. */
class InlineReader {
  readonly parts: Part[] = [];
  readonly #text: string;
  readonly #token = new RegExp(TOKEN);
  /** Where each `[` is in `parts`. */
  #brackets: number[] = [];

  constructor(text: string) {
    this.#text = text;
    let end = 0;
    for (let token = this.#token.exec(text); token; token = this.#token.exec(text)) {
      this.parts.push(text.slice(end, token.index));
      this.#read(token);
      end = this.#token.lastIndex;
    }
    this.parts.push(text.slice(end));
  }

  #read({ 0: typed, 1: address, 2: url, index }: RegExpExecArray): void {
    const [first] = typed;
    if (first === '`') this.#readCode(typed, index);
    else if (first === ']') this.#readLink(typed, address, index);
    else if (url !== undefined) this.parts.push(...linked(url, typed));
    else if (first === '*' || first === '_' || typed === '~~')
      this.parts.push(runIn(this.#text, index, index + typed.length));
    else {
      if (typed.endsWith('[')) this.#brackets.push(this.parts.length);
      // A backslash at the end of a line is a line break, which every end of a line is here.
      this.parts.push(typed === '\\' ? '' : unescaped(typed));
    }
  }

  #readCode(typed: string, index: number): void {
    const rest = this.#text.slice(index + typed.length);
    // A run without an end is the last run of its length, so text has few of them.
    const length = rest.search(new RegExp(`(?<!\`)\`{${typed.length}}(?!\`)`));
    if (length < 0) return void this.parts.push(typed);
    const code = rest.slice(0, length).replaceAll('\n', ' ');
    this.parts.push(...elementOf('code', [typed, typed], code.replace(/^ (.*[^ ].*) $/, '$1')));
    this.#token.lastIndex += length + typed.length;
  }

  #readLink(typed: string, address: string | undefined, index: number): void {
    const opener = this.#brackets.pop();
    const url = address && httpsUrl(unescaped(address));
    if (opener === undefined || !url) {
      this.#token.lastIndex = index + 1;
      return void this.parts.push(']');
    }
    const link: Pair = { tag: 'a', typed: [this.parts[opener] as string, typed], url };
    this.parts[opener] = endOf('[', [link]);
    this.parts.push(endOf(']', [], [link]));
    // A link can't contain another link.
    this.#brackets = [];
  }
}

/** A link whose text is its URL. */
function linked(url: string, typed: string): readonly Part[] {
  return httpsUrl(url) ? elementOf('a', ['<', '>'], url, url) : [typed];
}

function elementOf(tag: Pair['tag'], typed: Pair['typed'], content: string, url?: string): readonly Part[] {
  const pair: Pair = { tag, typed, ...(url && { url }) };
  return [endOf('', [pair]), content, endOf('', [], [pair])];
}

function httpsUrl(url: string): string | null {
  return /^https:/i.test(url) ? safeUrl(url) : null;
}

function unescaped(text: string): string {
  return text.replace(ESCAPE, (typed, character: string | undefined, entity: string | undefined) =>
    entity ? characterOf(entity, typed) : (character ?? ''),
  );
}

function characterOf(entity: string, typed: string): string {
  if (!entity.startsWith('#')) return ENTITIES.get(entity) ?? typed;
  const code = Number(`0${entity.slice(1)}`);
  // An invisible character stays invisible. The points keep a space from being trimmed.
  return code > 0 && code < 0x11_00_00 ? cleanText(`.${String.fromCodePoint(code)}.`, 9).slice(1, -1) : '\ufffd';
}

function treeOf(parts: readonly Part[], budget: Budget): readonly Inline[] {
  const levels: Inline[][] = [[]];
  const add = (node: Inline): void => {
    const level = levels.at(-1) as Inline[];
    const last = level.at(-1);
    if (typeof node === 'string' && typeof last === 'string') level[level.length - 1] = last + node;
    else if (node) level.push(node);
  };
  for (const part of parts) {
    if (typeof part === 'string') {
      add(part);
      continue;
    }
    for (const { tag, url, typed, isShown } of part.closes)
      add(isShown ? { tag, url, children: levels.pop() ?? [] } : typed[1]);
    add(part.char.repeat(part.count));
    for (const pair of part.opens.toReversed()) {
      pair.isShown = levels.length <= MAX_DEPTH && budget.elements > 0;
      if (pair.isShown) levels.push([]);
      else add(pair.typed[0]);
      budget.elements -= pair.isShown ? 1 : 0;
    }
  }
  return levels[0] ?? [];
}
