import { html, svg, nothing, type TemplateResult } from 'lit';
import type { ListedSource } from '../shell/bff-api.ts';
import { type ColorControls, colorControls } from '../theme/color-controls.ts';
import { changedColors, FONTS, FRAMES, type Look, MEASURES, type MeasureKey, TOGGLES, WEIGHTS } from '../theme/look.ts';
import type { NamedLook } from '../theme/named-looks.ts';
import { themeOf } from '../theme/themes.ts';
import { rangeField, selectField, textField } from '../ui/fields.ts';
import { icon } from '../ui/icons.ts';
import { attributeField, labelOf } from './attribute-field.ts';
import { CARD_ATTRIBUTES } from './card-attributes.ts';
import { LANGUAGES } from './languages.ts';
import './saved-looks.ts';
import {
  chartThemeOf,
  DEFAULT_SETTINGS,
  lookQueryOf,
  schemeOf,
  type Settings,
  SOURCE_ID,
  valueOf,
  VARIANTS,
  variantOf,
} from './settings.ts';
import './controls.css';

/** The data and callbacks for the controls. */
export interface ControlsView {
  readonly settings: Settings;
  /** Undefined while they load. */
  readonly sources: readonly ListedSource[] | undefined;
  /** The rejected values, keyed by control ID. */
  readonly refused: Readonly<Record<string, string>>;
  /** Whether someone is typing the name of another font. */
  readonly hasOwnFont: boolean;
  /** The ID that the person typed; undefined while a listed source is chosen. */
  readonly ownSource: string | undefined;
  /** The run that the stage shows. */
  readonly run: string | undefined;
  /** The looks that this person has saved. */
  readonly looks: readonly NamedLook[];
  readonly onLooks: (looks: readonly NamedLook[]) => void;
  readonly onSavedLook: (query: string) => void;
  readonly onChange: (change: Partial<Settings>) => void;
  /** Called with the name and new value of one of the card's attributes. */
  readonly onAttribute: (name: string, value: string) => void;
  readonly onLook: (look: Look) => void;
  readonly onFont: (choice: string) => void;
  readonly onOwnFont: (font: string) => void;
  readonly onSource: (choice: string) => void;
  readonly onSourceId: (id: string) => void;
  readonly onSwatch: ColorControls['onSwatch'];
}

/** The value of the "Another…" option, for values that aren't listed. Choosing it opens a field. */
export const OTHER = '…';

/** Shows all settings in groups. A closed group shows its current value. */
export function controlsTemplate(view: ControlsView): TemplateResult {
  return html`<form class="controls" aria-label="Controls" @submit=${(event: Event) => event.preventDefault()}>
    ${contentGroup(view)} ${layoutGroup(view)} ${colorsGroup(view)} ${typeGroup(view)} ${looksGroup(view)}
    ${advancedGroup(view)}
  </form>`;
}

function group(title: string, value: string, isOpen: boolean, content: TemplateResult): TemplateResult {
  return html`<details class="group" id="group-${title.toLowerCase()}" ?open=${isOpen}>
    <summary>
      <h2>${title}</h2>
      <span class="value">${value}</span>${icon('chevron')}
    </summary>
    <div class="content">${content}</div>
  </details>`;
}

function contentGroup({ settings, sources, ownSource, onChange, onSource, onSourceId }: ControlsView): TemplateResult {
  const { sourceId, language } = settings;
  // Until the sources are loaded, the list contains only the source in the page's URL.
  const options = sources ?? [{ id: sourceId, name: sourceId || 'Loading …' }];
  const listed = options.find(({ id }) => id === sourceId);
  const isOther = ownSource !== undefined || listed === undefined;
  const typed = ownSource ?? sourceId;
  const languageName = LANGUAGES.find(({ value }) => value === language)?.label;
  return group(
    'Content',
    [listed?.name ?? sourceId, languageName].filter(Boolean).join(', '),
    true,
    html`${selectField({
      id: 'source',
      label: 'Source',
      options: [
        ...options.map(({ id, name }) => ({ value: id, label: name ?? id })),
        { value: OTHER, label: 'Another, by ID' },
      ],
      value: isOther ? OTHER : sourceId,
      onChange: onSource,
    })}
    ${
      isOther
        ? textField({
            id: 'source-id',
            label: 'ID',
            value: typed,
            placeholder: 'src_…',
            error:
              typed === '' || SOURCE_ID.test(typed)
                ? undefined
                : `“${typed}” can’t be an ID: IDs have only letters, digits, “_”, “~”, “-”, and “.”, at most 128.`,
            onChange: onSourceId,
          })
        : nothing
    }
    ${selectField({
      id: 'language',
      label: 'Language',
      options: [{ value: '', label: 'Same as page' }, ...LANGUAGES],
      value: language,
      onChange: (value) => onChange({ language: value }),
    })}`,
  );
}

const DRAWINGS: Readonly<Record<(typeof VARIANTS)[number], TemplateResult>> = {
  card: svgDrawing(
    svg`<rect x="3" y="1" width="34" height="30" rx="4"/><path d="M8 7h16M8 11h10"/><path class="line" d="m8 25 7-6 6 3 11-9"/>`,
  ),
  compact: svgDrawing(
    svg`<rect x="1" y="6" width="38" height="20" rx="4"/><path d="M6 12h13M6 16h10M6 20h8"/><path class="line" d="m23 21 4-3 3 1 5-6"/>`,
  ),
  chart: svgDrawing(
    svg`<rect x="3" y="4" width="34" height="24" rx="4"/><path d="M8 9h10"/><path class="line" d="m8 23 7-6 6 3 11-9"/>`,
  ),
  text: svgDrawing(svg`<rect x="1" y="6" width="38" height="20" rx="4"/><path d="M6 12h27M6 16h27M6 20h16"/>`),
};

function svgDrawing(content: TemplateResult): TemplateResult {
  return html`<svg viewBox="0 0 40 32" aria-hidden="true">${content}</svg>`;
}

/** The attributes whose controls are in other groups. All others are under Advanced. */
const LAYOUT_ATTRIBUTES: readonly string[] = ['open', 'live'];
const OWN_GROUPS: readonly string[] = [...LAYOUT_ATTRIBUTES, 'variant', 'theme', 'chart-theme'];

function layoutGroup({ settings, onAttribute, onLook }: ControlsView): TemplateResult {
  const { look } = settings;
  const variant = variantOf(settings);
  const on = LAYOUT_ATTRIBUTES.filter((name) => valueOf(settings, name) === 'true');
  return group(
    'Layout',
    [capital(variant), ...on].join(', '),
    true,
    html`<fieldset class="variants">
        <legend class="unseen">Layout</legend>
        ${VARIANTS.map((name) => html`<label><input type="radio" name="variant" .checked=${name === variant} @change=${() => onAttribute('variant', name)} /><span>${DRAWINGS[name]}${capital(name)}</span></label>`)}
      </fieldset>
      ${CARD_ATTRIBUTES.filter(({ name }) => LAYOUT_ATTRIBUTES.includes(name)).map((attribute) => attributeField(attribute, { settings, onAttribute }))}
      ${(['cornersEm', 'spacingEm', 'maxWidthEm'] as const).map((key) => emField(look, onLook, key))}`,
  );
}

/** The labels for a look's values. The empty value is the card's default. */
const LOOK_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  frame: { '': 'Line, 1px', none: 'None' },
  toggle: { '': 'At the end', start: 'At the start' },
  weight: { '': '600' },
};

function lookSelect(
  label: string,
  key: 'frame' | 'toggle' | 'weight',
  values: readonly string[],
  { settings: { look }, onLook }: Pick<ControlsView, 'settings' | 'onLook'>,
): TemplateResult {
  return selectField({
    id: key,
    label,
    options: values.map((value) => ({ value, label: LOOK_WORDS[key]?.[value] ?? value })),
    value: look[key],
    onChange: (value) => onLook({ ...look, [key]: value }),
  });
}

function colorsGroup({ settings, onAttribute, onLook, onSwatch }: ControlsView): TemplateResult {
  const { look } = settings;
  const changed = changedColors(look);
  const words = themeOf(look)?.title ?? (changed === 0 ? 'Default' : `${changed} changed`);
  return group(
    'Colors',
    words,
    true,
    colorControls({
      look,
      theme: schemeOf(settings),
      onLook,
      onTheme: (chosen) => onAttribute('theme', chosen),
      chartTheme: chartThemeOf(settings),
      onChartTheme: (chosen) => onAttribute('chart-theme', chosen),
      onSwatch,
    }),
  );
}

function typeGroup({ settings, refused, hasOwnFont, onLook, onFont, onOwnFont }: ControlsView): TemplateResult {
  const { look } = settings;
  const known = FONTS.find(({ value }) => value === look.font);
  const isOwn = hasOwnFont || known === undefined;
  return group(
    'Type',
    known?.label ?? 'Own font',
    false,
    html`${selectField({
      id: 'font',
      label: 'Font',
      options: [...FONTS, { value: OTHER, label: 'Another…' }],
      value: isOwn ? OTHER : look.font,
      onChange: onFont,
    })}
    ${
      isOwn
        ? textField({
            id: 'own-font',
            label: 'Name',
            value: look.font,
            placeholder: "'Open Sans', sans-serif",
            error: refused['own-font'],
            help: 'Your page must load this font: the card only refers to it by name.',
            onChange: onOwnFont,
          })
        : nothing
    }
    ${emField(look, onLook, 'sizeEm')} ${emField(look, onLook, 'headingEm')}
    ${lookSelect('Weight', 'weight', WEIGHTS, { settings, onLook })}`,
  );
}

function looksGroup({ settings, looks, onLooks, onSavedLook }: ControlsView): TemplateResult {
  const current = lookQueryOf(settings);
  const shown = looks.find(({ query }) => query === current);
  return group(
    'Looks',
    shown?.name ?? (looks.length === 0 ? 'None saved' : `${looks.length} saved`),
    false,
    html`<saved-looks
      class="saved-looks"
      .looks=${looks}
      .current=${current}
      @looks-change=${({ detail }: CustomEvent<readonly NamedLook[]>) => onLooks(detail)}
      @look-choose=${({ detail }: CustomEvent<string>) => onSavedLook(detail)}
    ></saved-looks>`,
  );
}

/** A control for a length in `em`. */
function emField(look: Look, onLook: ControlsView['onLook'], key: MeasureKey): TemplateResult {
  const { parameter, label, preset, words, ...range } = { words: undefined, ...MEASURES[key] };
  const value = look[key];
  return rangeField({
    id: parameter,
    label,
    ...range,
    value: value ?? preset,
    words: value !== null ? `${value} em` : (words ?? `${preset} em`),
    // A length that depends on the width has no fixed default, so no value equals it.
    onChange: (chosen) => onLook({ ...look, [key]: chosen === preset && words !== 'By width' ? null : chosen }),
  });
}

function advancedGroup({ settings, run, onAttribute, onLook }: ControlsView): TemplateResult {
  const shown = CARD_ATTRIBUTES.filter(({ name }) => !OWN_GROUPS.includes(name));
  const changed = shown.filter(({ name }) => valueOf(settings, name) !== valueOf(DEFAULT_SETTINGS, name));
  return group(
    'Advanced',
    changed.length === 0 ? `${shown.length} defaults` : changed.map(({ name }) => labelOf(name)).join(', '),
    false,
    html`${shown.map((attribute) => attributeField(attribute, { settings, run, onAttribute }))}
    ${lookSelect('Frame', 'frame', FRAMES, { settings, onLook })}
    ${lookSelect('Toggle', 'toggle', TOGGLES, { settings, onLook })} ${emField(settings.look, onLook, 'extraHeightEm')}`,
  );
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
