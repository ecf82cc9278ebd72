import {
  type AnswerMeta,
  type ErrorCode,
  type PulseAnswer,
  pulseAnswerSchema,
  type PulseOutcome,
  type PublicPulse,
} from '@pulse-card/contract';
import { answerMeta } from '../http/representation.ts';
import { ERROR_TEXTS } from '../http/respond.ts';
import { frameOptionsOf, framePage, type FrameServer, imageOriginsOf, framePolicy } from '../embed/frame-page.ts';
import { CHANGING, IMMUTABLE } from '../http/widget-files.ts';

/** The result for one source: an answer to write, or the code of the error. */
export type SourceOutcome =
  | { readonly sourceId: string; readonly answer: PulseAnswer }
  | { readonly sourceId: string; readonly code: ErrorCode };

/** JSON without `<`, so that a host that serves it as HTML runs nothing. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** The answer in the text of an earlier export, marked as an earlier version, or undefined where it holds none. */
export function earlierAnswer(text: string | undefined): PulseAnswer | undefined {
  try {
    const answer = pulseAnswerSchema.parse(JSON.parse(text ?? ''));
    return { ...answer, meta: { ...answer.meta, stale: true } };
  } catch {
    return undefined;
  }
}

/** The batch response: all sources, from which a card picks its own. */
export function pulsesAnswer(
  outcomes: readonly SourceOutcome[],
  nowMs: number,
): { meta: AnswerMeta; pulses: PulseOutcome[] } {
  const metas = outcomes.flatMap((outcome) => ('answer' in outcome ? [outcome.answer.meta] : []));
  const oldest = metas.map(({ requestedAt }) => requestedAt).sort()[0];
  const requestedAtMs = oldest === undefined ? nowMs : Date.parse(oldest);
  return {
    meta: answerMeta(
      requestedAtMs,
      metas.some(({ stale }) => stale),
    ),
    pulses: outcomes.map(rowOf),
  };
}

function rowOf(outcome: SourceOutcome): PulseOutcome {
  const { sourceId } = outcome;
  if ('answer' in outcome) return { sourceId, ok: true, ...outcome.answer };
  const { code } = outcome;
  return { sourceId, ok: false, error: ERROR_TEXTS[code], code };
}

/** A file cannot read its query, so that its page has the default options. */
const PLAIN = frameOptionsOf(new URLSearchParams());

/** The file of the page for frames of a source: simple hosts add the ending, `_headers` knows the path without. */
export function framePath(sourceId: string): string {
  return `embed/${sourceId}.html`;
}

/** The page for frames of a source, with addresses of `server`. */
export function frameText(sourceId: string, answer: PulseAnswer, server: FrameServer): string {
  return framePage(sourceId, answer, PLAIN, { ...server, isStatic: true });
}

/** The distinct origins of the charts of `answers`. */
export function imageOriginsIn(answers: readonly PulseAnswer[]): readonly string[] {
  return [...new Set(answers.flatMap(({ pulse }) => imageOriginsOf(pulse.imageUrl)))];
}

type OfRun = Pick<PublicPulse, 'sourceId' | 'jobRunId'>;

/** The file of the chart of one run. Its ending gives hosts the content type, and its content never changes. */
export function chartPath({ sourceId, jobRunId }: OfRun): string {
  return `v1/sources/${sourceId}/${jobRunId}.png`;
}

/** The file of the latest chart of a source, at the path of the BFF's route. */
export function imagePath({ sourceId }: OfRun): string {
  return `v1/sources/${sourceId}/image`;
}

/** Browsers may keep data for a minute, and use what they have while the host is down. */
const DATA = 'public, max-age=60, stale-while-revalidate=86400, stale-if-error=604800';

const JSON_TYPE = 'Content-Type: application/json; charset=utf-8';

/** What the files for static hosts are made from. */
export interface HostFacts {
  readonly allowedOrigins: '*' | readonly string[];
  /** The origins of the charts in frame pages. */
  readonly imageOrigins: readonly string[];
  readonly scriptHash: string | undefined;
}

/** `_headers`, which sets response headers on Netlify and Cloudflare Pages. */
export function headersFile({ allowedOrigins, imageOrigins, scriptHash }: HostFacts): string {
  const origin = originOf(allowedOrigins);
  const toAll = ['Access-Control-Allow-Origin: *', 'Cross-Origin-Resource-Policy: cross-origin'];
  const data = [
    'X-Content-Type-Options: nosniff',
    'Cross-Origin-Resource-Policy: cross-origin',
    `Cache-Control: ${DATA}`,
  ];
  return [
    rule('/v1/*', [...(origin === undefined ? [] : [`Access-Control-Allow-Origin: ${origin}`]), ...data]),
    rule('/v1/pulses', [JSON_TYPE]),
    rule('/v1/sources', [JSON_TYPE]),
    rule('/v1/sources/', [JSON_TYPE]),
    rule('/v1/sources/:source/pulse', [JSON_TYPE]),
    rule('/v1/sources/:source/image', ['Content-Type: image/png']),
    rule('/pulse-card.js', [...toAll, `Cache-Control: ${CHANGING}`]),
    ...(scriptHash === undefined
      ? []
      : [rule(`/pulse-card-${scriptHash}.js`, [...toAll, `Cache-Control: ${IMMUTABLE}`])]),
    rule('/pulse-board.js', [...toAll, `Cache-Control: ${CHANGING}`]),
    rule('/pulse-board-:hash.js', [...toAll, `Cache-Control: ${IMMUTABLE}`]),
    rule('/pulse-card-:hash.css', [...toAll, `Cache-Control: ${IMMUTABLE}`]),
    rule('/pulse-frame.js', [...toAll, `Cache-Control: ${CHANGING}`]),
    rule('/pulse-frame-page.js', [...toAll, `Cache-Control: ${CHANGING}`]),
    rule('/pulse-card-lang/*', [...toAll, `Cache-Control: ${CHANGING}`]),
    rule('/embed/*', [...linesOf(framePolicy({ allowedOrigins, imageOrigins })), `Cache-Control: ${DATA}`]),
  ].join('\n');
}

/** `_redirects`, which maps the list to its file: a folder of its name exists. */
export const REDIRECTS_FILE = '/v1/sources /v1/sources.json 200\n';

/** A static host sends one value to all pages, so several origins become `*`. */
function originOf(allowedOrigins: HostFacts['allowedOrigins']): string | undefined {
  if (allowedOrigins === '*') return '*';
  return allowedOrigins.length > 1 ? '*' : allowedOrigins[0];
}

/** Headers as lines, without `Vary`, which the host sets. */
function linesOf(headers: readonly string[]): string[] {
  return headers.flatMap((name, at) => (at % 2 === 0 && name !== 'Vary' ? [`${name}: ${headers[at + 1]}`] : []));
}

function rule(path: string, headers: readonly string[]): string {
  return `${path}\n${headers.map((header) => `  ${header}\n`).join('')}`;
}
