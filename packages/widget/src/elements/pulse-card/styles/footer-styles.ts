import { css } from '../../../css.ts';

/** The styles for the source line. */
export const footerStyles: string = css`
  footer {
    position: relative;
    flex-wrap: wrap;
    min-height: var(--_foot);
    > div:first-child {
      display: flex;
      flex: 1 1 0;
      flex-wrap: wrap;
      gap: 0 0.75em;
      min-width: 0;
    }
  }
  small,
  a {
    display: block;
    overflow-wrap: normal;
    font-size: 0.75em;
    line-height: 1.25;
    color: var(--_muted);
  }
  [part='source'] {
    display: flex;
    gap: 0.5em;
    align-items: center;
    min-width: 0;
    overflow: clip;
    overflow-clip-margin: 4px;
    white-space: nowrap;
    :is(small, span) {
      overflow: hidden;
      text-overflow: ellipsis;
    }
    small {
      min-width: 8px;
    }
    a {
      display: flex;
      gap: 0.375em;
      align-items: center;
      min-width: 24px;
      min-height: 24px;
      font-size: 0.8125em;
      font-weight: 550;
      color: var(--_accent);
      text-decoration: none;
      &:hover {
        text-decoration: underline;
      }
      &::after {
        content: '\\2197\\fe0e';
        content: '\\2197\\fe0e' / '';
      }
    }
  }
  .dot {
    width: 0;
    height: 0;
    margin-inline-end: 0.5em;
    border: 4px solid;
    border-radius: 50%;
  }
  @container line (width < 25.5em) {
    [part='source'] {
      gap: 0;
      a {
        justify-content: center;
      }
      a span {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
    }
  }
  @container line (width < 14.5em) {
    [part='source'] small:has(~ a ~ a) {
      display: none;
    }
  }
`;
