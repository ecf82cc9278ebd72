import { Parser } from 'htmlparser2';
import { closestMatch } from 'leven';

/** An element on the page that might belong to a card. */
export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The line on which its tag begins, counted from 1. */
  readonly line: number;
  /** Whether the element has an end tag. */
  isClosed: boolean;
  /** Whether the tag ends with `/>`. */
  readonly endsWithSlash: boolean;
  /** URLs of the images inside the element, as written. */
  readonly images: string[];
}

/** The elements that a diagnosis depends on, as they appear in the served HTML. At most 100 of each kind. */
export type PageElements = Omit<ElementReader, 'parser' | 'isTooDeep'>;

/** The widget's elements. */
export const CARD_TAGS: readonly string[] = ['pulse-card', 'pulse-board'];

/** The number of characters that are passed to the parser at a time. */
const CHUNK_LENGTH = 16_384;

/**
 * The maximum depth of elements. Parsing stops if they are nested more deeply, because browsers also stop there, and
 * parsers get slow.
 */
const MAX_DEPTH = 512;

const MAX_ELEMENTS = 100;

/** If an optimizer changes a script's type, it stores the script's URL in one of these attributes. */
const DELAYED_ADDRESSES = ['data-src', 'data-rocket-src'];

const HEAD_TAGS = /^(?:html|head|meta|link|script|style|title|base|template|noscript)$/;

/** Finds the elements in `html` that are related to cards, in linear time. */
export function pageElementsIn(html: string): PageElements {
  const reader = new ElementReader(html);
  for (let at = 0; at < html.length && !reader.isTooDeep; at += CHUNK_LENGTH)
    reader.parser.write(html.slice(at, at + CHUNK_LENGTH));
  if (!reader.isTooDeep) reader.parser.end();
  return reader;
}

/**
 * What an element's content is: part of the page, SVG or MathML, in which no custom elements work, or nothing that the
 * page shows.
 */
type Content = 'page' | 'foreign' | 'inert';

class ElementReader {
  /** `<pulse-card>` and `<pulse-board>`. */
  readonly cards: PageElement[] = [];
  /** Elements whose names resemble a card's. */
  readonly misspelt: PageElement[] = [];
  /** Scripts with a URL. */
  readonly scripts: PageElement[] = [];
  readonly frames: PageElement[] = [];
  /** The policies of `<meta http-equiv="Content-Security-Policy">`. */
  readonly policies: string[] = [];
  /** Whether the page has inline scripts. Data blocks don't count. */
  hasInlineScripts = false;
  /** Whether the page has an inline module script, which could import anything. */
  hasInlineModules = false;
  /** The `href` of the first `<base>`. */
  base: string | undefined;
  readonly parser: Parser;
  readonly #html: string;
  readonly #open: { readonly element: PageElement | undefined; content: Content }[] = [];
  #isHead = true;
  #lineAt = { index: 0, line: 1 };

  constructor(html: string) {
    this.#html = html;
    this.parser = new Parser({
      onopentag: (name, attributes) => this.#opened(name, attributes),
      onclosetag: (_name, isImplied) => this.#closed(isImplied),
    });
  }

  get isTooDeep(): boolean {
    return this.#open.length > MAX_DEPTH;
  }

  #opened(name: string, attributes: Record<string, string>): void {
    this.#isHead &&= HEAD_TAGS.test(name);
    if (ENDS_FOREIGN.test(name)) this.#endForeign();
    const around = this.#open.at(-1)?.content ?? 'page';
    const element = around === 'inert' ? undefined : this.#take(name, attributes, around);
    this.#open.push({ element, content: contentOf(name, attributes, around) });
  }

  #closed(isImplied: boolean): void {
    const element = this.#open.pop()?.element;
    if (element !== undefined && !isImplied) element.isClosed = true;
  }

  /** Browsers close open SVG and MathML before an HTML element that can't be part of it. */
  #endForeign(): void {
    for (let at = this.#open.length - 1; ; at--) {
      const open = this.#open[at];
      if (open?.content !== 'foreign') return;
      open.content = 'page';
    }
  }

  /** Stores an element that is related to cards. Returns the element if its end tag matters. */
  #take(name: string, attributes: Record<string, string>, around: Content): PageElement | undefined {
    if (name === 'base') this.base ??= attributes['href'];
    else if (name === 'meta') this.#takeMeta(attributes);
    else if (name === 'script') this.#takeScript(attributes);
    else if (name === 'img' || name === 'image') this.#takeImage(attributes);
    else if (around === 'foreign') return undefined;
    else if (name === 'iframe') this.#keep(this.frames, name, attributes);
    else if (CARD_TAGS.includes(name)) return this.#keep(this.cards, name, attributes);
    else if (isNearlyCard(name)) this.#keep(this.misspelt, name, attributes);
    return undefined;
  }

  /** Outside `<head>`, the element has no effect. */
  #takeMeta({ 'http-equiv': kind = '', content }: Record<string, string>): void {
    if (!this.#isHead || kind.trim().toLowerCase() !== 'content-security-policy' || content === undefined) return;
    if (this.policies.length < MAX_ELEMENTS) this.policies.push(content);
  }

  #takeScript(attributes: Record<string, string>): void {
    const names = isRun(attributes) ? ['src'] : ['src', ...DELAYED_ADDRESSES];
    const src = names.map((name) => attributes[name]).find((address) => address !== undefined);
    if (src !== undefined) return void this.#keep(this.scripts, 'script', { ...attributes, src });
    if (!isRun(attributes)) return;
    this.hasInlineScripts = true;
    this.hasInlineModules ||= isModule(attributes);
  }

  #takeImage(attributes: Record<string, string>): void {
    const card = this.#open.findLast(({ element }) => element !== undefined)?.element;
    const address = attributes['href'] ?? attributes['xlink:href'] ?? attributes['src'];
    if (address !== undefined) card?.images.push(address);
  }

  #keep(list: PageElement[], name: string, attributes: Record<string, string>): PageElement | undefined {
    if (list.length >= MAX_ELEMENTS) return undefined;
    const { startIndex, endIndex } = this.parser;
    const endsWithSlash = this.#html.slice(Math.max(startIndex, endIndex - 1), endIndex + 1) === '/>';
    const element = { name, attributes, line: this.#lineOf(startIndex), isClosed: false, endsWithSlash, images: [] };
    list.push(element);
    return element;
  }

  #lineOf(index: number): number {
    const { index: from, line } = this.#lineAt;
    const breaks = this.#html.slice(from, index).match(/\r\n?|\n/g)?.length ?? 0;
    this.#lineAt = { index: Math.max(from, index), line: line + breaks };
    return this.#lineAt.line;
  }
}

/** Returns whether a script is a module. */
export function isModule({ type = '' }: Readonly<Record<string, string>>): boolean {
  return type.trim().toLowerCase() === 'module';
}

/**
 * Returns whether browsers run a script. Scripts with other types are data, or are run later by a script on the page.
 */
export function isRun({ type = '' }: Readonly<Record<string, string>>): boolean {
  return /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script)?$/i.test(type.trim());
}

/** Elements that browsers show instead of their content, or whose content they drop. */
const REPLACED_TAGS = /^(?:audio|canvas|datalist|meter|option|progress|rp|select|video)$/;

/** Elements in SVG and MathML whose content is HTML. */
const INTEGRATION_TAGS = /^(?:foreignobject|mi|mn|mo|ms|mtext)$/i;

/** HTML elements that end SVG and MathML (HTML standard, 13.2.6.5). */
const ENDS_FOREIGN =
  /^(?:b|big|blockquote|body|br|center|code|d[dlt]|div|em(?:bed)?|h[1-6r]|head|i|img|li(?:sting)?|menu|meta|nobr|ol|p|pre|ruby|s|small|span|strike|strong|su[bp]|table|tt|u|ul|var)$/;

/** What the content of an element is. The parser treats the content of scripts and text fields as text. */
function contentOf(name: string, attributes: Readonly<Record<string, string>>, around: Content): Content {
  if (around === 'inert') return 'inert';
  if (around === 'foreign') return INTEGRATION_TAGS.test(name) ? 'page' : 'foreign';
  if (name === 'svg' || name === 'math') return 'foreign';
  const isTemplate = name === 'template' && attributes['shadowrootmode'] === undefined;
  return isTemplate || name === 'noscript' || REPLACED_TAGS.test(name) ? 'inert' : 'page';
}

/** A name such as `pulsecard`, `pulse_card`, `pluse-card`. */
function isNearlyCard(name: string): boolean {
  return /^p[\w-]{7,12}$/.test(name) && closestMatch(name, CARD_TAGS, { maxDistance: 2 }) !== undefined;
}
