import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Net, pulsePath, startNet } from '../kit.ts';

const PULSE = pulsePath('src_001');

/** Connects from a loopback IP address. */
function open({ bff }: Net, localAddress: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const port = Number(new URL(bff.url).port);
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => undefined);
  });
}

describe('Others still get their responses', () => {
  it('while 24 IP addresses with 192 connections don’t read their responses', async () => {
    await using net = await startNet({ env: { PULSE_FRESH_MS: '600000' } });
    net.service.account.deliver('src_001', { aiSummaryLong: 'wörter '.repeat(8_500) });
    await net.eventually(PULSE);
    const text = `GET ${PULSE} HTTP/1.1\r\nHost: pulse.test\r\nAccept-Encoding: identity\r\n\r\n`.repeat(90);
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
});
