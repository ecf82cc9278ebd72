import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express';
import type { Config } from '../../config.ts';
import { isFromOtherSite } from '../../http/origins.ts';
import { JSON_TYPE } from '../../http/send.ts';
import { addressIn, placeOf } from '../../lib/ip-address.ts';

/** What the admin port serves. */
export interface AdminParts {
  readonly config: Pick<Config, 'adminHost' | 'adminHosts'>;
  readonly status: { json(): string };
  readonly metrics: { readonly type: string; text(): Promise<string> };
  /** The status page and the Studio. */
  readonly studio: RequestHandler;
}

/** The admin port's application: documents for programs and pages for people. */
export function adminApp({ config, status, metrics, studio }: AdminParts): Express {
  const app = express().disable('x-powered-by').disable('etag');
  app.use(ownHosts(config));
  app.all('/status', readOnly, (_req, res) => send(res, 200, status.json(), JSON_TYPE));
  app.all('/metrics', readOnly, async (_req, res) => send(res, 200, await metrics.text(), metrics.type));
  app.use(studio);
  app.use((_req, res) => send(res, 404, 'Only these paths exist: /, /studio/, /status, and /metrics\n'));
  return app.use(answerFault);
}

const OTHER_HOST =
  'The admin port doesn’t respond to this host name. Use localhost, or add the name to PULSE_ADMIN_HOSTS and restart\n';

/**
 * Rejects public host names that aren't explicitly allowed. The host name of an attacker's page may resolve to this
 * server (DNS rebinding).
 */
function ownHosts({ adminHost, adminHosts }: AdminParts['config']): RequestHandler {
  const isPrivateNetwork = placeOf(adminHost) !== 'loopback';
  // IP addresses, and names that no one can register publicly.
  const isPrivate = (name: string) => addressIn(name) !== undefined || /^[^.]+$|\.(?:local|internal)$/.test(name);
  return ({ headers: { host = '' } }, res, next) => {
    // A final dot only says that the name is complete.
    const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
    const isAllowed = (one: string) =>
      placeOf(one) === 'loopback' || adminHosts.includes(one) || (isPrivateNetwork && isPrivate(one));
    if (name !== undefined && isAllowed(name)) next();
    else send(res, 403, OTHER_HOST);
  };
}

/**
 * Rejects requests that, according to the browser, come from pages on other sites. Prometheus and curl don't send these
 * headers.
 */
const readOnly: RequestHandler = ({ headers, method }, res, next) => {
  if (isFromOtherSite(headers)) return send(res, 403, 'Only programs and pages on this server can request this\n');
  if (method === 'GET' || method === 'HEAD') return next();
  res.setHeader('Allow', 'GET, HEAD');
  send(res, 405, 'Only GET and HEAD\n');
};

const answerFault: ErrorRequestHandler = (_fault, _req, res, _next) => send(res, 500, 'The status can’t be read\n');

function send(res: Response, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  res.status(status).set(HEADERS).set('Content-Type', type).send(Buffer.from(text));
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};
