import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { fullPulse, sourcesBody } from '@pulse-card/contract/examples';
import { serve, type Served } from './serve.ts';

/** A request that reached the service. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** A service that answers as instructed and records every request. */
export interface FakeService extends Served {
  readonly arrivals: Arrival[];
  /** The current handler. */
  answer: RequestListener;
  /** The total number of connections. */
  connections(): number;
}

export const account = { id: 'acc_canary_1', email: 'canary+owner@pii.test' };

/** Answers with the list of two sources and with a pulse for each listed id except `src_bare`. */
export function answerWell(request: IncomingMessage, response: ServerResponse): void {
  const meta = { account, requestedAt: new Date().toISOString() };
  const id = /^\/v1\/sources\/([^/]+)\/pulse$/.exec(request.url ?? '')?.[1];
  if (request.url === '/v1/sources') return sendJson(response, 200, { ...sourcesBody, meta });
  if (id === 'src_1') return sendJson(response, 200, { meta, pulse: fullPulse });
  return sendJson(response, 404, { success: false, error: 'No pulse found for this source' });
}

/** Answers like `answerWell`, with the chart of its pulse at `imageUrl`. */
export function answerWithChart(imageUrl: string): RequestListener {
  return (request, response) => {
    if (request.url !== '/v1/sources/src_1/pulse') return answerWell(request, response);
    const meta = { account, requestedAt: new Date().toISOString() };
    return sendJson(response, 200, { meta, pulse: { ...fullPulse, imageUrl } });
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '59',
    'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1000) + 60),
    ...headers,
  });
  response.end(JSON.stringify(body));
}

/** Answers every request with one JSON document or one string. */
export function answersWith(body: unknown, status = 200, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** @param server the server of the service, which is a plain http server by default */
export async function startFakeService(
  answer: RequestListener = answerWell,
  server = createServer(),
): Promise<FakeService> {
  const arrivals: Arrival[] = [];
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const served = await serve((request, response) => {
    const { method = '', url = '', headers, rawHeaders } = request;
    arrivals.push({ method, url, headers, rawHeaders });
    service.answer(request, response);
  }, server);
  const service: FakeService = { ...served, arrivals, answer, connections: () => connections };
  return service;
}
