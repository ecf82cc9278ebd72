import { isSourceId, type PulseAnswer, type ReadPulse } from '@pulse-card/contract';
import type { Config } from '../../config.ts';
import type { Hit, SourceSnapshot } from '../../pulses/pulses.ts';
import type { Embed } from '../../http/app.ts';
import { ApiError, apiErrorOf, sendErrorPage } from '../../http/errors.ts';
import {
  type AnyRequest,
  type ErrorHandler,
  type PulseRequest,
  type PulseResponse,
  queryOf,
  type SourceHandler,
} from '../../http/locals.ts';
import type { SnapshotWithPulse } from '../../http/public-fields.ts';
import { type DataParts, foundPulse, lookUp } from '../../http/routes/pulse.ts';
import { Body, HTML_TYPE, sendCached } from '../../http/send.ts';
import { fragmentOf } from './fragment.ts';
import {
  type ChartSize,
  frameErrorPage,
  frameHeaders,
  type FrameOptions,
  frameOptionsOf,
  framePage,
  framePageInLook,
  type FramePulse,
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
  /** An earlier run that is kept. */
  readonly pulseOfRun: (snapshot: SourceSnapshot, run: string) => ReadPulse | undefined;
  readonly onFault: (fault: unknown) => void;
}

/** Pages for frames, and the card as a fragment of HTML. */
export function openEmbed(parts: EmbedParts): Embed {
  return {
    page: sendPage(parts),
    fragment: sendFragment(parts),
    errorPage: answerWith(errorPageOf(parts.config), parts.onFault),
    errorFragment: answerWith(errorFragmentOf(parts.config), parts.onFault),
  };
}

/** What a page or a fragment shows. */
interface Shown {
  readonly sourceId: string;
  readonly answer: PulseAnswer;
  readonly hit: Hit<SnapshotWithPulse>;
  readonly chartSize: ChartSize | undefined;
}

/** `GET /embed/:sourceId` shows the latest pulse of a source, or with `run` an earlier one that is kept. */
function sendPage(parts: EmbedParts): SourceHandler {
  const { config, scriptHash } = parts;
  const server = { publicUrl: config.publicUrl, scriptHash, isPublic: isPublicServer(config) };
  return async (req, res) => {
    const query = queryOf(req);
    const version = config.history > 0 ? query.get('run') || undefined : undefined;
    const shown = await findShown(req, res, parts, version);
    const options = { ...frameOptionsOf(query), version };
    const page = { ...shown, server };
    const kept = keptPage(parts, shown, page, options);
    // Anyone can invent any number of themes, so pages with a theme aren't kept, and making them must be cheap.
    const body =
      options.look.css === ''
        ? kept
        : new Body(framePageInLook(kept.content.toString(), page, options), HTML_TYPE, { isCompressed: false });
    const origins = imageOriginsOf(shown.answer.pulse.imageUrl);
    setHeaders(res, frameHeaders(config.allowedOrigins, origins, options.look));
    sendCached(req, res, body, shown.hit, config);
  };
}

/** The page in the default theme. */
function keptPage(parts: EmbedParts, { hit, chartSize }: Shown, page: FramePulse, options: FrameOptions): Body {
  const { variant, language, look, version } = options;
  const plain = frameThemeOf(new URLSearchParams({ theme: look.theme, 'chart-theme': look.chartTheme }));
  const name = ['page', page.sourceId, version, variant, language, look.theme, look.chartTheme].join(' ');
  const { pulse, source, requestedAtMs } = hit.value;
  const { fields } = parts;
  const size = chartSize && `${chartSize.width} ${chartSize.height}`;
  const dependencies = [pulse, source, requestedAtMs, hit.isStale, size, fields.revision];
  return parts.bodies.body(name, dependencies, HTML_TYPE, () => framePage(page, { ...options, look: plain }));
}

/** `GET /v1/sources/:sourceId/fragment` is the card with declarative shadow DOM, for a server in any language. */
function sendFragment(parts: EmbedParts): SourceHandler {
  const { config } = parts;
  return async (req, res) => {
    const { sourceId, answer, hit } = await findShown(req, res, parts, undefined);
    const html = fragmentOf(sourceId, answer, queryOf(req), { config, isPublic: isPublicServer(config) });
    sendCached(req, res, new Body(html, HTML_TYPE), hit, config);
  };
}

/** Finds the pulse to show: the latest one, or the run `version`. */
async function findShown(
  req: PulseRequest,
  res: PulseResponse,
  parts: EmbedParts,
  version: string | undefined,
): Promise<Shown> {
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

/** Whether every reader may see every pulse. */
function isPublicServer({ access, cache, isMounted }: Config): boolean {
  return access === 'public' && cache === 'public' && !isMounted;
}

/** The HTML of an error, and the headers that it needs. */
interface ErrorHtml {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

type ErrorHtmlOf = (error: ApiError, req: AnyRequest & { readonly params?: unknown }) => ErrorHtml;

function answerWith(htmlOf: ErrorHtmlOf, onFault: EmbedParts['onFault']): ErrorHandler {
  return (fault: unknown, req, res, _next) => {
    const error = apiErrorOf(fault, onFault);
    if (res.headersSent) {
      res.destroy();
      return;
    }
    const { html, headers } = htmlOf(error, req);
    setHeaders(res, headers);
    sendErrorPage(req, res, error, HTML_TYPE, html);
  };
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

function errorPageOf({ allowedOrigins }: Config): ErrorHtmlOf {
  return ({ code, details: { source }, retryAfterSeconds }, req) => {
    const options = frameOptionsOf(queryOf(req));
    const failure = { code: SHOWN_AS[code] ?? code, retryAfterSeconds, ...(source && { source }) };
    return { html: frameErrorPage(failure, options), headers: frameHeaders(allowedOrigins, [], options.look) };
  };
}

function errorFragmentOf(config: Config): ErrorHtmlOf {
  return ({ code, details: { source } }, { params, url }) => {
    const { sourceId } = (params ?? {}) as { readonly sourceId?: unknown };
    const id = isSourceId(sourceId) ? sourceId : '';
    const refusal = { code, ...(source && { source }) };
    const html = fragmentOf(id, refusal, queryOf({ url }), { config, isPublic: isPublicServer(config) });
    return { html, headers: {} };
  };
}

function setHeaders(res: PulseResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}
