import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import express from 'express';
import { serve } from '../testing/serve.ts';
import { recordRequest } from './locals.ts';

describe('recordRequest()', () => {
  it('keeps the application’s locals, but never treats them as facts about the reader', async () => {
    const clientOf = () => ({ client: 'client', isUntrustedProxy: false });
    const app = express()
      .use((_req, res, next) => {
        Object.assign(res.locals, { user: 'ann', reader: 'bob', sources: '*' });
        next();
      })
      .use(recordRequest(clientOf, 'mounted', []))
      .use((_req, res) => {
        const { user, reader, sources } = res.locals as Record<string, unknown>;
        res.json({ user, reader, sources: (sources as Set<string>).size });
      });
    await using server = await serve(app);
    assert.deepEqual(await (await fetch(server.url)).json(), { user: 'ann', sources: 0 });
  });
});
