import type { Page } from '@playwright/test';

/** What a reader can read in the page and its frames, in order, shadow trees included; buttons stand in brackets. */
export async function visibleText(page: Page): Promise<string> {
  const texts = await Promise.all(page.frames().map((frame) => frame.evaluate(readText).catch(() => '')));
  return texts.join(' ').replaceAll(/\s+/g, ' ').trim();
}

/** Runs in the page. */
function readText(): string {
  const childrenOf = (element: Element): Iterable<Node> => {
    if (element.shadowRoot) return element.shadowRoot.childNodes;
    const assigned = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
    return assigned.length > 0 ? assigned : element.childNodes;
  };
  const isHidden = (element: Element): boolean => {
    if (/^(script|style|noscript|title|template)$/i.test(element.tagName)) return true;
    const hasEnded = !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    const { display, clipPath } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    // Screen readers alone get what is one pixel large or cut away.
    if (clipPath === 'inset(50%)') return true;
    return (hasEnded && display !== 'contents') || (width > 0 && width <= 1 && height <= 1);
  };
  const read = (node: Node): string => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent ?? '';
    if (!(node instanceof Element) || isHidden(node)) return '';
    const text = [...childrenOf(node)].map(read).join(' ');
    return node.tagName === 'BUTTON'
      ? `[${text.trim() || node.getAttribute('aria-label') || node.textContent?.trim()}]`
      : text;
  };
  return read(document.body);
}
