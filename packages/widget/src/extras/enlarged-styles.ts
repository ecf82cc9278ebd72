import { css } from '../css.ts';

/** The styles for the enlarged view. When the dialog scrolls, the bar and the text stay visible. */
export const enlargedStyles: string = css`
  dialog {
    --_accent: #fff;
    box-sizing: border-box;
    width: 100%;
    max-width: none;
    height: 100%;
    max-height: none;
    padding: 0;
    overflow: auto;
    overscroll-behavior: contain;
    color-scheme: dark;
    color: #fff;
    background: none;
    border: 0;
    outline: 0 !important;
  }
  dialog[open] {
    display: flex;
    flex-direction: column;
  }
  ::backdrop {
    background: #14161b;
  }
  /* The margins center the chart with its text. If together they are taller than the view, they start at its top. */
  .sheet {
    display: grid;
    flex: none;
    justify-items: center;
    width: max-content;
    min-width: 100%;
    margin-top: auto;
    padding-top: 48px;
  }
  .aside .sheet {
    padding-top: 0;
  }
  .bar {
    position: sticky;
    inset: 0;
    bottom: auto;
    z-index: 1;
    display: flex;
    gap: 4px;
    justify-content: flex-end;
    height: 0;
    padding-inline: 4px;
    button {
      flex: none;
      width: 40px;
      height: 40px;
      min-height: 0;
      margin-top: 4px;
      padding: 12px;
      background: #2b2d33;
      border: 0;
      border-radius: 50%;
    }
    svg {
      display: block;
      width: 16px;
      height: 16px;
    }
  }
  .aside .bar {
    flex-direction: column-reverse;
    align-items: end;
    justify-content: flex-end;
  }
  .aside .stage {
    margin-inline-end: 48px;
  }
  .centered .stage {
    margin-inline: 48px;
  }
  .zoom svg + svg {
    margin-top: -16px;
  }
  [aria-pressed='true'] svg:first-child {
    opacity: 0;
  }
  .stage {
    position: relative;
    overflow: hidden;
    background: #fff;
  }
  .stage img {
    position: absolute;
    top: 0;
    left: 0;
    width: 100%;
    height: 100%;
    cursor: zoom-in;
    touch-action: pan-x pan-y;
  }
  .zoomed img {
    cursor: grab;
  }
  .words {
    position: sticky;
    inset-inline: 0;
    flex: none;
    width: 100%;
    max-width: 60em;
    margin: 0 auto auto;
    padding: 12px 16px 24px;
    p {
      display: flex;
      flex-wrap: wrap;
      gap: 0 0.75em;
    }
    small {
      font-size: 0.8125em;
      color: #a0a8b6;
    }
    [part='note'] {
      --_accent: #a3a9ff;
      margin: 0;
    }
    div {
      margin-top: 0.5em;
      font-weight: 600;
    }
  }
`;
