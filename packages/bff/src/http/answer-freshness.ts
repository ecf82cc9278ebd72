import type { Exchange } from './exchange.ts';
import { type Freshness, freshnessHeaders, type Lifetimes } from './freshness-headers.ts';
import type { PreparedBody } from './prepared-body.ts';

/** Answers with something known, with the headers that say how fresh it is. */
export function sendKnown(exchange: Exchange, body: PreparedBody, freshness: Freshness, lifetimes: Lifetimes): void {
  exchange.verdict = verdictOf(freshness);
  exchange.ageMs = freshness.ageMs;
  exchange.sendBody(body, freshnessHeaders(freshness, lifetimes, exchange.isPrivate));
}

/** What the cache did, in one word for log and metrics. */
export function verdictOf({ facts, stale }: Pick<Freshness, 'facts' | 'stale'>): string {
  if (facts.hit) return stale ? 'stale' : 'hit';
  return facts.collapsed === true ? 'collapsed' : (facts.fwd ?? 'miss');
}
