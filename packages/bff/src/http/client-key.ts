import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { ipv6Network } from '../lib/ip-address.ts';
import type { ProxyTrust } from '../config/schemas.ts';

/**
 * The length of the prefix that identifies an IPv6 client. A visitor can use any address of a network with this prefix
 * length.
 */
const IPV6_CLIENT_PREFIX = 56;

/** Returns the key that identifies the client of a request: an IPv4 address or an IPv6 network. */
export type ClientKeyResolver = (request: IncomingMessage) => string;

/** Makes the resolver. The resolver uses only the part of `X-Forwarded-For` that trusted proxies wrote. */
export function clientKeyResolver(proxyTrust: ProxyTrust): ClientKeyResolver {
  if (proxyTrust.kind === 'none') return socketKey;
  const isTrusted = trustIn(proxyTrust);
  return (request) => clientKeyOf(proxyAddr(request, isTrusted));
}

/**
 * Creates a function that returns whether the peer of a connection is a trusted proxy. A proxy sends requests from
 * several clients.
 */
export function trustedPeerTest(proxyTrust: ProxyTrust): (request: IncomingMessage) => boolean {
  const isTrusted = trustIn(proxyTrust);
  return ({ socket }) => isTrusted(socket.remoteAddress ?? '', 0);
}

/** Creates a function that returns whether the proxy at a given address, a given number of hops away, is trusted. */
function trustIn(proxyTrust: ProxyTrust): (address: string, hop: number) => boolean {
  if (proxyTrust.kind === 'none') return () => false;
  if (proxyTrust.kind === 'hops') return (_address, hop) => hop < proxyTrust.hops;
  return proxyAddr.compile([...proxyTrust.ranges]);
}

/**
 * Returns the key of a client. For an IPv4 address, even one that is mapped into IPv6, the key is the IPv4 address. For
 * any other IPv6 address, it is the /56 network.
 */
export function clientKeyOf(address = ''): string {
  if (isIP(address) === 0) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipv6Network(parsed.toString(), IPV6_CLIENT_PREFIX);
}

const keyBySocket = new WeakMap<Socket, string>();

/** The key of a connection's peer, which is computed once per connection. */
function socketKey({ socket }: IncomingMessage): string {
  const known = keyBySocket.get(socket);
  if (known !== undefined) return known;
  const key = clientKeyOf(socket.remoteAddress);
  keyBySocket.set(socket, key);
  return key;
}
