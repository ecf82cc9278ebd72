import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackHost } from '@pulse-card/contract';
import ipaddr from 'ipaddr.js';

/** Finds the addresses of a name. */
export type Resolve = (
  name: string,
  found: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** A name led to an address that is none of the public internet. */
export class AddressError extends Error {
  constructor() {
    super('Cannot connect: the name leads to an address that is not public');
    this.name = 'AddressRefused';
  }
}

/** Returns whether `address` is one of the public internet: not private, local, shared, reserved, nor another in disguise. */
export function isPublicAddress(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.parse(address).range() === 'unicast';
}

/**
 * Makes the lookup of a connection, so that the very address that was judged is connected to; a name that first leads
 * outside and then inside gains nothing. A loopback name, which only an operator can have listed, may lead to loopback.
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
