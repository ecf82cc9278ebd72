import { html, svg, nothing, type TemplateResult } from 'lit';
import type { ListedSource } from '../shell/bff-api.ts';
import { type ColorControls, colorControls } from '../theme/color-controls.ts';
import { changedColors, FONTS, type Look, RANGES } from '../theme/look.ts';
import type { NamedLook } from '../theme/named-looks.ts';
import { themeOf } from '../theme/themes.ts';
import { rangeField, selectField, switchField, textField } from '../ui/fields.ts';
import { icon } from '../ui/icons.ts';
import { LANGUAGES } from './languages.ts';
import './saved-looks.ts';
import {
  ACTIONS,
  actionsOf,
  DEFAULT_SETTINGS,
  lookQueryOf,
  MAX_REVIEWER_LENGTH,
  type Settings,
  SOURCE_ID,
  VARIANTS,
} from './settings.ts';
import './controls.css';

/** The data and callbacks for the controls. */
export interface ControlsView {
  readonly settings: Settings;
  /** Undefined while they load. */
  readonly sources: readonly ListedSource[] | undefined;
  /** The rejected values, by the control's id. */
  readonly refused: Readonly<Record<string, string>>;
  /** Whether the name of another font is being typed. */
  readonly hasOwnFont: boolean;
  /** The id that was typed; undefined while a listed source is chosen. */
  readonly ownSource: string | undefined;
  /** The run that the stage shows. */
  readonly run: string | undefined;
  /** The looks that this person has saved. */
  readonly looks: readonly NamedLook[];
  readonly onLooks: (looks: readonly NamedLook[]) => void;
  readonly onSavedLook: (query: string) => void;
  readonly onChange: (change: Partial<Settings>) => void;
  readonly onLook: (look: Look) => void;
  readonly onFont: (choice: string) => void;
  readonly onOwnFont: (font: string) => void;
  readonly onSource: (choice: string) => void;
  readonly onSourceId: (id: string) => void;
  readonly onSwatch: ColorControls['onSwatch'];
}

/** The value of the option "Another…", for values that aren't listed. Choosing this option opens a field. */
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
  // Until the sources are loaded, the list has only the source in the page's address.
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

const DRAWINGS: Readonly<Record<Settings['variant'], TemplateResult>> = {
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

function layoutGroup({ settings, onChange, onLook }: ControlsView): TemplateResult {
  const { variant, open, live, look } = settings;
  return group(
    'Layout',
    [capital(variant), ...(open ? ['open'] : []), ...(live ? ['live'] : [])].join(', '),
    true,
    html`<fieldset class="variants">
        <legend class="unseen">Layout</legend>
        ${VARIANTS.map((name) => html`<label><input type="radio" name="variant" .checked=${name === variant} @change=${() => onChange({ variant: name })} /><span>${DRAWINGS[name]}${capital(name)}</span></label>`)}
      </fieldset>
      ${switchField({ id: 'open', label: 'Analysis open at first', checked: open, onChange: (checked) => onChange({ open: checked }) })}
      ${switchField({ id: 'live', label: 'Show new charts automatically', checked: live, onChange: (checked) => onChange({ live: checked }) })}
      ${emField(look, onLook, { id: 'corners', label: 'Corners', key: 'cornersEm', preset: 0.75 })}
      ${emField(look, onLook, { id: 'spacing', label: 'Spacing', key: 'spacingEm', preset: 1 })}
      ${emField(look, onLook, { id: 'max-width', label: 'Max width', key: 'maxWidthEm', preset: RANGES.maxWidthEm.max })}`,
  );
}

function colorsGroup({ settings, onChange, onLook, onSwatch }: ControlsView): TemplateResult {
  const { look, theme, chartTheme } = settings;
  const changed = changedColors(look);
  const words = themeOf(look)?.title ?? (changed === 0 ? 'Default' : `${changed} changed`);
  return group(
    'Colors',
    words,
    true,
    colorControls({
      look,
      theme,
      onLook,
      onTheme: (chosen) => onChange({ theme: chosen }),
      chartTheme,
      onChartTheme: (chosen) => onChange({ chartTheme: chosen }),
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
            help: 'Your page loads this font; the card only names it.',
            onChange: onOwnFont,
          })
        : nothing
    }
    ${emField(look, onLook, { id: 'size', label: 'Size', key: 'sizeEm', preset: 1 })}`,
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

/** The label of a measure without a default value. */
const WITHOUT_VALUE: Readonly<Partial<Record<keyof typeof RANGES, string>>> = {
  spacingEm: 'By width',
  maxWidthEm: 'No limit',
};

/** A control for a measure of the look, in `em`. */
interface EmField {
  readonly id: string;
  readonly label: string;
  readonly key: keyof typeof RANGES;
  /** The card's defaults. */
  readonly preset: number;
}

function emField(look: Look, onLook: ControlsView['onLook'], { id, label, key, preset }: EmField): TemplateResult {
  const value = look[key];
  // By default, the space at the sides follows the width. No fixed value can replace this default.
  const isFluid = key === 'spacingEm';
  return rangeField({
    id,
    label,
    ...RANGES[key],
    value: value ?? preset,
    words: value !== null ? `${value} em` : (WITHOUT_VALUE[key] ?? `${preset} em`),
    onChange: (chosen) => onLook({ ...look, [key]: chosen === preset && !isFluid ? null : chosen }),
  });
}

const ADVANCED = ['label', 'reviewedBy', 'history', 'actions', 'headingLevel', 'loading'] as const;

function advancedGroup({ settings, run, onChange }: ControlsView): TemplateResult {
  const { label, reviewedBy, history, headingLevel, loading } = settings;
  const changed = ADVANCED.filter((key) => settings[key] !== DEFAULT_SETTINGS[key]).length;
  return group(
    'Advanced',
    changed === 0 ? `${ADVANCED.length} defaults` : `${changed} changed`,
    false,
    html`${textField({ id: 'label', label: 'Name', value: label, placeholder: 'That of the source', help: 'Shown while the name of the source isn’t known.', onChange: (value) => onChange({ label: value }) })}
    ${textField({ id: 'reviewed', label: 'Reviewed by', value: reviewedBy, placeholder: 'No one', help: run === undefined ? 'Follows “AI-generated”.' : `Follows “AI-generated”, for ${run} only: later runs are not reviewed.`, onChange: (value) => onChange({ reviewedBy: value.slice(0, MAX_REVIEWER_LENGTH) }) })}
    ${switchField({ id: 'history', label: 'Earlier findings', checked: history, onChange: (checked) => onChange({ history: checked }) })}
    ${actionsField(settings, onChange)}
    ${selectField({
      id: 'heading',
      label: 'Heading',
      options: [2, 3, 4, 5, 6].map((level) => ({ value: String(level), label: `Level ${level}` })),
      value: String(headingLevel),
      onChange: (value) => onChange({ headingLevel: Number(value) }),
    })}
    ${selectField({
      id: 'loading',
      label: 'Loading',
      options: [
        { value: 'lazy', label: 'When near the screen' },
        { value: 'eager', label: 'Immediately' },
        { value: 'click', label: 'After a click' },
      ],
      value: loading,
      onChange: (value) => onChange({ loading: value as Settings['loading'] }),
    })}`,
  );
}

function actionsField({ actions }: Settings, onChange: ControlsView['onChange']): TemplateResult {
  const chosen = actions.split(' ');
  const toggled = (action: string) =>
    actionsOf((chosen.includes(action) ? chosen.filter((name) => name !== action) : [...chosen, action]).join(' '));
  return html`<fieldset class="actions">
    <legend>Actions</legend>
    ${ACTIONS.map(
      (action) =>
        html`<label
          ><input
            type="checkbox"
            .checked=${chosen.includes(action)}
            @change=${() => onChange({ actions: toggled(action) })}
          />${capital(action)}</label
        >`,
    )}
  </fieldset>`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
