import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { serve, type Served } from './serve.ts';

/** One request as a server saw it. */
export interface SeenRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** A real server on a free port that answers as a test says. */
export interface ScriptedServer extends Served {
  readonly baseUrl: string;
  readonly requests: SeenRequest[];
  /** How many connections were ever made. */
  connections(): number;
  answer: RequestListener;
}

/** Starts a server on a free loopback port. */
export async function startScriptedServer(answer: RequestListener): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  let connections = 0;
  const server = createServer().on('connection', () => (connections += 1));
  const served = await serve((request, response) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    scripted.answer(request, response);
  }, server);
  const scripted: ScriptedServer = {
    ...served,
    baseUrl: served.url,
    requests,
    connections: () => connections,
    answer,
  };
  return scripted;
}

/** Answers every request with one JSON document. */
export function answersWith(body: unknown, status = 200, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}
