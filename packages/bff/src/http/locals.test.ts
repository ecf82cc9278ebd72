import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import express from 'express';
import { recordRequest } from './locals.ts';

describe('recordRequest()', () => {
  it('keeps the application’s locals, but never treats them as facts about the reader', async (t) => {
    const clients = { keyOf: () => 'client', isUntrustedProxy: () => false };
    const app = express()
      .use((_req, res, next) => {
        Object.assign(res.locals, { user: 'ann', reader: 'bob', sources: '*' });
        next();
      })
      .use(recordRequest(clients, 'mounted', []))
      .use((_req, res) => {
        const { user, reader, sources } = res.locals as Record<string, unknown>;
        res.json({ user, reader, sources: (sources as Set<string>).size });
      });
    const server = app.listen(0);
    t.after(() => server.close());
    const { port } = server.address() as { readonly port: number };
    const response = await fetch(`http://127.0.0.1:${port}/`);
    assert.deepEqual(await response.json(), { user: 'ann', sources: 0 });
  });
});
