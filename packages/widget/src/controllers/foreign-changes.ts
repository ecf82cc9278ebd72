import type { LitElement } from 'lit';

/** Renders text that other programs, such as translators, might replace. Lit can't update text that was replaced. */
export class ForeignChanges {
  readonly #host: LitElement;
  #observer: MutationObserver | undefined;
  /** Whether any node was removed since it was rendered. */
  #isFound = false;
  #facts: string | undefined;

  constructor(host: LitElement) {
    this.#host = host;
  }

  /**
   * Calls `render`, which updates the host. Removes the content first if any node was removed and the `facts` that the
   * text depends on are different.
   */
  render(facts: string, render: () => void): void {
    this.#read(this.#observer?.takeRecords() ?? []);
    if (this.#isFound && facts !== this.#facts) this.#clear();
    this.#facts = facts;
    try {
      render();
    } catch {
      this.#clear();
      render();
    }
    this.#observer ??= new MutationObserver((records) => this.#read(records));
    this.#observer.takeRecords();
    this.#observer.observe(this.#host.renderRoot, { childList: true, subtree: true });
  }

  #clear(): void {
    const { renderRoot, renderOptions } = this.#host;
    renderRoot.replaceChildren();
    // With a new `renderBefore` node, Lit renders as if for the first time.
    renderOptions.renderBefore = renderRoot.appendChild(new Comment());
    this.#isFound = false;
  }

  /** Finds removed nodes, which Lit would still update. It can update nodes whose text has changed. */
  #read(records: readonly MutationRecord[]): void {
    this.#isFound ||= records.some(({ removedNodes }) => removedNodes[0]);
  }
}
