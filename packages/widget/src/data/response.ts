import { adviceOf, bffCodeOf } from './parse-pulse.ts';
import { type Failure, failureOf, retryAfterMsOf } from './result.ts';

/** The result of a request: a body (a `Blob` if it is a chart) or a failure. */
export interface Answer {
  readonly body?: unknown;
  readonly failure?: Failure;
}

/** The response body, or the response's failure. Rejects if the body times out or is incomplete. */
export async function readResponse(response: Response): Promise<Answer> {
  if (response.ok && response.headers.get('Content-Type')?.startsWith('image/')) return { body: await response.blob() };
  const body = (await response.json().catch(ignoreSyntaxError)) as unknown;
  if (response.ok) return { body };
  return { failure: { ...failureIn(body, response.status), retryAfterMs: retryAfterMsOf(response) } };
}

/**
 * Whether the response's `Pulse-Reader` header, which is percent-encoded, names a different reader than the page does.
 * Untyped pages can set `reader` to a number.
 */
export function isForAnother({ headers }: Response, reader: string | number | undefined): boolean {
  const named = headers.get('Pulse-Reader');
  if (named === null || reader === undefined) return false;
  try {
    return decodeURIComponent(named) !== String(reader);
  } catch {
    return true;
  }
}

/** Ignores the error for a body that isn't JSON and rethrows any other error. */
function ignoreSyntaxError(error: Error): void {
  if (error.name !== 'SyntaxError') throw error;
}

/**
 * The failure that a response reports. A body that doesn't have the shape of the BFF's errors comes from a proxy, a login
 * page, or a wrong URL, even if it contains a code.
 */
function failureIn(body: unknown, status: number): Failure {
  const code = (body as { success?: unknown } | null)?.success === false && bffCodeOf(body);
  if (code) return { ...failureOf(code, status), advice: adviceOf(body) };
  const foreignCode = status < 500 ? 'invalid_answer' : 'network';
  return failureOf({ 401: 'signed_out', 429: 'rate_limited' }[status] ?? foreignCode, status);
}
