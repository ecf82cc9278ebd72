/**
 * What the board adds to the look of the card. Its columns are as many as `columns` says, save where cards would be
 * narrower than they can be.
 */
export const boardStyles: string = /* css */ `
  .board {
    display: block;
    min-height: 0;
    padding: 0;
    overflow: visible;
    background: none;
    border: 0;
  }
  .board header {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25em 0.75em;
    * {
      font-size: 0.8em;
    }
  }
  .board > .plate {
    min-height: 14em;
  }
  .board li {
    container-type: inline-size;
    background: var(--_background);
    border: 1px solid var(--_border);
    border-radius: var(--pulse-card-radius, 0.875em);
    header {
      align-content: start;
      min-height: 4em;
      padding: 0.5em var(--_side);
    }
  }
  pulse-card {
    margin: -1px -1px 0;
  }
  .board ul {
    display: grid;
    grid: auto / repeat(auto-fill, minmax(max(min(100%, 15em), 100% / var(--_columns, 3) - var(--pulse-board-gap, 1.25em)), 1fr));
    gap: var(--pulse-board-gap, 1.25em);
    width: 100%;
    padding: 0;
    list-style: none;
  }
  :host([columns='1']) {
    --_columns: 1;
  }
  :host([columns='2']) {
    --_columns: 2;
  }
  :host([columns='4']) {
    --_columns: 4;
  }
  :host([columns='5']) {
    --_columns: 5;
  }
  :host([columns='6']) {
    --_columns: 6;
  }
  header .ACTIVE {
    color: light-dark(#166f43, #5fd39a);
  }
  a {
    color: var(--_accent);
  }
  [aria-pressed='true'] {
    color: var(--_background);
    background: var(--_color);
    forced-color-adjust: none;
  }
`;
