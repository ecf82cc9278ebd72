import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import express from 'express';
import { until } from '../../../testkit/src/until.ts';
import { serve } from '../testing/serve.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { serveFolder } from './serve-folder.ts';

const folder = temporaryFolder();
after(() => folder.remove());
writeFileSync(folder.file('script.js'), 'script');
writeFileSync(folder.file('script.js.br'), brotliCompressSync('script'));
writeFileSync(folder.file('script.js.gz'), gzipSync('script'));
writeFileSync(folder.file('lost.js'), 'lost');
writeFileSync(folder.file('large.js'), Buffer.alloc(20_000_000));

/** A server with the folder's files. `opened`: the files that it has opened. */
async function serveFiles() {
  const opened: Readable[] = [];
  const app = express();
  app.use((_req, res, next) => {
    res.on('pipe', (file: Readable) => opened.push(file));
    next();
  });
  const server = await serve(app.use(serveFolder(folder.path, {})));
  return { ...server, opened };
}

describe('serveFolder()', () => {
  for (const [accepted, encoding] of [
    ['gzip, br', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['*;q=0', null],
  ] as const)
    it(`sends the encoding ${encoding} for Accept-Encoding: ${accepted}`, async () => {
      await using server = await serveFiles();
      const { headers } = await fetch(`${server.url}/script.js`, { headers: { 'Accept-Encoding': accepted } });
      assert.equal(headers.get('Content-Encoding'), encoding);
    });

  it('closes the connection if a file can’t be read, and continues to respond', async () => {
    await using server = await serveFiles();
    rmSync(folder.file('lost.js'));
    await assert.rejects(fetch(`${server.url}/lost.js`));
    assert.equal((await fetch(`${server.url}/script.js`, { headers: { 'Accept-Encoding': 'identity' } })).status, 200);
  });

  it('closes the file of a reader who leaves', async () => {
    await using server = await serveFiles();
    const reader = connect(Number(new URL(server.url).port), '127.0.0.1');
    reader.write('GET /large.js HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until('the file is open', () => server.opened.length > 0);
    reader.destroy();
    await until('the file is closed', () => server.opened.every(({ destroyed }) => destroyed));
  });
});
