/**
 * The look of the card. Folded heights are those of `CARD_SIZE`, written out to save their bytes. They are `em`, so that
 * the room a page reserves fits at every text size; the summary takes what is left of it. Below 28em it has three lines,
 * from there on two and more room. What does not fit on the one line of a `small` wraps out of sight, whole.
 */
export const cardStyles: string = /* css */ `
  :host {
    display: block;
    container-type: inline-size;
    min-width: min(100%, 15em);
    line-height: 1.5;
  }
  :host([hidden]),
  [hidden],
  [hidden] + button,
  [part='image']:not([hidden]) ~ span {
    display: none;
  }
  * {
    box-sizing: border-box;
    margin: 0;
  }
  article {
    --_background: var(--pulse-card-background, light-dark(#fff, #161a23));
    --_color: var(--pulse-card-color, light-dark(#10141f, #f1f3f7));
    --_muted: var(--pulse-card-muted, light-dark(#596273, #9aa3b2));
    --_border: var(--pulse-card-border, light-dark(#e1e4ea, #2b313e));
    --_surface: var(--pulse-card-surface, light-dark(#eef0f4, #232834));
    --_accent: var(--pulse-card-accent, light-dark(#3538cd, #a3a8ff));
    --_warning: var(--pulse-card-warning, light-dark(#8a5200, #f7b955));
    --_danger: var(--pulse-card-danger, light-dark(#b42318, #ff9c92));
    --_radius: var(--pulse-card-radius-inner, 0.5em);
    --_side: var(--pulse-card-padding, min(1.25em, 5cqi));
    --_lines: 3;
    --_gap: 0.5em;
    display: flex;
    flex-direction: column;
    min-height: calc(56.25cqi + 12em);
    padding: 0 var(--_side);
    overflow: hidden;
    color: var(--_color);
    background: var(--_background);
    border: 1px solid var(--_border);
    border-radius: var(--pulse-card-radius, 0.875em);
    font-family: var(--pulse-card-font-family, inherit);
    overflow-wrap: anywhere;
    text-align: left;
    text-wrap: pretty;
    outline: 0;
  }
  article:dir(rtl) {
    text-align: right;
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  .chart {
    min-height: calc(56.25cqi + 3.75em);
  }
  .compact,
  .text {
    min-height: 12.75em;
  }
  .wait {
    padding: 0;
    border-width: 0;
    outline: 1px solid var(--_border);
    outline-offset: -1px;
  }
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  header,
  footer,
  header small,
  footer small {
    display: flex;
    align-items: center;
    gap: 0 0.75em;
  }
  header {
    padding: calc(var(--_gap) + 0.25em) 0 var(--_gap);
    line-height: 1.3;
  }
  [role='heading'] {
    flex: 1;
    font-weight: 600;
  }
  [role='heading'],
  small *,
  summary {
    overflow: hidden;
    white-space: nowrap;
    text-overflow: ellipsis;
  }
  small,
  footer > * {
    font-size: 0.8em;
    color: var(--_muted);
  }
  header small,
  footer small {
    flex-wrap: wrap;
    height: 1lh;
    overflow: hidden;
  }
  header span {
    padding: 0 0.6em;
    color: var(--_warning);
    background: color-mix(in srgb, currentcolor 12%, transparent);
    border-radius: 1em;
    outline: 1px solid transparent;
    outline-offset: -1px;
  }
  header .BROKEN {
    color: var(--_danger);
  }
  .plate {
    position: relative;
    display: grid;
    place-content: center;
    gap: 1em;
    aspect-ratio: 16/9;
    overflow: hidden;
    color: var(--_muted);
    background: var(--_surface);
    border: 1px solid transparent;
    border-radius: var(--_radius);
    text-align: center;
    white-space: pre-line;
  }
  [part='skeleton'] {
    display: flex;
    flex-direction: column;
    flex: 1 1 0;
    padding: 0 var(--_side);
    border: 1px solid transparent;
    overflow: hidden;
    p {
      width: 95%;
      height: 0.8em;
      margin-top: 1em;
      background: var(--_surface);
      border: 1px solid transparent;
      border-radius: var(--_radius);
    }
    header p {
      width: 40%;
      margin: 0.25em 0;
    }
    p:has(+ footer) {
      width: 60%;
    }
  }
  .plate:last-child {
    flex: 1 1 0;
    overflow: auto;
    place-content: safe center;
    margin-bottom: var(--_side);
    padding: 1em;
    aspect-ratio: auto;
  }
  .plate:has(> img:not([hidden])) {
    background: #fff;
    border-color: light-dark(var(--_border), #fff);
  }
  img,
  img + button {
    position: absolute;
    inset: 0;
  }
  img {
    width: 100%;
    height: 100%;
    object-fit: contain;
  }
  button {
    justify-self: center;
    padding: 0.4em 1em;
    font: inherit;
    color: var(--_color);
    background: var(--_background);
    border: 1px solid var(--_muted);
    border-radius: var(--_radius);
    cursor: pointer;
  }
  img + button {
    background: none;
    border: 0;
    outline-offset: -4px;
    cursor: zoom-in;
  }
  [aria-disabled='true'] {
    opacity: 0.6;
  }
  dialog {
    min-width: 100vw;
    min-height: 100vh;
    background: #0b0e14ee;
    border: 0;
    cursor: zoom-out;
  }
  dialog button {
    inset: 1em 1em auto auto;
    background: var(--_background);
  }
  [part='summary'],
  [part='analysis'],
  summary {
    font-size: 0.94em;
  }
  [part='summary'] {
    max-width: 100ch;
    margin-top: var(--_gap);
  }
  p {
    white-space: pre-line;
    unicode-bidi: plaintext;
  }
  summary {
    width: fit-content;
    padding: 0.375em 0;
    color: var(--_accent);
    cursor: pointer;
    list-style: none;
  }
  summary::after {
    content: '';
    display: inline-block;
    width: 0.45em;
    height: 0.45em;
    margin: 0 0.6em;
    border: solid;
    border-width: 0 2px 2px 0;
    rotate: 45deg;
    translate: 0 -0.2em;
  }
  [open] > summary::after {
    rotate: 225deg;
    translate: 0 0.1em;
  }
  [part='analysis'] {
    display: grid;
    gap: 0.5em;
    max-width: 68ch;
    padding: 0.5em 0 1em;
    line-height: 1.6;
    color: var(--_muted);
  }
  strong {
    color: var(--_color);
  }
  ul,
  ol {
    justify-self: start;
    text-align: start;
    padding-inline-start: 1.25em;
  }
  footer {
    margin: auto calc(var(--_side) * -1) 0;
    padding: calc(var(--_gap) - 0.125em) var(--_side);
    border-top: 1px solid var(--_border);
  }
  article > footer:not(:has(span)) {
    border: 0;
  }
  footer small {
    flex: 1;
    gap: 0.3em;
  }
  span + span::before {
    content: '· ';
  }
  .chart {
    .plate:has(+ footer) {
      flex: 1 0 auto;
      margin-bottom: var(--_side);
    }
    footer {
      padding: 0;
      border: 0;
    }
  }
  .compact:has(footer) {
    display: grid;
    grid: auto auto auto 1fr / min(14em, 32%) minmax(0, 1fr);
    column-gap: 1em;
    .plate {
      grid-row: 1/4;
      align-self: start;
      margin-top: calc(var(--_gap) + 0.25em);
    }
    header,
    [part='summary'],
    details {
      grid-column: 2;
      margin-top: 0;
    }
    footer {
      grid-column: 1/3;
    }
  }
  :not(.open) > [part='summary'] {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: var(--_lines);
    overflow: hidden;
  }
  .open * {
    white-space: normal;
  }
  @container (width < 28em) {
    header {
      display: block;
    }
    .compact:has(footer) {
      grid-template-columns: 5em minmax(0, 1fr);
      .plate {
        grid-row: 1;
      }
      [part='summary'],
      details {
        grid-column: 1/3;
      }
      [part='summary'] {
        margin-top: var(--_gap);
      }
    }
  }
  @container (width >= 28em) {
    article {
      --_lines: 2;
      --_gap: 0.875em;
    }
    .compact {
      --_lines: 3;
    }
  }
  @media print {
    summary,
    button {
      display: none;
    }
    article {
      break-inside: avoid;
    }
  }
`;
