import { css } from '../css.ts';

/**
 * The styles for the open menu and for a button whose action is done. The card's own styles include those for the
 * closed menu.
 */
export const actionStyles: string = css`
  [part='actions'] :is(button:hover, [aria-expanded='true']) {
    color: var(--_color);
    background: var(--_surface);
  }
  .done {
    color: var(--_accent) !important;
    svg {
      display: none;
    }
    &::before {
      content: '\\2713';
      width: 14px;
      font-weight: 700;
      text-align: center;
    }
  }
  @container line (width < 31.5em) {
    [part='actions'] > div {
      position: absolute;
      inset-inline-end: 0;
      bottom: 100%;
      z-index: 1;
      flex-direction: column;
      padding: 0.25em;
      background: var(--_background);
      border: 1px solid var(--_border);
      border-radius: var(--_radius);
      box-shadow: 0 4px 16px #0003;
    }
    [part='actions'] > div button {
      min-height: 36px;
      padding-inline-end: 16px;
    }
  }
`;
