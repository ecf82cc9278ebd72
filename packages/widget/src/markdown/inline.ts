import { cleanText } from '@pulse-card/contract/text';
import { safeUrl } from '../data/sanitize.ts';
import { canPair, type Run, runIn } from './emphasis.ts';

/** Text, or an element in a line of text. */
export type Inline = string | InlineElement;

/** An element in a line of text: strong, emphasis, deleted text, code, or a link. */
export interface InlineElement {
  readonly tag: 'strong' | 'em' | 'del' | 'code' | 'a';
  readonly children: readonly Inline[];
  /** A link's URL, which is always `https:`. */
  readonly url: string | undefined;
  /** How deeply elements are nested, including this one. */
  readonly depth: number;
}

/** The number of elements that can still be created for the text. */
export interface Budget {
  elements: number;
}

type Node = Inline | Run;

/** How deeply elements can be nested. At deeper levels, their marks are text. */
const MAX_DEPTH = 8;

/** The maximum number of runs that wait for a closing run at the same time, which keeps the parsing time linear. */
const MAX_OPENERS = 100;

/** Matches an escaped character. */
const ESCAPE = /\\([!-/:-@[-`{-~])|&(#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,6});/gi;

/**
 * Matches everything that isn't plain text. Only the first alternative, code, looks beyond the text that it matches. A
 * run of backticks without an end must be the last one of its length, so there are only a few.
 */
const TOKEN =
  /(`+)(?!`)([^]*?[^`])\1(?!`)|\\(?:[!-/:-@[-`{-~]|(?=\n))|&#?\w{1,8};|`+|\*+|_+|~+|!?\[|\](?:\(\s*(?=\S)<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)?)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\))?|<(https:[^\s<>]*)>/gi;

/**
 * The entities that programs write when they escape text for HTML, and those that are part of numbers. No entity name
 * is longer than six letters, so none is also the name of an inherited property, such as `toString`.
 */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  mdash: '—',
  euro: '€',
  minus: '−',
  ndash: '–',
};

/**
 * Reads the Markdown in a line or a paragraph: CommonMark's inlines and GitHub's `~~deleted~~`. HTML, links that aren't
 * `https:`, and marks between two Latin letters or digits are left as text. Runs in linear time.
 */
export function readInline(text: string, budget: Budget): readonly Inline[] {
  return childrenIn(new InlineReader(text, budget).nodes, budget);
}

/** Markdown text with the formatting stripped. Deleted text keeps its marks, so that it doesn't count. */
export function plainText(text: string): string {
  return readInline(text, { elements: Infinity }).map(textOf).join('');
}

function textOf(node: Inline): string {
  if (typeof node === 'string') return node;
  const text = node.children.map(textOf).join('');
  return node.tag === 'del' ? `~~${text}~~` : text;
}

/** Splits Markdown into plain text, code, links, and runs of marks. */
class InlineReader {
  readonly nodes: Node[] = [];
  readonly #text: string;
  readonly #budget: Budget;
  readonly #token = new RegExp(TOKEN);
  /** The index of each `[` among the nodes. */
  #brackets: number[] = [];

  constructor(text: string, budget: Budget) {
    this.#text = text;
    this.#budget = budget;
    let end = 0;
    for (let token = this.#token.exec(text); token; token = this.#token.exec(text)) {
      this.nodes.push(text.slice(end, token.index));
      this.#read(token);
      end = this.#token.lastIndex;
    }
    this.nodes.push(text.slice(end));
  }

  #read({ 0: typed, 2: code, 3: address, 4: url, index }: RegExpExecArray): void {
    const [first] = typed;
    if (code !== undefined) {
      const content = code.replaceAll('\n', ' ').replace(/^ (.*[^ ].*) $/, '$1');
      this.nodes.push(elementOf('code', [content], this.#budget) ?? typed);
    } else if (first === ']') this.#readLink(typed, address, index);
    else if (url !== undefined) this.nodes.push((httpsUrl(url) && elementOf('a', [url], this.#budget, url)) || typed);
    else if (first === '*' || first === '_' || typed === '~~')
      this.nodes.push(runIn(this.#text, index, index + typed.length));
    else {
      if (typed.endsWith('[')) this.#brackets.push(this.nodes.length);
      // A backslash at the end of a line changes nothing, because every line ending is already a line break here.
      this.nodes.push(typed === '\\' ? '' : unescaped(typed));
    }
  }

  #readLink(typed: string, address: string | undefined, index: number): void {
    const opener = this.#brackets.pop();
    const url = address && httpsUrl(unescaped(address));
    if (opener === undefined || !url) {
      this.#token.lastIndex = index + 1;
      return void this.nodes.push(']');
    }
    // Marks in a link's text can't be closed outside of it.
    const children = childrenIn(this.nodes.splice(opener + 1), this.#budget);
    // A link without text would be invisible and have no name.
    const link = children[0] && elementOf('a', children, this.#budget, url);
    if (link) this.nodes[opener] = link;
    else this.nodes.push(...children, typed);
    // A link can't contain another link.
    this.#brackets = [];
  }
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
  if (!entity.startsWith('#')) return ENTITIES[entity] ?? typed;
  const code = Number(`0${entity.slice(1)}`);
  // Removes invisible characters here, too. The dots keep a space from being trimmed.
  return code > 0 && code < 0x11_00_00 ? cleanText(`.${String.fromCodePoint(code)}.`, 9).slice(1, -1) : '\ufffd';
}

/** Pairs the runs among `parts` (CommonMark, "An algorithm for parsing nested emphasis and links"). */
function childrenIn(parts: readonly Node[], budget: Budget): readonly Inline[] {
  const nodes: Node[] = [];
  /** The indexes of the runs that wait for their end. */
  const openers: number[] = [];
  for (const part of parts) {
    if (isRun(part) && part.canClose) closeRun(part, nodes, openers, budget);
    if (isRun(part) && part.canOpen && part.count) openers.push(nodes.length);
    if (openers.length > MAX_OPENERS) openers.shift();
    nodes.push(part);
  }
  return joined(nodes);
}

function closeRun(closer: Run, nodes: Node[], openers: number[], budget: Budget): void {
  while (closer.count) {
    const index = openers.findLastIndex((at) => canPair(nodes[at] as Run, closer));
    const at = openers[index];
    if (at === undefined) return;
    const opener = nodes[at] as Run;
    const length = Math.min(2, opener.count, closer.count);
    const tag = closer.char === '~' ? 'del' : length > 1 ? 'strong' : 'em';
    const element = elementOf(tag, nodes.slice(at + 1), budget);
    if (!element) return;
    nodes.splice(at + 1, Infinity, element);
    opener.count -= length;
    closer.count -= length;
    openers.length = opener.count ? index + 1 : index;
  }
}

function isRun(node: Node): node is Run {
  return typeof node === 'object' && 'count' in node;
}

/** An element with `nodes`; undefined if there would be too many elements. */
function elementOf(
  tag: InlineElement['tag'],
  nodes: readonly Node[],
  budget: Budget,
  url?: string,
): InlineElement | undefined {
  const children = joined(nodes);
  const depth = 1 + children.reduce((most, child) => Math.max(most, typeof child === 'string' ? 0 : child.depth), 0);
  if (depth > MAX_DEPTH || budget.elements <= 0) return undefined;
  budget.elements--;
  return { tag, url, depth, children };
}

/** The nodes, with runs converted to text and adjacent strings joined. */
function joined(nodes: readonly Node[]): readonly Inline[] {
  const children: Inline[] = [];
  for (const node of nodes) {
    const child = isRun(node) ? node.char.repeat(node.count) : node;
    const last = children.at(-1);
    if (typeof child === 'string' && typeof last === 'string') children[children.length - 1] = last + child;
    else if (child) children.push(child);
  }
  return children;
}
