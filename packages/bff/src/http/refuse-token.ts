import type { Exchange } from './exchange.ts';
import { sendError } from './send-error.ts';

/** What a 401 or 403 asks for instead (RFC 6750, 3). */
const CHALLENGES = {
  token_missing: 'Bearer realm="pulse"',
  token_invalid: 'Bearer realm="pulse", error="invalid_token"',
  token_forbidden: 'Bearer realm="pulse", error="insufficient_scope"',
} as const;

/** Says that a token is missing, does not hold, or does not allow this; `detail`, a word of ours, is for the log alone. */
export function refuseToken(exchange: Exchange, code: keyof typeof CHALLENGES, detail?: string): false {
  exchange.detail = detail;
  sendError(exchange, code, { headers: ['WWW-Authenticate', CHALLENGES[code]] });
  return false;
}

/** Answers 403 unless the reader may see this source; false where it did. */
export function isPermitted(exchange: Exchange, sourceId: string): boolean {
  return exchange.permit.covers(sourceId) || refuseToken(exchange, 'token_forbidden', 'source');
}
