import { css } from '../../../css.ts';

/** The styles for the chart, its background, and the button that enlarges it. */
export const chartStyles: string = css`
  [part='chart'] {
    position: relative;
    flex: 1 1 0;
    min-height: 0;
    margin: var(--_air) calc(var(--_inset) - var(--_side)) 0;
    border-radius: var(--_radius);
    clip-path: inset(-2px -2px max(-2px, (4em - 100%) * 1000));
  }
  :host([fill]) [part='chart'] {
    flex-grow: 1000;
    max-height: calc(56.25cqi + 1em);
  }
  .plate {
    background: var(--pulse-card-plate, light-dark(#fff, #dfe2e8));
    isolation: isolate;
    forced-color-adjust: none;
  }
  .chart [part='chart'] {
    margin-bottom: var(--_inset);
  }
  [part='image'],
  [part='enlarge'] {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    border: 0;
    border-radius: inherit;
  }
  [part='image'] {
    object-fit: contain;
    object-position: bottom;
    mix-blend-mode: multiply;
  }
  [part='enlarge'] {
    cursor: zoom-in;
    &:focus-visible {
      outline-color: #15181e;
      outline-offset: -2px;
      /* Two colors, because the chart can be light or dark. */
      box-shadow: inset 0 0 0 4px #fff;
    }
    svg {
      position: absolute;
      bottom: 0.125em;
      left: 0.125em;
      width: 2em;
      height: 2em;
      padding: 0.5em;
      color: #15181e;
      background: #fff;
      border-radius: 50%;
      outline: 1px solid #7f8795;
      opacity: 0;
      transition: opacity 150ms;
    }
  }
  :is(:hover, :focus-visible) > svg {
    opacity: 1;
  }
  @media (hover: none) {
    [part='enlarge'] svg {
      opacity: 1;
    }
  }
`;
