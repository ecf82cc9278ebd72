/** Screen readers notice what changes in a live region that is already there. */
const NOTICE_MS = 100;

/** Longer than a screen reader takes to notice. */
const REMOVE_AFTER_MS = 3_000;

let region: HTMLElement | undefined;

/**
 * Has screen readers say `text`, which is in `language`, for `element`, if that is still on the page. There is one live region
 * at a time, and none is left in the page.
 */
export function announce(text: string, language: string, speaker: Element): void {
  if (!speaker.isConnected) return;
  const { ownerDocument } = speaker;
  // Of elements that speak at the same time, the last is heard; those that fail together say the same.
  region?.remove();
  const element = Document.prototype.createElement.call(ownerDocument, 'div');
  element.role = 'status';
  element.lang = language;
  // Invisible, but in the accessibility tree; no policy forbids styles that are set this way.
  element.style.cssText = 'position:fixed;clip-path:inset(50%)';
  // Behind a modal dialog of the page nothing is heard.
  const dialogs = Document.prototype.querySelectorAll.call(ownerDocument, 'dialog:modal');
  ([...dialogs].at(-1) ?? (Reflect.get(Document.prototype, 'body', ownerDocument) as Element)).append(element);
  setTimeout(() => speaker.isConnected && (element.textContent = text), NOTICE_MS);
  setTimeout(() => element.remove(), REMOVE_AFTER_MS);
  region = element;
}

/** Removes what is being announced. */
export function silence(): void {
  region?.remove();
}
