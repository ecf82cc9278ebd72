import { cardStyles } from '../elements/pulse-card/styles.ts';

/**
 * The style sheet of cards that a server rendered, as a file: that of the element, without what needs a script; and, outside
 * of shadow roots, what a page that shows nothing else needs. In a frame the card is as high as that, and never less high than
 * its words. Whether the page has a window of its own is up to `frame-page.ts`; where scripts are off, nothing can tell.
 */
export const serverStyles: string = `${cardStyles.map(({ cssText }) => cssText).join('')}
  link ~ article button {
    display: none;
  }
  body {
    margin: 0;
    font: 16px/1.5 system-ui, sans-serif;
  }
  .alone body {
    max-width: 60em;
    margin-inline: auto;
  }
  html:not(.alone, .natural) pulse-card::part(base) {
    height: auto;
    min-height: max(100vh, 12.5em);
  }
  html:not(.alone, .natural) pulse-card:is([variant='text'], [variant='compact'])::part(base) {
    min-height: max(100vh, 10em);
  }
  html:not(.alone, .natural) pulse-card[variant='chart']::part(base) {
    min-height: max(100vh, 6em);
  }
  html:not(.alone) pulse-card::part(image) {
    object-position: center;
  }
  @media (scripting: none) {
    body {
      max-width: 60em;
      margin-inline: auto;
    }
  }
`;

/** The name of that file, made of its content, so that it can be cached for good. */
export const STYLE_FILE = `pulse-card-${contentHash(serverStyles)}.css`;

/** 64 bits of `text` (FNV-1a) in hexadecimal. */
function contentHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
