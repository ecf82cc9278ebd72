import type { PublicSource } from '@pulse-card/contract';
import { html, render } from 'lit';
import { USUAL_SOURCE_ID } from '../../data/demo-ids.ts';
import { askSources, sourceNear } from '../shell/ask-sources.ts';
import { BFF_URL } from '../shell/bff-url.ts';
import { applySettings } from './apply-settings.ts';
import { ATTRIBUTE_NAMES } from './card-manifest.ts';
import { controlsView } from './controls-view.ts';
import { copySnippet } from './copy-snippet.ts';
import { logEvents, type LoggedEvent } from './event-log.ts';
import { previewSnippet } from './preview-snippet.ts';
import { queryOf, settingsOf, withAttribute, type Settings } from './settings.ts';
import { eventsView, snippetView, stageView, widthView } from './stage-view.ts';

/** How long the button says that the snippet was copied. */
const COPIED_FOR_MS = 2_000;

const main = document.querySelector<HTMLElement>('#main')!;
const card = document.createElement('pulse-card');
const dark = matchMedia('(prefers-color-scheme: dark)');

let settings = settingsOf(location.search, ATTRIBUTE_NAMES);
let usualId: string = USUAL_SOURCE_ID;
let sources: readonly PublicSource[] = [];
let events: readonly LoggedEvent[] = [];
let copied = false;
/** The names of sources that the list leaves out. */
const loadedNames = new Map<string, string | null>();

main.addEventListener('pulse-load', ({ detail: { pulse } }) => loadedNames.set(pulse.sourceId, pulse.sourceName));
main.addEventListener('pulse-toggle', ({ detail: { open } }) =>
  show(withAttribute(settings, 'open', open ? '' : null)),
);
logEvents(main, (latest) => {
  events = latest;
  update();
});
for (const target of [dark, document.querySelector('.scheme')]) target?.addEventListener('change', update);

update();
sources = await askSources();
usualId = sourceNear(sources, USUAL_SOURCE_ID);
show(settings.attributes['source-id'] ? settings : withAttribute(settings, 'source-id', usualId));

function show(next: Settings): void {
  settings = next;
  applySettings(card, settings, ATTRIBUTE_NAMES);
  history.replaceState(null, '', `?${queryOf(settings)}`);
  update();
}

function update(): void {
  const snippet = previewSnippet(settings, BFF_URL, nameOf(settings.attributes['source-id']));
  render(
    html`
      <h1>A chart and what it means, on any page</h1>
      <p class="lead">Choose a source and a look, see the card at every width, and take the snippet along.</p>
      <div class="preview">
        <div class="shown">
          ${stageView(card, settings)} ${widthView(settings.width, (width) => show({ ...settings, width }))}
        </div>
        ${controlsView({ settings, sources, scheme: schemeNow(), show, reset })}
        ${snippetView(snippet, { copied, copy: () => void copy(snippet) })} ${eventsView(events, card.state)}
      </div>
    `,
    main,
  );
}

function reset(): void {
  show({ attributes: { 'source-id': usualId }, properties: {}, width: null });
}

function schemeNow(): 'light' | 'dark' {
  const asked = settings.attributes['theme'] ?? document.documentElement.dataset['scheme'];
  return asked === 'dark' || (asked !== 'light' && dark.matches) ? 'dark' : 'light';
}

function nameOf(id = ''): string | null {
  return sources.find((source) => source.id === id)?.name ?? loadedNames.get(id) ?? null;
}

async function copy(snippet: string): Promise<void> {
  copied = await copySnippet(snippet, main.querySelector('.snippet'));
  update();
  setTimeout(() => {
    copied = false;
    update();
  }, COPIED_FOR_MS);
}
