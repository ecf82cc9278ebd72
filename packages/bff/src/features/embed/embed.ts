import { ERROR_STATUS, type ErrorCode, isSourceId, type PulseAnswer, type ReadPulse } from '@pulse-card/contract';
import { type PulseRefusal, renderPulseCard } from '@pulse-card/widget/server';
import type { AppParts } from '../../http/app.ts';
import { scopeOf } from '../../http/cache-scope.ts';
import { queryOf } from '../../http/locals.ts';
import { type DataParts, dependenciesOf, findPulse, pulseOfRun } from '../../http/routes/pulse.ts';
import { HTML_TYPE, sendCached } from '../../http/send.ts';
import {
  bodyNameOf,
  type ChartSize,
  frameErrorPage,
  frameHeaders,
  type FrameOptions,
  frameOptionsOf,
  framePage,
  imageOriginsOf,
} from './frame-page.ts';

/** What pages and fragments are built from. */
export interface EmbedParts extends DataParts {
  /** The hash in the name of the card's script; undefined if the card isn't built. */
  readonly scriptHash: string | undefined;
  /** `sizeOf`: the size of a chart that has been read. */
  readonly images: { sizeOf(pulse: ReadPulse): ChartSize | undefined };
}

/** The code whose message a page shows: a page can't sign anyone in, and its readers didn't write its URL. */
function shownCodeOf(code: ErrorCode): ErrorCode {
  const status = ERROR_STATUS[code];
  if (status === 401) return 'token_forbidden';
  return [400, 404, 405].includes(status) && code !== 'pulse_not_found' ? 'source_unknown' : code;
}

/**
 * `GET /embed/:sourceId` shows a source's latest pulse, or, with `run`, a stored earlier one. `GET
 * /v1/sources/:sourceId/fragment` returns the card as HTML with declarative shadow DOM, for servers in any language.
 */
export function openEmbed(parts: EmbedParts): Pick<AppParts, 'page' | 'errorPage' | 'fragment' | 'errorFragment'> {
  const { config, scriptHash, bodies, fields, images } = parts;
  const { publicUrl, allowedOrigins } = config;
  const server = { publicUrl, scriptHash, isPublic: scopeOf(config) === 'shared' };
  return {
    page: async (req, res) => {
      const { sourceId } = req.params;
      const query = queryOf(req);
      const version = config.history > 0 ? query.get('run') || undefined : undefined;
      const options = { ...frameOptionsOf(query), version };
      const hit = await findPulse(sourceId, res, parts);
      const pulse = pulseOfRun(hit, version, parts);
      const answer = fields.answer({ ...hit.value, pulse }, hit.isStale);
      const chartSize = images.sizeOf(pulse);
      res.setHeaders(frameHeaders(allowedOrigins, imageOriginsOf(answer.pulse.imageUrl), options.css));
      const make = (): string => framePage({ ...server, sourceId, answer, chartSize }, options);
      const madeFrom = [...dependenciesOf(hit), chartSize?.width];
      const body = bodies.body(bodyNameOf('page', sourceId, options), madeFrom, HTML_TYPE, make);
      sendCached(req, res, body, hit, config);
    },
    errorPage: ({ code, details: { source }, retryAfterSeconds }, req, res) => {
      const options = frameOptionsOf(queryOf(req));
      res.setHeaders(frameHeaders(allowedOrigins, [], options.css));
      return frameErrorPage({ code: shownCodeOf(code), retryAfterSeconds, source }, options);
    },
    fragment: async (req, res) => {
      const { sourceId } = req.params;
      const options = frameOptionsOf(queryOf(req));
      const hit = await findPulse(sourceId, res, parts);
      const make = (): string => fragmentOf(sourceId, fields.answer(hit.value, hit.isStale), options, server);
      const body = bodies.body(bodyNameOf('fragment', sourceId, options), dependenciesOf(hit), HTML_TYPE, make);
      sendCached(req, res, body, hit, config);
    },
    errorFragment: ({ code, details: { source } }, req) => {
      const { sourceId } = (req.params ?? {}) as { readonly sourceId?: unknown };
      const id = isSourceId(sourceId) ? sourceId : '';
      return fragmentOf(id, { code, source }, frameOptionsOf(queryOf(req)), server);
    },
  };
}

/**
 * The card as HTML with declarative shadow DOM. All URLs in it are absolute. If there is an error, the card shows it.
 */
function fragmentOf(
  sourceId: string,
  answer: PulseAnswer | PulseRefusal,
  options: FrameOptions,
  { publicUrl: baseUrl, isPublic }: { readonly publicUrl: string; readonly isPublic: boolean },
): string {
  const { css } = options;
  // After an error, the element requests the pulse itself.
  const card = renderPulseCard(answer, { ...options, sourceId, baseUrl, embedData: 'pulse' in answer, isPublic });
  const own = css.replaceAll(':root', `pulse-card[source-id="${sourceId}"]`);
  return `${css === '' || sourceId === '' ? '' : `<style>${own}</style>`}${card}\n`;
}
