import { html, nothing, type TemplateResult } from 'lit';
import { icon } from './icons.ts';

/** The text in the `name` field of a submitted form. */
export function submittedText(event: SubmitEvent, name: string): string {
  const value = new FormData(event.currentTarget as HTMLFormElement).get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** A control with its label. */
interface FieldOptions {
  readonly id: string;
  readonly label: string;
}

/** A choice from a list. */
export function selectField(
  view: FieldOptions & {
    readonly options: readonly { readonly value: string; readonly label: string }[];
    readonly value: string;
    readonly onChange: (value: string) => void;
  },
): TemplateResult {
  const { id, label, options, value, onChange } = view;
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <select id=${id} @change=${(event: Event) => onChange((event.target as HTMLSelectElement).value)}>
      ${options.map((option) => html`<option value=${option.value} .selected=${option.value === value}>${option.label}</option>`)}
    </select>
  </div>`;
}

/** An on/off switch. */
export function switchField(
  view: FieldOptions & { readonly checked: boolean; readonly onChange: (checked: boolean) => void },
): TemplateResult {
  const { id, label, checked, onChange } = view;
  return html`<div class="field row">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      type="checkbox"
      role="switch"
      .checked=${checked}
      @change=${(event: Event) => onChange((event.target as HTMLInputElement).checked)}
    />
  </div>`;
}

/** A single-line text field. `error` describes the problem with a rejected value. */
export function textField(
  view: FieldOptions & {
    readonly value: string;
    readonly placeholder?: string;
    readonly error?: string | undefined;
    readonly help?: string;
    readonly onChange: (value: string) => void;
  },
): TemplateResult {
  const { id, label, value, placeholder = '', error, help, onChange } = view;
  const words = error ?? help;
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      type="text"
      spellcheck="false"
      autocomplete="off"
      placeholder=${placeholder}
      .value=${value}
      aria-invalid=${error === undefined ? nothing : 'true'}
      aria-describedby=${words === undefined ? nothing : `${id}-words`}
      @change=${(event: Event) => onChange((event.target as HTMLInputElement).value.trim())}
    />
    ${words === undefined ? nothing : html`<p id="${id}-words" class=${error === undefined ? 'help' : 'help error'} role=${error === undefined ? nothing : 'alert'}>${words}</p>`}
  </div>`;
}

/** A slider for a number, with its unit. */
export function rangeField(
  view: FieldOptions & {
    readonly min: number;
    readonly max: number;
    readonly step: number;
    readonly value: number;
    readonly words: string;
    readonly onChange: (value: number) => void;
  },
): TemplateResult {
  const { id, label, min, max, step, value, words, onChange } = view;
  return html`<div class="field range">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      type="range"
      min=${min}
      max=${max}
      step=${step}
      .value=${String(value)}
      aria-valuetext=${words}
      @input=${(event: Event) => onChange(Number((event.target as HTMLInputElement).value))}
    />
    <output for=${id}>${words}</output>
  </div>`;
}
/** A field that filters a list. */
export function searchField(view: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}): TemplateResult {
  const { label, placeholder, value, onInput } = view;
  return html`<label class="search"
    >${icon('search')}<span class="unseen">${label}</span>
    <input
      type="search"
      placeholder=${placeholder}
      .value=${value}
      @input=${(event: Event) => onInput((event.target as HTMLInputElement).value)}
  /></label>`;
}
