import type { PublicSource } from '@pulse-card/contract';
import { html, nothing, render } from 'lit';
import { USUAL_SOURCE_ID } from '../../data/demo-ids.ts';
import { askSources, sourceNear } from '../shell/ask-sources.ts';
import { BFF_URL } from '../shell/bff-url.ts';
import { THEMES } from '../themes/themes.ts';
import { applySettings } from './apply-settings.ts';
import { attributeView, propertyView, selectView, sourceView } from './control-views.ts';
import { logEvents, type LoggedEvent } from './event-log.ts';
import { directionOf, LANGUAGES } from './languages.ts';
import { readManifest, type CustomElementsManifest } from './manifest.ts';
import { previewSnippet } from './preview-snippet.ts';
import { queryOf, settingsOf, withAttribute, withProperty, type Settings } from './settings.ts';
import { eventsView, snippetView, stageView, widthView } from './stage-view.ts';

/** How long the button says that the snippet was copied. */
const COPIED_FOR_MS = 2_000;

const manifests = import.meta.glob<CustomElementsManifest>('../../../packages/widget/custom-elements.json', {
  eager: true,
  import: 'default',
});
const manifest = readManifest(Object.values(manifests)[0] ?? { modules: [] }, 'pulse-card');

/** Attributes that have a control of their own, in the page's words. */
const OWN_CONTROLS = ['source-id', 'lang', 'dir'];
const names = [...new Set([...OWN_CONTROLS, ...manifest.attributes.map(({ name }) => name)])];

const main = document.querySelector<HTMLElement>('#main')!;
const card = document.createElement('pulse-card');
const dark = matchMedia('(prefers-color-scheme: dark)');

let settings = settingsOf(location.search, names);
let usualId: string = USUAL_SOURCE_ID;
let sources: readonly PublicSource[] = [];
let events: readonly LoggedEvent[] = [];
let copied = false;
/** The names of sources that the list leaves out. */
const loadedNames = new Map<string, string | null>();

logEvents(main, (latest) => {
  events = latest;
  update();
});
main.addEventListener('pulse-load', ({ detail: { pulse } }) => {
  loadedNames.set(pulse.sourceId, pulse.sourceName);
  update();
});
main.addEventListener('pulse-toggle', () =>
  show(withAttribute(settings, 'open', card.hasAttribute('open') ? '' : null)),
);
update();
sources = await askSources();
usualId = sourceNear(sources, USUAL_SOURCE_ID);
show(settings.attributes['source-id'] ? settings : withAttribute(settings, 'source-id', usualId));

function show(next: Settings): void {
  settings = next;
  applySettings(card, settings, names);
  history.replaceState(null, '', `?${queryOf(settings)}`);
  update();
}

function update(): void {
  render(pageView(), main);
}

function pageView() {
  const snippet = previewSnippet(settings, BFF_URL, nameOf(settings.attributes['source-id']));
  return html`
    <h1>A chart and what it means, on any page</h1>
    <p class="lead">Choose a source and a look, see the card at every width, and take the snippet along.</p>
    <div class="preview">
      <div class="shown">
        ${stageView(card, settings)} ${widthView(settings.width, (width) => show({ ...settings, width }))}
      </div>
      <form class="controls" aria-label="Controls" @submit=${(event: Event) => event.preventDefault()}>
        ${controlsView()}
      </form>
      ${snippetView(snippet, copied, () => void copy(snippet))}
      ${eventsView(events, (card as { state?: string }).state)}
    </div>
  `;
}

function controlsView() {
  const { attributes, properties } = settings;
  const set = (name: string) => (value: string | null) => show(withAttribute(settings, name, value));
  return html`
    <section aria-labelledby="controls-card">
      <div class="panel-head">
        <h2 id="controls-card">Card</h2>
        <button type="button" class="button second" @click=${reset}>Reset</button>
      </div>
      ${sourceView(sources, attributes['source-id'] ?? '', set('source-id'))}
      ${manifest.attributes.filter(({ name }) => !OWN_CONTROLS.includes(name)).map((attribute) => attributeView(attribute, attributes[attribute.name], set(attribute.name)))}
      ${selectView('lang', '', [['', 'As the page: English'], ...LANGUAGES], attributes['lang'] ?? '', setLanguage)}
      ${manifest.attributes.length === 0 ? html`<p class="quiet">The controls come from the widget’s manifest, which is not built yet: <code>npm run build</code>.</p>` : nothing}
    </section>
    <section aria-labelledby="controls-look">
      <div class="panel-head"><h2 id="controls-look">Look</h2></div>
      <div class="presets" role="group" aria-label="Themes">
        ${THEMES.map((theme) => html`<button type="button" class="button second" @click=${() => take(theme)}>${theme.title}</button>`)}
      </div>
      <div class="properties">
        ${manifest.properties.map((property) => propertyView(property, properties[property.name], scheme(), (value) => show(withProperty(settings, property.name, value))))}
      </div>
    </section>
  `;
}

function setLanguage(language: string | null): void {
  const next = withAttribute(settings, 'lang', language);
  show(withAttribute(next, 'dir', language !== null && directionOf(language) === 'rtl' ? 'rtl' : null));
}

function take({ scheme, properties }: (typeof THEMES)[number]): void {
  show(withAttribute({ ...settings, properties }, 'theme', scheme === 'auto' ? null : scheme));
}

function reset(): void {
  show({ attributes: { 'source-id': usualId }, properties: {}, width: null });
}

/** The scheme that the card is seen in now. */
function scheme(): 'light' | 'dark' {
  const asked = settings.attributes['theme'] ?? document.documentElement.dataset['scheme'];
  return asked === 'dark' || (asked !== 'light' && dark.matches) ? 'dark' : 'light';
}

function nameOf(id = ''): string | null {
  return sources.find((source) => source.id === id)?.name ?? loadedNames.get(id) ?? null;
}

async function copy(snippet: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(snippet);
  } catch {
    // Pages without TLS may not write to the clipboard: the reader copies what is selected.
    getSelection()?.selectAllChildren(main.querySelector('.snippet')!);
    return;
  }
  copied = true;
  update();
  setTimeout(() => {
    copied = false;
    update();
  }, COPIED_FOR_MS);
}
