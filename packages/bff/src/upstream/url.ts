import { lookup } from 'node:dns/promises';
import { isLoopbackHost, isSourceId, pulsePath, ROUTES } from '@pulse-card/contract';
import { addressIn, isPrivateAddress } from '../addresses.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';

/**
 * The URL that answers `subject`, a source id or `LIST_ID`, at `base`, which may have a path. Throws unless the result is
 * exactly the base plus the route, so that no id leads elsewhere.
 */
export function upstreamUrl(base: URL, subject: string): URL {
  const path = base.pathname.replace(/\/+$/, '') + routeOf(subject);
  const url = new URL(base.origin + path);
  if (url.origin !== base.origin || url.pathname !== path || url.search !== '' || url.hash !== '')
    throw new Error('Cannot build an upstream address: it would lead elsewhere');
  return url;
}

function routeOf(subject: string): string {
  if (subject === LIST_ID) return ROUTES.sources;
  if (!isSourceId(subject)) throw new Error('Cannot build an upstream address: not a source id');
  return pulsePath(subject);
}

/** Resolves a host name to all its addresses. */
export type ResolveAddresses = (name: string) => Promise<readonly string[]>;

/** Returns whether the key would leave this machine unencrypted. */
export function isPlainHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopbackHost(hostname);
}

/** Returns whether a host can be on a private network: any name, or a private address. */
export function canBePrivate(hostname: string): boolean {
  const address = addressIn(hostname);
  return address === undefined || isPrivateAddress(address);
}

/** Returns whether every address that the host leads to is private. */
export async function isPrivateHost(hostname: string, resolve: ResolveAddresses = resolveAddresses): Promise<boolean> {
  const addresses = await resolve(addressIn(hostname) ?? hostname);
  return addresses.length > 0 && addresses.every(isPrivateAddress);
}

async function resolveAddresses(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
