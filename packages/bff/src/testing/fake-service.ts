import type { IncomingMessage, ServerResponse } from 'node:http';
import { fullPulse, sourcesBody } from '@pulse-card/contract/examples';
import { serve, type Served } from './serve.ts';

/** A request that reached the service. */
export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
}

/** A service that answers as it is told and remembers every request. */
export interface FakeService extends Served {
  readonly arrivals: Arrival[];
  /** What answers from now on. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
}

export const account = { id: 'acc_canary_1', email: 'canary+owner@pii.test' };

/** Answers with the list of two sources and with a pulse for each id that is listed but `src_bare`. */
export function answerWell(request: IncomingMessage, response: ServerResponse): void {
  const meta = { account, requestedAt: new Date().toISOString() };
  const id = /^\/v1\/sources\/([^/]+)\/pulse$/.exec(request.url ?? '')?.[1];
  if (request.url === '/v1/sources') return sendJson(response, 200, { ...sourcesBody, meta });
  if (id === 'src_1') return sendJson(response, 200, { meta, pulse: fullPulse });
  return sendJson(response, 404, { success: false, error: 'No pulse found for this source' });
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

export async function startFakeService(answer = answerWell): Promise<FakeService> {
  const arrivals: Arrival[] = [];
  const served = await serve((request, response) => {
    arrivals.push({ method: request.method ?? '', url: request.url ?? '', rawHeaders: request.rawHeaders });
    service.answer(request, response);
  });
  const service: FakeService = { ...served, arrivals, answer };
  return service;
}
