import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import proxyAddr from 'proxy-addr';
import type { ProxyTrust } from '../config-schemas.ts';

/** Clients of one IPv6 network share a prefix this long; a visitor can take any address below it. */
const IPV6_CLIENT_PREFIX = 56;

/** Returns the key of the client behind a request: an IPv4 address, or an IPv6 network. */
export type ClientKeyResolver = (request: IncomingMessage) => string;

/** Makes the resolver. `X-Forwarded-For` counts only as far as trusted proxies wrote it. */
export function clientKeyResolver(proxyTrust: ProxyTrust): ClientKeyResolver {
  if (proxyTrust.kind === 'none') return socketName;
  const isTrusted =
    proxyTrust.kind === 'hops'
      ? (_: string, hop: number) => hop < proxyTrust.hops
      : proxyAddr.compile([...proxyTrust.ranges]);
  return (request) => clientKeyOf(proxyAddr(request, isTrusted));
}

/** Makes the test whether a request came through a proxy that `trust` does not name: then its client is taken for the proxy. */
export function untrustedProxyTest(proxyTrust: ProxyTrust): (request: IncomingMessage) => boolean {
  if (proxyTrust.kind === 'hops') return () => false;
  const isTrusted = proxyTrust.kind === 'none' ? () => false : proxyAddr.compile([...proxyTrust.ranges]);
  return ({ headers, socket }) => {
    const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
    return isForwarded && !isTrusted(socket.remoteAddress ?? '', 0);
  };
}

/** Returns the key of a client: an IPv4 address, also where it is mapped into IPv6, or the /56 network of an IPv6 address. */
export function clientKeyOf(address = ''): string {
  if (isIP(address) === 0) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_CLIENT_PREFIX}`).toString()}/${IPV6_CLIENT_PREFIX}`;
}

const names = new WeakMap<object, string>();

/** A connection's peer never changes, so its key is computed once. */
function socketName({ socket }: IncomingMessage): string {
  const known = names.get(socket);
  if (known !== undefined) return known;
  const name = clientKeyOf(socket.remoteAddress);
  names.set(socket, name);
  return name;
}

/** Clients that are counted at once; beyond, the one that asked longest ago is forgotten. */
const MAX_CLIENTS = 100_000;

/** Length of a client's window. */
const CLIENT_WINDOW_MS = 60_000;

/** A client's rate window after a request. */
export interface ClientWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAtMs: number;
  readonly isExceeded: boolean;
}

interface Count {
  used: number;
  resetsAtMs: number;
}

/** Counts requests per client in windows of a minute. It guards this machine's work; the key's budget never rests on it. */
export class ClientRateLimiter {
  readonly #limit: number;
  readonly #counts = new LRUCache<string, Count>({ max: MAX_CLIENTS });

  constructor(limitPerMinute: number) {
    if (!Number.isInteger(limitPerMinute) || limitPerMinute < 1) {
      throw new RangeError(`limitPerMinute must be a whole number from 1, got ${limitPerMinute}`);
    }
    this.#limit = limitPerMinute;
  }

  /** Counts one request of `client` at `nowMs`, milliseconds since the Unix epoch. */
  count(client: string, nowMs: number): ClientWindow {
    const count = this.#countOf(client, nowMs);
    count.used += 1;
    const limit = this.#limit;
    return {
      limit,
      remaining: Math.max(0, limit - count.used),
      resetsAtMs: count.resetsAtMs,
      isExceeded: count.used > limit,
    };
  }

  #countOf(client: string, nowMs: number): Count {
    const known = this.#counts.get(client);
    // A clock set back must not lock a client out for longer than a window.
    if (known !== undefined && nowMs < known.resetsAtMs && known.resetsAtMs - nowMs <= CLIENT_WINDOW_MS) return known;
    const count = { used: 0, resetsAtMs: nowMs + CLIENT_WINDOW_MS };
    this.#counts.set(client, count);
    return count;
  }
}

/** Names clients by `clientKey`, as a digest: a log must not hold who they are. By their address where it names none or throws. */
export function namedClients(
  clientKey: (request: IncomingMessage) => unknown,
  addressOf: ClientKeyResolver,
  onFault: (fault: unknown) => void,
): ClientKeyResolver {
  return (request) => {
    try {
      const name = clientKey(request);
      if (typeof name === 'string' && name !== '')
        return `client ${createHash('sha256').update(name).digest('base64url').slice(0, 16)}`;
    } catch (fault) {
      onFault(fault);
    }
    return addressOf(request);
  };
}
