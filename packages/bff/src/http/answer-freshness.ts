import type { Exchange } from './exchange.ts';
import { type Freshness, freshnessHeaders, type Lifetimes } from './freshness-headers.ts';
import type { PreparedBody } from './prepared-body.ts';

/** Answers with something known, with the headers that say how fresh it is. */
export function sendKnown(exchange: Exchange, body: PreparedBody, freshness: Freshness, lifetimes: Lifetimes): void {
  exchange.sendBody(body, recordFreshness(exchange, freshness, lifetimes));
}

/** Records for log and metrics how fresh the answer is; returns the headers that say so. */
export function recordFreshness(exchange: Exchange, freshness: Freshness, lifetimes: Lifetimes): string[] {
  exchange.verdict = verdictOf(freshness);
  exchange.ageMs = freshness.ageMs;
  return freshnessHeaders(freshness, lifetimes, exchange.isPrivate);
}

/** What the cache did, in one word for log and metrics. */
export function verdictOf({ facts, stale }: Pick<Freshness, 'facts' | 'stale'>): string {
  if (facts.hit) return stale ? 'stale' : 'hit';
  return facts.collapsed === true ? 'collapsed' : (facts.fwd ?? 'miss');
}
