import { type Item, serializeList, Token } from 'structured-headers';
import type { CacheFacts } from '../cache/port.ts';

/** The name this cache goes by in `Cache-Status`. */
const CACHE_NAME = 'PulseCard';

/** Answers from the cache differ by seconds of freshness alone; more spellings than this are forgotten. */
const REMEMBERED_STATUSES = 2_000;

const plainHits = new Map<number, string>();
const remembered = new Map<string, string>();

/** `Cache-Status` (RFC 9211): what the cache did for this answer. */
export function cacheStatusOf(facts: CacheFacts): string {
  const { hit, fwd, fwdStatus, collapsed, stored, ttlSeconds, detail } = facts;
  const isPlainHit = hit && detail === undefined && fwdStatus === undefined && collapsed !== true && stored !== true;
  if (isPlainHit) return recalled(plainHits, ttlSeconds, facts);
  return recalled(remembered, `${hit}${fwd}${fwdStatus}${collapsed}${stored}${ttlSeconds}${detail}`, facts);
}

function recalled<Name>(statuses: Map<Name, string>, name: Name, facts: CacheFacts): string {
  const known = statuses.get(name);
  if (known !== undefined) return known;
  const status = serialize(facts);
  if (statuses.size >= REMEMBERED_STATUSES) statuses.clear();
  statuses.set(name, status);
  return status;
}

function serialize(facts: CacheFacts): string {
  const parameters: Item[1] = new Map();
  if (facts.hit) parameters.set('hit', true);
  else if (facts.fwd !== undefined) parameters.set('fwd', new Token(facts.fwd));
  if (facts.fwdStatus !== undefined) parameters.set('fwd-status', facts.fwdStatus);
  if (Number.isFinite(facts.ttlSeconds)) parameters.set('ttl', Math.trunc(facts.ttlSeconds));
  if (facts.stored === true) parameters.set('stored', true);
  if (facts.collapsed === true) parameters.set('collapsed', true);
  if (facts.detail !== undefined) parameters.set('detail', new Token(facts.detail));
  return serializeList([[new Token(CACHE_NAME), parameters]]);
}
