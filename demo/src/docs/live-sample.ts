import { html, nothing, type TemplateResult } from 'lit';
import type { Tokens } from 'marked';
import '@pulse-card/widget';
import { BFF_URL } from '../shell/studio-url.ts';
import { baseUrlFor } from '../states/install-stand-in.ts';

/** An element without content in an HTML sample. */
const ELEMENT = /^<(?<tagName>pulse-card|pulse-board)(?<attributes>(?: [\w-]+(?:="[^"]*")?)*)><\/\k<tagName>>$/m;

/** The element in a sample, with a source from this account. Renders nothing if the sample has no element. */
export function liveSample({ lang, text }: Tokens.Code, sourceId: string): TemplateResult | typeof nothing {
  const groups = lang === 'html' ? ELEMENT.exec(text)?.groups : undefined;
  if (groups === undefined) return nothing;
  const attributes = attributesIn(groups['attributes'] ?? '');
  const element =
    groups['tagName'] === 'pulse-board'
      ? html`<pulse-board base-url=${BFF_URL}></pulse-board>`
      : html`<pulse-card
          source-id=${sourceId}
          base-url=${baseUrlFor('fresh', sourceId)}
          variant=${attributes.get('variant') ?? nothing}
          actions=${attributes.get('actions') ?? nothing}
          theme=${attributes.get('theme') ?? nothing}
          chart-theme=${attributes.get('chart-theme') ?? nothing}
          ?history=${attributes.has('history')}
          ?open=${attributes.has('open')}
        ></pulse-card>`;
  return html`<figure class="live">${element}</figure>`;
}

/** The attributes in a tag. */
export function attributesIn(tag: string): ReadonlyMap<string, string> {
  return new Map(Array.from(tag.matchAll(/([\w-]+)(?:="([^"]*)")?/g), ([, name = '', value = '']) => [name, value]));
}
