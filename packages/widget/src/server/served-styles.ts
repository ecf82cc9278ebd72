import { cardStyles } from '../pulse-card.styles.ts';

/**
 * The style sheet of cards that a server rendered, as a file: that of the card; what needs a script is left away until the
 * element has taken over; and, outside of shadow roots, what a page that shows nothing else needs.
 */
export const servedStyles: string = /* css */ `${cardStyles}
  link ~ article button {
    display: none;
  }
  link ~ article:has([open]) * {
    white-space: normal;
    -webkit-line-clamp: none;
  }
  body {
    margin: 0;
    font: 16px/1.5 system-ui, sans-serif;
  }
`;

/** The name of that file, made of its content, so that it can be cached for good. */
export const STYLE_FILE = `pulse-card-${contentHash(servedStyles)}.css`;

/** 64 bits of `text` (FNV-1a), as hexadecimal: they tell versions of one file apart, and prove nothing. */
function contentHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const unit of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(unit)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
