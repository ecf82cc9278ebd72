import type { ErrorCode } from '@pulse-card/contract';

/** A code that a card can report in `pulse-error`: a code from the BFF, or one of the card's own four codes. */
export type CardCode = ErrorCode | 'network' | 'timeout' | 'invalid_answer' | 'signed_out';

/** The meaning of a code for readers and owners. */
export interface CodeRow {
  readonly code: CardCode;
  /** The status of the BFF's answer, or null if there is none. */
  readonly status: number | null;
  /** The text that the card shows. */
  readonly words: string;
  /** Advice for the owner of the page or the BFF, with names of settings in backticks. The reference shows it, too. */
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
    remedy: 'Wait for the first run of the source.',
  },
  {
    code: 'origin_forbidden',
    status: 403,
    words: NOT_ALLOWED,
    remedy: 'Add the page’s origin to the BFF’s `PULSE_ALLOWED_ORIGINS`.',
  },
  {
    code: 'source_unknown',
    status: 404,
    words: NOT_HERE,
    remedy: 'Correct `source-id`. If the source isn’t listed, add its id to `PULSE_SOURCES`.',
  },
  {
    code: 'invalid_source_id',
    status: 400,
    words: NOT_HERE,
    remedy: 'Copy the id from the Studio. An id can only contain letters, digits, `_`, `~`, `-`, and `.`.',
  },
  {
    code: 'bad_request',
    status: 400,
    words: NOT_HERE,
    remedy:
      'Correct the address: it contains a `#` or a `\\`, or has a different host. A proxy must forward the path unchanged.',
  },
  {
    code: 'token_missing',
    status: 401,
    words: NOT_ALLOWED,
    remedy: 'Set `tokenProvider` on the card. This BFF shows nothing without a token.',
  },
  {
    code: 'token_invalid',
    status: 401,
    words: NOT_ALLOWED,
    remedy:
      'Run `pulse-bff token explain`, or paste the token into the Studio’s Check page, to see why it is not valid.',
  },
  {
    code: 'token_forbidden',
    status: 403,
    words: 'You don’t have access to this chart.',
    remedy: 'Issue a token that lists the source, or return the source from `authorize`.',
  },
  {
    code: 'upstream_unavailable',
    status: 503,
    words: NOT_NOW,
    remedy: 'Run `pulse-bff check`, or look at the status page.',
  },
  {
    code: 'upstream_auth',
    status: 503,
    words: NOT_NOW,
    remedy: 'Create a new key, because the service rejects the current key. `pulse-bff check` shows the reason.',
  },
  {
    code: 'upstream_rate_limited',
    status: 503,
    words: NOT_NOW,
    remedy: 'Wait a minute. If the failure remains, raise `PULSE_RATE_RESERVE`, or give other programs a separate key.',
  },
  {
    code: 'upstream_invalid',
    status: 502,
    words: NOT_NOW,
    remedy: 'Check `PULSE_BASE_URL`. If it is correct, tell the operator of the service.',
  },
  {
    code: 'rate_limited',
    status: 429,
    words: NOT_NOW,
    remedy:
      'If the BFF is behind a proxy, set `TRUST_PROXY`, because otherwise all readers share one limit. If not, raise `PULSE_CLIENT_RATE`.',
  },
  {
    code: 'network',
    status: null,
    words: NOT_NOW,
    remedy: 'Check `base-url`, the page’s `connect-src`, and that the BFF is running.',
  },
  {
    code: 'timeout',
    status: null,
    words: NOT_NOW,
    remedy: 'Check the connection to the BFF, and your token route.',
  },
  {
    code: 'invalid_answer',
    status: null,
    words: NOT_HERE,
    remedy: 'Check `base-url`: something other than a BFF is answering there.',
  },
  {
    code: 'signed_out',
    status: 401,
    words: NOT_ALLOWED,
    remedy: 'Sign in again. A login in front of the BFF refused the request.',
  },
  { code: 'not_found', status: 404, words: NOT_HERE, remedy: 'Check `base-url`: the BFF has no such route.' },
  {
    code: 'method_not_allowed',
    status: 405,
    words: NOT_HERE,
    remedy: 'Find the program between the page and the BFF that changes the request’s method.',
  },
  { code: 'internal', status: 500, words: NOT_NOW, remedy: 'Report the error, with its line in the BFF’s log.' },
];
