import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Answered } from '../http/exchange.ts';

/** Longest text of a request that a line holds, in characters. */
const TEXT_LENGTH = 100;

/** Bits of an IPv6 address that a line holds: the network of an organization. */
const SHOWN_IPV6_PREFIX = 48;

/** One answered request as the log holds it: no query, no address in full, no header but what is named here. */
export function requestRecord(answered: Answered, client: string): Record<string, unknown> {
  const { method, route, status, durationMs, verdict, ageMs, code, detail, request } = answered;
  return {
    method,
    route,
    ...(route === 'none' && { path: shownText(pathOf(request.url ?? '')) }),
    status,
    ms: Math.round(durationMs * 100) / 100,
    ...(verdict !== undefined && { cache: verdict }),
    ...(ageMs !== undefined && { age: Math.floor(ageMs / 1_000) }),
    ...(code !== undefined && { code }),
    ...(detail !== undefined && { detail }),
    client: shownNetwork(client),
  };
}

function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** Text that somebody sent, cut, with everything beyond printable ASCII made harmless. */
export function shownText(text: string): string {
  return text.slice(0, TEXT_LENGTH).replace(/[^\x20-\x7e]/g, '?');
}

/** The network of a client: enough to see an attack by, not enough to know a reader by. */
export function shownNetwork(client: string): string {
  if (isIPv4(client)) return client.replace(/\.\d+$/, '.0/24');
  const [address = ''] = client.split('/');
  if (!isIPv6(address)) return client;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${SHOWN_IPV6_PREFIX}`).toString()}/${SHOWN_IPV6_PREFIX}`;
}
