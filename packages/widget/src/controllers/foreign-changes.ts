import type { LitElement } from 'lit';

/**
 * Renders text that other programs, such as translators, might change. Lit can't update text that another program has
 * changed.
 */
export class ForeignChanges {
  readonly #host: LitElement;
  #observer: MutationObserver | undefined;
  /** Whether any text was changed since it was rendered. */
  #isFound = false;
  #facts: readonly unknown[] = [];

  constructor(host: LitElement) {
    this.#host = host;
  }

  /**
   * Calls `render`, which updates the host. Removes the content first if any text was changed and the `facts` that the
   * text depends on are different.
   */
  render(facts: readonly unknown[], render: () => void): void {
    this.#read(this.#observer?.takeRecords() ?? []);
    if (this.#isFound && facts.some((fact, index) => fact !== this.#facts[index])) this.#clear();
    this.#facts = facts;
    try {
      render();
    } catch {
      this.#clear();
      render();
    }
    this.#observer ??= new MutationObserver((records) => this.#read(records));
    this.#observer.takeRecords();
    this.#observer.observe(this.#host.renderRoot, { childList: true, characterData: true, subtree: true });
  }

  #clear(): void {
    const { renderRoot, renderOptions } = this.#host;
    renderRoot.replaceChildren();
    // With a new `renderBefore` node, Lit renders as if for the first time.
    renderOptions.renderBefore = renderRoot.appendChild(new Comment());
    this.#isFound = false;
  }

  /** Finds changed text and removed nodes. Added nodes don't keep Lit from updating its own. */
  #read(records: readonly MutationRecord[]): void {
    this.#isFound ||= records.some(({ type, removedNodes }) => removedNodes.length || type === 'characterData');
  }
}
