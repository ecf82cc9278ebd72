import { css } from '../css.ts';

/** The styles for the earlier findings at the end of an analysis. */
export const historyStyles: string = css`
  [part='history'] {
    padding-top: 1em;
    border-top: 1px solid var(--_border);
    p {
      font-weight: 550;
    }
    :is(p, small, a, div) {
      font-size: 0.875em;
      line-height: 1.5;
    }
    ul {
      padding: 0;
      list-style: none;
    }
    li {
      display: flex;
      flex-wrap: wrap;
      align-items: start;
      gap: 0 0.75em;
      margin-top: 0.5em;
      white-space: normal;
    }
    li > :first-child {
      min-width: 7em;
    }
    a {
      color: var(--_accent);
    }
    div {
      flex: 1 1 18em;
    }
    mark {
      font-weight: 600;
      color: var(--_color);
      background: none;
      text-decoration: underline 2px var(--_accent);
    }
    [part='note'] span {
      position: absolute;
      width: 1px;
      clip-path: inset(50%);
    }
    em {
      display: initial;
    }
  }
`;
