/**
 * Renders texts that other programs, such as translators, may change. Lit can't update text that another program has
 * changed.
 */
export class ForeignChanges {
  #observer: MutationObserver | undefined;
  /** Whether any text was changed since it was rendered. */
  #isFound = false;
  #facts: readonly unknown[] = [];

  /**
   * Calls `render`, which updates `root`. Calls `clear` before it if any text was changed and the `facts` that the text
   * depends on are different.
   */
  render(root: Node, facts: readonly unknown[], render: () => void, clear: () => void): void {
    const renderAnew = (): void => {
      clear();
      this.#isFound = false;
      render();
    };
    this.#read(this.#observer?.takeRecords() ?? []);
    const isOutdated = this.#isFound && facts.some((fact, index) => fact !== this.#facts[index]);
    this.#facts = facts;
    if (isOutdated) renderAnew();
    else
      try {
        render();
      } catch {
        renderAnew();
      }
    this.#observer ??= new MutationObserver((records) => this.#read(records));
    this.#observer.takeRecords();
    this.#observer.observe(root, { childList: true, characterData: true, subtree: true });
  }

  #read(records: readonly MutationRecord[]): void {
    this.#isFound ||= records.some(isOfText);
  }
}

/** Whether a text node, or one of the comments that Lit uses as markers, was changed or removed. */
function isOfText({ type, removedNodes }: MutationRecord): boolean {
  return type === 'characterData' || [...removedNodes].some(({ nodeType }) => nodeType !== Node.ELEMENT_NODE);
}
