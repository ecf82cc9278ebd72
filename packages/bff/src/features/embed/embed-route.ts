import type { ErrorCode } from '@pulse-card/contract';
import type { PageError, RequestContext } from '../../http/request-context.ts';
import type { Route, RouteParts } from '../../http/route.ts';
import { publicAnswer, publicSourceFacts } from '../../http/public-pulse.ts';
import { sendCached, sendError } from '../../http/respond.ts';
import {
  type FrameServer,
  frameOptionsOf,
  frameErrorPage,
  framePage,
  framePageInLook,
  framePolicy,
  imageOriginsOf,
} from './frame-page.ts';
import { frameThemeOf } from './frame-theme.ts';
import { HTML_TYPE, Representation } from '../../http/representation.ts';
import { findSource } from '../../http/routes/pulses-route.ts';

/** The path of pages for frames, as log and metrics name it. */
const EMBED_PATH = '/embed/:sourceId';

/** The route of pages for frames, whose errors are pages. */
export const EMBED_ROUTE: Route = {
  path: EMBED_PATH,
  access: 'frame',
  answer: sendEmbed,
  errorPage: (context, parts) => (error) => errorPageOf(context, error, parts),
};

/** A body that is sent once is compressed as fast as possible. */
const LIGHTLY = { brotliQuality: 0, gzipLevel: 1 };

/** Answers with a page that shows the latest pulse of a source. */
async function sendEmbed(context: RequestContext, parts: RouteParts, sourceId: string): Promise<void> {
  const { config, fieldPolicy, bodies, additions } = parts;
  context.sourceIds = [sourceId];
  const lookup = await findSource(context, sourceId, parts);
  if (lookup === undefined) return;
  const { value: snapshot, stale } = lookup;
  if (snapshot.pulse === null)
    return sendError(context, 'pulse_not_found', { source: publicSourceFacts(snapshot, fieldPolicy) });
  const answer = additions.amend(publicAnswer(snapshot, stale, fieldPolicy));
  const { imageUrl } = answer.pulse;
  const options = frameOptionsOf(new URLSearchParams(context.query));
  const { variant, language, look } = options;
  const chartSize = additions.chartSizeOf(snapshot.pulse);
  const server = frameServerOf(parts);
  const plain = {
    ...options,
    look: frameThemeOf(new URLSearchParams({ theme: look.theme, 'chart-theme': look.chartTheme })),
  };
  const name = [EMBED_PATH, sourceId, variant, language, look.theme, look.chartTheme].join(' ');
  const page = bodies.body(
    name,
    [snapshot, stale, imageUrl, chartSize?.width, chartSize?.height, additions.revision()],
    HTML_TYPE,
    () => framePage(sourceId, answer, plain, server, chartSize),
  );
  // Anyone can think of any number of looks: their pages are not kept, and cost as little as possible.
  const body =
    look.css === ''
      ? page
      : new Representation(
          framePageInLook(page.text, sourceId, answer, options, server, chartSize),
          HTML_TYPE,
          LIGHTLY,
        );
  context.headers.push(...framePolicy(config.allowedOrigins, imageOriginsOf(imageUrl), look));
  sendCached(context, body, lookup, config);
}

function frameServerOf({ config, scriptHash, isMounted }: RouteParts): FrameServer {
  const isPublic = config.access === 'public' && config.cacheScope === 'public' && !isMounted;
  return { publicUrl: config.publicUrl, scriptHash, isPublic };
}

/** Codes that a frame page shows as another one. */
const ERROR_CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'source_unknown',
  method_not_allowed: 'source_unknown',
  token_missing: 'token_forbidden',
  token_invalid: 'token_forbidden',
  origin_forbidden: 'token_forbidden',
};

/** The page for a frame that shows an error of any route. */
function errorPageOf({ query }: RequestContext, error: PageError, { config }: RouteParts) {
  const { code, source, retryAfterSeconds } = error;
  const options = frameOptionsOf(new URLSearchParams(query));
  const failure = { code: ERROR_CODES[code] ?? code, retryAfterSeconds, ...(source && { source }) };
  const headers = framePolicy(config.allowedOrigins, [], options.look);
  return { headers, html: frameErrorPage(failure, options) };
}
