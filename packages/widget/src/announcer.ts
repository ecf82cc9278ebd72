/** Cards that fail together speak once. */
const GATHER_MS = 300;

const waiting = new Set<string>();
let region: HTMLElement | undefined;

/** Has screen readers say `text` when they are done with what they are saying; one live region serves the whole page. */
export function announce(text: string): void {
  if (!region?.isConnected) {
    region = document.createElement('div');
    region.role = 'status';
    // Out of sight, not out of the accessibility tree; strict policies allow styles that are set this way.
    region.style.cssText = 'position:fixed;clip-path:inset(50%)';
    document.body.append(region);
  }
  if (!waiting.size) setTimeout(speak, GATHER_MS);
  waiting.add(text);
}

function speak(): void {
  if (region) region.textContent = [...waiting].join(' ');
  waiting.clear();
}
