import type { Card, Reading } from '../cache/port.ts';
import { sendKnown } from '../http/answer-freshness.ts';
import type { Exchange } from '../http/exchange.ts';
import { publicPulse, publicSourceFacts } from '../http/public-pulse.ts';
import { JSON_TYPE } from '../http/pulse-bodies.ts';
import { isPermitted } from '../http/refuse-token.ts';
import { sendError, sendUncodedError } from '../http/send-error.ts';
import { type EmbedRouteParts, formOf } from './embed-route.ts';
import { KeptBodies } from './kept-bodies.ts';
import { oembedAnswer, type OembedQuestion, oembedQuestionOf } from './oembed.ts';

/** The route of oEmbed, as log and metrics name it. */
export const OEMBED_ROUTE = '/oembed';

/** Room for answers that were made. */
export function keptAnswers(): KeptBodies {
  return new KeptBodies(JSON_TYPE);
}

/** What the route of oEmbed needs. */
export interface OembedRouteParts extends Pick<EmbedRouteParts, 'cache' | 'exposure' | 'lifetimes' | 'server'> {
  readonly answers: KeptBodies;
}

/** Answers with how to embed the page that `url` names (oEmbed 1.0). */
export async function answerOembed(exchange: Exchange, parts: OembedRouteParts): Promise<void> {
  const query = new URLSearchParams(exchange.query);
  if (!query.get('url')) {
    return sendError(exchange, 'invalid_source_id', { error: 'The request is malformed: url is missing' });
  }
  if ((query.get('format') || 'json') !== 'json') {
    return sendUncodedError(exchange, 501, 'This format is not available: there is json alone');
  }
  const question = oembedQuestionOf(query, parts.server);
  if (question === undefined) return sendError(exchange, 'not_found', { error: 'No page of this server has this url' });
  if (!isPermitted(exchange, question.sourceId)) return undefined;
  const { cache } = parts;
  sendAnswer(exchange, question, cache.peekCard(question.sourceId) ?? (await cache.readCard(question.sourceId)), parts);
}

function sendAnswer(
  exchange: Exchange,
  question: OembedQuestion,
  reading: Reading<Card>,
  { exposure, lifetimes, server: { publicUrl }, answers }: OembedRouteParts,
): void {
  if (!reading.ok) return sendError(exchange, reading.code, { retryAfterSeconds: reading.retryAfterSeconds });
  const { known, stale, ageMs, facts } = reading;
  const { pulse } = known;
  if (pulse === null) return sendError(exchange, 'pulse_not_found');
  const { options, isVariantNamed, maxWidthPx, maxHeightPx } = question;
  const form = `${formOf(options)} ${isVariantNamed} ${maxWidthPx} ${maxHeightPx} ${exposure.imagePeriod?.() ?? 0}`;
  const body = answers.body(known, stale, form, () =>
    JSON.stringify(
      oembedAnswer(question, {
        publicUrl,
        pulse: publicPulse(pulse, exposure),
        source: publicSourceFacts(known, exposure),
        cacheSeconds: Math.max(1, Math.floor(lifetimes.freshForMs / 1_000)),
      }),
    ),
  );
  sendKnown(exchange, body, { ageMs, stale, facts }, lifetimes);
}
