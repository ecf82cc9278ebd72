import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { join } from 'node:path';
import { startChild } from '../child-process.ts';
import type { Arrival, FakeService, FakeServiceOptions, FakeServiceRemote } from './fake-service.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

/** Opens a loopback port through which another process controls the service. Resolves to its URL. */
export async function openControl(service: FakeService, port: number): Promise<{ url: string; server: Server }> {
  const server = createServer((req, res) => {
    void obey(service, req).then(
      (said) => res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said)),
      (error: unknown) => res.writeHead(400).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function obey(service: FakeService, req: IncomingMessage): Promise<unknown> {
  const order = `${req.method} ${req.url}`;
  if (order === 'GET /arrivals') return service.arrivals();
  if (order === 'GET /hosts') return { urls: service.urls, ids: service.ids };
  if (order === 'POST /fail') {
    const [fault, toward] = (await json(req)) as Parameters<FakeService['fail']>;
    return { done: await service.fail(fault, toward) };
  }
  throw new Error(`Can’t respond to "${order}": the routes are GET /arrivals, GET /hosts, and POST /fail`);
}

/** Controls a service that runs in another process. */
async function commandService(url: string, close: () => Promise<void>): Promise<FakeServiceRemote> {
  const tell = async (path: string, body?: unknown) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(url + path, init);
    if (!answer.ok) throw new Error(`Can’t control the service: ${await answer.text()}`);
    return answer.json();
  };
  const { urls, ids } = (await tell('/hosts')) as Pick<FakeServiceRemote, 'urls' | 'ids'>;
  return {
    urls,
    ids,
    fail: async (...what) => void (await tell('/fail', what)),
    arrivals: async () => (await tell('/arrivals')) as readonly Arrival[],
    close,
  };
}

/** Starts a fake service in a separate process, optionally on only one core. */
export async function spawnFakeService(options: FakeServiceOptions, core?: number): Promise<FakeServiceRemote> {
  const child = await startChild({
    title: 'the fake service',
    args: ['--conditions=source', MAIN, JSON.stringify(options)],
    isReady: (line) => line.includes('"ready":true'),
    ...(core === undefined ? {} : { core }),
  });
  const { control } = JSON.parse(child.readyLine) as { control: string };
  return commandService(control, () => child.stop());
}
