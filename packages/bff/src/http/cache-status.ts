import { type Item, serializeList, Token } from 'structured-headers';
import type { CacheFacts } from '../cache/port.ts';

/** The name this cache goes by in `Cache-Status`. */
const CACHE_NAME = 'PulseCard';

/** Answers from the cache differ by seconds of freshness alone; more spellings than this are forgotten. */
const REMEMBERED_STATUSES = 2_000;

const remembered = new Map<string, string>();

/** `Cache-Status` (RFC 9211): what the cache did for this answer. */
export function cacheStatusOf(facts: CacheFacts): string {
  const name = `${facts.hit}${facts.fwd}${facts.fwdStatus}${facts.collapsed}${facts.stored}${facts.ttlSeconds}${facts.detail}`;
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const status = serialize(facts);
  if (remembered.size >= REMEMBERED_STATUSES) remembered.clear();
  remembered.set(name, status);
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
