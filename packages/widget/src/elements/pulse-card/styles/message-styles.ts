import { css } from '../../../css.ts';

/** The styles for messages, missing charts, and placeholders. */
export const messageStyles: string = css`
  .missing {
    color: var(--_muted);
    border: 1px dashed var(--_border);
    font-size: 0.8125em;
  }
  .missing img,
  .outdated img {
    visibility: hidden;
  }
  .missing,
  .notice {
    display: flex;
    flex: 1 1 0;
    flex-direction: column;
    align-items: center;
    justify-content: center;
    gap: 0.75em;
    min-height: 0;
    padding: 0 0 1em;
    text-align: center;
  }
  :is(.notice, .missing) > svg {
    width: 28px;
    height: 28px;
    stroke-width: 1;
    color: var(--_muted);
  }
  article:not(.compact, .text) > .notice:last-child {
    padding-bottom: 4em;
  }
  .notice {
    p {
      max-width: 20em;
      font-size: 0.9375em;
      text-wrap: balance;
    }
    button {
      white-space: normal;
    }
  }
  [aria-disabled='true'] {
    color: var(--_muted);
  }
  [part='skeleton'] {
    display: contents;
  }
  [part='skeleton'] > div {
    flex: 1;
    margin: 1.5em 0.25em 1em;
    background: repeating-linear-gradient(
      var(--pulse-card-skeleton, var(--_border)) 0 1px,
      transparent 1px calc(100% / 3 - 0.34px)
    );
  }
  i {
    flex: none;
    width: 90%;
    height: 0.75em;
    margin-top: 0.75em;
    background: var(--_skeleton);
    border-radius: var(--_radius);
    outline: 1px solid transparent;
  }
  i + i + i {
    width: 45%;
  }
  :is(header, footer) > i {
    width: 25%;
    height: 0.625em;
    margin: 0;
  }
  header > i {
    flex: 0 1 40%;
  }
  i:last-child {
    margin-inline-start: auto;
  }
`;
