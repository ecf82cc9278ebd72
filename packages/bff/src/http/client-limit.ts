import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { RATE_LIMIT_HEADERS } from '@pulse-card/contract';
import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import ipaddr from 'ipaddr.js';
import type { ProxyTrust } from '../config.ts';
import { ipv6Network } from '../lib/ip-address.ts';
import { ApiError } from './errors.ts';
import type { PulseResponse } from './locals.ts';

/** The length of the prefix that identifies an IPv6 client. A visitor can use any address with this prefix. */
const IPV6_CLIENT_PREFIX = 56;

const WINDOW_MS = 60_000;

/**
 * Limits the requests of each client per minute, to protect this machine. The budget of calls with the API key doesn't
 * depend on it. 0 turns the limit off.
 */
export function clientLimit(limit: number, isProxy: (address: string, hop: number) => boolean): RequestHandler {
  if (limit === 0) return (_req, _res, next) => next();
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
    keyGenerator: (_req, res) => (res as PulseResponse).locals.record.client,
    handler: (req, res, next) => {
      const { limit, resetTime = new Date() } = (req as unknown as { rateLimit: RateLimitInfo }).rateLimit;
      res.setHeader(RATE_LIMIT_HEADERS.limit, limit);
      res.setHeader(RATE_LIMIT_HEADERS.remaining, 0);
      res.setHeader(RATE_LIMIT_HEADERS.reset, Math.ceil(resetTime.getTime() / 1_000));
      // A proxy's connection also carries requests from other clients.
      if (!isProxy(req.socket.remoteAddress ?? '', 0)) res.setHeader('Connection', 'close');
      next(new ApiError('rate_limited', { retryInMs: resetTime.getTime() - Date.now() }));
    },
  });
}

interface RateLimitInfo {
  readonly limit: number;
  readonly resetTime?: Date;
}

/** Whether the proxy at an IP address, a number of hops away, is trusted to set `X-Forwarded-For`. */
export function trustOf(trust: ProxyTrust): (address: string, hop: number) => boolean {
  if (trust.kind === 'none') return () => false;
  if (trust.kind === 'hops') return (_address, hop) => hop < trust.hops;
  const ranges = trust.ranges.map((range) => rangeOf(range));
  return (address) => {
    const parsed = parsedAddress(address);
    return (
      parsed !== undefined && ranges.some(([net, bits]) => net.kind() === parsed.kind() && parsed.match(net, bits))
    );
  };
}

/**
 * The IP address of a request's client. `X-Forwarded-For` is read from the right, only as many entries as are
 * trusted. At an entry that can't be read, the last readable trusted one counts.
 */
export function clientAddress(req: IncomingMessage, isTrusted: (address: string, hop: number) => boolean): string {
  let address = req.socket.remoteAddress ?? '';
  const forwarded = String(req.headers['x-forwarded-for'] ?? '').split(',');
  for (let hop = 0; isTrusted(address, hop); hop += 1) {
    const next = forwardedAddress(forwarded.pop() ?? '');
    if (next === undefined) break;
    address = next;
  }
  return address;
}

/** The key of a client: an IPv4 address, even one that is mapped into IPv6, or the /56 network of an IPv6 address. */
export function clientKeyOf(address: string): string {
  const parsed = parsedAddress(address);
  if (parsed === undefined) return 'unknown';
  return parsed.kind() === 'ipv4' ? parsed.toString() : ipv6Network(parsed.toString(), IPV6_CLIENT_PREFIX);
}

/** An entry of `X-Forwarded-For` as an IP address. Proxies write ports, brackets, quotes, and zones around it. */
function forwardedAddress(entry: string): string | undefined {
  const text = entry.trim().replaceAll('"', '');
  const [, inBrackets] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const [, withPort] = /^([\d.]+):\d+$/.exec(text) ?? [];
  return parsedAddress(inBrackets ?? withPort ?? text)?.toString();
}

function parsedAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [address = ''] = text.split('%', 1);
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

function rangeOf(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (range.includes('/')) return ipaddr.parseCIDR(range);
  const address = ipaddr.process(range);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
