import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import inject from 'light-my-request';
import type { AnyRequest, PulseResponse } from './locals.ts';
import { acceptedEncoding, Bodies, Body, JSON_TYPE, sendBody, sendText, stricter } from './send.ts';

describe('acceptedEncoding()', () => {
  for (const [header, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['identity', 'identity'],
    ['gzip;q=0', 'identity'],
    ['br;q=x', 'identity'],
  ] as const)
    it(`chooses ${encoding} for ${header}`, () =>
      assert.equal(acceptedEncoding({ headers: { 'accept-encoding': header } }), encoding));

  it('sends the uncompressed body to clients that don’t specify an encoding', () =>
    assert.equal(acceptedEncoding({ headers: {} }), 'identity'));
});

describe('Body', () => {
  const text = JSON.stringify({ text: 'café '.repeat(100) });

  it('has a separate entity tag for each encoding', () => {
    const body = new Body(text, JSON_TYPE);
    const [br, gzip, plain] = [body.in('br'), body.in('gzip'), body.in('identity')];
    assert.equal(brotliDecompressSync(br.bytes).toString(), text);
    assert.equal(gunzipSync(gzip.bytes).toString(), text);
    assert.equal(Buffer.from(plain.bytes).toString(), text);
    assert.equal(new Set([br.tag, gzip.tag, plain.tag]).size, 3);
    assert.equal(new Body(text, JSON_TYPE).in('br').tag, br.tag);
    assert.equal(br.headers['Content-Length'], br.bytes.length);
  });

  it('doesn’t compress a short body', () => {
    assert.equal(new Body('{}', JSON_TYPE).in('br').headers['Content-Encoding'], undefined);
  });

  it('compresses once', () => {
    const body = new Body(text, JSON_TYPE);
    assert.equal(body.in('br'), body.in('br'));
  });

  it('keeps only the compressed bytes in memory', () => {
    const { bytes } = new Body(text, JSON_TYPE).in('br');
    assert.equal(bytes.buffer.byteLength, bytes.length);
  });
});

describe('Bodies', () => {
  it('caches a body until a value that it depends on changes', () => {
    const part = { revision: 1 };
    const bodies = new Bodies([part, undefined]);
    let made = 0;
    const make = () => String((made += 1));
    const [one, other] = [{}, {}];
    bodies.body('a', [one, false], JSON_TYPE, make);
    bodies.body('a', [one, false], JSON_TYPE, make);
    assert.equal(made, 1);
    assert.equal(bodies.body('a', [one, true], JSON_TYPE, make).content, '2');
    assert.equal(bodies.body('a', [other, true], JSON_TYPE, make).content, '3');
    assert.equal(bodies.body('b', [other, true], JSON_TYPE, make).content, '4');
    part.revision = 2;
    assert.equal(bodies.body('b', [other, true], JSON_TYPE, make).content, '5');
    const unnamed = bodies.body(undefined, [], JSON_TYPE, () => 'text '.repeat(100));
    assert.equal(unnamed.in('br').headers['Content-Encoding'], undefined);
  });
});

describe('stricter()', () => {
  for (const [theirs, ours, joined] of [
    ['no-store', 'public, max-age=5', 'no-store'],
    ['max-age=5', 'private, no-store', 'private, no-store'],
    ['private', 'public, max-age=5', 'private, max-age=5'],
    ['public, max-age=60', 'private, no-cache', 'max-age=60, private, no-cache'],
    ['max-age=60', 'public, max-age=5', 'max-age=60, public, max-age=5'],
  ] as const)
    it(`merges the application’s ${theirs} with ${ours}`, () => assert.equal(stricter(theirs, ours), joined));
});

describe('sendBody()', () => {
  it('gives each named reader separate entity tags, so that no 304 confirms another reader’s response', async () => {
    const body = new Body('{"text":"the same for all"}', JSON_TYPE);
    const answer = (reader: string | undefined, tag = '') =>
      inject(
        (req, res) => {
          const locals = { reader, scope: 'mounted', record: {} };
          sendBody(req as AnyRequest, Object.assign(res, { locals }) as unknown as PulseResponse, body);
        },
        { url: '/', headers: { 'if-none-match': tag } },
      );
    const readers = ['ann', 'bob', undefined];
    const tags = await Promise.all(readers.map(async (reader) => String((await answer(reader)).headers['etag'])));
    assert.equal(new Set(tags).size, readers.length);
    assert.match(tags[0] ?? '', /\.[\w-]{8}"$/);
    for (const [at, reader] of readers.entries())
      for (const [index, tag] of tags.entries())
        assert.equal((await answer(reader, tag)).statusCode, at === index ? 304 : 200, `${reader} ${tag}`);
    for (const known of [`"x", W/${tags[0]}`, '*']) {
      const { statusCode, headers } = await answer('ann', known);
      assert.deepEqual([statusCode, headers['content-type']], [304, undefined], known);
    }
  });
});

describe('sendText()', () => {
  async function idOf(cacheControl: string | undefined, record: object = { code: 'pulse_not_found' }) {
    const { headers, rawPayload } = await inject(
      (req, res) => {
        if (cacheControl !== undefined) res.setHeader('Cache-Control', cacheControl);
        const locals = { scope: 'shared', record };
        const response = Object.assign(res, { locals }) as unknown as PulseResponse;
        sendText(req as AnyRequest, response, 404, JSON_TYPE, '{"error":"This isn’t here"}');
      },
      { url: '/' },
    );
    assert.equal(headers['content-length'], String(rawPayload.length));
    return [headers['cache-control'], typeof headers['x-request-id']];
  }

  it('adds an ID only to an error, and only if no shared cache stores it', async () => {
    assert.deepEqual(await idOf('no-cache', {}), ['no-cache', 'undefined']);
    assert.deepEqual(await idOf(undefined), ['no-store', 'string']);
    assert.deepEqual(await idOf('public, max-age=5'), ['public, max-age=5', 'undefined']);
  });
});
