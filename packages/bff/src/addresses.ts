import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackHost, safeUrl } from '@pulse-card/contract';
import ipaddr from 'ipaddr.js';

/** Finds the addresses of a name. */
export type Resolve = (
  name: string,
  found: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** A host name resolves to an address that is not public. */
export class AddressError extends Error {
  constructor() {
    super('Cannot connect: the name leads to an address that is not public');
    this.name = 'AddressError';
  }
}

/** All public IPv6 addresses begin with these three bits; mapped and compatible forms of IPv4 do not (RFC 4291, 2.5). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Returns whether `address` is public: not private, local, shared or reserved, in any notation. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  return parsed.range() === 'unicast' && (!(parsed instanceof ipaddr.IPv6) || parsed.match(GLOBAL_UNICAST));
}

/** Where a host is, as far as its name says it: loopback, a private address, or anywhere else. */
export function placeOf(hostname: string): 'loopback' | 'private' | 'public' {
  if (isLoopbackHost(hostname) || /(?:^|\.)localhost\.?$/.test(hostname)) return 'loopback';
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0 || isPublicAddress(address)) return 'public';
  return isLoopbackAddress(address) ? 'loopback' : 'private';
}

/** Makes the test whether readers' browsers may load a chart: from a loopback or private address only where the service has one, too. */
export function browserImageTest(serviceUrls: readonly string[]): (imageUrl: string) => boolean {
  const places = new Set(['public', ...serviceUrls.map((url) => placeOf(new URL(url).hostname))]);
  return (imageUrl) => URL.canParse(imageUrl) && places.has(placeOf(new URL(imageUrl).hostname));
}

/**
 * Makes the lookup of a connection. The address that was checked is the one that is connected to, so that DNS rebinding gains
 * nothing. A loopback name, which only an operator can have listed, may resolve to loopback.
 */
export function ssrfSafeLookup(resolve: Resolve = resolveAll): LookupFunction {
  return (name, options, callback) => {
    resolve(name, (error, addresses) => {
      const [first] = addresses;
      if (error !== null || first === undefined) return callback(error ?? new AddressError(), '');
      const isValid = isLoopbackHost(name) ? isLoopbackAddress : isPublicAddress;
      if (!addresses.every(({ address }) => isValid(address))) return callback(new AddressError(), '');
      return options.all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family);
    });
  };
}

/** Returns whether a host that is written as an address may be connected to; a lookup never sees it. */
export function isAllowedHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 || isLoopbackHost(hostname) || isPublicAddress(address);
}

function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
}

function resolveAll(name: string, found: Parameters<Resolve>[1]): void {
  lookUp(name, { all: true }, (error, addresses) => found(error, addresses ?? []));
}

/**
 * The address of a chart that the BFF may fetch, or undefined: `https:` on a host that the operator named, exactly and on its
 * port, which is no private address; `http:` only where the operator named a loopback host.
 */
export function allowedImageUrl(raw: string | null, hosts: readonly string[]): URL | undefined {
  const safe = raw === null ? undefined : safeUrl(raw);
  if (safe === undefined) return undefined;
  const url = new URL(safe);
  if (!hosts.includes(url.host)) return undefined;
  // As a relative reference, a path that begins with two slashes names another host.
  if (url.pathname.startsWith('//') || !isAllowedHost(url.hostname)) return undefined;
  return url.protocol === 'https:' || isLoopbackHost(url.hostname) ? url : undefined;
}
