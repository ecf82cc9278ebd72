import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../../testkit/src/until.ts';
import { ask, folder, Net, pulsePath } from '../kit.ts';

const PULSE = pulsePath('src_001');
const LONG_TEXT = { aiSummaryLong: 'wörter '.repeat(8_500) };

const portOf = (net: Net): number => Number(new URL(net.bff.url).port);
const requestText = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: pulse.test\r\n${more}\r\n`;

/** Connects from a loopback IP address. */
function open(net: Net, localAddress = '127.0.0.1'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: portOf(net), host: '127.0.0.1', localAddress }, () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => undefined);
  });
}

/** The 99th percentile of a reader's response times, in ms, while `others` runs. */
async function slowest(net: Net, others: () => unknown): Promise<number> {
  const times: number[] = [];
  others();
  for (let at = 0; at < 100; at += 1) {
    const begun = performance.now();
    assert.equal((await net.get(PULSE)).status, 200);
    times.push(performance.now() - begun);
  }
  return times.toSorted((a, b) => a - b)[98] ?? 0;
}

describe('Others still get their responses', () => {
  it('while a client pipelines 100 requests, each for 60 kB of text, in one write', async () => {
    await using net = await Net.start({ env: { PULSE_FRESH_MS: '600000' } });
    net.service.account.deliver('src_001', LONG_TEXT);
    await net.eventually(PULSE);
    const quiet = await slowest(net, () => undefined);
    const socket = await open(net);
    socket.resume();
    const busy = await slowest(net, () =>
      socket.write(requestText(PULSE, 'Accept-Encoding: identity\r\n').repeat(100)),
    );
    socket.destroy();
    assert.ok(busy - quiet <= 100, `${quiet.toFixed(1)} ms before, ${busy.toFixed(1)} ms meanwhile`);
  });

  it('while 24 IP addresses with 192 connections don’t read their responses', async () => {
    await using net = await Net.start({ env: { PULSE_FRESH_MS: '600000' } });
    net.service.account.deliver('src_001', LONG_TEXT);
    await net.eventually(PULSE);
    const text = requestText(PULSE, 'Accept-Encoding: identity\r\n').repeat(90);
    const sockets = await Promise.all(
      Array.from({ length: 192 }, async (_, at) => {
        const socket = await open(net, `127.0.1.${1 + (at % 24)}`);
        socket.pause();
        socket.write(text);
        return socket;
      }),
    );
    await pause(500);
    for (let at = 0; at < 20; at += 1) assert.equal((await ask(net.bff.url + PULSE)).status, 200);
    const kB = Number(
      /VmRSS:\s+(\d+)/.exec(execFileSync('cat', [`/proc/${net.bff.pid}/status`], { encoding: 'utf8' }))?.[1],
    );
    assert.ok(kB < 700_000, `${kB} kB`);
    for (const socket of sockets) socket.destroy();
  });

  it('after a client opens 400 connections, because the BFF closes them', async () => {
    await using net = await Net.start({ env: { PULSE_CLIENT_RATE: '10' } });
    await net.eventually(PULSE);
    let closed = 0;
    const sockets = await Promise.all(
      Array.from({ length: 400 }, async () => {
        const socket = await open(net, '127.0.2.1');
        socket.resume().once('close', () => (closed += 1));
        socket.write(requestText(PULSE));
        return socket;
      }),
    );
    await until('they are closed', () => closed >= 380, { withinMs: 30_000 });
    for (const socket of sockets) socket.destroy();
  });
});

describe('Startup isn’t blocked by', { concurrency: 2 }, () => {
  it('a FIFO instead of any file in the state folder', async () => {
    const state = folder();
    for (const name of ['state.json', 'alerts.json', 'key.json', 'history.json'])
      execFileSync('mkfifo', [join(state, name)]);
    await using net = await Net.start({ env: { PULSE_STATE_DIR: state } });
    await net.eventually(PULSE);
  });

  it('a wrong number in the state file', async () => {
    const state = folder();
    await using net = await Net.start({ env: { PULSE_STATE_DIR: state }, speed: 1 });
    await net.eventually(PULSE);
    await net.push(60_000);
    await net.bff.stop();
    const path = join(state, 'state.json');
    const text = execFileSync('cat', [path], { encoding: 'utf8' });
    let at = 0;
    writeFileSync(
      path,
      text.replaceAll(/\b\d{13}\b/g, (time) => ((at += 1) === 2 ? '-1e99' : time)),
    );
    await net.bff.restart();
    await net.eventually(PULSE);
    await net.eventually('/readyz');
  });

  it('a Redis server that accepts connections but never responds', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    await using net = await Net.start({ env: { REDIS_URL: `redis://127.0.0.1:${port}` } });
    await net.eventually(PULSE);
    net.bff.signal('SIGTERM');
    assert.equal(await net.bff.ended, 0);
    silent.close();
  });
});
