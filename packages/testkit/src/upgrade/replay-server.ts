import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROOT } from '../../../../scripts/run.ts';
import { type RecordedAnswer, type RecordedRelease, SERVICE_ORIGIN } from './recorded-release.ts';

const SCRIPTS = join(ROOT, 'packages/widget/dist');
const CHART = join(ROOT, 'docs/images/cards-light.png');

/** Simulates a BFF from an earlier release with its recorded answers and the script that is built here. */
export interface ReplayServer {
  readonly url: string;
  /** From now on, the batch gets the answer that was recorded while the service was down. */
  goStale(): void;
  close(): Promise<void>;
}

/** Answers as the recorded release did. For a path that was not recorded, the test itself returns 404 (`not_recorded`). */
export async function startReplayServer(release: RecordedRelease): Promise<ReplayServer> {
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  const byPath = new Map(release.answers.map((answer) => [answer.path, answer]));
  const server = createServer(({ method, url = '/' }, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'Authorization');
    if (method === 'OPTIONS') return void response.writeHead(204).end();
    if (/^\/pulse-(?:card|board)\.js$/.test(url)) return sendFile(response, join(SCRIPTS, url), 'text/javascript');
    if (url.startsWith('/charts/')) return sendFile(response, CHART, 'image/png');
    return sendRecorded(response, byPath.get(decodeURIComponent(url)), origin());
  }).listen(0, '127.0.0.1', resolve);
  const origin = (): string => `http://localhost:${(server.address() as AddressInfo).port}`;
  await listening;
  return {
    url: origin(),
    goStale: () => void byPath.set(release.stale.path, release.stale),
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}

function sendFile(response: ServerResponse, path: string, type: string): void {
  response.writeHead(200, { 'content-type': type }).end(readFileSync(path));
}

function sendRecorded(response: ServerResponse, recorded: RecordedAnswer | undefined, origin: string): void {
  if (recorded === undefined) {
    response.writeHead(404).end('not_recorded');
    return;
  }
  const { age: _, ...headers } = recorded.headers;
  response.writeHead(recorded.status, { ...headers, 'cache-control': 'no-store' });
  response.end(JSON.stringify(recorded.body).replaceAll(SERVICE_ORIGIN, origin));
}
