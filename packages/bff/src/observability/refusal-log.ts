import { isIPv4, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { ipv6Network } from '../addresses.ts';
import { isSerializedOrigin } from '../http/origins.ts';
import type { ResponseRecord } from '../http/context.ts';

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
export class RefusalLog {
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
    const advice = code === 'origin_forbidden' ? adviceOn(origins) : undefined;
    if (advice === undefined) this.#logger.info(line, 'refused');
    else this.#logger.warn(line, advice);
    refusals.writtenAt = this.#now();
    refusals.count = 0;
    refusals.networks.clear();
    refusals.origins.clear();
  }
}

/** What to do so that pages of `origins` are not refused. */
function adviceOn(origins: readonly string[]): string | undefined {
  const listed = origins.filter((origin) => origin !== 'null');
  if (listed.length > 1)
    return `${listed.join(', ')} are not in PULSE_ALLOWED_ORIGINS; add those that are yours and restart`;
  if (listed.length === 1) return `${listed[0]} is not in PULSE_ALLOWED_ORIGINS; add it and restart`;
  return origins.length === 0 ? undefined : NO_ORIGIN;
}

const NO_ORIGIN =
  'A page with no origin (opened from a file, or in a sandboxed frame) was refused; serve it over https: from an origin in PULSE_ALLOWED_ORIGINS';

/** Bits of an IPv6 address that a line holds: the network of an organization. */
const LOGGED_IPV6_PREFIX = 48;

/** The network of a client: enough to recognise an attack, not a reader. */
export function clientNetwork(client: string): string {
  if (isIPv4(client)) return client.replace(/\.\d+$/, '.0/24');
  const [address = ''] = client.split('/');
  if (!isIPv6(address)) return client;
  return ipv6Network(address, LOGGED_IPV6_PREFIX);
}
