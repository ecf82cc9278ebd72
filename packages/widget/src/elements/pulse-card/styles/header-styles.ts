import { css } from '../../../css.ts';

/** The styles for the name, the AI label, the badge, and the time, which are shortened on narrow lines. */
export const headerStyles: string = css`
  header,
  footer {
    display: flex;
    flex: none;
    align-items: center;
    gap: 0 0.5em;
    color: var(--_muted);
    container: line / inline-size;
  }
  header {
    height: 1.25em;
    line-height: 1.25;
  }
  #name {
    flex: 0 1000000 auto;
    min-width: 0;
  }
  [part='note'],
  #name:not(:has(+ [part='note'])) {
    margin-inline-end: auto;
  }
  #name:not([title]):has(+ [part='note']) {
    margin-inline-end: -0.5em;
  }
  [part='note'] {
    position: relative;
    display: flex;
    flex: none;
    gap: 0.375em;
    align-items: center;
    max-width: 100%;
    overflow: hidden;
    white-space: nowrap;
    /* In some fonts, tabular digits come with a hyphen that is as wide as a digit. */
    font-variant-numeric: normal;
    svg {
      width: 12px;
      height: 12px;
      fill: var(--_accent);
      stroke: none;
    }
    em {
      display: none;
      font-style: normal;
    }
  }
  /* A reviewer's name is shortened before anything else. */
  .reviewed {
    flex: 0 1000000000 auto;
  }
  :is([part='note'], [part='status']) span {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  #name,
  time,
  [part='status'] {
    overflow: hidden;
    font-size: 0.8125em;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  #name {
    font-weight: 500;
  }
  #name * {
    width: fit-content;
    max-width: 100%;
    overflow: inherit;
    text-overflow: inherit;
  }
  [part='status'] {
    display: flex;
    align-items: center;
    gap: 0.375em;
    min-width: calc(14px + 1.25em);
    height: calc(1.25em / 0.75);
    padding: 0 0.625em;
    font-size: 0.75em;
    font-weight: 550;
    color: var(--pulse-card-warning, light-dark(#7f4700, #f2bb66));
    background: var(--pulse-card-warning-surface, light-dark(#fcf1dd, #2e2616));
    border-radius: 1em;
    outline: 1px solid transparent;
  }
  .draft,
  .version {
    color: var(--pulse-card-neutral, light-dark(#495160, #c6ccd7));
    background: var(--pulse-card-neutral-surface, light-dark(#edeff3, #272c35));
  }
  @container line (width < 25.5em) {
    [part='note'] {
      span {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
      em {
        display: block;
      }
    }
  }
  @container line (width < 38em) {
    [part='note']:has(+ :is(.overdue, .version)) {
      span {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
      em {
        display: block;
      }
    }
  }
  @container line (width < 31em) {
    .overdue + time span {
      position: absolute;
      width: 1px;
      clip-path: inset(50%);
    }
  }
  @container line (width < 28em) {
    #name[title]:has(~ [part='status']) {
      min-width: 4.75em;
    }
    [part='note']:has(+ [part='status']) span,
    [part='status'] + time {
      position: absolute;
      width: 1px;
      clip-path: inset(50%);
    }
    [part='note']:has(+ [part='status']) em {
      display: block;
    }
  }
  @container line (width >= 28em) {
    .reviewed:not(:has(+ :is(.overdue, .version))) {
      min-width: 9.5em;
    }
  }
  @container line (width < 14em) {
    #name[title] {
      min-width: 4.75em;
    }
    [part='status'] {
      flex: none;
      min-width: 0;
      padding: 0 0.25em;
      span {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
    }
  }
  @container line (width < 11em) {
    [part='note'],
    [part='status'] {
      margin-inline: -0.25em auto;
    }
    [part='note'] {
      flex: 0 1 auto;
      em {
        overflow: hidden;
        text-overflow: ellipsis;
      }
    }
    time {
      position: absolute;
      width: 1px;
      clip-path: inset(50%);
    }
  }
  @container line (width < 8em) {
    [part='note']:has(+ [part='status']) svg {
      display: none;
    }
    [part='note'],
    [part='status'] {
      margin-inline-start: -0.5em;
    }
  }
`;
