import { css } from '../../css.ts';
import { cardStyles } from '../pulse-card/styles.ts';

/** The board's styles, in addition to its cards' styles. */
export const boardStyles: string =
  cardStyles +
  css`
    .board {
      --_gap: var(--pulse-board-gap, 1.25em);
      min-height: 14em;
    }
    pulse-card {
      margin: 0;
    }
    .board > .notice {
      min-height: inherit;
      background: var(--_background);
      border-radius: var(--pulse-card-radius, 0.75em);
    }
    .bar {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 0.625em;
      margin-bottom: 1em;
    }
    .segments {
      display: flex;
      margin-inline-end: auto;
      padding: 2px;
      background: var(--_surface);
      border-radius: var(--_radius);
    }
    .segments button {
      color: var(--_muted);
      border-color: transparent;
    }
    .segments [aria-pressed='true'] {
      color: var(--_color);
      background: var(--_background);
      border-color: var(--_border);
    }
    .segments span {
      font-weight: 400;
      color: var(--_muted);
    }
    .select {
      position: relative;
      display: flex;
      align-items: center;
      padding: 0 0.5em;
      overflow: hidden;
      background: var(--_background);
    }
    select {
      font: inherit;
      color: inherit;
      background: inherit;
      border: 0;
      outline: 0 !important;
    }
    .select:has(:focus-visible) {
      outline: 2px solid var(--_accent);
      outline-offset: 2px;
    }
    .narrow {
      display: none;
    }
    .board ul {
      display: grid;
      grid: auto / repeat(auto-fill, minmax(max(min(100%, 20em), 100% / var(--_columns) - var(--_gap)), 1fr));
      gap: var(--_gap);
      padding: 0;
      list-style: none;
    }
    .board li {
      container-type: inline-size;
    }
    .board > [hidden] {
      display: none;
    }
    @media (forced-colors: active) {
      .segments [aria-pressed='true'],
      .segments [aria-pressed='true'] span {
        color: SelectedItemText;
        background: SelectedItem;
        forced-color-adjust: none;
      }
    }
    @container (width < 30em) {
      .segments {
        display: none;
      }
      .narrow {
        display: flex;
      }
      .narrow,
      .narrow select {
        flex: 1;
        min-width: 0;
      }
      .sort select {
        position: absolute;
        inset: 0;
        opacity: 0;
      }
    }
  `;
