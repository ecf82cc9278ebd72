import { css } from '../../../css.ts';

/** The styles for the finding and the messages that replace it. */
export const findingStyles: string = css`
  [part='summary'] {
    display: -webkit-box;
    max-width: 36em;
    margin-top: var(--_gap);
    overflow: hidden;
    font-size: clamp(1em, 0.8em + 1.1cqi, var(--_largest));
    font-weight: 600;
    letter-spacing: -0.012em;
    line-height: 1.3;
    text-align: -webkit-match-parent;
    text-align: match-parent;
    text-wrap: pretty;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: var(--_lines);
  }
  :is(.card, .chart) .face > [part='heading']:last-child {
    flex: 1 1 0;
    min-height: 0;
    overflow: hidden;
    &.cut {
      mask-image: linear-gradient(#000 calc(100% - 3em), transparent);
    }
    [part='summary'] {
      -webkit-line-clamp: none;
    }
  }
  .face > :is(p, [part='error']) {
    margin-top: var(--_gap);
    font-size: 0.9375em;
    color: var(--_muted);
  }
`;
