import { css } from '../../../css.ts';

/** The styles for the variants and for a card's spacing at each width. */
export const sizeStyles: string = css`
  @container (width >= 20em) {
    .compact:has([part='chart']) {
      padding-inline-end: calc(var(--_picture) + 1em);
    }
    article {
      --_side: var(--pulse-card-padding, 1em);
      --_inset: 0.5em;
      --_top: 1em;
      --_gap: 0.375em;
      --_air: 0.75em;
      --_foot: 2.75em;
    }
  }
  .compact,
  .text {
    --_height: calc(10em + var(--_extra));
    --_top: 0.875em;
    --_gap: 0.25em;
    /* Leaves space for four lines. */
    --_largest: 1.03em;
    --_foot: 2.25em;
    .face {
      flex: 1 0.01 auto;
    }
    .notice {
      flex-flow: wrap;
      align-content: center;
      justify-content: start;
      gap: 0.5em 1em;
      text-align: start;
    }
    .notice p {
      flex: 1 1 8em;
    }
    i + i + i,
    [part='skeleton'] > div {
      display: none;
    }
    [part='skeleton'] > footer {
      margin-top: auto;
    }
  }
  .compact [part='summary'] {
    font-size: 1em;
  }
  .compact:has([part='chart']) {
    --_picture: 34cqi;
  }
  .compact [part='chart'] {
    position: absolute;
    inset-block: 0.75em;
    inset-inline-end: 0.75em;
    width: calc(var(--_picture) - 0.75em);
    max-height: 8.5em;
    margin: 0;
    outline: 1px solid var(--_border);
  }
  .compact [part='image'] {
    object-position: center;
  }
  .chart [part='skeleton'] > :is(i, footer) {
    display: none;
  }
  @container (width >= 28em) {
    article {
      --_side: var(--pulse-card-padding, 1.25em);
      --_inset: 0.75em;
      --_top: 1.25em;
      --_gap: 0.375em;
      --_lines: 3;
      --_air: 0.875em;
    }
    .compact,
    .text {
      --_top: 1.125em;
      --_gap: 0.375em;
      --_largest: 1.25em;
      footer {
        flex: 0 1 3em;
      }
    }
    .compact:has([part='chart']) {
      --_picture: 40cqi;
    }
    .compact [part='summary'] {
      font-size: 1.0625em;
    }
  }
  @container (width < 20em) {
    .compact [part='chart'] {
      display: none;
    }
  }
  @container (width >= 44em) {
    article {
      --_side: var(--pulse-card-padding, 1.5em);
      --_inset: 0.875em;
      --_top: 1.375em;
      --_gap: 0.5em;
      --_air: 1em;
      --_foot: 3.25em;
    }
  }
`;
