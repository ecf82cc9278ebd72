import { css } from '../css.ts';

/**
 * The styles for colors and controls in the card and the board. Pages set the `--pulse-card-` properties on the element
 * or on any of its ancestors.
 */
export const themeStyles: string = css`
  .base {
    --_background: var(--pulse-card-background, light-dark(#fff, #16191f));
    --_color: var(--pulse-card-color, light-dark(#15181e, #eceef2));
    --_muted: var(--pulse-card-muted, light-dark(#5a6270, #a0a8b6));
    --_border: var(--pulse-card-border, light-dark(#e1e4e9, #2a2f39));
    --_control: var(--pulse-card-control, light-dark(#7f8795, #6f7888));
    --_surface: var(--pulse-card-surface, light-dark(#f1f2f5, #1f232b));
    --_skeleton: var(--pulse-card-skeleton, var(--_surface));
    --_accent: var(--pulse-card-accent, light-dark(#3d40d4, #a3a9ff));
    --_radius: var(--pulse-card-radius-inner, 0.5em);
    color: var(--_color);
    white-space: normal;
    font-family: var(--pulse-card-font-family, inherit);
    font-variant-numeric: tabular-nums;
    line-height: 1.5;
    overflow-wrap: anywhere;
    text-align: start;
    text-indent: 0;
  }
  .light {
    color-scheme: light;
  }
  .dark {
    color-scheme: dark;
  }
  * {
    box-sizing: border-box;
    margin: 0;
  }
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  svg {
    flex: none;
    width: 14px;
    height: 14px;
    fill: none;
    stroke: currentcolor;
    stroke-width: 1.5;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  button,
  .select {
    min-height: 2.25em;
    padding: 0 1em;
    font: inherit;
    font-size: 0.8125em;
    font-weight: 550;
    white-space: nowrap;
    color: inherit;
    background: none;
    border: 1px solid var(--_control);
    border-radius: var(--_radius);
    cursor: pointer;
  }
`;
