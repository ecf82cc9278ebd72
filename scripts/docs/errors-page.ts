import { ERROR_STATUS, type ErrorCode } from '../../packages/contract/src/index.ts';
import { type CardCode, CODES } from '../../demo/src/states/codes.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Codes that only the elements create, in `pulse-error`. */
export const ELEMENT_CODES = ['network', 'timeout', 'invalid_answer', 'signed_out'] as const;

/** The meaning of each code, and who can fix its cause. The Studio has the advice. */
const HELP: Readonly<Record<CardCode, readonly [meaning: string, who: string]>> = {
  bad_request: ['The request is malformed', 'page owner'],
  invalid_source_id: ['The source id is malformed', 'page owner'],
  token_missing: ['The BFF requires a token', 'page owner'],
  token_invalid: ['The token has expired, or is not valid', 'portal developer'],
  origin_forbidden: ['The page is from an origin that is not allowed', 'operator'],
  token_forbidden: ['The token, or `authorize`, does not allow this source or page', 'portal developer'],
  source_unknown: ['The source does not exist, or is not one of the known sources', 'page owner'],
  pulse_not_found: ['The source has no pulse yet', 'no one'],
  not_found: ['The BFF has no such route, chart, or run', 'page owner'],
  method_not_allowed: ['The method is not `GET`, `HEAD`, or `OPTIONS`', 'page owner'],
  rate_limited: ['One client sends too many requests', 'operator'],
  internal: ['An internal error occurred in the BFF', 'operator'],
  upstream_invalid: ['The response from the service or the chart host is not valid', 'operator'],
  upstream_auth: ['The service rejects the API key', 'operator'],
  upstream_rate_limited: ['The key has no calls left', 'operator'],
  upstream_unavailable: ['The service does not respond, or the BFF is stopping', 'operator'],
  network: ['The BFF cannot be reached', 'page owner, operator'],
  timeout: [
    'The BFF did not respond within 15 seconds, or `tokenProvider` did not respond within 10 seconds',
    'operator, portal developer',
  ],
  invalid_answer: ['Something other than a BFF responded', 'page owner'],
  signed_out: ['The portal session has ended, or another user has signed in', 'reader'],
};

/** Returns the error codes page, generated from the list of codes in the contract. */
export function errorsPage(): string {
  const statuses: Readonly<Record<string, number>> = ERROR_STATUS;
  const row = (name: CardCode): (string | undefined)[] => {
    const [meaning, who] = HELP[name];
    const fix = CODES.find((row) => row.code === name)?.remedy.replace(/\.$/, '');
    const link = `[${code(name)}](../operate/troubleshoot.md#${name})`;
    const status = statuses[name] === undefined ? [] : [String(statuses[name])];
    return [link, ...status, meaning, who, fix];
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
