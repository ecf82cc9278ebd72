import { html, nothing, type TemplateResult } from 'lit';
import { IS_PREVIEW } from '../shell/preview.ts';
import { STUDIO_URL } from '../shell/studio-url.ts';
import { SAMPLE_ANSWER } from './sample-pulse.ts';

/** Surroundings that are difficult for a card. Each of them is a separate page. */
const FRAMES = [
  {
    id: 'hostile',
    title: 'With hostile styles',
    words:
      'Broad selectors with “!important” on everything. They can change styles that the card inherits, but not the card’s own styles.',
  },
  {
    id: 'strict',
    title: 'With a strict policy',
    words:
      'No inline script or style, Trusted Types required. The policy only has to list the addresses that the card uses.',
  },
] as const;

/** The same card in difficult surroundings. */
export function surroundings(sourceId: string): TemplateResult {
  if (sourceId === '' || sourceId === SAMPLE_ANSWER.sourceId)
    return html`<p class="quiet">There is no source to show yet.</p>`;
  return html`<div class="frames">
    ${FRAMES.map(({ id, title, words }) =>
      frame(
        title,
        words,
        html`<iframe
          data-frame=${id}
          title=${title}
          loading="lazy"
          src=${new URL(`states/${id}/?source=${encodeURIComponent(sourceId)}`, STUDIO_URL).href}
        ></iframe>`,
      ),
    )}
    ${IS_PREVIEW ? nothing : servedFrames(sourceId)}
  </div>`;
}

/** The BFF's own page for a frame, with scripts and without. */
function servedFrames(sourceId: string): TemplateResult {
  const embed = new URL(`frames/embed/${encodeURIComponent(sourceId)}`, STUDIO_URL).href;
  return html`${frame('In an iframe', 'The BFF’s own page, for sites that don’t allow third-party scripts.', html`<iframe data-frame="embed" title="In an iframe" loading="lazy" sandbox="allow-scripts allow-same-origin" src=${embed}></iframe>`)}
  ${frame('With no script', 'The same page without scripts: text, chart and the analysis, which unfolds.', html`<iframe data-frame="scriptless" title="With no script" loading="lazy" sandbox="allow-same-origin" src=${embed}></iframe>`)}`;
}

function frame(title: string, words: string, content: TemplateResult): TemplateResult {
  return html`<section>
    <h2>${title}</h2>
    <p class="quiet">${words}</p>
    ${content}
  </section>`;
}
