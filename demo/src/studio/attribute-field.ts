import { html, type TemplateResult } from 'lit';
import { selectField, switchField, textField } from '../ui/fields.ts';
import type { CardAttribute } from './card-attributes.ts';
import { type Settings, valueOf } from './settings.ts';

/**
 * Labels and descriptions that are clearer than the manifest's. An attribute without an entry uses its name and the
 * manifest's description.
 */
interface Words {
  readonly label?: string;
  readonly help?: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** The choices' labels, keyed by value. */
  readonly values?: Readonly<Record<string, string>>;
  /** The words that the value can contain, separated by spaces. */
  readonly list?: readonly string[];
}

const WORDS: Readonly<Record<string, Words>> = {
  open: { label: 'Start with the analysis expanded' },
  live: { label: 'Show new charts automatically' },
  label: { label: 'Name', placeholder: 'That of the source', help: 'Shown until the source’s name is known.' },
  'ai-reviewed-by': { label: 'Reviewed by', placeholder: 'No one', maxLength: 32 },
  'summary-lang': { label: 'Language of the AI-generated text', placeholder: 'Same as page' },
  history: { label: 'Earlier findings' },
  actions: { label: 'Actions', list: ['copy', 'save', 'share'] },
  'heading-level': { label: 'Heading level' },
  loading: {
    label: 'Loading',
    values: { lazy: 'When near the screen', eager: 'Immediately', click: 'After a click' },
  },
};

/** The heading levels, which the manifest describes only as a number. */
const LEVELS = ['2', '3', '4', '5', '6'];

/** The data and callback for an attribute's control. */
export interface AttributeFieldView {
  readonly settings: Settings;
  /** The run that the stage shows. */
  readonly run?: string | undefined;
  readonly onAttribute: (name: string, value: string) => void;
}

/** The label for an attribute's control. */
export function labelOf(name: string): string {
  return WORDS[name]?.label ?? name.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase());
}

/** The control for an attribute's type: a switch, a list, checkboxes, or a text field. */
export function attributeField(
  attribute: CardAttribute,
  { settings, run, onAttribute }: AttributeFieldView,
): TemplateResult {
  const { name, kind, values, description } = attribute;
  const { values: words = {}, help = description, placeholder = '', maxLength = 200, list } = WORDS[name] ?? {};
  const field = { id: name, label: labelOf(name) };
  const value = valueOf(settings, name);
  const onChange = (chosen: string) => onAttribute(name, chosen);
  if (kind === 'switch')
    return switchField({ ...field, checked: value === 'true', onChange: (checked) => onChange(String(checked)) });
  if (kind === 'choice' || kind === 'number') {
    const options = (kind === 'number' ? LEVELS : values).map((one) => ({ value: one, label: words[one] ?? one }));
    return selectField({ ...field, options, value, onChange });
  }
  if (list !== undefined) return listField(field.label, { value, list, onChange });
  const review =
    run === undefined
      ? 'Shown after “AI-generated”.'
      : `Shown after “AI-generated”, but only for ${run}: later runs haven’t been reviewed.`;
  return textField({
    ...field,
    value,
    placeholder,
    help: name === 'ai-reviewed-by' ? review : help,
    onChange: (text) => onChange(text.slice(0, maxLength)),
  });
}

function listField(
  label: string,
  { value, list, onChange }: { value: string; list: readonly string[]; onChange: (value: string) => void },
): TemplateResult {
  const chosen = value.split(' ');
  const toggled = (word: string) => list.filter((one) => chosen.includes(one) !== (one === word)).join(' ');
  return html`<fieldset class="actions">
    <legend>${label}</legend>
    ${list.map(
      (word) =>
        html`<label
          ><input
            type="checkbox"
            .checked=${chosen.includes(word)}
            @change=${() => onChange(toggled(word))}
          />${word.replace(/^./, (letter) => letter.toUpperCase())}</label
        >`,
    )}
  </fieldset>`;
}
