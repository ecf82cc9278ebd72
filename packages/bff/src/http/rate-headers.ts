import { RATE_LIMIT_HEADERS } from '@pulse-card/contract';

/** The requests from a client in its window. */
export interface ClientWindow {
  readonly requests: number;
  readonly resetsAtMs: number;
}

/** How much of its limit a client has used. */
export interface ClientRate {
  readonly limit: number;
  readonly window: ClientWindow;
}

/** The headers that report how much of a client's limit is left: name, value, name, value. */
export function rateHeaders({ limit, window: { requests, resetsAtMs } }: ClientRate): readonly string[] {
  return [
    [RATE_LIMIT_HEADERS.limit, String(limit)],
    [RATE_LIMIT_HEADERS.remaining, String(Math.max(0, limit - requests))],
    [RATE_LIMIT_HEADERS.reset, String(Math.ceil(resetsAtMs / 1_000))],
  ].flat();
}
