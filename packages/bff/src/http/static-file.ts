import type { Exchange } from './exchange.ts';
import { OPEN_TO_ALL } from './cross-origin.ts';
import type { PreparedBody } from './prepared-body.ts';

/** A file that keeps its address when it changes: caches ask again after five minutes. */
export const CHANGING = 'public, max-age=300, stale-while-revalidate=86400, stale-if-error=604800';

/** A file whose address is made of its bytes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Answers with a file that anyone may load from anywhere. */
export function sendFile(exchange: Exchange, body: PreparedBody, cacheControl: string): void {
  exchange.sendBody(body, [...OPEN_TO_ALL, 'Cache-Control', cacheControl]);
}
