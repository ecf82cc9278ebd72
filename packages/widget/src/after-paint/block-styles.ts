import { css } from '../css.ts';

/** The styles for Markdown blocks in an analysis. */
export const blockStyles: string = css`
  ul {
    padding-inline-start: 1.25em;
  }
  ol {
    padding-inline-start: 1.9em;
  }
  li {
    white-space: pre-line;
    > * {
      margin-top: 0.25em;
    }
  }
  .signed,
  .task {
    list-style: none;
  }
  .task {
    margin-inline-start: -1.25em;
  }
  .signed,
  .wide {
    padding: 0;
  }
  .wide {
    list-style-position: inside;
  }
  blockquote {
    padding-inline-start: 1em;
    border-inline-start: 3px solid var(--_border);
    > * + * {
      margin-top: 0.5em;
    }
  }
  hr {
    border: solid var(--_border);
    border-width: 1px 0 0;
  }
  pre,
  .table {
    overflow: auto;
    overflow-wrap: normal;
  }
  :is(p, li, th, td) a[rel] {
    display: inline;
    font: inherit;
    color: var(--_accent);
  }
  pre {
    padding: 0.5em 0.75em;
    text-wrap: nowrap !important;
    background: var(--_surface);
    border-radius: 0.25em;
    code {
      padding: 0;
    }
  }
  table {
    border-collapse: collapse;
  }
  th,
  td {
    padding: 0.25em 0.75em;
    border: 1px solid var(--_border);
    text-align: start;
  }
  .end {
    text-align: end;
  }
  .center {
    text-align: center;
  }
`;
