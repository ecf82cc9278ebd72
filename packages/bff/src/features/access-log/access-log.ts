import { headerIn } from '../../http/header-list.ts';
import { isIPv4, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { FeatureDefinition } from '../../feature.ts';
import { ipv6Network } from '../../lib/ip-address.ts';
import { type Clock, repeat } from '../../lib/clock.ts';
import type { ResponseRecord } from '../../http/request-context.ts';
import { isSerializedOrigin, originAdvice } from '../../http/origins.ts';
import { printable } from '../../lib/printable.ts';

/** Combines readers' errors of the same kind into one log line. */
export const accessLogFeature: FeatureDefinition = {
  open({ logger, clock }) {
    const log = new AccessLog(logger, clock);
    return { name: 'access-log', onAnswer: (answer) => log.record(answer), close: () => log.close() };
  },
};

/** Errors with the same code share a line within this time, in ms. */
const TOGETHER_MS = 10_000;

/** The log names an origin at most once within this time, in ms. */
const NAMED_EVERY_MS = 60_000;

/** The number of origins for which the time of the last mention is remembered. */
const MAX_REMEMBERED = 1_000;

/** The maximum number of networks, origins, and reasons that one line names. */
const MAX_NAMED = 5;

/** Errors with the same code that occurred since the last line about them. */
interface Tally {
  readonly code: string;
  readonly status: number;
  count: number;
  maxMs: number;
  readonly networks: Set<string>;
  readonly origins: Set<string>;
  readonly details: Set<string>;
}

/**
 * Logs errors. The first error with a code gets a line. Further errors within ten seconds are counted in the next line.
 * Successful responses don't get a line, because metrics count them. At level `debug`, each response gets its own line.
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

  record(response: ResponseRecord): void {
    if (this.#isDetailed) this.#logger.debug(debugRecord(response), 'answered');
    else if (response.code !== undefined) this.#count(response, response.code);
  }

  /** Logs the errors that were counted so far, and stops. */
  close(): void {
    this.#endFlushes();
    this.#flush();
  }

  #count(response: ResponseRecord, code: string): void {
    const known = this.#tallies.get(code);
    const tally = known ?? {
      code,
      status: response.status,
      count: 0,
      maxMs: 0,
      networks: new Set(),
      origins: new Set(),
      details: new Set(),
    };
    tally.count += 1;
    if (response.durationMs > tally.maxMs) tally.maxMs = response.durationMs;
    this.#name(tally, response);
    if (known !== undefined) return;
    this.#tallies.set(code, tally);
    this.#write(tally, { ...requestFacts(response), route: response.route });
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
    for (const [code, tally] of this.#tallies) {
      if (tally.count > 0) this.#write(tally);
      else this.#tallies.delete(code);
    }
  }

  /** Writes a line. `first` describes the request, if the line is about a single one. */
  #write(tally: Tally, first: object = {}): void {
    const { code, status, count, maxMs, ...names } = tally;
    const [networks, origins, details] = [[...names.networks], [...names.origins], [...names.details]];
    const line = { ...first, status, code, ms: roundedMs(maxMs), count, networks, origins, details };
    if (code === 'origin_forbidden' && origins.length > 0) this.#logger.warn(line, originAdvice(origins));
    else this.#logger.info(line, 'answered');
    tally.count = tally.maxMs = 0;
    for (const set of Object.values(names)) set.clear();
  }
}

function roundedMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** The maximum length of a path in a line, in characters. */
const MAX_PATH_LENGTH = 100;

/**
 * A request as it appears in the log: without its query, the full client address, and headers. The log omits undefined
 * values.
 */
function requestFacts({ method, route, request, requestId }: ResponseRecord): Record<string, unknown> {
  const [path = ''] = (request.url ?? '').split(/[?#]/, 1);
  return { id: requestId, method, path: route === 'none' ? printable(path).slice(0, MAX_PATH_LENGTH) : undefined };
}

/** A response as it appears in the log at level `debug`. `Cache-Status` shows why a call was made. */
function debugRecord(response: ResponseRecord): Record<string, unknown> {
  const { route, status, durationMs, cacheResult, ageMs, code, detail, client, headers = [] } = response;
  return {
    ...requestFacts(response),
    route,
    status,
    ms: roundedMs(durationMs),
    cache: cacheResult,
    cacheStatus: headerIn(headers, 'Cache-Status'),
    age: ageMs && Math.floor(ageMs / 1_000),
    code,
    detail,
    client: clientNetwork(client),
  };
}

/** How many bits of an IPv6 address a line contains. This many bits identify an organization's network. */
const LOGGED_IPV6_PREFIX = 48;

/**
 * The network that a client belongs to. The network is enough to recognize an attack, but doesn't identify a reader.
 */
export function clientNetwork(client: string): string {
  if (isIPv4(client)) return client.replace(/\.\d+$/, '.0/24');
  const [address = ''] = client.split('/');
  if (!isIPv6(address)) return client;
  return ipv6Network(address, LOGGED_IPV6_PREFIX);
}
