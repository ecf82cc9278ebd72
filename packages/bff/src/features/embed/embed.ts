import { isSourceId, type PulseAnswer, type ReadPulse } from '@pulse-card/contract';
import { type PulseRefusal, renderPulseCard, STYLE_FILE } from '@pulse-card/widget/server';
import type { Config } from '../../config.ts';
import type { SourceSnapshot } from '../../pulses/pulses.ts';
import type { Embed } from '../../http/app.ts';
import { ApiError, apiErrorOf, sendErrorPage } from '../../http/errors.ts';
import {
  type AnyRequest,
  type ErrorHandler,
  type PulseRequest,
  type PulseResponse,
  queryOf,
} from '../../http/locals.ts';
import { type DataParts, dependenciesOf, foundPulse, lookUp } from '../../http/routes/pulse.ts';
import { Body, HTML_TYPE, sendCached } from '../../http/send.ts';
import {
  type ChartSize,
  frameErrorPage,
  frameHeaders,
  frameOptionsOf,
  framePage,
  framePageInLook,
  imageOriginsOf,
} from './frame-page.ts';
import { frameThemeOf } from './frame-theme.ts';

/** The parts of pages and fragments. */
export interface EmbedParts extends DataParts {
  readonly config: Config;
  /** The hash in the name of the card's script; undefined if the card isn't built. */
  readonly scriptHash: string | undefined;
  /** The size of a chart that was read before. */
  readonly chartSizeOf: (pulse: ReadPulse) => ChartSize | undefined;
  /** An earlier run that is stored. */
  readonly pulseOfRun: (snapshot: SourceSnapshot, run: string) => ReadPulse | undefined;
  readonly onFault: (fault: unknown) => void;
}

/** Codes that a page shows with the words of another one. */
const SHOWN_AS: Readonly<Record<string, string>> = {
  not_found: 'source_unknown',
  bad_request: 'source_unknown',
  method_not_allowed: 'source_unknown',
  signed_out: 'token_forbidden',
  token_missing: 'token_forbidden',
  token_invalid: 'token_forbidden',
};

/**
 * `GET /embed/:sourceId` shows the latest pulse of a source, or with `run` an earlier one that is stored.
 * `GET /v1/sources/:sourceId/fragment` is the card with declarative shadow DOM, for a server in any language.
 */
export function openEmbed(parts: EmbedParts): Embed {
  const { config, scriptHash, onFault } = parts;
  const { publicUrl, allowedOrigins } = config;
  /** Whether every reader may see every pulse. */
  const isPublic = config.access === 'public' && config.cache === 'public' && !config.isMounted;
  return {
    page: async (req, res) => {
      const query = queryOf(req);
      const version = config.history > 0 ? query.get('run') || undefined : undefined;
      const options = { ...frameOptionsOf(query), version };
      const { variant, language, look } = options;
      const { sourceId, answer, hit, chartSize } = await findShown(req, res, parts, version);
      const page = { sourceId, answer, chartSize, server: { publicUrl, scriptHash, isPublic } };
      const size = chartSize && `${chartSize.width} ${chartSize.height}`;
      const dependencies = [...dependenciesOf(hit, parts.fields), size];
      const name = ['page', sourceId, version, variant, language, look.theme, look.chartTheme].join(' ');
      const plain = frameThemeOf(new URLSearchParams({ theme: look.theme, 'chart-theme': look.chartTheme }));
      const make = (): string => framePage(page, { ...options, look: plain });
      const kept = parts.bodies.body(name, dependencies, HTML_TYPE, make);
      // Anyone can invent any number of themes, so pages with a theme aren't cached, and creating them must be cheap.
      const inLook = (): string => framePageInLook(kept.content.toString(), page, options);
      const body = look.css === '' ? kept : new Body(inLook(), HTML_TYPE, { isCompressed: false });
      setHeaders(res, frameHeaders(allowedOrigins, imageOriginsOf(answer.pulse.imageUrl), look));
      sendCached(req, res, body, hit, config);
    },
    fragment: async (req, res) => {
      const { sourceId, answer, hit } = await findShown(req, res, parts, undefined);
      const options = frameOptionsOf(queryOf(req));
      const { variant, language, look } = options;
      const make = (): string => fragmentOf(sourceId, answer, options, { publicUrl, isPublic });
      const name = ['fragment', sourceId, variant, language, look.theme, look.chartTheme].join(' ');
      const body =
        look.css === ''
          ? parts.bodies.body(name, dependenciesOf(hit, parts.fields), HTML_TYPE, make)
          : new Body(make(), HTML_TYPE, { isCompressed: false });
      sendCached(req, res, body, hit, config);
    },
    errorPage: answerWith(onFault, ({ code, details: { source }, retryAfterSeconds }, req, res) => {
      const options = frameOptionsOf(queryOf(req));
      setHeaders(res, frameHeaders(allowedOrigins, [], options.look));
      return frameErrorPage({ code: SHOWN_AS[code] ?? code, retryAfterSeconds, ...(source && { source }) }, options);
    }),
    errorFragment: answerWith(onFault, ({ code, details: { source } }, req) => {
      const { sourceId } = (req.params ?? {}) as { readonly sourceId?: unknown };
      const id = isSourceId(sourceId) ? sourceId : '';
      return fragmentOf(id, { code, ...(source && { source }) }, frameOptionsOf(queryOf(req)), { publicUrl, isPublic });
    }),
  };
}

/** Finds the pulse to show: the latest one, or the run `version`. */
async function findShown(req: PulseRequest, res: PulseResponse, parts: EmbedParts, version: string | undefined) {
  const latest = foundPulse(await lookUp(req, res, parts), parts);
  const { fields, chartSizeOf, pulseOfRun } = parts;
  const isLatest = version === undefined || version === latest.value.pulse.jobRunId;
  const pulse = isLatest ? latest.value.pulse : pulseOfRun(latest.value, version);
  if (pulse === undefined)
    throw new ApiError('not_found', { error: 'This run isn’t kept', source: fields.sourceFacts(latest.value) });
  const value = isLatest ? latest.value : { ...latest.value, pulse };
  const answer = fields.answer(value, latest.isStale);
  return { sourceId: req.params.sourceId, answer, hit: { ...latest, value }, chartSize: chartSizeOf(pulse) };
}

/**
 * The card as HTML with declarative shadow DOM. All URLs in it are absolute. If there is an error, the card shows it.
 */
function fragmentOf(
  sourceId: string,
  answer: PulseAnswer | PulseRefusal,
  { variant, language, look }: ReturnType<typeof frameOptionsOf>,
  { publicUrl: baseUrl, isPublic }: { readonly publicUrl: string; readonly isPublic: boolean },
): string {
  const { theme, chartTheme, css } = look;
  const styleHref = `${baseUrl}/${STYLE_FILE}`;
  // After an error, the element requests the pulse itself.
  const embedData = 'pulse' in answer;
  const options = { sourceId, baseUrl, styleHref, variant, theme, chartTheme, language, embedData, isPublic };
  const own = css.replaceAll(':root', `pulse-card[source-id="${sourceId}"]`);
  return `${css === '' || sourceId === '' ? '' : `<style>${own}</style>`}${renderPulseCard(answer, options)}\n`;
}

type ErrorHtmlOf = (error: ApiError, req: AnyRequest & { readonly params?: unknown }, res: PulseResponse) => string;

function answerWith(onFault: EmbedParts['onFault'], htmlOf: ErrorHtmlOf): ErrorHandler {
  return (fault: unknown, req, res, _next) => {
    const error = apiErrorOf(fault, onFault);
    if (res.headersSent) res.destroy();
    else sendErrorPage(req, res, error, HTML_TYPE, htmlOf(error, req, res));
  };
}

function setHeaders(res: PulseResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}
