import { html, type TemplateResult } from 'lit';

/** `line`, with a line break opportunity before each value in a list, such as `NAME=https://a.test,https://b.test`. */
export function breakable(line: string): TemplateResult[] {
  return line.split(/(?<=[=,])/).map((part) => html`${part}<wbr />`);
}
