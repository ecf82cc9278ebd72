import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { Resolve } from '../addresses.ts';
import { pngOf, sendPng, startFakeCdn } from '../testing/fake-cdn.ts';
import { createImageProxy, type ImageReader } from './image-proxy.ts';

const UNAVAILABLE = { ok: false, code: 'upstream_unavailable' };

/** A reader whose request holds all that must not be sent on. */
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

/** A resolver that says something else each time. */
function fickle(answers: readonly (readonly string[])[]): { readonly resolve: Resolve; readonly asked: () => number } {
  let at = 0;
  return {
    resolve: (_name, found) =>
      found(
        null,
        (answers[at++] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    asked: () => at,
  };
}

describe('createImageProxy()', () => {
  it('T-51: connects to no private address that a name leads to, although it led outside before', async () => {
    await using cdn = await startFakeCdn();
    const answers = [
      ['203.0.113.9', '127.0.0.1'],
      ['127.0.0.1'],
      ['10.0.0.7'],
      ['::ffff:127.0.0.1'],
      ['1.1.1.1', '::1'],
    ];
    const { resolve, asked } = fickle(answers);
    const fetchImage = createImageProxy({ resolve });
    const address = new URL(`http://rebound.test:${cdn.host.split(':')[1]}/a.png`);
    for (const _ of answers) assert.deepEqual(await fetchImage(address, readerOf()), UNAVAILABLE);
    assert.equal(asked(), answers.length);
    assert.equal(cdn.connections(), 0);
  });

  it('T-51: asks the resolver for each connection, and keeps none', async () => {
    await using cdn = await startFakeCdn();
    const { resolve, asked } = fickle([['127.0.0.1'], ['127.0.0.1'], ['10.0.0.7']]);
    const fetchImage = createImageProxy({ resolve });
    const address = new URL(`http://localhost:${cdn.host.split(':')[1]}/a.png`);
    const outcomes = [
      await fetchImage(address, readerOf()),
      await fetchImage(address, readerOf()),
      await fetchImage(address, readerOf()),
    ];
    assert.deepEqual(
      outcomes.map((outcome) => outcome !== 'reader-left' && outcome.ok),
      [true, true, false],
    );
    assert.equal(asked(), 3);
    assert.equal(cdn.connections(), 2);
  });

  it('takes image/png with parameters, and no other media type', async () => {
    await using cdn = await startFakeCdn();
    const isTaken = async (type: string): Promise<boolean> => {
      cdn.answer = (_request, response) => void response.writeHead(200, { 'Content-Type': type }).end(pngOf());
      const outcome = await createImageProxy()(new URL(`http://${cdn.host}/a.png`), readerOf());
      return outcome !== 'reader-left' && outcome.ok;
    };
    assert.deepEqual(
      [await isTaken('image/png; charset=binary'), await isTaken('Image/PNG'), await isTaken('image/pngx')],
      [true, true, false],
    );
  });

  it('T-53: gives up on a host that says nothing', async () => {
    await using cdn = await startFakeCdn();
    cdn.answer = () => {};
    const fetchImage = createImageProxy({ deadlineMs: 50 });
    assert.deepEqual(await fetchImage(new URL(`http://${cdn.host}/a.png`), readerOf()), UNAVAILABLE);
  });

  it('T-53: gives up on a host that never ends, and cuts it off', async () => {
    await using cdn = await startFakeCdn();
    const left = new Promise<void>((resolve) => {
      cdn.answer = (request, response) => {
        request.socket.on('close', () => resolve());
        response.writeHead(200, { 'Content-Type': 'image/png' }).write(pngOf());
      };
    });
    // Longer and longer: on a busy machine a deadline can pass before the request is there.
    for (let deadlineMs = 50; cdn.arrivals.length === 0; deadlineMs *= 2) {
      const fetchImage = createImageProxy({ deadlineMs });
      assert.deepEqual(await fetchImage(new URL(`http://${cdn.host}/a.png`), readerOf()), UNAVAILABLE);
    }
    await left;
  });

  it('refuses a certificate that nobody vouches for', async () => {
    await using cdn = await startFakeCdn();
    cdn.answer = sendPng(pngOf());
    assert.deepEqual(await createImageProxy()(new URL(`https://${cdn.host}/a.png`), readerOf()), UNAVAILABLE);
    assert.deepEqual(cdn.arrivals, []);
  });
});
