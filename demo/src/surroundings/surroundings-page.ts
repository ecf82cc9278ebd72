import { frameHeightPx, framePageUrl, snippetFor } from '@pulse-card/widget/snippet';
import { html, render } from 'lit';
import { USUAL_SOURCE_ID } from '../../data/demo-ids.ts';
import { copySnippet } from '../preview/copy-snippet.ts';
import { snippetView } from '../preview/stage-view.ts';
import { askSources, sourceNear } from '../shell/ask-sources.ts';
import { BFF_URL } from '../shell/bff-url.ts';
import { FRAMES, type Frame } from './frames.ts';

/** The least that a column of frames is wide. */
const FRAME_LEAST_PX = 360;

const sources = await askSources();
const sourceId = sourceNear(sources, USUAL_SOURCE_ID);
const name = sources.find(({ id }) => id === sourceId)?.name ?? null;
const snippet = snippetFor({ sourceId, baseUrl: BFF_URL, name });
const frameSnippet = snippetFor({ as: 'frame', sourceId, baseUrl: BFF_URL, name });

const main = document.querySelector<HTMLElement>('#main')!;
render(
  html`
    <h1>Surroundings</h1>
    <p class="lead">The same snippet in places that are hard on a card. Each frame is a page of its own.</p>
    <div class="frames">${FRAMES.map(frameView)}${serverPageViews()}</div>
    <div class="frame-snippet"></div>
  `,
  main,
);
showSnippet(false);
resizeFrames();

/** The iframe as a snippet; a frame that was rendered once is left alone. */
function showSnippet(copied: boolean): void {
  const copy = async () => showSnippet(await copySnippet(frameSnippet, main.querySelector('.snippet')));
  const about =
    'An iframe for pages that take no script of others. With its second line the frame grows with what it shows.';
  render(
    snippetView(frameSnippet, { copied, copy: () => void copy(), about }),
    main.querySelector<HTMLElement>('.frame-snippet')!,
  );
}

function frameView({ id, title, description, before, after, scriptless }: Frame) {
  return html`<section aria-labelledby=${`frame-${id}`}>
    <h2 id=${`frame-${id}`}>${title}</h2>
    <p class="quiet">${description}</p>
    ${frameOf(id, title, `${before}${snippet}${after}`, scriptless === true)}
  </section>`;
}

/** Loads the script of the snippet's second line. */
function resizeFrames(): void {
  const script = document.createElement('script');
  script.type = 'module';
  script.src = `${BFF_URL}/pulse-frame.js`;
  document.head.append(script);
}

/** The page that the BFF renders: as the iframe of the snippet, and where no script runs. */
function serverPageViews() {
  const page = framePageUrl({ sourceId, baseUrl: BFF_URL });
  return html`<section aria-labelledby="frame-embed">
      <h2 id="frame-embed">The BFF’s own page, in an iframe</h2>
      <p class="quiet">For pages that take no script of others. Its snippet is below.</p>
      <iframe
        data-frame="embed"
        src=${page}
        title=${name ?? 'Chart'}
        height=${frameHeightPx(FRAME_LEAST_PX)}
        sandbox="allow-scripts allow-same-origin"
        loading="lazy"
      ></iframe>
    </section>
    <section aria-labelledby="frame-served">
      <h2 id="frame-served">Rendered by the server, with no script</h2>
      <p class="quiet">The same page where no script runs: text, chart and the analysis, which unfolds.</p>
      <iframe data-frame="served" src=${page} title=${name ?? 'Chart'} sandbox="" loading="lazy"></iframe>
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
