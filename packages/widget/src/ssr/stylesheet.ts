import { blockStyles } from '../after-paint/block-styles.ts';
import { cardStyles } from '../elements/pulse-card/styles.ts';

/**
 * Makes a card fill a frame of any size. The chart keeps its aspect ratio, and the first lines of the analysis use the
 * remaining space. If the frame isn't tall enough, the chart is next to the text or hidden. Only a frame's page has the
 * `framed` class. Without this class, in Firefox, `html pulse-card::part(base)` would also match inside a card's shadow
 * tree on any page.
 */
const frameStyles = `
  html.framed pulse-card {
    --_more: calc(100vh - 56.25vw - 9.5em);
    &::part(base) {
      --_height: calc(100vh - max(0px, var(--_more)));
      --_lines: 5;
      height: auto;
      min-height: 100vh;
    }
    &::part(chart) {
      flex: 1000 1 0;
      align-self: center;
      max-width: calc(100% + 2 * (var(--_side) - var(--_inset)));
      max-height: calc(56.25vw + 1em);
      margin-bottom: auto;
      aspect-ratio: 16 / 9;
    }
    &[variant='chart'] {
      &::part(base) {
        padding-bottom: var(--_inset);
      }
      &::part(header) {
        margin-bottom: var(--_air);
      }
      &::part(chart) {
        margin-block: auto;
      }
    }
    &:is([variant='text'], [variant='compact']) {
      --_more: calc(100vh - 10em);
    }
    &[fill]::part(lead) {
      flex: 1 1 0;
      max-height: clamp(0px, (var(--_more) - 2em) * 1000, 100vh);
      margin-top: clamp(0px, (var(--_more) - 2em) * 1000, var(--_air));
    }
  }
  html:is(.alone, .natural) pulse-card[fill]::part(lead) {
    display: none;
  }
  @media (max-aspect-ratio: 3 / 4) {
    html.framed pulse-card::part(base) {
      --_lines: 8;
    }
  }
  @media (height >= 17em) {
    html.framed pulse-card:is([variant='text'], [variant='compact'])::part(base) {
      --_lines: 8;
    }
  }
  @media (height < 17em) {
    html.framed pulse-card::part(summary) {
      font-size: 1em;
    }
  }
  @media (width < 28em) and (height < 17em), (width < 15em) and (height < 20em) {
    html.framed pulse-card[fill] {
      --_more: calc(100vh - 10em);
      &::part(chart) {
        display: none;
      }
    }
  }
  @media (width >= 28em) and (height < 17em), (width >= 28em) and (min-aspect-ratio: 12 / 5) {
    html.framed pulse-card[fill]:not([variant='text']) {
      --_more: calc(100vh - 10em);
      --_chart: min(50vw, (100vh - 1.5em) * 16 / 9);
      &::part(base) {
        padding-inline-end: calc(var(--_chart) + 1.5em);
      }
      &::part(chart) {
        position: absolute;
        top: calc((100vh - var(--_chart) * 9 / 16) / 2);
        inset-inline-end: 0.75em;
        width: var(--_chart);
        height: auto;
        margin: 0;
      }
    }
  }
  @media (height < 11em) {
    html.framed pulse-card {
      &::part(base) {
        --_top: 0.625em;
        --_gap: 0.25em;
        --_foot: 2.5em;
      }
      &::part(footer) {
        flex: none;
      }
      &::part(error),
      &::part(empty) {
        flex-direction: row;
        padding: 0;
      }
    }
  }
${linesBelow(17, 6)}${linesBelow(13, 4)}${linesBelow(9.8, 3)}${linesBelow(8.5, 2)}${linesBelow(7.2, 1)}
  @media (height < 5.9em) {
    html.framed pulse-card {
      &::part(base) {
        --_lines: 2;
      }
      &::part(footer) {
        display: none;
      }
    }
  }
${linesBelow(4.7, 1)}
`;

/** How many lines of the finding fit in a frame whose height is less than `heightEm`. */
function linesBelow(heightEm: number, lines: number): string {
  return `@media (height < ${heightEm}em) { html.framed pulse-card::part(base) { --_lines: ${lines} } }`;
}

/**
 * The style sheet for server-rendered cards, as a file. It styles the element, hides buttons that need a script, and
 * lays out pages that show only the card. `frame-page.ts` detects whether the page is in a frame. Without scripts, the
 * styles can't depend on that.
 */
export const serverStyles: string = `${cardStyles}${blockStyles}
  link ~ article button {
    display: none;
  }
  body,
  main > pulse-card {
    margin: 0;
  }
  body {
    font: 16px/1.5 system-ui, sans-serif;
  }
  main > h1 {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: 0;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .alone body {
    max-width: 60em;
    margin-inline: auto;
  }
  ${frameStyles}
  html:is(.framed, .natural) pulse-card::part(image) {
    object-position: center;
  }
  @media (scripting: none) {
    body {
      max-width: 60em;
      margin-inline: auto;
    }
  }
`;

/** The style sheet's file name, which contains a hash of the content so that browsers can cache it permanently. */
export const STYLE_FILE: string = `pulse-card-${contentHash(serverStyles)}.css`;

/** The 64-bit FNV-1a hash of `text`, in hexadecimal. */
function contentHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
