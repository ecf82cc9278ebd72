import { isLoopbackHost } from '@pulse-card/contract';
import { fetchPage as fetchAnyPage, type PageResult } from '@pulse-card/doctor';
import { placeOf, type Resolve, ssrfSafeLookup } from '../../lib/ip-address.ts';

/** Which addresses may be fetched in addition to public ones, and how. */
export interface FetchGuards {
  /** Origins that the operator has named. These origins may be on a loopback host. */
  readonly trustedOrigins: readonly string[];
  /** Whether the address may be on a loopback host, and may redirect to one. @default false */
  readonly allowLoopback?: boolean;
  /**
   * Whether private addresses may be fetched. Private addresses are only for someone at a terminal on this machine.
   * @default false
   */
  readonly allowPrivate?: boolean;
  /** @default the machine's resolver */
  readonly resolve?: Resolve;
  /** @default 10_000 */
  readonly deadlineMs?: number;
}

/**
 * Fetches the page at `address` as `pulse-doctor` does, but only from public addresses, unless `guards` allows more.
 * Never rejects.
 */
export function fetchPage(address: URL, { deadlineMs, resolve, ...guards }: FetchGuards): Promise<PageResult> {
  return fetchAnyPage(address, {
    isAllowed: (url) => mayFetch(url, address, guards),
    ...(guards.allowPrivate !== true && { lookup: ssrfSafeLookup(resolve) }),
    ...(deadlineMs !== undefined && { deadlineMs }),
  });
}

/**
 * Other names are checked during the lookup, when their addresses are known. IP addresses and loopback names are
 * checked here.
 */
function mayFetch(url: URL, first: URL, { trustedOrigins, allowLoopback, allowPrivate }: FetchGuards): boolean {
  if (allowPrivate === true) return true;
  if (!isLoopbackHost(url.hostname)) return placeOf(url.hostname) === 'public';
  return trustedOrigins.includes(url.origin) || (allowLoopback === true && isLoopbackHost(first.hostname));
}
