import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as a server saw it. */
export interface SeenRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** A real server on a free port that answers as a test says. */
export interface ScriptedServer extends AsyncDisposable {
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
  const server = createServer((request, response) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    scripted.answer(request, response);
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const scripted: ScriptedServer = {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    answer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
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
