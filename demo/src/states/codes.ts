import type { ErrorCode } from '@pulse-card/contract';

/** A code that a card can report in `pulse-error`: a code of the BFF, or one of four codes of the card. */
export type CardCode = ErrorCode | 'network' | 'timeout' | 'invalid_answer' | 'signed_out';

/** The meaning of a code for readers and owners. */
export interface CodeRow {
  readonly code: CardCode;
  /** The status of the BFF's answer, or null if there is none. */
  readonly status: number | null;
  /** The texts of the card. */
  readonly words: string;
  /** Advice for the owner of the page or the BFF. */
  readonly remedy: string;
}

const NOT_NOW = 'This chart can’t be shown right now.';
const NOT_HERE = 'Chart not found.';
const NOT_ALLOWED = 'This site may not show this chart.';

/** Every code, the most frequent first. */
export const CODES: readonly CodeRow[] = [
  {
    code: 'pulse_not_found',
    status: 404,
    words: 'No chart yet. It appears after the next delivery.',
    remedy: 'Nothing. The source has not delivered yet.',
  },
  {
    code: 'origin_forbidden',
    status: 403,
    words: NOT_ALLOWED,
    remedy: 'Add the page’s origin to PULSE_ALLOWED_ORIGINS of the BFF.',
  },
  {
    code: 'source_unknown',
    status: 404,
    words: NOT_HERE,
    remedy: 'Correct source-id. If the list doesn’t show the source, add its id to PULSE_SOURCES.',
  },
  {
    code: 'invalid_source_id',
    status: 400,
    words: NOT_HERE,
    remedy: 'Copy the id from the Board: it has letters, digits, “_”, “-” and “.” only.',
  },
  {
    code: 'bad_request',
    status: 400,
    words: NOT_HERE,
    remedy: 'Correct the address: it has a “#”, a “\\”, or another host. A proxy must pass the path on unchanged.',
  },
  {
    code: 'token_missing',
    status: 401,
    words: NOT_ALLOWED,
    remedy: 'Set tokenProvider on the card; this BFF shows nothing without a token.',
  },
  {
    code: 'token_invalid',
    status: 401,
    words: NOT_ALLOWED,
    remedy:
      'Paste the token into Check: it says whether it has expired, is for another origin, or was signed with another key.',
  },
  {
    code: 'token_forbidden',
    status: 403,
    words: 'You don’t have access to this chart.',
    remedy: 'Issue a token whose sources include this one.',
  },
  {
    code: 'upstream_unavailable',
    status: 503,
    words: NOT_NOW,
    remedy: 'Look at the status page: the service does not answer and no earlier chart is kept.',
  },
  {
    code: 'upstream_auth',
    status: 503,
    words: NOT_NOW,
    remedy: 'Create a new key for the BFF: the service rejects the current one. Run "pulse-bff check" for the reason.',
  },
  {
    code: 'upstream_rate_limited',
    status: 503,
    words: NOT_NOW,
    remedy: 'Wait a minute. If this lasts, other programs use the same key. See the budget on the status page.',
  },
  {
    code: 'upstream_invalid',
    status: 502,
    words: NOT_NOW,
    remedy: 'Check PULSE_BASE_URL: something other than the service answers there.',
  },
  {
    code: 'rate_limited',
    status: 429,
    words: NOT_NOW,
    remedy: 'Behind a proxy, set TRUST_PROXY: otherwise all readers share one limit. Or raise PULSE_CLIENT_RATE.',
  },
  {
    code: 'network',
    status: null,
    words: NOT_NOW,
    remedy: 'Check base-url and the page’s connect-src; the BFF cannot be reached from the reader’s browser.',
  },
  {
    code: 'timeout',
    status: null,
    words: NOT_NOW,
    remedy: 'The BFF did not answer within 15 s, or tokenProvider within 10 s.',
  },
  {
    code: 'invalid_answer',
    status: null,
    words: NOT_HERE,
    remedy: 'Check base-url: something other than a BFF answers there.',
  },
  {
    code: 'signed_out',
    status: 401,
    words: NOT_ALLOWED,
    remedy: 'Sign in again: a login in front of the BFF refused the request.',
  },
  { code: 'not_found', status: 404, words: NOT_HERE, remedy: 'Check base-url: the BFF has no such route.' },
  {
    code: 'method_not_allowed',
    status: 405,
    words: NOT_HERE,
    remedy: 'Something between the page and the BFF changes the request. BFFs only accept GET and HEAD.',
  },
  { code: 'internal', status: 500, words: NOT_NOW, remedy: 'Look at the BFF’s log: this is an internal error.' },
];
