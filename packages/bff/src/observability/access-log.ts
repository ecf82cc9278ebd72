import { isIPv4, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { ipv6Network } from '../addresses.ts';
import { isSerializedOrigin } from '../http/origins.ts';
import type { Clock } from '../clock.ts';
import type { ResponseRecord } from '../http/context.ts';
import { originAdvice } from './error-causes.ts';
import { printable } from './log.ts';

/** How often hits are logged. */
const HITS_TOGETHER_MS = 1_000;

interface Hits {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  count: number;
  maxMs: number;
}

/**
 * Logs responses. Cache hits, of which there are thousands a second, share one line a second for each route, since a line each
 * takes a sixth of the CPU; refusals share one line in ten seconds for each code. Every other response has its own line, and at
 * `debug` each response has.
 */
export class AccessLog {
  readonly #logger: Logger;
  readonly #refusals: RefusalLog;
  readonly #hits = new Map<string, Hits>();
  readonly #isOn: boolean;
  readonly #sumsUp: boolean;
  readonly #timer: NodeJS.Timeout;

  constructor(logger: Logger, clock: Pick<Clock, 'now'>) {
    this.#logger = logger;
    this.#refusals = new RefusalLog(logger, () => clock.now());
    this.#isOn = logger.isLevelEnabled('info');
    this.#sumsUp = !logger.isLevelEnabled('debug');
    this.#timer = setInterval(() => this.flush(), HITS_TOGETHER_MS).unref();
  }

  /** Records a response. */
  record(answered: ResponseRecord): void {
    const { code, status, cacheResult } = answered;
    if (this.#sumsUp && code !== undefined && status < 500) this.#refusals.record(code, answered);
    else if (!this.#isOn) return;
    else if (this.#sumsUp && cacheResult === 'hit' && code === undefined) this.#sumUp(answered);
    else this.#logger.info(accessLogRecord(answered, { isDetailed: !this.#sumsUp }), 'answered');
  }

  /** Logs the hits so far, and the refusals that are due. */
  flush(): void {
    this.#refusals.flush();
    for (const { method, route, status, count, maxMs } of this.#hits.values()) {
      this.#logger.info({ method, route, status, ms: roundedMs(maxMs), cache: 'hit', count }, 'answered');
    }
    this.#hits.clear();
  }

  /** Logs the hits so far, and stops. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
    this.#refusals.flush({ isEnd: true });
  }

  #sumUp({ method, route, status, durationMs }: ResponseRecord): void {
    const name = `${method} ${route} ${status}`;
    const hits = this.#hits.get(name);
    if (hits === undefined) this.#hits.set(name, { method, route, status, count: 1, maxMs: durationMs });
    else {
      hits.count += 1;
      if (durationMs > hits.maxMs) hits.maxMs = durationMs;
    }
  }
}

function roundedMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** Longest path in a line, in characters. */
const MAX_PATH_LENGTH = 100;

/**
 * One answered request as the log holds it: no query, no address in full, no header of the request. `isDetailed` adds
 * `Cache-Status`, which says why a call was made.
 */
function accessLogRecord(answered: ResponseRecord, { isDetailed }: { isDetailed: boolean }): Record<string, unknown> {
  const { method, route, status, durationMs, cacheResult, ageMs, code, detail, request, client } = answered;
  const { requestId, headers = [] } = answered;
  const cacheStatusAt = headers.indexOf('Cache-Status');
  return {
    ...(requestId !== undefined && { id: requestId }),
    method,
    route,
    ...(route === 'none' && { path: printable(pathOf(request.url ?? '')).slice(0, MAX_PATH_LENGTH) }),
    status,
    ms: roundedMs(durationMs),
    ...(cacheResult !== undefined && { cache: cacheResult }),
    ...(isDetailed && cacheStatusAt !== -1 && { cacheStatus: headers[cacheStatusAt + 1] }),
    ...(ageMs !== undefined && { age: Math.floor(ageMs / 1_000) }),
    ...(code !== undefined && { code }),
    ...(detail !== undefined && { detail }),
    client: clientNetwork(client),
  };
}

function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** Refusals of one code share a line in this time, in ms. */
const TOGETHER_MS = 10_000;

/** An origin is named once in this time, in ms. */
const NAMED_EVERY_MS = 60_000;

/** Origins whose last naming is remembered. */
const MAX_REMEMBERED = 1_000;

/** Networks and origins that one line names. */
const MAX_NAMED = 5;

interface Refusals {
  /** When the last line was written. */
  writtenAt: number;
  count: number;
  readonly networks: Set<string>;
  readonly origins: Set<string>;
}

/**
 * Logs refusals, which a client can cause by the thousand: the first of a code at once, then all of a code in one line every ten
 * seconds, with their number, and the networks and origins that they came from.
 */
class RefusalLog {
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #byCode = new Map<string, Refusals>();
  readonly #namedAt = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  /** `now` returns monotonic milliseconds. */
  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  /** Records a refusal with `code`. */
  record(code: string, { client, request }: Pick<ResponseRecord, 'client' | 'request'>): void {
    const known = this.#byCode.get(code);
    const refusals = known ?? { writtenAt: 0, count: 0, networks: new Set(), origins: new Set() };
    refusals.count += 1;
    if (refusals.networks.size < MAX_NAMED) refusals.networks.add(clientNetwork(client));
    this.#nameOrigin(refusals, request.headers.origin);
    if (known !== undefined) return;
    this.#byCode.set(code, refusals);
    this.#write(code, refusals);
  }

  /** Writes the lines that are due, or all of them at the end. */
  flush({ isEnd = false } = {}): void {
    const now = this.#now();
    for (const [code, refusals] of this.#byCode) {
      if (!isEnd && now - refusals.writtenAt < TOGETHER_MS) continue;
      if (refusals.count > 0) this.#write(code, refusals);
      else this.#byCode.delete(code);
    }
  }

  #nameOrigin({ origins }: Refusals, origin: string | undefined): void {
    if (origin === undefined || origins.size >= MAX_NAMED || !isSerializedOrigin(origin)) return;
    const now = this.#now();
    if (now - (this.#namedAt.get(origin) ?? -Infinity) < NAMED_EVERY_MS) return;
    this.#namedAt.set(origin, now);
    origins.add(origin);
  }

  #write(code: string, refusals: Refusals): void {
    const [networks, origins] = [[...refusals.networks], [...refusals.origins]];
    const line = { code, count: refusals.count, networks, ...(origins.length > 0 && { origins }) };
    if (code === 'origin_forbidden' && origins.length > 0) this.#logger.warn(line, originAdvice(origins));
    else this.#logger.info(line, 'refused');
    refusals.writtenAt = this.#now();
    refusals.count = 0;
    refusals.networks.clear();
    refusals.origins.clear();
  }
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
