import type { PublicSource } from '@pulse-card/contract';
import { html, nothing, type TemplateResult } from 'lit';
import { THEMES } from '../themes/themes.ts';
import { CARD_MANIFEST, OWN_CONTROLS } from './card-manifest.ts';
import { attributeView, propertyView, selectView, sourceView } from './control-views.ts';
import { LANGUAGES } from './languages.ts';
import { withAttribute, withLanguage, withLook, withProperty, type Settings } from './settings.ts';

/** What the controls show, and what they call with other settings. */
export interface ControlsFacts {
  readonly settings: Settings;
  readonly sources: readonly PublicSource[];
  /** The scheme that the card is seen in now. */
  readonly scheme: 'light' | 'dark';
  readonly show: (settings: Settings) => void;
  readonly reset: () => void;
}

/** A control for everything that can be set on the card. */
export function controlsView(facts: ControlsFacts): TemplateResult {
  return html`<form class="controls" aria-label="Controls" @submit=${(event: Event) => event.preventDefault()}>
    ${cardControlsView(facts)} ${lookControlsView(facts)}
  </form>`;
}

function cardControlsView({ settings, sources, show, reset }: ControlsFacts): TemplateResult {
  const { attributes } = settings;
  const set = (name: string) => (value: string | null) => show(withAttribute(settings, name, value));
  const generated = CARD_MANIFEST.attributes.filter(({ name }) => !OWN_CONTROLS.includes(name));
  return html`<section aria-labelledby="controls-card">
    <div class="panel-head">
      <h2 id="controls-card">Card</h2>
      <button type="button" class="button second" @click=${reset}>Reset</button>
    </div>
    ${sourceView(sources, attributes['source-id'] ?? '', set('source-id'))}
    ${generated.map((attribute) => attributeView(attribute, attributes[attribute.name], set(attribute.name)))}
    ${selectView('lang', [['', 'As the page: English'], ...LANGUAGES], attributes['lang'] ?? '', (language) => show(withLanguage(settings, language)))}
    ${generated.length === 0 ? UNBUILT : nothing}
  </section>`;
}

function lookControlsView({ settings, scheme, show }: ControlsFacts): TemplateResult {
  const { properties } = settings;
  return html`<section aria-labelledby="controls-look">
    <div class="panel-head"><h2 id="controls-look">Look</h2></div>
    <div class="presets" role="group" aria-label="Themes">
      ${THEMES.map((theme) => html`<button type="button" class="button second" @click=${() => show(withLook(settings, theme))}>${theme.title}</button>`)}
    </div>
    <div class="properties">
      ${CARD_MANIFEST.properties.map((property) => propertyView(property, properties[property.name], scheme, (value) => show(withProperty(settings, property.name, value))))}
    </div>
  </section>`;
}

const UNBUILT = html`<p class="quiet">
  The controls come from the widget’s manifest, which is not built yet: <code>npm run build</code>.
</p>`;
