import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { isLoopbackHost } from '@pulse-card/contract';
import type { BffStatus } from './bff-status.ts';
import type { Metrics } from './metrics.ts';
import { statusPage, statusPagePolicy } from './status-page.ts';

/** What the private port shows. */
export interface AdminListenerParts {
  readonly metrics: Metrics;
  readonly status: () => BffStatus;
}

export interface AdminOptions {
  /** The port is reached over a private network, not over loopback alone. @default false */
  readonly isPrivateNetwork?: boolean;
}

interface View {
  readonly type: string;
  readonly text: string;
}

/** What the private port answers: figures for machines, and the same for people. */
export function adminListener(
  { metrics, status }: AdminListenerParts,
  { isPrivateNetwork = false }: AdminOptions = {},
): RequestListener {
  const pages: Readonly<Record<string, () => View | Promise<View>>> = {
    '/': () => ({ type: 'text/html; charset=utf-8', text: statusPage(status()) }),
    '/status': () => ({ type: 'application/json; charset=utf-8', text: JSON.stringify(status(), wholeMs, 2) }),
    '/metrics': () => metrics.text(),
  };
  return (request, response) => {
    const page = pages[pathOf(request)];
    if (!isOwnHost(request, isPrivateNetwork)) return send(response, 403, refusalOf(HOST_REFUSAL));
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, 405, refusalOf('Only GET and HEAD'));
    if (page === undefined) return send(response, 404, refusalOf('There are /, /status and /metrics'));
    Promise.resolve()
      .then(page)
      .then((displayed) => send(response, 200, displayed))
      .catch(() => send(response, 500, refusalOf('The figures could not be read')));
  };
}

const HOST_REFUSAL = 'Ask by an IP address, by localhost, or in a private network by a name that is private, too';

/** A page of the web could give its own name an address that leads here (DNS rebinding); its host gives it away. */
function isOwnHost({ headers: { host = '' } }: IncomingMessage, isPrivateNetwork: boolean): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return isLoopbackHost(hostname) || (isPrivateNetwork && isPrivateName(hostname));
}

/** Returns whether nobody can register `hostname` in public: an IP address, a name without a dot, `.local`, `.internal`. */
function isPrivateName(hostname: string): boolean {
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  return isAddress || !hostname.includes('.') || /\.(?:local|internal)$/.test(hostname);
}

/** Durations are told in whole milliseconds. */
function wholeMs(name: string, value: unknown): unknown {
  return typeof value === 'number' && name.endsWith('Ms') ? Math.round(value) : value;
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?')[0] ?? '/';
}

function refusalOf(text: string): View {
  return { type: 'text/plain; charset=utf-8', text: `${text}\n` };
}

function send(response: ServerResponse, code: number, { type, text }: View): void {
  response.writeHead(code, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': statusPagePolicy,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(code === 405 && { Allow: 'GET, HEAD' }),
  });
  response.end(text);
}
