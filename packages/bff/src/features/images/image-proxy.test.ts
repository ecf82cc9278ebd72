import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { Resolve } from '../../lib/ip-address.ts';
import { type FakeCdn, pngOf, sendPng, startFakeCdn } from '../../testing/fake-cdn.ts';
import { createSelfSignedServer } from '../../testing/self-signed.ts';
import { createImageProxy, type FetchImage, type ImageReader, READER_LEFT } from './image-proxy.ts';

const UNAVAILABLE = { ok: false, code: 'upstream_unavailable' };

const isOk = (outcome: Awaited<ReturnType<FetchImage>>) => outcome !== READER_LEFT && outcome.ok;

/** A reader whose request contains everything that must not be forwarded. */
function readerOf(): ImageReader {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, {
    method: 'GET',
    url: '/',
    headers: { cookie: 'a=b', expect: '100-continue', range: 'bytes=0-1' },
  });
  request.complete = true;
  request.push(null);
  return { request, response: new ServerResponse(request) };
}

/** A resolver that returns a different result each time. */
function fickle(answers: readonly (readonly string[])[]): { readonly resolve: Resolve; readonly asked: () => number } {
  let at = 0;
  const resolve: Resolve = async () => answers[at++] ?? [];
  return { resolve, asked: () => at };
}

/** Fetches a chart from `cdn` by a host name that resolves to the address of `cdn`, and returns the outcome. */
function fetchedFrom(cdn: FakeCdn, { host = '127.0.0.1', protocol = 'http:', ...options }: FetchOptions = {}) {
  const address = new URL(`${protocol}//${host}:${cdn.port}/a.png`);
  return createImageProxy(options)(address, readerOf());
}

type FetchOptions = Parameters<typeof createImageProxy>[0] & { readonly host?: string; readonly protocol?: string };

describe('createImageProxy()', () => {
  it('T-51: doesn’t connect to private addresses, even if the name resolved to a public address before', async () => {
    await using cdn = await startFakeCdn();
    const answers = [['127.0.0.1', '1.1.1.1'], ['127.0.0.1'], ['10.0.0.7'], ['::ffff:127.0.0.1'], ['1.1.1.1', '::1']];
    const { resolve, asked } = fickle(answers);
    for (const _ of answers) assert.deepEqual(await fetchedFrom(cdn, { host: 'rebound.test', resolve }), UNAVAILABLE);
    assert.equal(asked(), answers.length);
    assert.equal(cdn.connections(), 0);
  });

  it('T-51: resolves the name again for each connection, without a cache', async () => {
    await using cdn = await startFakeCdn();
    const { resolve, asked } = fickle([['127.0.0.1'], ['127.0.0.1'], ['10.0.0.7']]);
    for (const isGiven of [true, true, false])
      assert.equal(isOk(await fetchedFrom(cdn, { host: 'localhost', resolve })), isGiven);
    assert.deepEqual([asked(), cdn.connections()], [3, 2]);
  });

  for (const [type, isTaken] of [
    ['image/png; charset=binary', true],
    ['Image/PNG', true],
    ['image/pngx', false],
  ] as const)
    it(`${isTaken ? 'accepts' : 'rejects'} ${type} as image/png`, async () => {
      await using cdn = await startFakeCdn();
      cdn.answer = sendPng(pngOf(), { 'Content-Type': type });
      assert.equal(isOk(await fetchedFrom(cdn)), isTaken);
    });

  it('T-53: gives up on a host that sends nothing', async () => {
    await using cdn = await startFakeCdn();
    cdn.answer = () => {};
    assert.deepEqual(await fetchedFrom(cdn, { deadlineMs: 50 }), UNAVAILABLE);
  });

  it('T-53: gives up on an endless response, and closes the connection', async () => {
    await using cdn = await startFakeCdn();
    const left = new Promise<void>((resolve) => {
      cdn.answer = (request, response) => {
        request.socket.on('close', () => resolve());
        response.writeHead(200, { 'Content-Type': 'image/png' }).write(pngOf());
      };
    });
    // Deadlines get longer, because on a busy machine a deadline can pass before the request arrives.
    for (let deadlineMs = 50; cdn.arrivals.length === 0; deadlineMs *= 2)
      assert.deepEqual(await fetchedFrom(cdn, { deadlineMs }), UNAVAILABLE);
    await left;
  });

  it('sends nothing unencrypted if the address is https:', async () => {
    await using cdn = await startFakeCdn();
    assert.deepEqual(await fetchedFrom(cdn, { protocol: 'https:' }), UNAVAILABLE);
    assert.deepEqual(cdn.arrivals, []);
  });

  it('T-03: requests nothing from a host with an untrusted certificate', async () => {
    await using cdn = await startFakeCdn(createSelfSignedServer());
    assert.deepEqual(await fetchedFrom(cdn, { protocol: 'https:' }), UNAVAILABLE);
    assert.deepEqual([cdn.connections(), cdn.arrivals], [1, []]);
  });
});
