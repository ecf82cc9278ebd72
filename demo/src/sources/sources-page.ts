import type { PublicSource } from '@pulse-card/contract';
import { html, render } from 'lit';
import { askSources } from '../shell/ask-sources.ts';

const main = document.querySelector<HTMLElement>('#main')!;

render(page(await askSources()), main);

function page(sources: readonly PublicSource[]) {
  return html`
    <h1>Sources</h1>
    <p class="lead">
      Every source that the service lists for the demo account, the one that changed last first, as the BFF hands them
      on. All cards of this page ask in one request.
    </p>
    <div class="cards">${sources.map(sourceView)}</div>
  `;
}

function sourceView({ id, provider, status }: PublicSource) {
  return html`<figure>
    <figcaption>
      <span class="facts"><strong>${provider}</strong><span>${status}</span><code>${id}</code></span>
    </figcaption>
    <pulse-card source-id=${id} heading-level="2"></pulse-card>
  </figure>`;
}
