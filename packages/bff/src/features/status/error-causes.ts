import type { ErrorCode } from '@pulse-card/contract';
import { originAdvice } from '../../http/origins.ts';

/**
 * What a code means for a reader. `refused`: a rule refuses the request. `failed`: the reader may see the chart, but
 * doesn't get it. `unknown`: the requested thing doesn't exist, as in many requests from bots.
 */
export type ErrorKind = 'refused' | 'failed' | 'unknown';

/** The facts that determine the advice for a code. */
interface CauseFacts {
  readonly origin?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly isBehindUnknownProxy?: boolean;
}

type Cause = readonly [kind: ErrorKind, words: string, advice: string | ((facts: CauseFacts) => string)];

/** Why an answer with this code has no chart, and what to do about it. Other codes aren't problems for readers. */
const CAUSES: Readonly<Record<string, Cause | undefined>> = {
  origin_forbidden: ['refused', 'the site is not allowed', ({ origin }) => `${originAdvice([origin ?? 'null'])}.`],
  token_missing: ['refused', 'the request has no token', 'Set token or tokenProvider on the card.'],
  token_invalid: [
    'refused',
    'the token is refused',
    'Run pulse-bff token explain, or paste the token into the Check page.',
  ],
  token_forbidden: [
    'refused',
    'the token is for another source or site',
    'Mint tokens that list the source and the site.',
  ],
  rate_limited: [
    'refused',
    'too many requests come from one address',
    ({ isBehindUnknownProxy }) =>
      isBehindUnknownProxy === true
        ? 'Set TRUST_PROXY to the number of proxies in front, for example TRUST_PROXY=1. Otherwise, all readers behind a proxy share one rate limit.'
        : 'If these are readers, raise PULSE_CLIENT_RATE. Behind a proxy, set TRUST_PROXY to the number of proxies in front.',
  ],
  source_unknown: [
    'unknown',
    'there is no such source',
    ({ sourceId }) => (sourceId === undefined ? 'Correct the source-id.' : `A page still has a card for ${sourceId}.`),
  ],
  bad_request: [
    'unknown',
    'servers interpret its address in different ways',
    'Do nothing, unless one of your proxies changes addresses.',
  ],
  upstream_auth: ['failed', 'the service refuses the key', 'Create a new key.'],
  upstream_rate_limited: [
    'failed',
    'all calls for the key are used up',
    'If this happens often, ask for a higher limit, and set PULSE_RATE_LIMIT.',
  ],
  upstream_unavailable: ['failed', 'the service does not answer', 'Run pulse-bff check.'],
  upstream_invalid: [
    'failed',
    'the service answers with something else',
    'Check PULSE_BASE_URL. It must not contain /v1.',
  ],
  internal: ['failed', 'this server has an internal error', 'Read the log and report the error.'],
} satisfies Partial<Record<ErrorCode, Cause>>;

/** Undefined for a normal answer, such as `pulse_not_found`. */
export function errorKindOf(code: string): ErrorKind | undefined {
  return CAUSES[code]?.[0];
}

/** Returns why an answer with this code has no chart, and what to do about it. */
export function causeOf(code: string, facts: CauseFacts): { readonly words: string; readonly advice: string } {
  const [, words, advice] = CAUSES[code] ?? ['failed', code, ''];
  return { words, advice: typeof advice === 'string' ? advice : advice(facts) };
}
