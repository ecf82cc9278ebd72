import type { ErrorCode, PulseAnswer, ReadPulse } from '@pulse-card/contract';
import type { SourceSnapshot } from '../../cache/entries.ts';
import type { CacheHit } from '../../cache/freshness.ts';
import { publicAnswer, publicSourceFacts } from '../../http/public-fields.ts';
import { HTML_TYPE, Representation } from '../../http/representation.ts';
import type { PageError, RequestContext } from '../../http/request-context.ts';
import { sendError } from '../../http/errors.ts';
import { sendCached } from '../../http/respond.ts';
import type { ChartSize, HeadLink, Route, RouteParts } from '../../http/route.ts';
import { findSource } from '../../http/routes/pulses-route.ts';
import {
  type FrameOptions,
  frameOptionsOf,
  frameErrorPage,
  framePage,
  framePageInLook,
  framePolicy,
  type FramePulse,
  type FrameServer,
  imageOriginsOf,
} from './frame-page.ts';
import { frameThemeOf } from './frame-theme.ts';

/** The path of pages for frames, as the log and metrics name it. */
const EMBED_PATH = '/embed/:sourceId';

/** The route of pages for frames. Errors from this route are sent as pages, too. */
export const EMBED_ROUTE: Route = {
  path: EMBED_PATH,
  access: 'frame',
  answer: sendEmbed,
  errorPage: (context, parts) => (error) => errorPageOf(context, error, parts),
};

/** Compresses as fast as possible, because the body is sent only once. */
const LIGHTLY = { brotliQuality: 0, gzipLevel: 1 };

/**
 * Responds with a page that shows the latest pulse of a source. With `run`, the page shows an earlier pulse that is
 * kept.
 */
async function sendEmbed(context: RequestContext, parts: RouteParts, sourceId: string): Promise<void> {
  const shown = await findShown(context, parts, sourceId);
  if (shown === undefined) return;
  const { answer, lookup } = shown;
  const options = { ...frameOptionsOf(new URLSearchParams(context.target.query)), version: shown.version };
  const { look } = options;
  const page = { sourceId, answer, server: frameServerOf(parts), chartSize: shown.chartSize, links: shown.links };
  const kept = keptPage(parts, shown, page, options);
  // Anyone can invent any number of themes, so pages with a theme aren't cached, and creating them must be cheap.
  const body =
    look.css === '' ? kept : new Representation(framePageInLook(kept.text, page, options), HTML_TYPE, LIGHTLY);
  context.headers.push(...framePolicy(parts.config.allowedOrigins, imageOriginsOf(answer.pulse.imageUrl), look));
  sendCached(context, body, lookup, parts.config);
}

/** The page of `framePage()` in the default theme. */
function keptPage(
  { bodies, additions }: RouteParts,
  { snapshot, lookup: { isEarlierVersion }, chartSize, version }: Shown,
  page: FramePulse,
  options: FrameOptions,
): Representation {
  const { variant, language, look } = options;
  const plain = frameThemeOf(new URLSearchParams({ theme: look.theme, 'chart-theme': look.chartTheme }));
  const name = [EMBED_PATH, page.sourceId, version, variant, language, look.theme, look.chartTheme].join(' ');
  const { imageUrl } = page.answer.pulse;
  const dependencies = [
    snapshot,
    isEarlierVersion,
    imageUrl,
    chartSize?.width,
    chartSize?.height,
    additions.revision(),
  ];
  return bodies.body(name, dependencies, HTML_TYPE, () => framePage(page, { ...options, look: plain }));
}

/** What a page or a fragment shows. */
export interface Shown {
  readonly answer: PulseAnswer;
  readonly snapshot: SourceSnapshot;
  readonly lookup: CacheHit<SourceSnapshot>;
  readonly chartSize: ChartSize | undefined;
  readonly links: readonly HeadLink[];
  /** The requested earlier run. */
  readonly version: string | undefined;
}

/** Finds the pulse to show. If there is none, responds with an error and returns undefined. */
export async function findShown(
  context: RequestContext,
  parts: RouteParts,
  sourceId: string,
): Promise<Shown | undefined> {
  const { fieldPolicy, additions } = parts;
  context.record.sourceIds = [sourceId];
  context.isErrorCacheable = false;
  const lookup = await findSource(context, sourceId, parts);
  if (lookup === undefined) return undefined;
  const { value: latest, isEarlierVersion } = lookup;
  const pulse = latest.pulse && runOf(context, latest, latest.pulse, parts);
  if (!pulse) {
    const source = publicSourceFacts(latest, fieldPolicy);
    if (latest.pulse === null) sendError(context, 'pulse_not_found', { source });
    else sendError(context, 'not_found', { error: 'This run is not stored', source });
    return undefined;
  }
  const snapshot = pulse === latest.pulse ? latest : { ...latest, pulse };
  const answer = additions.amend(publicAnswer(snapshot, isEarlierVersion, fieldPolicy));
  const version = requestedRun(context, parts);
  const links = additions.headLinks(sourceId, answer.pulse);
  return { answer, snapshot, lookup, chartSize: additions.chartSizeOf(pulse), links, version };
}

function requestedRun({ target, record }: RequestContext, { additions }: RouteParts): string | undefined {
  if (additions.pulseOfRun === undefined || record.route !== EMBED_PATH) return undefined;
  return new URLSearchParams(target.query).get('run') || undefined;
}

/** The pulse of the requested run, or the latest pulse; undefined if the requested run isn't kept. */
function runOf(context: RequestContext, snapshot: SourceSnapshot, latest: ReadPulse, parts: RouteParts) {
  const run = requestedRun(context, parts);
  if (run === undefined || run === latest.jobRunId) return latest;
  return parts.additions.pulseOfRun?.(snapshot, run);
}

function frameServerOf(parts: RouteParts): FrameServer {
  return { publicUrl: parts.config.publicUrl, scriptHash: parts.scriptHash, isPublic: isPublicServer(parts) };
}

/** Returns whether every reader may see every pulse. */
export function isPublicServer({ config, isMounted }: Pick<RouteParts, 'config' | 'isMounted'>): boolean {
  return config.access === 'public' && config.cacheScope === 'public' && !isMounted;
}

/** Error codes that a frame page replaces with a different code. */
const ERROR_CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'source_unknown',
  method_not_allowed: 'source_unknown',
  token_missing: 'token_forbidden',
  token_invalid: 'token_forbidden',
  origin_forbidden: 'token_forbidden',
};

/** The frame page that shows an error from any route. */
function errorPageOf({ target }: RequestContext, error: PageError, { config }: RouteParts) {
  const { code, source, retryAfterSeconds } = error;
  const options = frameOptionsOf(new URLSearchParams(target.query));
  const failure = { code: ERROR_CODES[code] ?? code, retryAfterSeconds, ...(source && { source }) };
  const headers = framePolicy(config.allowedOrigins, [], options.look);
  return { headers, html: frameErrorPage(failure, options) };
}
