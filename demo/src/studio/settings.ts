import { hexOf } from '../theme/color.ts';
import { type Look, PLAIN_LOOK, RANGES } from '../theme/look.ts';
import { type Colors, type Swatch, TOKENS } from '../theme/tokens.ts';
import { LANGUAGES } from './languages.ts';

/** The layouts of the card. */
export const VARIANTS = ['card', 'compact', 'chart', 'text'] as const;

/** The states that the stage can show, with their labels. */
export const STAGE_STATES = [
  { value: 'fresh', label: 'Fresh' },
  { value: 'loading', label: 'Loading' },
  { value: 'stale', label: 'Earlier version' },
  { value: 'delayed', label: 'Updates delayed' },
  { value: 'paused', label: 'Updates paused' },
  { value: 'overdue', label: 'Overdue' },
  { value: 'withheld', label: 'Text withheld' },
  { value: 'history', label: 'Earlier findings' },
  { value: 'pulse_not_found', label: 'No chart yet' },
  { value: 'upstream_unavailable', label: 'Error' },
  { value: 'source_unknown', label: 'Unknown source' },
  { value: 'origin_forbidden', label: 'Not allowed' },
  { value: 'no-picture', label: 'Picture missing' },
] as const;

/** The ways to put the card on a page. */
export const CODE_TABS = [
  { id: 'html', title: 'HTML' },
  { id: 'short', title: 'Short HTML' },
  { id: 'iframe', title: 'iframe' },
  { id: 'oembed', title: 'oEmbed address' },
  { id: 'image', title: 'Image' },
  { id: 'markdown', title: 'Markdown' },
  { id: 'mail', title: 'Mail' },
  { id: 'feed', title: 'Feed' },
  { id: 'react', title: 'React' },
  { id: 'vue', title: 'Vue' },
  { id: 'svelte', title: 'Svelte' },
  { id: 'wordpress', title: 'WordPress' },
  { id: 'server', title: 'Server' },
  { id: 'chat', title: 'Chat' },
] as const;

/** A way to put the card on a page. */
export type CodeTab = (typeof CODE_TABS)[number]['id'];

/** The actions that a card can have. */
export const ACTIONS = ['copy', 'save', 'share'] as const;

/** The maximum length of a reviewer's name. */
export const MAX_REVIEWER_LENGTH = 32;

/** The form of a source id. */
export const SOURCE_ID = /^[\w~-][\w.~-]{0,127}$/;

/** The minimum and maximum widths that a card is designed for, in pixels. */
export const WIDTH_RANGE = { min: 240, max: 1600 } as const;

/** Everything that the Studio shows. The address of the Studio contains all these settings. */
export interface Settings {
  /** Empty until the list of sources has loaded. */
  readonly sourceId: string;
  /** Empty for the language of the page. */
  readonly language: string;
  readonly variant: (typeof VARIANTS)[number];
  readonly open: boolean;
  readonly live: boolean;
  /** Whether the expanded analysis lists earlier findings at its end. */
  readonly history: boolean;
  /** Actions of the card, separated by spaces. */
  readonly actions: string;
  /** The name to show if the answer has no name. */
  readonly label: string;
  readonly headingLevel: number;
  readonly loading: 'lazy' | 'eager' | 'click';
  readonly theme: 'auto' | 'light' | 'dark';
  /** Whether charts go dark with the card. */
  readonly chartTheme: 'light' | 'auto';
  /** The reviewer of the AI-generated text. */
  readonly reviewedBy: string;
  readonly look: Look;
  /** Which pages the stage shows. */
  readonly view: 'light' | 'dark' | 'both';
  /** A width in pixels, the whole available width, or three widths side by side. */
  readonly width: number | 'full' | 'compare';
  readonly state: (typeof STAGE_STATES)[number]['value'];
  readonly direction: 'ltr' | 'rtl';
  readonly tab: CodeTab;
  /** Whether the code pins the script to one version, with `integrity`. */
  readonly pinned: boolean;
  /** The page that will show the card. */
  readonly site: string;
}

/** The first view of the Studio. */
export const DEFAULT_SETTINGS: Settings = {
  sourceId: '',
  language: '',
  variant: 'card',
  open: false,
  live: false,
  history: false,
  actions: '',
  label: '',
  headingLevel: 3,
  loading: 'lazy',
  theme: 'auto',
  chartTheme: 'auto',
  reviewedBy: '',
  look: PLAIN_LOOK,
  view: 'both',
  width: 480,
  state: 'fresh',
  direction: 'ltr',
  tab: 'html',
  pinned: false,
  site: '',
};

/** Converts the settings that differ from the defaults into a query. */
export function queryOf(settings: Settings): string {
  const { look } = settings;
  const query = new URLSearchParams();
  const add = (name: string, value: unknown, preset: unknown) => {
    if (value !== preset) query.set(name, value === true ? '' : String(value));
  };
  for (const [name, key] of PLAIN_PARAMETERS) add(name, settings[key], DEFAULT_SETTINGS[key]);
  for (const swatch of SWATCHES) {
    const { light = '', dark = '' } = look.colors[swatch] ?? {};
    if (light || dark) query.set(swatch, `${light.slice(1)}.${dark.slice(1)}`);
  }
  add('font', look.font, '');
  for (const [name, key] of EM_PARAMETERS) add(name, look[key], null);
  return textOf(query);
}

/** The known actions in `text`, in the order in which the card shows them. */
export function actionsOf(text: string): string {
  const names = text.split(' ');
  return ACTIONS.filter((action) => names.includes(action)).join(' ');
}

/** Writes only the look as a query. All pages in the Studio share the look, and a link includes it. */
export function lookQueryOf({ look, theme, chartTheme }: Pick<Settings, 'look' | 'theme' | 'chartTheme'>): string {
  return queryOf({ ...DEFAULT_SETTINGS, look, theme, chartTheme }) || OWN_LOOK;
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
 * Reads settings from a query. Missing and invalid values get the defaults. In narrow windows, `first` has the defaults
 * of `view` and `width`.
 */
export function settingsOf(search: string, first: Pick<Settings, 'view' | 'width'> = DEFAULT_SETTINGS): Settings {
  // A text field has no line breaks either.
  const query = new URLSearchParams(search.replaceAll(/%0[ad]/gi, ''));
  const text = (name: string) => query.get(name) ?? '';
  const flag = (name: string) => query.has(name);
  return {
    sourceId: SOURCE_ID.test(text('source')) ? text('source') : '',
    language: oneOf(
      LANGUAGES.map(({ value }) => value),
      text('lang'),
      '',
    ),
    variant: oneOf(VARIANTS, text('variant'), 'card'),
    open: flag('open'),
    live: flag('live'),
    history: flag('history'),
    actions: actionsOf(text('actions')),
    label: text('label'),
    headingLevel: oneOf([2, 3, 4, 5, 6], Number(text('heading')), 3),
    loading: oneOf(['lazy', 'eager', 'click'], text('loading'), 'lazy'),
    theme: oneOf(['auto', 'light', 'dark'], text('theme'), 'auto'),
    chartTheme: oneOf(['light', 'auto'], text('chart-theme'), 'auto'),
    reviewedBy: text('reviewed').slice(0, MAX_REVIEWER_LENGTH),
    look: lookOf(query),
    view: oneOf(['both', 'light', 'dark'], text('view'), first.view),
    width: widthOf(text('width'), first.width),
    state: oneOf(
      STAGE_STATES.map(({ value }) => value),
      text('state'),
      'fresh',
    ),
    direction: oneOf(['ltr', 'rtl'], text('dir'), 'ltr'),
    tab: oneOf(
      CODE_TABS.map(({ id }) => id),
      text('code'),
      'html',
    ),
    pinned: flag('pinned'),
    site: text('site'),
  };
}

const PLAIN_PARAMETERS = [
  ['source', 'sourceId'],
  ['lang', 'language'],
  ['variant', 'variant'],
  ['open', 'open'],
  ['live', 'live'],
  ['history', 'history'],
  ['actions', 'actions'],
  ['label', 'label'],
  ['heading', 'headingLevel'],
  ['loading', 'loading'],
  ['theme', 'theme'],
  ['chart-theme', 'chartTheme'],
  ['reviewed', 'reviewedBy'],
  ['view', 'view'],
  ['width', 'width'],
  ['state', 'state'],
  ['dir', 'direction'],
  ['code', 'tab'],
  ['pinned', 'pinned'],
  ['site', 'site'],
] as const;

const EM_PARAMETERS = [
  ['size', 'sizeEm'],
  ['corners', 'cornersEm'],
  ['spacing', 'spacingEm'],
  ['max-width', 'maxWidthEm'],
] as const;

/** The query that represents the card's default look. */
export const OWN_LOOK = 'look=own';

const SWATCHES: readonly Swatch[] = [...TOKENS, 'page'];

const LOOK_PARAMETERS = ['look', 'theme', 'chart-theme', ...SWATCHES, 'font', ...EM_PARAMETERS.map(([name]) => name)];

function lookOf(query: URLSearchParams): Look {
  const em = (name: string, { min, max }: { min: number; max: number }) => {
    const text = query.get(name);
    const value = Number(text);
    return text !== null && text !== '' && value >= min && value <= max ? value : null;
  };
  return {
    colors: colorsOf(query),
    // A font is written into a CSS rule and into a template string, so it must not be able to end them.
    font: (query.get('font') ?? '').replaceAll(/[;{}<>\\`]/g, ''),
    sizeEm: em('size', RANGES.sizeEm),
    cornersEm: em('corners', RANGES.cornersEm),
    spacingEm: em('spacing', RANGES.spacingEm),
    maxWidthEm: em('max-width', RANGES.maxWidthEm),
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
