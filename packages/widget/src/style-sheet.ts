import { boardStyles } from './board/pulse-board.styles.ts';
import { cardStyles } from './pulse-card.styles.ts';

/** The look of all elements, parsed once a page; no policy minds a sheet that is constructed. */
export const styleSheet = new CSSStyleSheet();
styleSheet.replaceSync(cardStyles + boardStyles);
