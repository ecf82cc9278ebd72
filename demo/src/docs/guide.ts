import { html, nothing, type TemplateResult } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import '@pulse-card/widget';
import type { Guide, Sample } from 'virtual:guides';
import { BFF_URL } from '../shell/studio-url.ts';
import { baseUrlFor } from '../states/install-stand-in.ts';
import '../ui/copy-button.ts';

/** Shows a guide. Each sample of an element is followed by the element itself, with a source from this account. */
export function guideTemplate({ parts }: Guide, sourceId: string): TemplateResult {
  return html`<article class="guide">
    ${parts.map(({ html: text, sample }) => [unsafeHTML(text), sample ? liveSample(sample, sourceId) : nothing])}
  </article>`;
}

function liveSample({ tagName, attributes }: Sample, sourceId: string): TemplateResult {
  const element =
    tagName === 'pulse-board'
      ? html`<pulse-board base-url=${BFF_URL}></pulse-board>`
      : html`<pulse-card
          source-id=${sourceId}
          base-url=${baseUrlFor('fresh', sourceId)}
          variant=${attributes['variant'] ?? nothing}
          actions=${attributes['actions'] ?? nothing}
          theme=${attributes['theme'] ?? nothing}
          chart-theme=${attributes['chart-theme'] ?? nothing}
          ?history=${'history' in attributes}
          ?open=${'open' in attributes}
        ></pulse-card>`;
  return html`<figure class="live">${element}</figure>`;
}
