import type { ErrorCode } from '@pulse-card/contract';
import type { PageError, RequestContext, RouteParts } from '../context.ts';
import { publicAnswer, publicSourceFacts } from '../public-pulse.ts';
import { sendCached, sendError } from '../respond.ts';
import { frameOptionsOf, frameErrorPage, framePage, framePolicy, imageOriginsOf } from '../../embed/frame-page.ts';
import { HTML_TYPE, Representation } from '../representation.ts';
import { findSource } from './pulses-route.ts';

/** The route of a page for a frame, as log and metrics name it. */
export const EMBED_ROUTE = '/embed/:sourceId';

/** The prefix of pages for frames, whose errors are pages. */
export const EMBED_PREFIX = '/embed/';

/** Answers with a page that shows the latest pulse of a source. */
export async function sendEmbed(context: RequestContext, parts: RouteParts, sourceId: string): Promise<void> {
  const { config, fieldPolicy, bodies, scriptHash } = parts;
  context.sourceIds = [sourceId];
  const lookup = await findSource(context, sourceId, parts);
  if (lookup === undefined) return;
  const { value: snapshot, stale } = lookup;
  if (snapshot.pulse === null)
    return sendError(context, 'pulse_not_found', { source: publicSourceFacts(snapshot, fieldPolicy) });
  const answer = publicAnswer(snapshot, stale, fieldPolicy);
  const { imageUrl } = answer.pulse;
  const options = frameOptionsOf(new URLSearchParams(context.query));
  const { variant, language, look } = options;
  const make = () => framePage(sourceId, answer, options, { publicUrl: config.publicUrl, scriptHash });
  const name = [EMBED_ROUTE, sourceId, variant, language, look.theme, look.chartTheme].join(' ');
  // Anyone can think of any number of looks: their pages are not kept.
  const body =
    look.css === ''
      ? bodies.body(name, [snapshot, stale, imageUrl], HTML_TYPE, make)
      : new Representation(make(), HTML_TYPE);
  context.headers.push(...framePolicy(config.allowedOrigins, imageOriginsOf(imageUrl), look));
  sendCached(context, body, lookup, config);
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
export function errorPageOf({ query }: RequestContext, error: PageError, { config }: RouteParts) {
  const { code, source, retryAfterSeconds } = error;
  const options = frameOptionsOf(new URLSearchParams(query));
  const failure = { code: ERROR_CODES[code] ?? code, retryAfterSeconds, ...(source && { source }) };
  const headers = framePolicy(config.allowedOrigins, [], options.look);
  return { headers, html: frameErrorPage(failure, options) };
}
