import type { ErrorCode } from '@pulse-card/contract';
import { isSourceId } from '@pulse-card/contract';
import type { Card, PulseCache, Reading } from '../cache/port.ts';
import { sendKnown } from '../http/answer-freshness.ts';
import type { ErrorPage, Exchange } from '../http/exchange.ts';
import type { Lifetimes } from '../http/freshness-headers.ts';
import { type Exposure, publicPulse, publicSourceFacts } from '../http/public-pulse.ts';
import { isPermitted } from '../http/refuse-token.ts';
import { type ErrorDetails, sendError } from '../http/send-error.ts';
import { type FrameOptions, frameOptionsOf } from './frame-options.ts';
import { frameErrorPage, framePage, type FrameServer } from './frame-page.ts';
import { framePolicy, imageOriginsOf } from './frame-policy.ts';
import { KeptBodies } from './kept-bodies.ts';

/** The route of a page for a frame, as log and metrics name it. */
export const EMBED_ROUTE = '/embed/:sourceId';

const HTML_TYPE = 'text/html; charset=utf-8';

/** What the route of pages for frames needs. */
export interface EmbedRouteParts {
  readonly cache: PulseCache;
  readonly exposure: Exposure;
  readonly lifetimes: Lifetimes;
  readonly server: FrameServer;
  readonly pages: KeptBodies;
}

/** Room for pages that were made. */
export function keptPages(): KeptBodies {
  return new KeptBodies(HTML_TYPE);
}

/** Answers with a page that shows the latest pulse of a source. */
export async function answerEmbed(exchange: Exchange, sourceId: string, parts: EmbedRouteParts): Promise<void> {
  if (!isSourceId(sourceId)) return sendError(exchange, 'invalid_source_id');
  if (!isPermitted(exchange, sourceId)) return undefined;
  const reading = parts.cache.peekCard(sourceId) ?? (await parts.cache.readCard(sourceId));
  return sendPage(exchange, reading, parts);
}

function sendPage(exchange: Exchange, reading: Reading<Card>, parts: EmbedRouteParts): void {
  if (!reading.ok) return sendError(exchange, reading.code, { retryAfterSeconds: reading.retryAfterSeconds });
  const { known, stale, ageMs, facts } = reading;
  const source = publicSourceFacts(known, parts.exposure);
  if (known.pulse === null) return sendError(exchange, 'pulse_not_found', { source });
  const pulse = publicPulse(known.pulse, parts.exposure);
  const requestedAt = new Date(known.requestedAtMs).toISOString();
  const options = frameOptionsOf(new URLSearchParams(exchange.query));
  const body = parts.pages.body(known, stale, `${formOf(options)} ${parts.exposure.imagePeriod?.() ?? 0}`, () =>
    framePage({ sourceId: known.sourceId, stale, requestedAt, pulse, source }, options, parts.server),
  );
  const { allowedOrigins } = parts.server;
  exchange.headers.push(...framePolicy({ allowedOrigins, imageOrigins: imageOriginsOf(pulse.imageUrl) }));
  sendKnown(exchange, body, { ageMs, stale, facts }, parts.lifetimes);
}

/** A name for a choice of options. */
export function formOf({ variant, theme, language }: FrameOptions): string {
  return `${variant} ${theme} ${language}`;
}

/** Codes and the word for each that a reader is told, where that is another. */
const TOLD: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'source_unknown',
  method_not_allowed: 'source_unknown',
  token_missing: 'token_forbidden',
  token_invalid: 'token_forbidden',
  origin_forbidden: 'token_forbidden',
};

/** Makes the page for an error, wherever in the server it arises. */
export function errorPageOf(server: FrameServer): ErrorPage {
  const headers = framePolicy({ allowedOrigins: server.allowedOrigins, imageOrigins: [] });
  return (exchange, code, { source, retryAfterSeconds }: ErrorDetails) => {
    const options = frameOptionsOf(new URLSearchParams(exchange.query));
    const failure = { code: TOLD[code] ?? code, retryAfterSeconds, ...(source && { source }) };
    return { contentType: HTML_TYPE, headers, text: frameErrorPage(failure, options, server) };
  };
}
