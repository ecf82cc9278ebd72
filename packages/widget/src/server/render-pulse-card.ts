import { variantOf, type Variant } from '../card-size.ts';
import { escapeHtml } from '../escape-html.ts';
import { absoluteTime, relativeTime } from '../moment.ts';
import { readOutcome } from '../pulse-guard.ts';
import type { Outcome, Pulse } from '../pulse-outcome.ts';
import { answered, IDLE, type PulseModel } from '../pulse-state.ts';
import { cardView } from '../pulse-view.ts';
import { ENGLISH } from '../words.ts';
import { htmlText } from './html-text.ts';
import { STYLE_FILE } from './served-styles.ts';
import { servedWords } from './served-words.ts';

/** A pulse as the BFF answers for it; what else is in it is left out. */
export interface PulseAnswer {
  readonly pulse: object;
  readonly meta?: { readonly stale: boolean };
  readonly source?: { readonly status: string | null; readonly name: string | null } | null;
}

/** That there is none, as the BFF says it. */
export interface PulseRefusal {
  /** A code of the BFF's errors. */
  readonly code: string;
  readonly source?: PulseAnswer['source'];
}

/** How a card is rendered. */
export interface RenderOptions {
  readonly sourceId: string;
  /** The address of the BFF. Needed unless `styleHref` is given and the script comes from the BFF. */
  readonly baseUrl?: string;
  /** Where the style sheet lies. @default `STYLE_FILE` at `baseUrl` */
  readonly styleHref?: string;
  /** @default 'card' */
  readonly variant?: Variant;
  /** @default 'auto' */
  readonly theme?: 'auto' | 'light' | 'dark';
  /** 2 to 6. @default 3 */
  readonly headingLevel?: number;
  /** The long analysis is unfolded. @default false */
  readonly open?: boolean;
  /** The language of words, dates and numbers; written on the element where it is given. @default 'en' */
  readonly language?: string;
  /** Times are relative to this moment, in milliseconds since 1970; for pages that are made anew for each reader. @default absolute, in UTC */
  readonly now?: number;
  /** The answer is written into the page too, so that the element asks for nothing. @default true */
  readonly inside?: boolean;
}

/** Absolute times name their zone: nobody knows the reader's here. */
const WHOLE_DATE: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
};

/** The fields of a pulse that may be written into a page. */
const FIELDS: readonly (keyof Pulse)[] = [
  'jobRunId',
  'sourceId',
  'sourceName',
  'status',
  'completedAt',
  'imageUrl',
  'aiSummaryShort',
  'aiSummaryLong',
  'deliveryLink',
  'organizationId',
  'organizationName',
  'organizationSlug',
];

const NO_ACTIONS = { toggled: () => {}, retry: () => {} };

/**
 * A `<pulse-card>` as HTML, readable with neither script nor inline style: its shadow as a template that browsers attach
 * while they read (declarative shadow DOM), its style sheet by link, and its answer as data for the element to take over.
 */
export function renderPulseCard(answer: PulseAnswer | PulseRefusal, options: RenderOptions): string {
  const row = rowOf(answer, options.sourceId);
  const outcome = readOutcome({ pulses: [row] }, options.sourceId);
  const shadow = `<link rel="stylesheet" href="${escapeHtml(styleHrefOf(options))}">${htmlText(viewOf(outcome, options))}`;
  const inside = outcome.ok || 'code' in answer ? dataBlock(row, options) : '';
  return `<pulse-card${attributesOf(options)}><template shadowrootmode="open">${shadow}</template>${inside}</pulse-card>`;
}

function rowOf(answer: PulseAnswer | PulseRefusal, sourceId: string): object {
  const source = answer.source && { status: answer.source.status, name: answer.source.name };
  if ('code' in answer) return { sourceId, ok: false, code: answer.code, ...(source && { source }) };
  const fields = Object.entries(answer.pulse).filter(([name]) => FIELDS.includes(name as keyof Pulse));
  const meta = { stale: answer.meta?.stale === true };
  return { sourceId, ok: true, meta, pulse: Object.fromEntries(fields), ...(source && { source }) };
}

function viewOf(outcome: Outcome, options: RenderOptions): unknown {
  const { variant, headingLevel = 3, open = false, language = 'en', now } = options;
  const date = (iso: string): string => absoluteTime(iso, language, WHOLE_DATE);
  return cardView(
    {
      model: modelOf(outcome),
      name: null,
      variant: variantOf(variant),
      headingLevel: [2, 4, 5, 6].includes(headingLevel) ? headingLevel : 3,
      unfolded: open,
      words: servedWords(language),
      ago: now === undefined ? date : (iso) => relativeTime(iso, language, now),
      date,
    },
    NO_ACTIONS,
  );
}

/** A server asks once: what it has is said, also where a card would try again first. */
function modelOf(outcome: Outcome): PulseModel {
  const model = answered(IDLE, outcome);
  return outcome.ok || model.state !== 'idle' ? model : { ...model, state: 'error' };
}

function styleHrefOf({ styleHref, baseUrl = '' }: RenderOptions): string {
  return styleHref ?? `${baseUrl.replace(/\/+$/, '')}/${STYLE_FILE}`;
}

function attributesOf(options: RenderOptions): string {
  const { sourceId, baseUrl, variant, theme = 'auto', headingLevel, open, language } = options;
  const layout = variantOf(variant);
  const attributes: [name: string, value: string | number | undefined][] = [
    ['source-id', sourceId],
    ['base-url', baseUrl],
    ['variant', layout === 'card' ? undefined : layout],
    ['theme', theme === 'auto' ? undefined : theme],
    ['heading-level', headingLevel],
    ['lang', language],
    ['open', open === true ? '' : undefined],
  ];
  return attributes
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escapeHtml(String(value))}"`))
    .join('');
}

/** Data that no browser runs; without `<` it cannot end early, nor open a comment. */
function dataBlock(row: object, { sourceId, inside = true, language = 'en' }: RenderOptions): string {
  if (!inside) return '';
  const words = servedWords(language);
  const json = JSON.stringify([words === ENGLISH ? row : { ...row, words }]).replaceAll('<', '\\u003c');
  return `<script type="application/json" data-id="${escapeHtml(sourceId)}">${json}</script>`;
}
