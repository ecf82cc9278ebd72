import { isIPv4, isIPv6 } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import type { RequestRecord } from '../../http/locals.ts';
import { isSerializedOrigin, originAdvice } from '../../http/origins.ts';
import { type Clock, repeat } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { printable } from '../../lib/printable.ts';

/** Errors with the same code share a line within this time, in ms. */
const TOGETHER_MS = 10_000;

/** A rejected origin is logged at most once within this time, in ms. */
const NAMED_EVERY_MS = 60_000;

/** The maximum number of origins that are remembered, and of those that are logged within that time. */
const MAX_ORIGINS = 30;

const MAX_PATH_LENGTH = 100;

/** How many bits of an IPv6 address appear in a line: enough to identify an organization's network but not a reader. */
const LOGGED_IPV6_PREFIX = 48;

/**
 * Logs errors: the first one with each code immediately, others within ten seconds as a count. Successful responses
 * aren't logged, because metrics count them. At level `debug`, each response gets its own line.
 */
export function openRequestLog({ log: { logger }, clock }: { log: Pick<Log, 'logger'>; clock: Clock }) {
  const isDetailed = logger.isLevelEnabled('debug');
  const counts = new Map<string, { status: number; count: number }>();
  const named = new LRUCache<string, true>({ max: MAX_ORIGINS, ttl: NAMED_EVERY_MS, ttlResolution: 0, perf: clock });
  const flush = (): void => {
    for (const [code, tally] of counts) {
      if (tally.count === 0) counts.delete(code);
      else logger.info({ code, ...tally }, 'answered');
      tally.count = 0;
    }
  };
  const nameOrigin = (origin: string): void => {
    named.purgeStale();
    if (!isSerializedOrigin(origin) || named.has(origin) || named.size === MAX_ORIGINS) return;
    named.set(origin, true);
    logger.warn({ code: 'origin_forbidden', origin }, originAdvice(origin));
  };
  const record = (facts: RequestRecord): void => {
    const { code, origin, status } = facts;
    if (isDetailed) logger.debug(lineOf(facts), 'answered');
    if (code === 'origin_forbidden' && origin !== undefined) nameOrigin(origin);
    if (code === undefined || isDetailed) return;
    const known = counts.get(code);
    if (known !== undefined) known.count += 1;
    else {
      counts.set(code, { status, count: 0 });
      logger.info({ ...lineOf(facts), count: 1 }, 'answered');
    }
  };
  const end = repeat(clock, TOGETHER_MS, flush);
  const close = (): void => {
    end();
    flush();
  };
  return { record, close };
}

/** A response as it appears in the log: without the query, the client's full IP address, or headers. */
function lineOf({ requestId, path, durationMs, client, ...facts }: RequestRecord): Record<string, unknown> {
  const { method, route, status, code, detail, cache, origin } = facts;
  return {
    id: requestId,
    method,
    route,
    path: route === 'none' ? printable(path).slice(0, MAX_PATH_LENGTH) : undefined,
    status,
    code,
    detail: detail === undefined ? undefined : printable(detail).slice(0, MAX_PATH_LENGTH),
    cache,
    origin: origin !== undefined && isSerializedOrigin(origin) ? origin : undefined,
    ms: Math.round(durationMs * 100) / 100,
    network: networkOf(client),
  };
}

/** The network that a client belongs to. */
export function networkOf(client: string): string {
  if (isIPv4(client)) return client.replace(/\.\d+$/, '.0/24');
  const [address = ''] = client.split('/');
  return isIPv6(address) ? ipKeyGenerator(address, LOGGED_IPV6_PREFIX) : client;
}
