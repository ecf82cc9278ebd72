import type { IncomingMessage } from 'node:http';
import { ipKeyGenerator } from 'express-rate-limit';
import proxyAddr from 'proxy-addr';
import type { ProxyTrust } from '../config-schemas.ts';

/** Clients of one IPv6 network share a prefix this long; a visitor can take any address below it. */
const IPV6_CLIENT_PREFIX = 56;

/** Gives the name of the client behind a request: an IPv4 address, or an IPv6 network. */
export type ClientKeyResolver = (request: IncomingMessage) => string;

/** Makes the namer for the proxies that `trust` believes. Nothing but theirs is taken from `X-Forwarded-For`. */
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

/** The name of a client at `address`; IPv4 addresses mapped into IPv6 are the IPv4 ones. */
export function clientKeyOf(address: string | undefined): string {
  return address === undefined ? 'unknown' : ipKeyGenerator(address, IPV6_CLIENT_PREFIX);
}

const names = new WeakMap<object, string>();

/** A connection's peer never changes, so that its name is worked out once. */
function socketName({ socket }: IncomingMessage): string {
  const known = names.get(socket);
  if (known !== undefined) return known;
  const name = clientKeyOf(socket.remoteAddress);
  names.set(socket, name);
  return name;
}
