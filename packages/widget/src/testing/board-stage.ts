import { eventually, type StubBff } from './stage.ts';

/** A board's cards. */
export const cardsOf = (board: Element) => [...(board.shadowRoot?.querySelectorAll('pulse-card') ?? [])];

/** An element's text, with single spaces. */
export const textOf = (element: Element | null | undefined) => element?.textContent?.replaceAll(/\s+/g, ' ').trim();

/** The IDs of the sources whose cards are visible. */
export const shownIds = (board: Element) =>
  cardsOf(board)
    .filter((card) => card.checkVisibility())
    .map(({ sourceId }) => sourceId);

/** Waits until all cards on a board have loaded. */
export const settled = (board: Element) =>
  eventually(() => cardsOf(board)[0] && cardsOf(board).every(({ state }) => /ready|empty/.test(state)));

/** The HTML that loads a script with the board. */
export const scriptOf = (bff: StubBff, query = '') =>
  `<script type="module" src="${bff.base}/pulse-board.js${query}"></script>`;
