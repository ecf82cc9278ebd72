import type { PublicSource } from '@pulse-card/contract';
import { html, nothing, type TemplateResult } from 'lit';
import { CASES } from '../../data/demo-ids.ts';
import { hexOf } from './colour.ts';
import { controlKind } from './control-kind.ts';
import type { CardAttribute, CardProperty } from './manifest.ts';

/** Called with what was chosen; null for the card's own default. */
type Chosen = (value: string | null) => void;

/** The control for an attribute: a switch, a choice or a field, as its type says. */
export function attributeView(attribute: CardAttribute, value: string | undefined, chosen: Chosen): TemplateResult {
  const { name, type, preset, description } = attribute;
  const control = controlKind(type);
  if (control.kind === 'switch') return switchView(name, description, value !== undefined, chosen);
  if (control.kind === 'choice')
    return choiceView(name, description, control.values, value ?? preset, (text) =>
      chosen(text === preset ? null : text),
    );
  return fieldView(
    name,
    description,
    html`<input
      id=${name}
      type="text"
      placeholder=${preset}
      .value=${value ?? ''}
      aria-describedby=${`${name}-help`}
      @change=${(event: Event) => chosen(textOf(event) || null)}
    />`,
  );
}

/** The choice of a source: those that are listed, and the awkward ones. */
export function sourceView(sources: readonly PublicSource[], value: string, chosen: Chosen): TemplateResult {
  const option = (id: string, title: string) => html`<option value=${id} ?selected=${id === value}>${title}</option>`;
  return fieldView(
    'source-id',
    '',
    html`<select id="source-id" @change=${(event: Event) => chosen(textOf(event))}>
      <optgroup label="Listed">${sources.map(({ id, name }) => option(id, name ?? id))}</optgroup>
      <optgroup label="Awkward">${CASES.map(({ id, title }) => option(id, title))}</optgroup>
    </select>`,
  );
}

/** The choice among a few values that fit in a list, each with its title. */
export function selectView(
  name: string,
  values: readonly (readonly [value: string, title: string])[],
  value: string,
  chosen: Chosen,
): TemplateResult {
  return fieldView(
    name,
    '',
    html`<select id=${name} @change=${(event: Event) => chosen(textOf(event) || null)}>
      ${values.map(([key, title]) => html`<option value=${key} ?selected=${key === value}>${title}</option>`)}
    </select>`,
  );
}

/** The field for a custom property; a colour has a colour field beside it. */
export function propertyView(
  { name, preset, description }: CardProperty,
  value: string | undefined,
  scheme: 'light' | 'dark',
  chosen: Chosen,
): TemplateResult {
  const hex = hexOf(value ?? preset, scheme);
  const label = name.replace('--pulse-card-', '');
  return html`<div class="property">
    <label for=${name} title=${description || name}><code>${label}</code></label>
    ${hex === undefined ? nothing : html`<input type="color" aria-label=${`${label}, as a colour`} .value=${hex} @input=${(event: Event) => chosen(textOf(event))} />`}
    <input
      id=${name}
      type="text"
      spellcheck="false"
      placeholder=${preset}
      .value=${value ?? ''}
      @change=${(event: Event) => chosen(textOf(event))}
    />
  </div>`;
}

function switchView(name: string, description: string, on: boolean, chosen: Chosen): TemplateResult {
  return html`<div class="field row">
    <label for=${name}><code>${name}</code></label>
    <input
      id=${name}
      type="checkbox"
      role="switch"
      .checked=${on}
      aria-describedby=${`${name}-help`}
      @change=${(event: Event) => chosen((event.target as HTMLInputElement).checked ? '' : null)}
    />
    ${helpView(name, description)}
  </div>`;
}

function choiceView(
  name: string,
  description: string,
  values: readonly string[],
  value: string,
  chosen: Chosen,
): TemplateResult {
  return html`<fieldset class="field" aria-describedby=${`${name}-help`}>
    <legend><code>${name}</code></legend>
    <div class="segments">
      ${values.map((option) => html`<label><input type="radio" name=${name} value=${option} .checked=${option === value} @change=${() => chosen(option)} /><span>${option}</span></label>`)}
    </div>
    ${helpView(name, description)}
  </fieldset>`;
}

function fieldView(name: string, description: string, control: TemplateResult): TemplateResult {
  return html`<div class="field">
    <label for=${name}><code>${name}</code></label
    >${control}${helpView(name, description)}
  </div>`;
}

function helpView(name: string, description: string) {
  return description ? html`<p class="help" id=${`${name}-help`}>${withCode(description)}</p>` : nothing;
}

/** Descriptions mark names as Markdown does. */
function withCode(description: string) {
  return description.split('`').map((part, at) => (at % 2 ? html`<code>${part}</code>` : part));
}

function textOf(event: Event): string {
  return (event.target as HTMLInputElement | HTMLSelectElement).value;
}
