import { dataScriptIn } from '../data/embedded-data.ts';

/** The content that a server has rendered into an element. It stays until the element has something to show. */
export class ServerContent {
  readonly #host: HTMLElement;
  #nodes: ChildNode[];
  #isInShadowRoot: boolean;

  constructor(host: HTMLElement) {
    this.#host = host;
    this.#nodes = [...(host.shadowRoot?.childNodes ?? [])];
    this.#isInShadowRoot = this.isShown;
  }

  /** Whether the content is still in the shadow root. */
  get isShown(): boolean {
    return this.#nodes.length > 0;
  }

  /** Whether a server has rendered content that might be for one reader only. */
  get isPrivate(): boolean {
    return (this.#isInShadowRoot || !!dataScriptIn(this.#host)) && !this.#host.hasAttribute('data-public');
  }

  /**
   * Moves the content of a fragment into the root that `createRoot` returns. Browsers do this only while they parse a
   * whole page.
   */
  adoptTemplate(createRoot: () => ParentNode): void {
    const template = this.#host.querySelector<HTMLTemplateElement>(':scope > template[shadowrootmode]');
    template?.remove();
    if (!template || this.#host.shadowRoot) return;
    const root = createRoot();
    root.append(template.content);
    this.#nodes = [...root.childNodes];
    this.#isInShadowRoot = true;
  }

  remove(): void {
    for (const node of this.#nodes.splice(0)) node.remove();
  }
}
