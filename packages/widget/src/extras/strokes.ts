import { html, type TemplateResult } from 'lit';

/** An icon with a single path on a 16 by 16 grid. It is decorative, so it has no accessible name. */
export function strokes(path: string): TemplateResult {
  return html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d=${path} /></svg>`;
}
