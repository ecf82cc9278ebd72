import { request } from 'undici';
import { join } from 'node:path';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import { startChild } from '@pulse-card/testkit/child-process';
import { freePorts } from '@pulse-card/testkit/free-port';
import { spawnFakeService } from '@pulse-card/testkit/service/control';
import { until } from '@pulse-card/testkit/until';

/** A server that responds from its cache. */
export interface MeasuredServer {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

/** All servers in a run, and how to stop them. */
export interface ServerSet {
  readonly servers: readonly MeasuredServer[];
  readonly bff: Omit<MeasuredServer, 'name'>;
  /** The BFF's response, which the bare server repeats. */
  readonly sample: Sample;
  stop(): Promise<void>;
}

/** The encodings that browsers accept. */
export const HEADERS = { 'Accept-Encoding': 'gzip, deflate, br' };

const PATH = '/v1/sources/src_001/pulse';

/** Starts the compared servers on `serverCore`, and their upstreams on `otherCore`. */
export async function startServers(serverCore: number, otherCore: number): Promise<ServerSet> {
  const upstream = await spawnFakeService({ sources: 10 }, otherCore);
  const env = { PULSE_CLIENT_RATE: '10000000', PULSE_ALLOWED_ORIGINS: 'https://portal.example' };
  const bff = await BffProcess.start({ upstream, env, core: serverCore, isQuiet: true });
  const sample = await warmSample(bff.url + PATH);
  const SAMPLE = JSON.stringify(sample);
  const bare = await startNode('bare-node-server.ts', serverCore, { SAMPLE });
  const baseline = await startNode('baseline-server.ts', serverCore, { SAMPLE });
  const servers = [
    { name: 'bare node:http', url: bare.url + PATH, pid: bare.pid },
    { name: 'baseline', url: baseline.url + PATH, pid: baseline.pid },
    { name: 'BFF', url: bff.url + PATH, pid: bff.pid },
  ];
  const stop = async () => {
    await Promise.all([bff.stop(), bare.stop(), baseline.stop()]);
    await upstream.close();
  };
  return { servers, bff: { url: bff.url, pid: bff.pid }, sample, stop };
}

interface StartedServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

async function startNode(file: string, core: number, env: Readonly<Record<string, string>>): Promise<StartedServer> {
  const [port] = await freePorts(1);
  const child = await startChild({
    title: file,
    args: ['--conditions=source', join(import.meta.dirname, file)],
    env: { PORT: String(port), ...env },
    core,
    isReady: (line) => line === 'ready',
  });
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.stop() };
}

/**
 * The first response with a compressed body. The BFF might compress a body only after the first reader has received it.
 */
async function warmSample(url: string): Promise<Sample> {
  return until('the BFF compresses its response', async () => {
    const taken = await takeSample(url, HEADERS);
    return taken.status === 200 && taken.headers['content-encoding'] !== undefined && taken;
  });
}

/** A response's status, headers, and bytes, exactly as sent. */
export interface Sample {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
}

/** Headers that a server sets automatically. */
const OF_THE_CONNECTION = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** Receives a response without decoding it. */
export async function takeSample(url: string, headers: Readonly<Record<string, string>>): Promise<Sample> {
  const answer = await request(url, { headers });
  const body = Buffer.from(await answer.body.arrayBuffer());
  const cached = Object.entries(answer.headers).filter(([name]) => !OF_THE_CONNECTION.has(name));
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(cached.map(([name, value]) => [name, String(value)])),
    bodyBase64: body.toString('base64'),
  };
}
