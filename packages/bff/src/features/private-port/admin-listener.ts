import type { RequestListener } from 'node:http';
import { isLoopbackHost } from '@pulse-card/contract';
import express, { type ErrorRequestHandler, type RequestHandler, type Response, type Router } from 'express';
import { addressIn, placeOf } from '../../lib/ip-address.ts';
import type { AdminDocument } from '../../feature.ts';
import { isFromOtherSite } from '../../http/origins.ts';
import type { PrivatePortSettings } from './private-port.ts';

/** What the private port serves. */
export interface AdminParts {
  readonly settings: Pick<PrivatePortSettings, 'PULSE_ADMIN_HOST' | 'PULSE_ADMIN_HOSTS'>;
  /** By path: `/status`, `/metrics`. */
  readonly documents: Readonly<Record<string, AdminDocument>>;
  /** Pages for people: the status page and the Studio. */
  readonly pages: Router;
}

/** Answers requests to the private port with documents for programs and pages for people. */
export function adminListener({ settings, documents, pages }: AdminParts): RequestListener {
  const { PULSE_ADMIN_HOST: host, PULSE_ADMIN_HOSTS: names } = settings;
  const isPrivateNetwork = placeOf(host) !== 'loopback';
  const app = express().disable('x-powered-by');
  app.use(({ headers }, response, next) => {
    if (isOwnHost(headers.host, { isPrivateNetwork, names })) next();
    else send(response, 403, HOST_REFUSAL);
  });
  for (const [path, { type, text }] of Object.entries(documents)) {
    app.all(path, refuseOtherSites);
    app.get(path, async (_request, response) => send(response, 200, await text(), type));
    app.all(path, (_request, response) => send(response, 405, 'Only GET and HEAD\n'));
  }
  app.use(pages);
  app.use((_request, response) => send(response, 404, 'Only these paths exist: /, /studio/, /status and /metrics\n'));
  const answerFault: ErrorRequestHandler = (_fault, _request, response, _next) =>
    send(response, 500, 'The status could not be read\n');
  app.use(answerFault);
  return app;
}

/**
 * Rejects requests that come from a page on another site, according to the browser (Fetch Metadata). Prometheus and
 * `curl` don't send these headers.
 */
const refuseOtherSites: RequestHandler = ({ headers }, response, next) => {
  if (isFromOtherSite(headers)) send(response, 403, 'Only programs and pages on this server can request this\n');
  else next();
};

const HOST_REFUSAL =
  'The private port does not answer to this host name. Use localhost, or add the name to PULSE_ADMIN_HOSTS and restart\n';

/** The host names at which the private port can be reached, in addition to loopback names. */
interface AdminHosts {
  readonly isPrivateNetwork: boolean;
  readonly names: readonly string[];
}

/**
 * Rejects public host names that aren't explicitly allowed. The host name of an attacker's page may resolve to this
 * server (DNS rebinding).
 */
function isOwnHost(host = '', { isPrivateNetwork, names }: AdminHosts): boolean {
  const hostname = URL.parse(`http://${host}`)?.hostname;
  if (hostname === undefined) return false;
  if (isLoopbackHost(hostname) || names.includes(hostname)) return true;
  // An IP address, or a name that no one can register publicly.
  return isPrivateNetwork && (addressIn(hostname) !== undefined || /^[^.]+$|\.(?:local|internal)$/.test(hostname));
}

function send(response: Response, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(status === 405 && { Allow: 'GET, HEAD' }),
  });
  response.end(text);
}
