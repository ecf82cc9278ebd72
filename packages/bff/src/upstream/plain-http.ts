import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isLoopbackHost } from '@pulse-card/contract';
import ipaddr from 'ipaddr.js';

/** Ranges that no router of the public internet forwards to. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'private',
  'uniqueLocal',
  'loopback',
  'linkLocal',
  'carrierGradeNat',
]);

/** Finds all addresses of a host name. */
export type ResolveAddresses = (name: string) => Promise<readonly string[]>;

/** A host that was to be reached over plain HTTP has an address that is not private. */
export class PublicAddressError extends Error {
  constructor() {
    super('Cannot send the key over plain HTTP: the host has an address that is not private');
    this.name = 'PublicAddressError';
  }
}

/** Says whether the key would travel in the clear, and beyond this machine. */
export function isPlainHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopbackHost(hostname);
}

/** Says whether a host can be on a private network: a name can, an address if it is private. */
export function canBePrivate(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 || isPrivateAddress(address);
}

/** Rejects with `PublicAddressError` unless every address of the host is private. */
export async function assertPrivate(hostname: string, resolve: ResolveAddresses = resolveAddresses): Promise<void> {
  const addresses = await resolve(hostname.replace(/^\[|\]$/g, ''));
  if (addresses.length === 0 || !addresses.every(isPrivateAddress)) throw new PublicAddressError();
}

function isPrivateAddress(address: string): boolean {
  return isIP(address) !== 0 && PRIVATE_RANGES.has(ipaddr.process(address).range());
}

async function resolveAddresses(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (cause) {
    throw new Error('Cannot look up the host', { cause });
  }
}
