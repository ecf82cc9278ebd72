import { failureOf, type PulseErrorCode } from '../data/result.ts';

/** The status for each other code that applies only to a whole response, not to a batch entry. */
const STATUS_OF_CODE: Readonly<Partial<Record<PulseErrorCode, number>>> = {
  bad_request: 400,
  origin_forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
};

/**
 * The response that `fetch` returns while all requests fail. Throws if the simulated failure is `network` or `timeout`.
 */
export function failedResponse(code: PulseErrorCode): Response {
  if (code === 'network') throw new TypeError('Failed to fetch');
  if (code === 'timeout') throw new DOMException('The operation timed out', 'TimeoutError');
  if (code === 'invalid_answer')
    return new Response('<!doctype html>', { status: 200, headers: { 'Content-Type': 'text/html' } });
  const status = STATUS_OF_CODE[code] ?? failureOf(code).status;
  const headers = code === 'signed_out' ? { 'Cache-Control': 'no-store' } : {};
  return Response.json({ success: false, error: `${code} by a test`, code }, { status, headers });
}
