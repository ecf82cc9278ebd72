import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackHost } from '@pulse-card/contract';
import ipaddr from 'ipaddr.js';

/**
 * All public IPv6 addresses begin with these three bits. Forms that contain an IPv4 address (mapped and compatible)
 * don't (RFC 4291, 2.5).
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** IPv6 networks reach IPv4 addresses through this prefix (RFC 6052, 2.1). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** IP address ranges of private networks. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'private',
  'uniqueLocal',
  'loopback',
  'linkLocal',
  'carrierGradeNat',
]);

/** Returns whether `address`, in any notation, is public: not private, local, shared, or reserved. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  // The last 32 bits are the IPv4 address that a connection reaches.
  if (parsed.match(NAT64)) return isPublicAddress(ipaddr.fromByteArray(parsed.toByteArray().slice(-4)).toString());
  return parsed.range() === 'unicast' && parsed.match(GLOBAL_UNICAST);
}

/**
 * Returns whether `address` belongs to a private network or to this machine. Reserved addresses are neither private nor
 * public.
 */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE_RANGES.has(rangeOf(address));
}

/** The name of an IP address's range; empty if it isn't an IP address. */
function rangeOf(address: string): string {
  return isIP(address) === 0 ? '' : ipaddr.process(address).range();
}

/** Returns the IP address in a host, without a URL's brackets; undefined if the host is a name. */
export function addressIn(hostname: string): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? undefined : address;
}

/** Returns whether a host is an IP address in a range, which is in CIDR notation or a single IPv6 address. */
export function isInRange(hostname: string, range: string): boolean {
  const address = addressIn(hostname);
  const cidr = isIP(range) === 6 ? `${range}/128` : range;
  if (address === undefined || !ipaddr.isValidCIDR(cidr)) return false;
  return ipaddr.subnetMatch(ipaddr.process(address), { range: [ipaddr.parseCIDR(cidr)] }, '') === 'range';
}

/** The kind of host, according to its spelling: loopback, an address that isn't public, or any other host. */
export function placeOf(hostname: string): 'loopback' | 'private' | 'public' {
  if (isLoopbackHost(hostname) || /(?:^|\.)localhost\.?$/.test(hostname)) return 'loopback';
  const address = addressIn(hostname);
  if (address === undefined || isPublicAddress(address)) return 'public';
  return rangeOf(address) === 'loopback' ? 'loopback' : 'private';
}

/** The origins of the server at `url`. If the server is on loopback, there is one origin for each loopback name. */
export function originsOf(url: string): string[] {
  const { protocol, hostname, port, origin } = new URL(url);
  if (!isLoopbackHost(hostname)) return [origin];
  const suffix = port === '' ? '' : `:${port}`;
  const all = ['localhost', '127.0.0.1', '[::1]'].map((name) => `${protocol}//${name}${suffix}`);
  return [...new Set([origin, ...all])];
}

/** Returns whether a request to this URL would leave this machine unencrypted. */
export function isPlainHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopbackHost(hostname);
}

/** Returns whether a host can be on a private network. A name can, because it may resolve to a private address. */
export function canBePrivate(hostname: string): boolean {
  const address = addressIn(hostname);
  return address === undefined || isPrivateAddress(address);
}

/** Resolves a host name to all its addresses. */
export type Resolve = (name: string) => Promise<readonly string[]>;

async function resolveAll(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** A host name resolves to an IP address that the BFF must not connect to. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/**
 * Creates the `lookup` function for connections that may only go to addresses that `isAllowed` accepts. The connection
 * goes to the IP address that was checked, so DNS rebinding has no effect.
 */
export function checkedLookup(
  isAllowed: (address: string, name: string) => boolean,
  resolve: Resolve = resolveAll,
): LookupFunction {
  return (name, options, callback) => {
    const answer = (addresses: readonly string[]): void => {
      const [first] = addresses;
      if (first === undefined || !addresses.every((address) => isAllowed(address, name)))
        return callback(
          new AddressError('Can’t connect: the host name resolves to an IP address that isn’t allowed'),
          '',
        );
      const found = addresses.map((address) => ({ address, family: isIP(address) }));
      return options.all === true ? callback(null, found) : callback(null, first, isIP(first));
    };
    const fail = (error: NodeJS.ErrnoException): void => callback(error, '');
    resolve(name).then(answer, fail);
  };
}

/**
 * Accepts public addresses. A loopback name can also resolve to a loopback address, because only the operator can allow
 * such a name.
 */
export function isPublicTarget(address: string, name: string): boolean {
  return isLoopbackHost(name) ? rangeOf(address) === 'loopback' : isPublicAddress(address);
}
