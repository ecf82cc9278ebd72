import { html, type TemplateResult } from 'lit';

/** Text with the names in backticks shown as code. */
export function codeIn(text: string): (TemplateResult | string)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}
