import { FRAME_COLORS } from '@pulse-card/widget/snippet';
import { hexOf } from '../theme/color.ts';
import { FRAMES, type Look, MEASURES, type MeasureKey, PLAIN_LOOK, TOGGLES, WEIGHTS } from '../theme/look.ts';
import type { Colors, Scheme, Swatch } from '../theme/tokens.ts';
import { CARD_ATTRIBUTES, type CardAttribute } from './card-attributes.ts';
import { CODE_TABS, type CodeTab } from './code-tabs.ts';
import { LANGUAGES } from './languages.ts';
import { ALL_STATES, STAGE_STATES } from '../states/stage-states.ts';

/** The card's layouts. */
export const VARIANTS = ['card', 'compact', 'chart', 'text'] as const;

/** Matches a valid source ID. */
export const SOURCE_ID = /^[\w~-][\w.~-]{0,127}$/;

/** The minimum and maximum widths that a card is designed for, in pixels. */
export const WIDTH_RANGE = { min: 240, max: 1600 } as const;

/** Everything that the Studio shows. The Studio's URL contains all of these settings. */
export interface Settings {
  /** Empty until the list of sources has loaded. */
  readonly sourceId: string;
  /** Empty for the page's language. */
  readonly language: string;
  /** The card attributes that differ from the defaults, keyed by name. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly look: Look;
  /** Which pages the stage shows. */
  readonly view: 'light' | 'dark' | 'both';
  /** A width in pixels, the whole available width, or three widths side by side. */
  readonly width: number | 'full' | 'compare';
  /** A state of the card, or `all` for a grid of all states. */
  readonly state: string;
  readonly direction: 'ltr' | 'rtl';
  readonly tab: CodeTab;
  /** Whether the code pins the script to one version, with `integrity`. */
  readonly pinned: boolean;
  /** The page that will show the card. */
  readonly site: string;
}

/**
 * The Studio's initial settings. By default, charts go dark with their cards, because bright rectangles glare on dark
 * pages.
 */
export const DEFAULT_SETTINGS: Settings = {
  sourceId: '',
  language: '',
  attributes: { 'chart-theme': 'auto' },
  look: PLAIN_LOOK,
  view: 'both',
  width: 480,
  state: 'fresh',
  direction: 'ltr',
  tab: 'html',
  pinned: false,
  site: '',
};

/** The value of one of the card's attributes: the chosen value, or else the card's default. */
export function valueOf({ attributes }: Pick<Settings, 'attributes'>, name: string): string {
  return attributes[name] ?? CARD_ATTRIBUTES.find((attribute) => attribute.name === name)?.preset ?? '';
}

/** The settings with one attribute changed. Values that equal the card's defaults are omitted. */
export function withAttribute<Given extends Pick<Settings, 'attributes'>>(
  settings: Given,
  name: string,
  value: string,
): Given {
  const { [name]: _, ...others } = settings.attributes;
  const attributes = value === valueOf({ attributes: others }, name) ? others : { ...others, [name]: value };
  return { ...settings, attributes };
}

/** The card's color scheme. */
export function schemeOf(settings: Pick<Settings, 'attributes'>): 'auto' | Scheme {
  return oneOf(['auto', 'light', 'dark'], valueOf(settings, 'theme'), 'auto');
}

/** Whether charts go dark with the card. */
export function chartThemeOf(settings: Pick<Settings, 'attributes'>): 'light' | 'auto' {
  return oneOf(['light', 'auto'], valueOf(settings, 'chart-theme'), 'light');
}

/** The card's layout. */
export function variantOf(settings: Pick<Settings, 'attributes'>): (typeof VARIANTS)[number] {
  return oneOf(VARIANTS, valueOf(settings, 'variant'), 'card');
}

/** Converts the settings that differ from the defaults into a query. */
export function queryOf(settings: Settings): string {
  const { look } = settings;
  const query = new URLSearchParams();
  const add = (name: string, value: unknown, preset: unknown) => {
    if (value !== preset) query.set(name, value === true || value === 'true' ? '' : String(value));
  };
  for (const [name, key] of PLAIN_PARAMETERS) add(name, settings[key], DEFAULT_SETTINGS[key]);
  for (const { name } of CARD_ATTRIBUTES)
    add(parameterOf(name), valueOf(settings, name), valueOf(DEFAULT_SETTINGS, name));
  for (const swatch of SWATCHES) {
    const { light = '', dark = '' } = look.colors[swatch] ?? {};
    if (light || dark) query.set(swatch, `${light.slice(1)}.${dark.slice(1)}`);
  }
  for (const name of TEXTS_OF_LOOK) add(name, look[name], PLAIN_LOOK[name]);
  for (const [key, { parameter }] of MEASURE_LIST) add(parameter, look[key], null);
  return textOf(query);
}

/** Converts only the look into a query. All pages in the Studio share the look, and links include it. */
export function lookQueryOf(settings: Pick<Settings, 'look' | 'attributes'>): string {
  const { look } = settings;
  const themed = withAttribute(DEFAULT_SETTINGS, 'theme', schemeOf(settings));
  return queryOf({ ...withAttribute(themed, 'chart-theme', chartThemeOf(settings)), look }) || OWN_LOOK;
}

/** Whether a query contains a look. */
export function hasLook(search: string): boolean {
  const query = new URLSearchParams(search);
  return LOOK_PARAMETERS.some((name) => query.has(name));
}

/** Adds a look to a query, unless the query already has a look. */
export function withLook(search: string, look: string): string {
  if (hasLook(search)) return search;
  return textOf(new URLSearchParams([...new URLSearchParams(search), ...new URLSearchParams(look)]));
}

function textOf(query: URLSearchParams): string {
  return query.toString().replaceAll(/=(?=&|$)/g, '');
}

/**
 * Reads settings from a query. Missing and invalid values get the defaults. `first` supplies the defaults for `view`
 * and `width`, which differ in narrow windows.
 */
export function settingsOf(search: string, first: Pick<Settings, 'view' | 'width'> = DEFAULT_SETTINGS): Settings {
  // Removes line breaks, which text fields can't contain either.
  const query = new URLSearchParams(search.replaceAll(/%0[ad]/gi, ''));
  const text = (name: string) => query.get(name) ?? '';
  const valueIn = (list: readonly { readonly value: string }[], name: string, preset: string) =>
    list.some(({ value }) => value === text(name)) ? text(name) : preset;
  const settings: Settings = {
    sourceId: SOURCE_ID.test(text('source')) ? text('source') : '',
    language: valueIn(LANGUAGES, 'lang', ''),
    attributes: {},
    look: lookOf(query),
    view: oneOf(['both', 'light', 'dark'], text('view'), first.view),
    width: widthOf(text('width'), first.width),
    state: valueIn([...STAGE_STATES, ALL_STATES], 'state', 'fresh'),
    direction: oneOf(['ltr', 'rtl'], text('dir'), 'ltr'),
    tab: oneOf(
      CODE_TABS.map(({ id }) => id),
      text('code'),
      'html',
    ),
    pinned: query.has('pinned'),
    site: text('site'),
  };
  return CARD_ATTRIBUTES.reduce(
    (read, attribute) =>
      withAttribute(read, attribute.name, readValue(attribute, query.get(parameterOf(attribute.name)))),
    settings,
  );
}

/** An attribute's value in a query. Missing and invalid values get the Studio's default. */
function readValue({ name, kind, values }: CardAttribute, text: string | null): string {
  const isValid = {
    switch: text === '',
    choice: values.includes(text ?? ''),
    number: /^[2-6]$/.test(text ?? ''),
    text: text !== null,
  }[kind];
  return !isValid ? valueOf(DEFAULT_SETTINGS, name) : kind === 'switch' ? 'true' : (text ?? '');
}

/** The parameter for an attribute in the Studio's URL. */
function parameterOf(name: string): string {
  return SHORT_PARAMETERS[name] ?? name;
}

const SHORT_PARAMETERS: Readonly<Record<string, string>> = { 'heading-level': 'heading', 'ai-reviewed-by': 'reviewed' };

const PLAIN_PARAMETERS = [
  ['source', 'sourceId'],
  ['lang', 'language'],
  ['view', 'view'],
  ['width', 'width'],
  ['state', 'state'],
  ['dir', 'direction'],
  ['code', 'tab'],
  ['pinned', 'pinned'],
  ['site', 'site'],
] as const;

const MEASURE_LIST = Object.entries(MEASURES) as [MeasureKey, (typeof MEASURES)[MeasureKey]][];

const TEXTS_OF_LOOK = ['font', 'weight', 'frame', 'toggle'] as const;

/** The query that represents the card's default look. */
export const OWN_LOOK = 'look=own';

const SWATCHES: readonly Swatch[] = [...FRAME_COLORS, 'page'];

const LOOK_PARAMETERS = [
  'look',
  'theme',
  'chart-theme',
  ...SWATCHES,
  ...TEXTS_OF_LOOK,
  ...MEASURE_LIST.map(([, { parameter }]) => parameter),
];

function lookOf(query: URLSearchParams): Look {
  const measures = MEASURE_LIST.map(([key, { parameter, min, max }]) => {
    const text = query.get(parameter) ?? '';
    return [key, text !== '' && Number(text) >= min && Number(text) <= max ? Number(text) : null] as const;
  });
  return {
    ...(Object.fromEntries(measures) as Record<MeasureKey, number | null>),
    colors: colorsOf(query),
    // The font goes into a CSS rule and a template string, so it must not be able to end either one.
    font: (query.get('font') ?? '').replaceAll(/[;{}<>\\`]/g, ''),
    weight: oneOf(WEIGHTS, query.get('weight'), ''),
    frame: oneOf(FRAMES, query.get('frame'), ''),
    toggle: oneOf(TOGGLES, query.get('toggle'), ''),
  };
}

function colorsOf(query: URLSearchParams): Colors {
  const entries = SWATCHES.flatMap((swatch): [Swatch, Colors[Swatch]][] => {
    const [light, dark] = (query.get(swatch) ?? '').split('.').map(hexOf);
    const pair = { ...(light && { light }), ...(dark && { dark }) };
    return light || dark ? [[swatch, pair]] : [];
  });
  return Object.fromEntries(entries);
}

function widthOf(text: string, preset: Settings['width']): Settings['width'] {
  if (text === 'full' || text === 'compare') return text;
  const width = Math.round(Number(text));
  return width >= WIDTH_RANGE.min && width <= WIDTH_RANGE.max ? width : preset;
}

function oneOf<const Value>(values: readonly Value[], value: unknown, preset: NoInfer<Value>): Value {
  return values.find((known) => known === value) ?? preset;
}
