import { snippetFor } from '@pulse-card/widget/snippet';
import { html, render } from 'lit';
import { USUAL_SOURCE_ID } from '../../data/demo-ids.ts';
import { askSources, sourceNear } from '../shell/ask-sources.ts';
import { BFF_URL } from '../shell/bff-url.ts';
import { FRAMES, type Frame } from './frames.ts';

const sources = await askSources();
const sourceId = sourceNear(sources, USUAL_SOURCE_ID);
const name = sources.find(({ id }) => id === sourceId)?.name ?? null;
const snippet = snippetFor({ sourceId, baseUrl: BFF_URL, name });

render(
  html`
    <h1>Surroundings</h1>
    <p class="lead">The same snippet in places that are hard on a card. Each frame is a page of its own.</p>
    <div class="frames">${FRAMES.map(frameView)}</div>
  `,
  document.querySelector<HTMLElement>('#main')!,
);

function frameView({ id, title, description, before, after, scriptless }: Frame) {
  return html`<section aria-labelledby=${`frame-${id}`}>
    <h2 id=${`frame-${id}`}>${title}</h2>
    <p class="quiet">${description}</p>
    ${frameOf(id, title, `${before}${snippet}${after}`, scriptless === true)}
  </section>`;
}

/** The sandbox must be set before the document is, so the element is made by hand. */
function frameOf(id: string, title: string, page: string, scriptless: boolean): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.dataset['frame'] = id;
  if (scriptless) frame.setAttribute('sandbox', '');
  setPage();
  document.querySelector('.scheme')?.addEventListener('change', setPage);
  return frame;

  function setPage(): void {
    frame.srcdoc = `${page}<style>:root { color-scheme: ${chosenScheme()} }</style>`;
  }
}

/** The scheme that was chosen for this page: frames know the reader's own wish alone. */
function chosenScheme(): string {
  const scheme = document.documentElement.dataset['scheme'];
  return scheme === 'light' || scheme === 'dark' ? scheme : 'light dark';
}
