/** Screen readers notice what changes in a live region that is already there. */
const NOTICE_MS = 100;

/** Longer than a screen reader takes to notice. */
const REMOVE_AFTER_MS = 3_000;

let region: HTMLElement | undefined;

/** Has screen readers say `text`, which is in `language`. There is one live region at a time, and none is left in the page. */
export function announce(text: string, language: string): void {
  // Of elements that speak at the same time, the last is heard; those that fail together say the same.
  region?.remove();
  const element = document.createElement('div');
  element.role = 'status';
  element.lang = language;
  // Invisible, but in the accessibility tree; no policy forbids styles that are set this way.
  element.style.cssText = 'position:fixed;clip-path:inset(50%)';
  document.body.append(element);
  setTimeout(() => (element.textContent = text), NOTICE_MS);
  setTimeout(() => element.remove(), REMOVE_AFTER_MS);
  region = element;
}
