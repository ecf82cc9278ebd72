import { ERROR_STATUS, type ErrorCode } from '../../packages/contract/src/index.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Codes that only the elements create, in `pulse-error`. */
export const ELEMENT_CODES = ['network', 'timeout', 'invalid_answer', 'signed_out'] as const;

interface Help {
  readonly meaning: string;
  /** Who can fix it. */
  readonly who: string;
  readonly fix: string;
}

const HELP: Readonly<Record<ErrorCode | (typeof ELEMENT_CODES)[number], Help>> = {
  bad_request: {
    meaning: 'The request is malformed',
    who: 'page owner',
    fix: 'Correct the address. A proxy must forward the path unchanged',
  },
  invalid_source_id: {
    meaning: 'The source id is malformed',
    who: 'page owner',
    fix: 'Copy the id from the Studio',
  },
  token_missing: {
    meaning: 'The BFF requires a token',
    who: 'page owner',
    fix: 'Set `tokenProvider` on the card',
  },
  token_invalid: {
    meaning: 'The token has expired, or is not valid',
    who: 'portal developer',
    fix: 'Run `pulse-bff token explain`',
  },
  origin_forbidden: {
    meaning: 'The page is from an origin that is not allowed',
    who: 'operator',
    fix: 'Add the origin to `PULSE_ALLOWED_ORIGINS`',
  },
  token_forbidden: {
    meaning: 'The token, or `authorize`, does not allow this source or page',
    who: 'portal developer',
    fix: 'Issue a token that lists the source, or return the source from `authorize`',
  },
  source_unknown: {
    meaning: 'The source does not exist, or is not one of the known sources',
    who: 'page owner',
    fix: 'Correct `source-id`, or add the id to `PULSE_SOURCES`',
  },
  pulse_not_found: {
    meaning: 'The source has no pulse yet',
    who: 'no one',
    fix: 'Wait for the source’s first run',
  },
  not_found: {
    meaning: 'The BFF has no such route, chart, or run',
    who: 'page owner',
    fix: 'Correct `base-url`',
  },
  method_not_allowed: {
    meaning: 'The method is not `GET`, `HEAD`, or `OPTIONS`',
    who: 'page owner',
    fix: 'Find the program between the page and the BFF that changes the request',
  },
  rate_limited: {
    meaning: 'One client sends too many requests',
    who: 'operator',
    fix: 'Set `TRUST_PROXY`, or raise `PULSE_CLIENT_RATE`',
  },
  internal: {
    meaning: 'An internal error occurred in the BFF',
    who: 'operator',
    fix: 'Report the error, with its log line',
  },
  upstream_invalid: {
    meaning: 'The response from the service or the chart host is not valid',
    who: 'operator',
    fix: 'Check `PULSE_BASE_URL`. If it is correct, tell the operator of the service',
  },
  upstream_auth: {
    meaning: 'The service rejects the API key',
    who: 'operator',
    fix: 'Create a new key. `pulse-bff check` shows the reason',
  },
  upstream_rate_limited: {
    meaning: 'The key has no calls left',
    who: 'operator',
    fix: 'Raise `PULSE_RATE_RESERVE`, or give other programs a separate key',
  },
  upstream_unavailable: {
    meaning: 'The service does not respond, or the BFF is stopping',
    who: 'operator',
    fix: 'Run `pulse-bff check`',
  },
  network: {
    meaning: 'The BFF cannot be reached',
    who: 'page owner, operator',
    fix: "Check `base-url`, the page's `connect-src`, and that the BFF is running",
  },
  timeout: {
    meaning: 'The BFF did not respond within 15 seconds, or `tokenProvider` did not respond within 10 seconds',
    who: 'operator, portal developer',
    fix: 'Check the connection to the BFF, and your token route',
  },
  invalid_answer: {
    meaning: 'Something other than a BFF responded',
    who: 'page owner',
    fix: 'Check `base-url`',
  },
  signed_out: {
    meaning: 'The portal session has ended, or another user has signed in',
    who: 'reader',
    fix: 'Sign in again',
  },
};

/** Returns the error codes page, generated from the list of codes in the contract. */
export function errorsPage(): string {
  const statuses: Readonly<Record<string, number>> = ERROR_STATUS;
  const row = (name: keyof typeof HELP): string[] => {
    const { meaning, who, fix } = HELP[name];
    const link = `[${code(name)}](../operate/troubleshoot.md#${name})`;
    const status = statuses[name] === undefined ? [] : [String(statuses[name])];
    return [link, ...status, meaning, who, fix];
  };
  return [
    '# Error codes',
    'The error responses of the BFF have the form `{ "success": false, "error": "…", "code": "…" }` and are sent with `Cache-Control: no-store`. Caches may store only the 404s of a pulse, a batch, the list, earlier runs, or a feed, for 30 seconds at most. If a retry can help, the error has `Retry-After` with 1 to 300 seconds. Errors with status 408 and 431 have no body, and errors with status 501 have no code.',
    markdownTable(
      ['code', 'status', 'meaning', 'who fixes it', 'how'],
      (Object.keys(ERROR_STATUS) as ErrorCode[]).map(row),
    ),
    'The event `pulse-error` can also have four codes that only the elements create:',
    markdownTable(['code', 'meaning', 'who fixes it', 'how'], ELEMENT_CODES.map(row)),
  ].join('\n\n');
}
