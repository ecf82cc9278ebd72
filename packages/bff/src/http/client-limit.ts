import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { RATE_LIMIT_HEADERS } from '@pulse-card/contract';
import { type AugmentedRequest, ipKeyGenerator, MemoryStore, rateLimit } from 'express-rate-limit';
import ipaddr from 'ipaddr.js';
import type { Config, ProxyTrust } from '../config.ts';
import { ApiError } from './errors.ts';
import type { PulseResponse } from './locals.ts';

const WINDOW_MS = 60_000;

export type ClientLimit = ReturnType<typeof openClientLimit>;

/**
 * Limits each client's requests per minute to protect this machine. The call budget doesn't depend on it. `nameOf`:
 * returns the application's name for a client, or undefined to use its IP address.
 */
export function openClientLimit(
  config: Pick<Config, 'clientRate' | 'trustProxy'>,
  nameOf?: (req: IncomingMessage) => string | undefined,
) {
  const isProxy = trustOf(config.trustProxy);
  const isFromProxy = (req: IncomingMessage): boolean => isProxy(peerOf(req), 0);
  const store = new MemoryStore();
  const limit = rateLimit({
    windowMs: WINDOW_MS,
    limit: config.clientRate,
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
    store,
    keyGenerator: (_req, res) => (res as PulseResponse).locals.record.client,
    handler: (req, res, next, { limit }) => {
      const resetAtMs = (req as AugmentedRequest)['rateLimit']?.resetTime?.getTime() ?? Date.now() + WINDOW_MS;
      res.setHeader(RATE_LIMIT_HEADERS.limit, String(limit));
      res.setHeader(RATE_LIMIT_HEADERS.remaining, 0);
      res.setHeader(RATE_LIMIT_HEADERS.reset, Math.ceil(resetAtMs / 1_000));
      // A proxy's connection also carries requests from other clients.
      if (!isFromProxy(req)) res.setHeader('Connection', 'close');
      next(new ApiError('rate_limited', { retryInMs: resetAtMs - Date.now() }));
    },
  });
  return {
    limit,
    clientOf: (req: IncomingMessage) => ({
      client: nameOf?.(req) ?? ipKeyGenerator(clientAddress(req, isProxy) || 'unknown'),
      isUntrustedProxy: (req.headers.forwarded ?? req.headers['x-forwarded-for']) !== undefined && !isFromProxy(req),
    }),
    close: () => store.shutdown(),
  };
}

/** Whether the proxy at an IP address, a number of hops away, is trusted to set `X-Forwarded-For`. */
export function trustOf(trust: ProxyTrust): (address: string, hop: number) => boolean {
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  // A `BlockList` compares an IPv4 address with IPv6 ranges, too, such as `::ffff:10.0.0.0/104`.
  const ranges = new BlockList();
  for (const range of trust) {
    const [network, bits] = ipaddr.parseCIDR(range);
    ranges.addSubnet(network.toString(), bits, network.kind());
  }
  return (address) => address !== '' && ranges.check(address, ipaddr.parse(address).kind());
}

/**
 * The IP address of a request's client; empty if it has none. `X-Forwarded-For` is read from right to left, but only as
 * many entries as are trusted. If an entry can't be read, the last readable trusted entry is used.
 */
export function clientAddress(req: IncomingMessage, isTrusted: (address: string, hop: number) => boolean): string {
  let address = peerOf(req);
  const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
  for (let hop = 0; isTrusted(address, hop); hop += 1) {
    const next = addressOf(forwarded.pop() ?? '');
    if (next === undefined) break;
    address = next;
  }
  return address;
}

/** The IP address at the other end of the connection; empty if it has none, like a Unix socket. */
function peerOf({ socket }: IncomingMessage): string {
  return addressOf(socket.remoteAddress ?? '') ?? '';
}

/** An IP address without the ports, brackets, quotes, and zones that proxies add to it; IPv4 if it is mapped. */
function addressOf(entry: string): string | undefined {
  const text = entry.trim().replaceAll('"', '');
  const [, inBrackets] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const [, withPort] = /^([\d.]+):\d+$/.exec(text) ?? [];
  const [address = ''] = (inBrackets ?? withPort ?? text).split('%');
  return isIP(address) === 0 ? undefined : address.replace(/^::ffff:(?=\d+\.)/i, '');
}
