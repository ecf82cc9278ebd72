import { ERROR_STATUS, type ErrorCode } from '../../packages/contract/src/index.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Codes that only the elements create, in `pulse-error`. */
export const ELEMENT_CODES = ['network', 'timeout', 'invalid_answer', 'signed_out'] as const;

type CardCode = ErrorCode | (typeof ELEMENT_CODES)[number];

/** The meaning of each code, and who can fix its cause, and how. */
const HELP: Readonly<Record<CardCode, readonly [meaning: string, who: string, how: string]>> = {
  bad_request: [
    'The request is malformed',
    'page owner',
    'Correct the address: it contains a `#` or a `\\`, or has a different host. A proxy must forward the path unchanged',
  ],
  invalid_source_id: [
    'The source id is malformed',
    'page owner',
    'Copy the id from the Studio. An id can only contain letters, digits, `_`, `~`, `-`, and `.`',
  ],
  token_missing: [
    'The BFF requires a token',
    'page owner',
    'Set `tokenProvider` on the card. This BFF shows nothing without a token',
  ],
  token_invalid: [
    'The token has expired, or is not valid',
    'portal developer',
    'The log of the BFF says what was expected of the token, and what was found',
  ],
  origin_forbidden: [
    'The page is from an origin that is not allowed',
    'operator',
    'Add the page’s origin to the BFF’s `PULSE_ALLOWED_ORIGINS`',
  ],
  token_forbidden: [
    'The token, or `authorize`, does not allow this source or page',
    'portal developer',
    'Issue a token that lists the source, or return the source from `authorize`',
  ],
  source_unknown: [
    'The source does not exist, or is not one of the known sources',
    'page owner',
    'Correct `source-id`. If the source isn’t listed, add its id to `PULSE_SOURCES`',
  ],
  pulse_not_found: ['The source has no pulse yet', 'no one', 'Wait for the first run of the source'],
  not_found: ['The BFF has no such route, chart, or run', 'page owner', 'Check `base-url`: the BFF has no such route'],
  method_not_allowed: [
    'The method is not `GET`, `HEAD`, or `OPTIONS`',
    'page owner',
    'Find the program between the page and the BFF that changes the request’s method',
  ],
  rate_limited: [
    'One client sends too many requests',
    'operator',
    'If the BFF is behind a proxy, set `TRUST_PROXY`, because otherwise all readers share one limit. If not, raise `PULSE_CLIENT_RATE`',
  ],
  internal: ['An internal error occurred in the BFF', 'operator', 'Report the error, with its line in the BFF’s log'],
  upstream_invalid: [
    'The response from the service or the chart host is not valid',
    'operator',
    'Check `PULSE_BASE_URL`. If it is correct, tell the operator of the service',
  ],
  upstream_auth: [
    'The service rejects the API key',
    'operator',
    'Create a new key, because the service rejects the current key. `pulse-bff check` shows the reason',
  ],
  upstream_rate_limited: [
    'The key has no calls left',
    'operator',
    'Wait a minute. If the failure remains, raise `PULSE_RATE_RESERVE`, or give other programs a separate key',
  ],
  upstream_unavailable: [
    'The service does not respond, or the BFF is stopping',
    'operator',
    'Run `pulse-bff check`, or look at the status page',
  ],
  network: [
    'The BFF cannot be reached',
    'page owner, operator',
    'Check `base-url`, the page’s `connect-src`, and that the BFF is running',
  ],
  timeout: [
    'The BFF did not respond within 15 seconds, or `tokenProvider` did not respond within 10 seconds',
    'operator, portal developer',
    'Check the connection to the BFF, and your token route',
  ],
  invalid_answer: [
    'Something other than a BFF responded',
    'page owner',
    'Check `base-url`: something other than a BFF is answering there',
  ],
  signed_out: [
    'The portal session has ended, or another user has signed in',
    'reader',
    'Sign in again. A login in front of the BFF refused the request',
  ],
};

/** Returns the error codes page, generated from the list of codes in the contract. */
export function errorsPage(): string {
  const statuses: Readonly<Record<string, number>> = ERROR_STATUS;
  const row = (name: CardCode): string[] => {
    const [meaning, who, how] = HELP[name];
    const link = `[${code(name)}](../operate/troubleshoot.md#${name})`;
    const status = statuses[name] === undefined ? [] : [String(statuses[name])];
    return [link, ...status, meaning, who, how];
  };
  return [
    '# Error codes',
    'Error responses from the BFF have the form `{ "success": false, "error": "…", "code": "…" }` and are sent with `Cache-Control: no-store`. Caches may store only the 404s of a pulse, a batch, the list, earlier runs, or a feed, for 30 seconds at most. If a retry can help, the error has `Retry-After` with 1 to 300 seconds. Errors with status 408 and 431 have no body, and errors with status 501 have no code.',
    markdownTable(
      ['code', 'status', 'meaning', 'who fixes it', 'how'],
      (Object.keys(ERROR_STATUS) as ErrorCode[]).map(row),
    ),
    'The event `pulse-error` can also have four codes that only the elements create:',
    markdownTable(['code', 'meaning', 'who fixes it', 'how'], ELEMENT_CODES.map(row)),
  ].join('\n\n');
}
