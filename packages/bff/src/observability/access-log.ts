import type { Logger } from 'pino';
import type { ResponseRecord } from '../http/request-context.ts';
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Hits of this long are one line. */
const HITS_TOGETHER_MS = 1_000;

interface Hits {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  count: number;
  maxMs: number;
}

/**
 * Writes down what readers were answered. Hits, of which there are thousands a second, are summed up second by second, for
 * a line each would cost a sixth of the machine; every other answer has its line. At `debug` every hit has its own, too.
 */
export class AccessLog {
  readonly #logger: Logger;
  readonly #clientKeyOfRequest: (record: ResponseRecord) => string;
  readonly #hits = new Map<string, Hits>();
  readonly #isOn: boolean;
  readonly #sumsUp: boolean;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(logger: Logger, clientKeyOfRequest: (record: ResponseRecord) => string) {
    this.#logger = logger;
    this.#clientKeyOfRequest = clientKeyOfRequest;
    this.#isOn = logger.isLevelEnabled('info');
    this.#sumsUp = !logger.isLevelEnabled('debug');
    if (this.#isOn) this.#timer = setInterval(() => this.flush(), HITS_TOGETHER_MS).unref();
  }

  /** Records an answer. */
  record(answered: ResponseRecord): void {
    if (!this.#isOn) return;
    if (this.#sumsUp && answered.cacheResult === 'hit' && answered.code === undefined) this.#sumUp(answered);
    else this.#logger.info(accessLogRecord(answered, this.#clientKeyOfRequest(answered)), 'answered');
  }

  /** Writes down the hits so far. */
  flush(): void {
    for (const { method, route, status, count, maxMs } of this.#hits.values()) {
      this.#logger.info({ method, route, status, ms: roundedMs(maxMs), cache: 'hit', count }, 'answered');
    }
    this.#hits.clear();
  }

  /** Writes down the hits so far, and ends. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
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

/** Longest text of a request that a line holds, in characters. */
const TEXT_LENGTH = 100;

/** Bits of an IPv6 address that a line holds: the network of an organization. */
const LOGGED_IPV6_PREFIX = 48;

/** One answered request as the log holds it: no query, no address in full, no header but what is named here. */
export function accessLogRecord(answered: ResponseRecord, client: string): Record<string, unknown> {
  const { method, route, status, durationMs, cacheResult, ageMs, code, detail, request } = answered;
  return {
    method,
    route,
    ...(route === 'none' && { path: sanitizedText(pathOf(request.url ?? '')) }),
    status,
    ms: Math.round(durationMs * 100) / 100,
    ...(cacheResult !== undefined && { cache: cacheResult }),
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

/** Text that somebody sent, cut, with everything beyond printable ASCII made harmless. */
export function sanitizedText(text: string): string {
  return text.slice(0, TEXT_LENGTH).replace(/[^\x20-\x7e]/g, '?');
}

/** The network of a client: enough to see an attack by, not enough to know a reader by. */
export function clientNetwork(client: string): string {
  if (isIPv4(client)) return client.replace(/\.\d+$/, '.0/24');
  const [address = ''] = client.split('/');
  if (!isIPv6(address)) return client;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${LOGGED_IPV6_PREFIX}`).toString()}/${LOGGED_IPV6_PREFIX}`;
}
