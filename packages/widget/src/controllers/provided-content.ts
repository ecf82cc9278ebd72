import type { LitElement } from 'lit';
import { dataScriptIn, isServerData } from '../data/embedded-data.ts';

/**
 * What an element contains before it has loaded: content from the page between its tags, and content that a server has
 * rendered into its shadow root, which stays until the element has something to show.
 */
export class ProvidedContent {
  readonly #host: LitElement;
  #serverNodes: ChildNode[];
  #isInShadowRoot: boolean;
  #hasUsedData = false;

  constructor(host: LitElement) {
    this.#host = host;
    this.#serverNodes = [...(host.shadowRoot?.childNodes ?? [])];
    this.#isInShadowRoot = this.isServerShown;
  }

  /** Whether the server's content is still in the shadow root. */
  get isServerShown(): boolean {
    return this.#serverNodes.length > 0;
  }

  /** Whether a server has rendered content that might be meant for a single reader. */
  get isPrivate(): boolean {
    return (this.#isInShadowRoot || !!dataScriptIn(this.#host)) && !this.#host.hasAttribute('data-public');
  }

  /** Whether the page has provided content to show until the element is ready. */
  get hasFallback(): boolean {
    return [...this.#host.childNodes].some(isFallback);
  }

  /**
   * Moves a fragment's content into the host's shadow root. Browsers do this themselves only when they parse a whole
   * page.
   */
  adoptTemplate(): void {
    const template = this.#host.querySelector<HTMLTemplateElement>(':scope > template[shadowrootmode]');
    template?.remove();
    if (!template || this.#host.shadowRoot) return;
    const root = this.#host.attachShadow({ mode: 'open' });
    root.append(template.content);
    this.#serverNodes = [...root.childNodes];
    this.#isInShadowRoot = true;
  }

  /**
   * Returns whether the host is allowed to use the response that a server has written into the page. It is used only
   * once, because it is stale after that.
   */
  useData(): boolean {
    const isAllowed = !this.#hasUsedData;
    this.#hasUsedData = true;
    return isAllowed;
  }

  /** Removes the content that a server has rendered into the shadow root. */
  replaceServer(): void {
    // Lit would render before the first of these nodes.
    if (this.isServerShown) this.#host.renderOptions.renderBefore = null;
    for (const node of this.#serverNodes.splice(0)) node.remove();
  }

  /** Removes what a server has rendered and what the card has written for reader modes. */
  forgetReader(): void {
    this.#hasUsedData = true;
    this.replaceServer();
    this.#host.querySelector(':scope > [slot=reader]')?.remove();
  }

  /** Removes everything, including the content between the tags and the data that a server has written there. */
  empty(): void {
    this.forgetReader();
    const contents = [...this.#host.childNodes].filter((node) => isFallback(node) || isServerData(node));
    for (const node of contents) node.remove();
  }
}

/** Whether `node` is content that the page shows until the element is ready. */
function isFallback(node: Node): boolean {
  // A node from another window isn't an instance of this window's classes.
  const { nodeType, slot, localName, data } = node as Element & Text;
  return nodeType === Node.ELEMENT_NODE
    ? !slot && !/^(?:script|template)$/.test(localName)
    : nodeType === Node.TEXT_NODE && /\S/.test(data);
}
