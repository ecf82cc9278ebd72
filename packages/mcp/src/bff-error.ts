const UNKNOWN_SOURCE = 'There is no such source. Call list_pulses to get the IDs of all sources.';
const NOT_A_BFF = "The response isn't from a BFF. Check that the URL is the public URL of a BFF.";
const TRY_LATER = "The BFF can't get this pulse right now. Try again in {wait} seconds.";

/** The advice for each error, keyed by the BFF's code or by the failure that kept the request from reaching the BFF. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_source_id: UNKNOWN_SOURCE,
  source_unknown: UNKNOWN_SOURCE,
  pulse_not_found: 'This source has no pulse yet. It will get one after its next run.',
  token_missing:
    'The BFF requires a token. Start pulse-mcp with --token-file, or set the "token" option of mcpHandler().',
  token_invalid: 'The BFF rejected the token: it has expired or was issued for another BFF. Renew it, then call again.',
  signed_out:
    "The BFF shows pulses only to people who are signed in, and pulse-mcp can't sign in. It needs a BFF with PULSE_ACCESS=token.",
  token_forbidden: "The token doesn't allow this source. Call list_pulses for the sources that it allows.",
  rate_limited: 'Too many requests to the BFF. Try again in {wait} seconds.',
  network: "The BFF can't be reached. Check that it is running, and that its URL is right.",
  timeout: "The BFF didn't respond within 10 seconds. Try again in {wait} seconds.",
  refused:
    'Something in front of the BFF, such as a login page, rejected the request. Make sure that pulse-mcp can reach the BFF directly.',
  invalid_answer: NOT_A_BFF,
  // The path in the URL is wrong.
  not_found: NOT_A_BFF,
};

/**
 * A failed request to the BFF. The message explains what to do. It doesn't contain a token or text from a response.
 */
export class BffError extends Error {
  constructor(code: string, retryAfterSeconds = 30) {
    const advice = Object.hasOwn(ADVICE, code) ? (ADVICE[code] as string) : TRY_LATER;
    super(advice.replace('{wait}', String(retryAfterSeconds)));
  }
}

/** The error in a response with a status other than 200. `body` can be anything. */
export function bffErrorOf({ status, headers }: Pick<Response, 'status' | 'headers'>, body: unknown): BffError {
  const { code, success } = Object(body) as { code?: unknown; success?: unknown };
  const [seconds] = /^[1-9]\d{0,2}$/.exec(headers.get('Retry-After') ?? '') ?? [];
  const isOwn = success === false && typeof code === 'string';
  return new BffError(isOwn ? code : codeOf(status), seconds === undefined ? undefined : Number(seconds));
}

/** The code for an error that isn't the BFF's own. */
function codeOf(status: number): string {
  if (status === 401 || status === 403 || status === 407) return 'refused';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'upstream_unavailable' : 'invalid_answer';
}
