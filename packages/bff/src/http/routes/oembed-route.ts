import type { LookupResult, SourceSnapshot } from '../../cache/port.ts';
import { sendCached } from '../freshness-headers.ts';
import type { RequestContext } from '../request-context.ts';
import { publicPulse, publicSourceFacts } from '../public-pulse.ts';
import { JSON_TYPE, RepresentationCache } from '../response-cache.ts';
import { isPermitted } from '../token-guard.ts';
import { sendError, sendUncodedError } from '../send-error.ts';
import { type EmbedRouteOptions, formOf } from './embed-route.ts';
import { type OembedQuestion, oembedAnswer, oembedQuestionOf } from '../../embed/oembed.ts';

/** The route of oEmbed, as log and metrics name it. */
export const OEMBED_ROUTE = '/oembed';

/** Room for answers that were made. */
export function oembedResponseCache(): RepresentationCache {
  return new RepresentationCache(JSON_TYPE);
}

/** What the route of oEmbed needs. */
export interface OembedRouteOptions extends Pick<
  EmbedRouteOptions,
  'cache' | 'fieldPolicy' | 'freshnessPolicy' | 'server'
> {
  readonly answers: RepresentationCache;
}

/** Answers with how to embed the page that `url` names (oEmbed 1.0). */
export async function sendOembed(context: RequestContext, parts: OembedRouteOptions): Promise<void> {
  const query = new URLSearchParams(context.query);
  if (!query.get('url')) {
    return sendError(context, 'invalid_source_id', { error: 'The request is malformed: url is missing' });
  }
  if ((query.get('format') || 'json') !== 'json') {
    return sendUncodedError(context, 501, 'This format is not available: there is json alone');
  }
  const question = oembedQuestionOf(query, parts.server);
  if (question === undefined) return sendError(context, 'not_found', { error: 'No page of this server has this url' });
  if (!isPermitted(context, question.sourceId)) return undefined;
  const { cache } = parts;
  sendOembedResponse(
    context,
    question,
    cache.getIfCached(question.sourceId) ?? (await cache.getOrFetch(question.sourceId)),
    parts,
  );
}

function sendOembedResponse(
  context: RequestContext,
  question: OembedQuestion,
  lookup: LookupResult<SourceSnapshot>,
  { fieldPolicy, freshnessPolicy, server: { publicUrl }, answers }: OembedRouteOptions,
): void {
  if (!lookup.ok) return sendError(context, lookup.code, { retryAfterSeconds: lookup.retryAfterSeconds });
  const { value: known, stale, ageMs, facts } = lookup;
  const { pulse } = known;
  if (pulse === null) return sendError(context, 'pulse_not_found');
  const { options, isVariantNamed, maxWidthPx, maxHeightPx } = question;
  const form = `${formOf(options)} ${isVariantNamed} ${maxWidthPx} ${maxHeightPx} ${fieldPolicy.imagePeriod?.() ?? 0}`;
  const body = answers.body(known, stale, form, () =>
    JSON.stringify(
      oembedAnswer(question, {
        publicUrl,
        pulse: publicPulse(pulse, fieldPolicy),
        source: publicSourceFacts(known, fieldPolicy),
        cacheSeconds: Math.max(1, Math.floor(freshnessPolicy.freshForMs / 1_000)),
      }),
    ),
  );
  sendCached(context, body, { ageMs, stale, facts }, freshnessPolicy);
}
