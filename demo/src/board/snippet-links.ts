import { render } from 'lit';
import type { ListedSource } from '../shell/bff-api.ts';
import { icon } from '../ui/icons.ts';

/**
 * Adds a snippet link to each card on a board, in the `actions` slot. The links are in the board's shadow tree, so
 * pages style them with `pulse-board::part(snippet)`. Their icons look like the board's own.
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
      render(icon('code'), link);
      card.append(link);
    }
  }
}
