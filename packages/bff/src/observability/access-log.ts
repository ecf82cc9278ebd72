import { isIPv4, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { ipv6Network } from '../addresses.ts';
import { type Clock, repeat } from '../clock.ts';
import type { ResponseRecord } from '../http/context.ts';
import { isSerializedOrigin } from '../http/origins.ts';
import { originAdvice } from './error-causes.ts';
import { printable } from './log.ts';

/** Counted responses of one kind share a line in this time, in ms. */
const TOGETHER_MS = 10_000;

/** An origin is named once in this time, in ms. */
const NAMED_EVERY_MS = 60_000;

/** Origins whose last naming is remembered. */
const MAX_REMEMBERED = 1_000;

/** Networks, origins and reasons that one line names. */
const MAX_NAMED = 5;

/** Hits of one method, route and status, or refusals of one code, since the last line about them. */
interface Tally {
  readonly kind: Pick<Partial<ResponseRecord>, 'method' | 'route' | 'status' | 'code'>;
  count: number;
  maxMs: number;
  readonly networks: Set<string>;
  readonly origins: Set<string>;
  readonly details: Set<string>;
}

/**
 * Logs responses. Cache hits, of which there are thousands a second, and refusals, which a client can cause by the thousand, are
 * counted: the first of a kind is written at once, then all of a kind in one line every ten seconds. Every other response has its
 * own line, and at `debug` each response has.
 */
export class AccessLog {
  readonly #logger: Logger;
  readonly #isDetailed: boolean;
  readonly #tallies = new Map<string, Tally>();
  readonly #namedOrigins: LRUCache<string, true>;
  readonly #endFlushes: () => void;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#isDetailed = logger.isLevelEnabled('debug');
    this.#namedOrigins = new LRUCache({ max: MAX_REMEMBERED, ttl: NAMED_EVERY_MS, ttlResolution: 0, perf: clock });
    this.#endFlushes = repeat(clock, TOGETHER_MS, () => this.#flush());
  }

  /** Records a response. */
  record(response: ResponseRecord): void {
    const { code, status, cacheResult } = response;
    const isCounted = code === undefined ? cacheResult === 'hit' : status < 500;
    if (isCounted && !this.#isDetailed) this.#count(response);
    else this.#logger.info(accessLogRecord(response, this.#isDetailed), 'answered');
  }

  /** Logs what was counted, and stops. */
  close(): void {
    this.#endFlushes();
    this.#flush();
  }

  #count(response: ResponseRecord): void {
    const { method, route, status, code, durationMs } = response;
    const name = code ?? `${method} ${route} ${status}`;
    const known = this.#tallies.get(name);
    const tally = known ?? {
      kind: code === undefined ? { method, route, status } : { status, code },
      count: 0,
      maxMs: 0,
      networks: new Set(),
      origins: new Set(),
      details: new Set(),
    };
    tally.count += 1;
    if (durationMs > tally.maxMs) tally.maxMs = durationMs;
    if (code !== undefined) this.#name(tally, response);
    if (known !== undefined) return;
    this.#tallies.set(name, tally);
    this.#write(tally);
  }

  #name({ networks, origins, details }: Tally, { client, detail, request: { headers } }: ResponseRecord): void {
    const { origin } = headers;
    if (networks.size < MAX_NAMED) networks.add(clientNetwork(client));
    if (detail !== undefined && details.size < MAX_NAMED) details.add(detail);
    if (origin === undefined || origins.size >= MAX_NAMED || !isSerializedOrigin(origin)) return;
    if (this.#namedOrigins.has(origin)) return;
    this.#namedOrigins.set(origin, true);
    origins.add(origin);
  }

  #flush(): void {
    for (const [name, tally] of this.#tallies) {
      if (tally.count > 0) this.#write(tally);
      else this.#tallies.delete(name);
    }
  }

  #write(tally: Tally): void {
    const { kind, count, maxMs, ...names } = tally;
    const [networks, origins, details] = [[...names.networks], [...names.origins], [...names.details]];
    const facts = kind.code ? { networks, origins, details } : { cache: 'hit' };
    const line = { ...kind, ms: roundedMs(maxMs), count, ...facts };
    if (kind.code === 'origin_forbidden' && origins.length > 0) this.#logger.warn(line, originAdvice(origins));
    else this.#logger.info(line, 'answered');
    tally.count = tally.maxMs = 0;
    for (const set of Object.values(names)) set.clear();
  }
}

function roundedMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** Longest path in a line, in characters. */
const MAX_PATH_LENGTH = 100;

/**
 * One response as the log holds it: no query, no address in full, no header of the request. `isDetailed` adds `Cache-Status`,
 * which says why a call was made. The log leaves out what is undefined.
 */
function accessLogRecord(response: ResponseRecord, isDetailed: boolean): Record<string, unknown> {
  const { method, route, status, durationMs, cacheResult, ageMs, code, detail, request, client } = response;
  const { requestId, headers = [] } = response;
  const cacheStatusAt = headers.indexOf('Cache-Status');
  const [path = ''] = (request.url ?? '').split(/[?#]/, 1);
  return {
    id: requestId,
    method,
    route,
    path: route === 'none' ? printable(path).slice(0, MAX_PATH_LENGTH) : undefined,
    status,
    ms: roundedMs(durationMs),
    cache: cacheResult,
    cacheStatus: isDetailed && cacheStatusAt !== -1 ? headers[cacheStatusAt + 1] : undefined,
    age: ageMs && Math.floor(ageMs / 1_000),
    code,
    detail,
    client: clientNetwork(client),
  };
}

/** Bits of an IPv6 address that a line holds: the network of an organization. */
const LOGGED_IPV6_PREFIX = 48;

/** The network of a client: enough to recognise an attack, not a reader. */
export function clientNetwork(client: string): string {
  if (isIPv4(client)) return client.replace(/\.\d+$/, '.0/24');
  const [address = ''] = client.split('/');
  if (!isIPv6(address)) return client;
  return ipv6Network(address, LOGGED_IPV6_PREFIX);
}
