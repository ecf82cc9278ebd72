/** Screen readers notice what changes in a region that they know already. */
const NOTICED_MS = 100;

let region: HTMLElement | undefined;

/** Has screen readers say `text` when they are done with what they are saying; one live region serves the whole page. */
export function announce(text: string): void {
  const live = (region ??= document.createElement('div'));
  live.role = 'status';
  // Out of sight, not out of the accessibility tree; strict policies allow styles that are set this way.
  live.style.cssText = 'position:fixed;clip-path:inset(50%)';
  if (!live.isConnected) document.body.append(live);
  setTimeout(() => {
    // Cards that fail together speak once.
    if (live.textContent !== text) live.textContent = text;
  }, NOTICED_MS);
}
