import { css } from '../../../css.ts';

/** The styles for forced colors, dark charts, and print. */
export const modeStyles: string = css`
  @media (forced-colors: active) {
    .plate {
      background: #fff;
    }
    [part='note'] svg {
      fill: currentcolor;
    }
    summary {
      color: LinkText;
    }
  }
  @media screen and (forced-colors: none) {
    .dark-chart .plate {
      background: var(--_background);
    }
    .dark-chart [part='image'] {
      mix-blend-mode: var(--pulse-card-chart-blend, screen);
      filter: var(--pulse-card-chart-filter, invert(1) hue-rotate(180deg) saturate(1.15));
    }
  }
  @media print {
    summary,
    button {
      display: none !important;
    }
    :host {
      height: auto !important;
    }
    article {
      max-height: none;
    }
  }
`;
