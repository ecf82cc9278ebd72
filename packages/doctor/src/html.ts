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
  /** URLs of the images inside the element, as written. */
  readonly images: string[];
}

/** The widget's elements. */
export const CARD_TAGS: readonly string[] = ['pulse-card', 'pulse-board'];

const MAX_ELEMENTS = 100;

/** Parsing stops if elements are nested more deeply. Browsers stop there, too. */
const MAX_DEPTH = 512;

/**
 * The elements that a diagnosis depends on, as they appear in the served HTML, which is read in linear time. At most 100
 * of each kind.
 */
export class PageElements {
  /** `<pulse-card>` and `<pulse-board>`. */
  readonly cards: PageElement[] = [];
  /** Elements whose names resemble a card's. */
  readonly misspelt: PageElement[] = [];
  /** Scripts with a URL. */
  readonly scripts: PageElement[] = [];
  readonly frames: PageElement[] = [];
  /** The policies of `<meta http-equiv="Content-Security-Policy">` in the head. */
  readonly policies: string[] = [];
  /** Whether the page has inline scripts. Data blocks don't count. */
  hasInlineScripts = false;
  /** Whether the page has an inline module script, which could import anything. */
  hasInlineModules = false;
  /** The `href` of the first `<base>`. */
  base: string | undefined;
  readonly #parser: Parser;
  readonly #html: string;
  readonly #open: { readonly element: PageElement | undefined; readonly isShown: boolean }[] = [];
  #isInHead = true;
  #lineAt = { index: 0, line: 1 };

  constructor(html: string) {
    this.#html = html;
    this.#parser = new Parser({
      onopentag: (name, attributes) => this.#opened(name, attributes),
      onclosetag: (_name, isImplied) => this.#closed(isImplied),
    });
    this.#parser.end(html);
  }

  #opened(name: string, attributes: Record<string, string>): void {
    const isInPage = this.#open.at(-1)?.isShown ?? true;
    // An image counts even in an SVG, as in the Studio's snippet.
    if (name === 'img' && attributes['src'] !== undefined)
      this.#open.findLast(({ element }) => element !== undefined)?.element?.images.push(attributes['src']);
    const element = isInPage ? this.#take(name, attributes) : undefined;
    const isTemplate = name === 'template' && attributes['shadowrootmode'] === undefined;
    const depth = this.#open.push({ element, isShown: isInPage && !isTemplate && !HIDING_TAGS.test(name) });
    if (depth > MAX_DEPTH) this.#parser.pause();
  }

  #closed(isImplied: boolean): void {
    const element = this.#open.pop()?.element;
    if (element !== undefined && !isImplied) element.isClosed = true;
  }

  /** Stores an element that is related to cards. Returns the element if its end tag matters. */
  #take(name: string, attributes: Record<string, string>): PageElement | undefined {
    this.#isInHead &&= HEAD_TAGS.test(name);
    if (name === 'base') this.base ??= attributes['href'];
    else if (name === 'meta' && this.#isInHead) this.#takeMeta(attributes);
    else if (name === 'script') return this.#takeScript(attributes);
    else if (name === 'iframe') this.#keep(this.frames, name, attributes);
    else if (CARD_TAGS.includes(name)) return this.#keep(this.cards, name, attributes);
    // A name such as `pulsecard`, `pulse_card`, `pluse-card`.
    else if (/^p[\w-]{7,12}$/.test(name) && closestMatch(name, CARD_TAGS, { maxDistance: 2 }) !== undefined)
      this.#keep(this.misspelt, name, attributes);
    return undefined;
  }

  #takeMeta({ 'http-equiv': kind = '', content }: Record<string, string>): void {
    if (kind.trim().toLowerCase() === 'content-security-policy' && content !== undefined) this.policies.push(content);
  }

  #takeScript(attributes: Record<string, string>): PageElement | undefined {
    // If an optimizer changes a script's type, it stores the script's URL in another attribute.
    const names = isRun(attributes) ? ['src'] : ['src', 'data-src', 'data-rocket-src'];
    const src = names.map((name) => attributes[name]).find((address) => address !== undefined);
    if (src !== undefined) {
      const script = this.#keep(this.scripts, 'script', { ...attributes, src });
      // After a slash, an end tag further on belongs to another script.
      const isSlashed = /^\/>(?!\s*<\/script)/i.test(this.#html.slice(this.#parser.endIndex - 1));
      return isSlashed ? undefined : script;
    }
    this.hasInlineScripts ||= isRun(attributes);
    this.hasInlineModules ||= isModule(attributes);
    return undefined;
  }

  #keep(list: PageElement[], name: string, attributes: Record<string, string>): PageElement | undefined {
    if (list.length >= MAX_ELEMENTS) return undefined;
    const line = this.#lineOf(this.#parser.startIndex);
    const element = { name, attributes, line, isClosed: false, images: [] };
    list.push(element);
    return element;
  }

  /** Counts from the last element, so that no part of the page is read twice. */
  #lineOf(index: number): number {
    const { index: from, line } = this.#lineAt;
    const breaks = this.#html.slice(from, index).match(/\r\n?|\n/g)?.length ?? 0;
    this.#lineAt = { index, line: line + breaks };
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

/** Any other tag ends the head, even if its own tags are missing. */
const HEAD_TAGS = /^(?:html|head|base|link|meta|noscript|script|style|template|title)$/;

/** Browsers don't show the content of these elements. The parser treats the content of text fields as text. */
const HIDING_TAGS = /^(?:audio|canvas|noscript|select|svg|video)$/;

/** A tag with its end tag. A token's value is omitted, because it grants access. */
export function tagText(name: string, attributes: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries({ ...attributes, ...(attributes['token'] && { token: '…' }) });
  const text = written.flatMap(([attribute, value]) => {
    if (value === undefined) return [];
    const escaped = value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    return value === '' ? ` ${attribute}` : ` ${attribute}="${escaped}"`;
  });
  return `<${name}${text.join('')}></${name}>`;
}
