import { html, nothing, type TemplateResult } from 'lit';
import { IS_PREVIEW } from '../shell/preview.ts';
import { STUDIO_URL } from '../shell/studio-url.ts';
import { verdict } from '../ui/badge.ts';
import type { Notice } from './server-facts.ts';

/** Explains why there is no card to show, or describes the preview. */
export function noticeTemplate(notice: Notice | undefined): TemplateResult | typeof nothing {
  if (notice === undefined) return nothing;
  const { kind, words } = notice;
  const more = kind === 'danger' ? html` <a href=${new URL('status/', STUDIO_URL).href}>Status</a>` : nothing;
  return html`<div class="notice ${kind}" role=${kind === 'danger' || !IS_PREVIEW ? 'alert' : 'note'}>
    ${verdict(kind, html`${words}${more}`)}
  </div>`;
}

/** Asks whether a look from a link should replace the person's own look. */
export function sharedLookTemplate(onKeep: () => void, onDiscard: () => void): TemplateResult {
  return html`<div class="notice neutral" role="status">
    ${verdict('neutral', 'This look came from a link. Your own look stays saved until you choose.')}
    <span class="choices">
      <button type="button" class="button" @click=${onKeep}>Keep</button>
      <button type="button" class="button" @click=${onDiscard}>Discard</button>
    </span>
  </div>`;
}
