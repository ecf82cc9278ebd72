import { css } from '../../../css.ts';

/**
 * The styles for the card's frame and for the space between its rows. A collapsed card has the height in `CARD_HEIGHT`
 * in every state and at every width, so that a page can reserve its space. Lengths are in `em`, so the card grows with
 * the page's text.
 */
export const layoutStyles: string = css`
  :host {
    display: block;
    container-type: inline-size;
    contain-intrinsic-inline-size: 15em;
    min-width: min(100%, 15em);
    writing-mode: horizontal-tb;
    max-width: var(--pulse-card-max-width, none);
    margin-block-end: 1em;
  }
  :host([hidden]) {
    display: none;
  }
  :host([fill]) {
    height: 100%;
  }
  :host([fill]) article {
    min-height: 100%;
  }
  article {
    --_extra: var(--pulse-card-extra-height, 0em);
    --_height: calc(56.25cqi + 9.5em + var(--_extra));
    --_side: var(--pulse-card-padding, 0.75em);
    --_inset: 0.375em;
    --_top: 0.75em;
    --_gap: 0.25em;
    --_lines: 4;
    --_largest: 1.25em;
    --_air: 0.625em;
    --_foot: 2.5em;
    break-inside: avoid;
    position: relative;
    display: flex;
    flex-direction: column;
    height: var(--_height);
    max-height: 100%;
    overflow: clip;
    padding: var(--_top) var(--_side) 0;
    background: var(--_background);
    border-radius: var(--pulse-card-radius, 0.75em);
    outline: var(--pulse-card-frame, 1px solid) var(--_border);
    outline-offset: -1px;
  }
  .chart {
    --_height: calc(56.25cqi + 3em + var(--_extra));
  }
  .face {
    flex: 1 1 0;
    display: flex;
    flex-direction: column;
    min-height: 0;
    overflow-y: clip;
    overflow-anchor: none;
  }
  /* When the details open, WebKit restyles the descendants only with :host, and Firefox only without it. */
  article:has(details[open]),
  :host article:has(details[open]) {
    height: auto;
    overflow: hidden auto;
    .face {
      flex: none;
      min-height: calc(var(--_height) - var(--_foot) - var(--_top));
    }
    footer {
      flex: none;
    }
    [part='heading'] {
      flex: none !important;
      mask: none !important;
    }
    [part='summary'] {
      -webkit-line-clamp: none;
    }
    [part='chart'] {
      flex-basis: 48cqi;
    }
    [part='lead'] {
      display: none;
    }
  }
  article:has(> slot:only-child) {
    padding: 0;
  }
  ::slotted(svg) {
    flex: none;
  }
  article > slot::slotted(:not(svg)) {
    margin: var(--_top) var(--_side) 0;
  }
`;
