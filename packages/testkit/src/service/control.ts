import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { join } from 'node:path';
import { startChild } from '../child-process.ts';
import type { Fault } from './faulty-host.ts';
import type { HostName, RecordingUpstream, UpstreamOptions } from './recording-upstream.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

/** Opens a loopback port through which another process controls the upstream. Resolves to its address. */
export async function openControl(upstream: RecordingUpstream, port: number): Promise<{ url: string; server: Server }> {
  const server = createServer((req, res) => {
    void obey(upstream, req).then(
      (said) => res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said)),
      (error: unknown) => res.writeHead(400).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function obey(upstream: RecordingUpstream, req: IncomingMessage): Promise<unknown> {
  const order = `${req.method} ${req.url}`;
  if (order === 'GET /arrivals') return upstream.arrivals();
  if (order === 'GET /hosts') return { urls: upstream.urls, ids: upstream.ids };
  if (order === 'POST /fail') {
    const { host, fault } = (await json(req)) as { host: HostName | 'both'; fault: Fault };
    return { done: await upstream.fail(host, fault) };
  }
  throw new Error(`Cannot obey "${order}": there are GET /arrivals, GET /hosts and POST /fail`);
}

/** Controls an upstream that runs in another process. */
async function commandUpstream(url: string, close: () => Promise<void>): Promise<RecordingUpstream> {
  const tell = async (path: string, body?: unknown) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(url + path, init);
    if (!answer.ok) throw new Error(`Cannot command the upstream: ${await answer.text()}`);
    return answer.json();
  };
  const { urls, ids } = (await tell('/hosts')) as Pick<RecordingUpstream, 'urls' | 'ids'>;
  return {
    urls,
    ids,
    fail: async (host, fault) => void (await tell('/fail', { host, fault })),
    arrivals: async () => (await tell('/arrivals')) as Awaited<ReturnType<RecordingUpstream['arrivals']>>,
    close,
  };
}

/** Simulates the service in a separate process, optionally on only one core. */
export async function spawnUpstream(options: UpstreamOptions, core?: number): Promise<RecordingUpstream> {
  const child = await startChild({
    title: 'recording upstream',
    args: ['--conditions=source', MAIN, JSON.stringify(options)],
    isReady: (line) => line.includes('"ready":true'),
    ...(core === undefined ? {} : { core }),
  });
  const { control } = JSON.parse(child.readyLine) as { control: string };
  return commandUpstream(control, () => child.stop());
}
