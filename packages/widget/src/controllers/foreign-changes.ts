/**
 * Notices when another program, such as a translator, has changed the texts that Lit has rendered into a root. Lit can't
 * update such texts.
 */
export class ForeignChanges {
  #observer: MutationObserver | undefined;
  #isFound = false;

  /** Whether there was a change since the last call of `forget()`. */
  get isFound(): boolean {
    this.#read(this.#observer?.takeRecords() ?? []);
    return this.#isFound;
  }

  /** Ignores the changes that an update has just made to `root`. If the update `isComplete`, also ignores earlier changes. */
  ignore(root: Node, isComplete: boolean): void {
    this.#observer ??= new MutationObserver((records) => this.#read(records));
    this.#observer.takeRecords();
    this.#observer.observe(root, { childList: true, characterData: true, subtree: true });
    if (isComplete) this.#isFound = false;
  }

  #read(records: readonly MutationRecord[]): void {
    this.#isFound ||= records.some(isOfText);
  }
}

/** Whether a text, or one of the comments that Lit uses as markers, was changed or removed. */
function isOfText({ type, removedNodes }: MutationRecord): boolean {
  return type === 'characterData' || [...removedNodes].some(({ nodeType }) => nodeType !== Node.ELEMENT_NODE);
}
