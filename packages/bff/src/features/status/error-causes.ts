import { originAdvice } from '../../http/origins.ts';

/** The warning about a proxy that `TRUST_PROXY` doesn't include. */
export const UNTRUSTED_PROXY =
  'A request came with X-Forwarded-For or Forwarded from a proxy that TRUST_PROXY doesn’t include: set TRUST_PROXY. Otherwise, all readers behind that proxy share one rate limit';

/** The facts that determine the advice for a code. */
interface CauseFacts {
  readonly origin?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly warnings?: readonly string[];
}

type Cause = readonly [words: string, advice: string | ((facts: CauseFacts) => string)];

/** Why a response with this code has no chart, and what to do about it. */
const CAUSES: Readonly<Record<string, Cause>> = {
  origin_forbidden: ['the site isn’t allowed', ({ origin = 'null' }) => `${originAdvice([origin])}.`],
  signed_out: ['no one is signed in', 'Readers sign in on your site. If they were signed in, check authorize().'],
  token_missing: ['the request has no token', 'Set token or tokenProvider on the card.'],
  token_invalid: ['the token is rejected', 'The log says what was expected of the token, and what was found.'],
  token_forbidden: ['the token is for another source or site', 'Mint tokens that list the source and the site.'],
  rate_limited: [
    'too many requests come from one IP address',
    ({ warnings = [] }) =>
      warnings.includes(UNTRUSTED_PROXY)
        ? 'Set TRUST_PROXY to the number of proxies in front, for example TRUST_PROXY=1.'
        : 'If these are readers, raise PULSE_CLIENT_RATE. Behind a proxy, set TRUST_PROXY to the number of proxies in front.',
  ],
  source_unknown: [
    'there is no such source',
    ({ sourceId }) => (sourceId === undefined ? 'Correct the source-id.' : `A page still has a card for ${sourceId}.`),
  ],
  bad_request: ['the request is malformed', 'Do nothing, unless one of your proxies changes URLs.'],
  upstream_auth: ['the service rejects the key', 'Create a new key.'],
  upstream_rate_limited: [
    'no call was left for them',
    'New charts load as calls become free. If this happens often, lower PULSE_RATE_RESERVE, or ask for a higher limit and set PULSE_RATE_LIMIT.',
  ],
  upstream_unavailable: ['the service doesn’t answer', 'Run pulse-bff check.'],
  upstream_invalid: ['the service sends something else', 'Check PULSE_BASE_URL, which must not contain /v1.'],
  internal: ['this server has an internal error', 'Read the log and report the error.'],
};

/** Why a response with this code has no chart, and what to do about it. */
export function causeOf(code: string, facts: CauseFacts = {}): { readonly words: string; readonly advice: string } {
  const [words, advice] = CAUSES[code] ?? [code, ''];
  return { words, advice: typeof advice === 'string' ? advice : advice(facts) };
}
