import type { ListedSource } from '../shell/bff-api.ts';

/**
 * Gives each card on a board a link to its snippet, in the slot for actions. The links are in the board's shadow tree,
 * so pages style them with `pulse-board::part(snippet)`.
 */
export async function addSnippetLinks(
  board: HTMLElement,
  sources: readonly ListedSource[],
  hrefOf: (sourceId: string) => string,
): Promise<void> {
  await (board as HTMLElement & { updateComplete: Promise<boolean> }).updateComplete;
  for (const card of board.shadowRoot?.querySelectorAll('pulse-card') ?? []) {
    const { sourceId } = card;
    const name = sources.find(({ id }) => id === sourceId)?.name;
    const link = card.querySelector<HTMLAnchorElement>('[slot="actions"]') ?? document.createElement('a');
    link.slot = 'actions';
    link.setAttribute('part', 'snippet');
    link.href = hrefOf(sourceId);
    link.title = `Get the snippet for ${name ?? sourceId}`;
    link.setAttribute('aria-label', link.title);
    if (!link.isConnected) {
      link.append(codeIcon());
      card.append(link);
    }
  }
}

const SVG = 'http://www.w3.org/2000/svg';

/** An icon with code brackets, in the color of the text. */
function codeIcon(): SVGElement {
  const icon = document.createElementNS(SVG, 'svg');
  icon.setAttribute('viewBox', '0 0 16 16');
  // The board's own rules for icons would override attributes.
  icon.style.setProperty('width', '16px');
  icon.style.setProperty('height', '16px');
  icon.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', 'm5 4.5-3.5 3.5L5 11.5M11 4.5l3.5 3.5L11 11.5');
  for (const [name, value] of [
    ['fill', 'none'],
    ['stroke', 'currentColor'],
    ['stroke-width', '1.5'],
    ['stroke-linecap', 'round'],
    ['stroke-linejoin', 'round'],
  ] as const)
    path.setAttribute(name, value);
  icon.append(path);
  return icon;
}
