import { html, type TemplateResult } from 'lit';
import { breakable } from './breakable.ts';
import './copy-button.ts';
import './lines.css';

/** Lines of code in a scrollable box, with a button that copies them. */
export function codeLines(view: {
  /** The box's name, for screen readers. */
  readonly label: string;
  readonly copyLabel: string;
  readonly lines: readonly string[];
}): TemplateResult {
  const { label, copyLabel, lines } = view;
  return html`<div class="lines">
    <pre tabindex="0" role="group" dir="ltr" aria-label=${label}>
${lines.map((line, index) => html`${index === 0 ? '' : '\n'}${breakable(line)}`)}</pre>
    <copy-button kind="icon" label=${copyLabel} .text=${lines.join(' ')}></copy-button>
  </div>`;
}
