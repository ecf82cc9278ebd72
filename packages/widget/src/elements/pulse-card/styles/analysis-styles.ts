import { css } from '../../../css.ts';

/** The styles for the toggle, the analysis, and its first lines. */
export const analysisStyles: string = css`
  [part='lead'] {
    flex: 1 1 0;
    min-height: 0;
    margin-top: var(--_air);
    overflow: hidden;
    color: var(--_muted);
    clip-path: inset(0 0 max(0px, (3em - 100%) * 1000));
    mask-image: linear-gradient(#000 calc(100% - 3em), transparent);
  }
  details {
    display: contents;
  }
  summary {
    display: flex;
    align-items: center;
    gap: 0.5em;
    height: calc(var(--_foot) / 0.8125);
    font-size: 0.8125em;
    font-weight: 550;
    margin-inline: -0.5em;
    padding-inline: 0.5em;
    color: var(--_accent);
    cursor: pointer;
    order: var(--pulse-card-toggle-order, 0);
    outline-offset: -4px !important;
    border-radius: var(--_radius);
    &::after {
      content: '';
      width: 0.4em;
      height: 0.4em;
      margin-inline: 0.2em;
      border: solid;
      border-width: 0 2px 2px 0;
      rotate: 45deg;
      translate: 0 -0.1em;
    }
  }
  [open] > summary::after {
    rotate: 225deg;
    translate: 0 0.1em;
  }
  details::details-content {
    flex: 0 0 100%;
    min-width: 0;
  }
  [part='analysis'] {
    flex: 0 0 100%;
    min-width: 0;
    padding: 1em 0 1.25em;
    border-top: 1px solid var(--_border);
  }
  [part='lead'],
  [part='analysis'] {
    > * {
      max-width: 66ch;
      font-size: 0.9375em;
      line-height: 1.6;
      text-wrap: pretty;
    }
    > * + * {
      margin-top: 0.75em;
    }
    > small {
      font-size: 0.8125em;
    }
    p {
      white-space: pre-line;
    }
  }
  strong {
    font-weight: 600;
    color: var(--_color);
  }
  code {
    padding: 0 0.25em;
    background: var(--_surface);
    border-radius: 0.25em;
  }
`;
