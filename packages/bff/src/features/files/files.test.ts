import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import express from 'express';
import inject from 'light-my-request';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { serveFiles } from './files.ts';

const folder = temporaryFolder();
after(() => folder.remove());
const paths = new Set(['/pulse-card.js', '/pulse-board.js']);
for (const path of paths) for (const end of ['', '.br', '.gz']) writeFileSync(folder.path + path + end, `script${end}`);

const app = express();
app.use((_req, res, next) => {
  res.locals['record'] = {};
  next();
});
const widget = { folder: folder.path, paths, hash: '', integrity: '', publishedUrl: null };
app.use(serveFiles(widget, { isMounted: false }));

describe('serveFiles()', () => {
  for (const [accepted, body] of [
    ['gzip, br', 'script.br'],
    ['gzip, br;q=0', 'script.gz'],
    ['*;q=0', 'script'],
  ] as const)
    it(`sends ${body} for Accept-Encoding: ${accepted}`, async () => {
      const response = await inject(app, { url: '/pulse-card.js', headers: { 'accept-encoding': accepted } });
      assert.equal(response.body, body);
    });

  it('closes the connection if a file can’t be read, and continues to respond', async () => {
    rmSync(folder.file('pulse-board.js'));
    await assert.rejects(inject(app, '/pulse-board.js'));
    assert.equal((await inject(app, '/pulse-card.js')).statusCode, 200);
  });
});
