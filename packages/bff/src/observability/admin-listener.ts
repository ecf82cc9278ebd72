import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isLoopbackHost } from '@pulse-card/contract';
import express, { type ErrorRequestHandler, type Router } from 'express';
import { addressIn } from '../addresses.ts';
import { isFromOtherSite } from '../http/studio.ts';
import { type StatusDocument, statusJson } from './status.ts';
import type { Metrics } from './metrics.ts';

/** What the private port shows. */
export interface AdminListenerParts {
  readonly metrics: Metrics;
  readonly status: () => StatusDocument;
  /** The status page and the Studio. */
  readonly studio: Router;
}

export interface AdminOptions {
  /** The port is reached over a private network, not only over loopback. @default false */
  readonly isPrivateNetwork?: boolean;
}

/** What the private port answers: `/metrics` and `/status` for machines, the status page and the Studio for people. */
export function adminListener(
  { metrics, status, studio }: AdminListenerParts,
  { isPrivateNetwork = false }: AdminOptions = {},
): RequestListener {
  const app = express().disable('x-powered-by');
  app.use((request, response, next) => {
    if (isOwnHost(request, isPrivateNetwork)) next();
    else send(response, 403, HOST_REFUSAL);
  });
  for (const path of ['/status', '/metrics']) app.all(path, refuseOtherSites);
  app.get('/status', (_request, response) =>
    send(response, 200, statusJson(status()), 'application/json; charset=utf-8'),
  );
  app.get('/metrics', async (_request, response) => {
    const { text, type } = await metrics.text();
    send(response, 200, text, type);
  });
  for (const path of ['/status', '/metrics'])
    app.all(path, (_request, response) => send(response, 405, 'Only GET and HEAD\n'));
  app.use(studio);
  app.use((_request, response) => send(response, 404, 'There are /, /studio/, /status and /metrics\n'));
  app.use(((_error, _request, response, _next) =>
    send(response, 500, 'The figures could not be read\n')) satisfies ErrorRequestHandler);
  return app;
}

/** Refuses what a browser says is for a page of another site (Fetch Metadata); Prometheus and `curl` say nothing. */
function refuseOtherSites({ headers }: IncomingMessage, response: ServerResponse, next: () => void): void {
  if (isFromOtherSite(headers)) send(response, 403, 'Only a page of this server or a program may ask this\n');
  else next();
}

const HOST_REFUSAL = 'Ask by an IP address, by localhost, or in a private network by a name that is private, too\n';

/** Refuses public host names: the name of an attacker's page may resolve to this server (DNS rebinding). */
function isOwnHost({ headers: { host = '' } }: IncomingMessage, isPrivateNetwork: boolean): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (isLoopbackHost(hostname)) return true;
  // An address, or a name that nobody can register in public.
  return isPrivateNetwork && (addressIn(hostname) !== undefined || /^[^.]+$|\.(?:local|internal)$/.test(hostname));
}

function send(response: ServerResponse, code: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(code, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(code === 405 && { Allow: 'GET, HEAD' }),
  });
  response.end(text);
}
