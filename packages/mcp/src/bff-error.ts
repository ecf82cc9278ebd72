const UNKNOWN_SOURCE = 'There is no such source. Call list_pulses for the ids of all sources.';
const TRY_LATER = "The BFF can't get this pulse right now. Try again in {wait} seconds.";

/** What to do about an error, by the code of the BFF, or by what can happen on the way to it. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_source_id: UNKNOWN_SOURCE,
  source_unknown: UNKNOWN_SOURCE,
  pulse_not_found: 'This source has no pulse yet. It gets one with its next run.',
  token_missing:
    'The BFF requires a token. Start pulse-mcp with --token-file, or set the option token of mcpHandler().',
  token_invalid: 'The BFF rejected the token: it has expired, or it is for another BFF. Renew it, then call again.',
  token_forbidden: "The token doesn't allow this source. Call list_pulses for those that it allows.",
  rate_limited: 'Too many requests to the BFF. Try again in {wait} seconds.',
  network: "The BFF can't be reached. Check that it is running, and that its address is right.",
  timeout: "The BFF hasn't answered within 10 seconds. Try again in {wait} seconds.",
  refused:
    'Something in front of the BFF refused the request, such as a login page. Let pulse-mcp reach the BFF itself.',
  invalid_answer: "The answer isn't that of a BFF. Check that the address is the public address of one.",
};

/** The wait before another try if the BFF names none, in seconds. */
const RETRY_AFTER_SECONDS = 30;

/** A request to the BFF that has failed. The message says what to do. It has no token, and no text of an answer. */
export class BffError extends Error {
  constructor(code: string, retryAfterSeconds: number = RETRY_AFTER_SECONDS) {
    const advice = Object.hasOwn(ADVICE, code) ? (ADVICE[code] as string) : TRY_LATER;
    super(advice.replace('{wait}', String(retryAfterSeconds)));
  }
}

/** The codes of errors that aren't the BFF's own, by status. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  401: 'refused',
  403: 'refused',
  407: 'refused',
  429: 'rate_limited',
  502: 'upstream_unavailable',
  503: 'upstream_unavailable',
  504: 'upstream_unavailable',
};

/** The error in an answer with another status than 200. `body` can be anything. */
export function bffErrorOf({ status, headers }: Pick<Response, 'status' | 'headers'>, body: unknown): BffError {
  const { code, success } = Object(body) as { code?: unknown; success?: unknown };
  const own = success === false && typeof code === 'string' ? code : undefined;
  const seconds = Number(headers.get('Retry-After'));
  const isUsable = Number.isInteger(seconds) && seconds > 0 && seconds <= 300;
  return new BffError(own ?? CODE_OF_STATUS[status] ?? 'invalid_answer', isUsable ? seconds : undefined);
}
