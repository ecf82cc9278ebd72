import { css } from '../css.ts';

/** The styles for the actions and for their menu in a narrow card. */
export const actionStyles: string = css`
  [part='actions'] {
    > div {
      display: flex;
    }
    button {
      display: flex;
      gap: 0.75em;
      align-items: center;
      min-width: 32px;
      min-height: 32px;
      padding: 0 9px;
      color: var(--_muted);
      border: 0;
    }
    .more svg {
      stroke-width: 2.5;
    }
    :is(button:hover, [aria-expanded='true']) {
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
    @container line (width >= 31.5em) {
      span {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
      .more {
        display: none;
      }
    }
    @container line (width < 31.5em) {
      > div {
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
      [aria-expanded='false'] + div {
        display: none;
      }
      > div button {
        min-height: 36px;
        padding-inline-end: 16px;
      }
    }
    @container line (width < 14.5em) {
      .more {
        min-width: 24px;
        padding: 0 5px;
      }
    }
  }
`;
