import { isLoopbackHost } from '@pulse-card/contract';
import { Agent, type Dispatcher, fetch as undiciFetch, ProxyAgent } from 'undici';
import { checkedLookup, isPrivateAddress, isPlainHttp, type Resolve } from './ip-address.ts';

/** The proxies that the environment names, as for curl. */
export interface Proxies {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  readonly no?: string | undefined;
}

export interface OutgoingRequest extends Pick<RequestInit, 'method' | 'headers' | 'signal' | 'body'> {
  /** Whether to open a connection instead of using one that was kept open. @default false */
  readonly isFresh?: boolean;
}

/** Requests to the service and to the webhook. Redirects are never followed. */
export interface Outgoing {
  fetch(url: URL, request: OutgoingRequest): Promise<Response>;
  /** The host of the proxy that requests to `url` go through; undefined if they go there directly. */
  proxyHostFor(url: URL): string | undefined;
  close(): void;
}

export interface OutgoingOptions {
  readonly proxies?: Proxies | undefined;
  /** @default the machine's resolver */
  readonly resolve?: Resolve | undefined;
}

/** A connection that isn't kept for another request. */
const UNKEPT = { keepAliveTimeout: 1, keepAliveMaxTimeout: 1 };

/**
 * Opens the way out: directly, or through the proxies. Loopback addresses and plain `http:` never go through a proxy.
 * Plain `http:` goes only to private addresses, which are checked when the connection is made.
 */
export function openOutgoing({ proxies = {}, resolve }: OutgoingOptions = {}): Outgoing {
  const isPrivate = { lookup: checkedLookup(isPrivateAddress, resolve) };
  const open = new Map<string, Dispatcher>();
  const dispatcher = (name: string, make: () => Dispatcher): Dispatcher => {
    const known = open.get(name) ?? make();
    open.set(name, known);
    return known;
  };
  const dispatcherFor = (url: URL, isFresh: boolean): Dispatcher => {
    const kept = isFresh ? UNKEPT : {};
    if (isPlainHttp(url)) return dispatcher(`private ${isFresh}`, () => new Agent({ ...kept, connect: isPrivate }));
    const proxy = proxyFor(url, proxies);
    if (proxy === undefined) return dispatcher(`direct ${isFresh}`, () => new Agent(kept));
    return dispatcher(`proxy ${isFresh}`, () => new ProxyAgent({ ...kept, uri: proxy.href }));
  };
  return {
    fetch: (url, { isFresh = false, ...request }) =>
      undiciFetch(url, {
        ...(request as object),
        redirect: 'manual',
        dispatcher: dispatcherFor(url, isFresh),
      }) as unknown as Promise<Response>,
    proxyHostFor: (url) => proxyFor(url, proxies)?.host,
    close: () => {
      for (const each of open.values()) void each.destroy().catch(() => {});
      open.clear();
    },
  };
}

/** Whether the other side closed the connection before a byte of the answer arrived. */
export function isReset(error: unknown): boolean {
  return /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(codeOf(error));
}

/** The code of an error, or of its cause; empty if it has none. */
export function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

function proxyFor(url: URL, { http, https, no = '' }: Proxies): URL | undefined {
  const proxy = url.protocol === 'https:' ? (https ?? http) : undefined;
  if (proxy === undefined || isLoopbackHost(url.hostname) || isExcluded(url, no)) return undefined;
  return new URL(proxy);
}

/** Whether `NO_PROXY` names this host: `example.com` and `.example.com` include subdomains, `*` is every host. */
function isExcluded({ hostname, port, protocol }: URL, no: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return no
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = '', entryPort = ownPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (entry === '*') return true;
      return name !== '' && entryPort === ownPort && (hostname === name || hostname.endsWith(`.${name}`));
    });
}
