import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import express from 'express';
import { rateLimiter, RateLimitStore } from './rate-limit.ts';
import { SlidingWindowLog, type WindowLog } from './sliding-window-log.ts';

const LIMIT = { limit: 2, windowMs: 1_000 };

function storeOn(log: WindowLog) {
  const failures: unknown[] = [];
  const fallback = new SlidingWindowLog(LIMIT, () => 0);
  const store = new RateLimitStore(log, {
    limit: LIMIT.limit,
    nowMs: () => 5_000.4,
    fallback,
    onFailure: (error) => failures.push(error),
  });
  return { store, failures };
}

describe('RateLimitStore', () => {
  it('reports a count above the limit for a call that the log rejected', async () => {
    const { store } = storeOn(new SlidingWindowLog(LIMIT, () => 0));
    const hits: number[] = [];
    for (let call = 0; call < 4; call += 1) hits.push((await store.increment('caller')).totalHits);
    assert.deepEqual(hits, [1, 2, 3, 3]);
  });

  it('never reports a reset time that is too early', async () => {
    const { store } = storeOn(new SlidingWindowLog(LIMIT, () => 0));
    assert.equal((await store.increment('caller')).resetTime?.getTime(), 6_001);
  });

  it('if the log fails, reports the failure and continues to count in memory', async () => {
    const broken: WindowLog = { take: () => Promise.reject(new Error('gone')) };
    const { store, failures } = storeOn(broken);
    const hits: number[] = [];
    for (let call = 0; call < 3; call += 1) hits.push((await store.increment('caller')).totalHits);
    assert.deepEqual(hits, [1, 2, 3]);
    assert.deepEqual(failures, [new Error('gone'), new Error('gone'), new Error('gone')]);
  });

  it('never refunds a call', () => {
    const { store } = storeOn(new SlidingWindowLog(LIMIT, () => 0));
    assert.throws(() => store.decrement());
    assert.throws(() => store.resetKey());
  });
});

describe('rateLimiter()', () => {
  it('never asks a client to wait longer than a window, even if a call waited for the log', async () => {
    let nowMs = 5_000;
    const rejectLate: WindowLog = {
      take: async () => {
        nowMs += 700;
        return { granted: false, used: 2, resetInMs: 1_000 };
      },
    };
    const store = new RateLimitStore(rejectLate, {
      limit: LIMIT.limit,
      nowMs: () => nowMs,
      fallback: new SlidingWindowLog(LIMIT, () => 0),
      onFailure: () => {},
    });
    const app = express();
    app.use((_req, res, next) => {
      Object.assign(res.locals, { requestedAtMs: nowMs, caller: { kind: 'no-key' } });
      next();
    });
    app.use(rateLimiter(store, LIMIT, { nowMs: () => nowMs }));
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.close();
    assert.equal(headers.get('retry-after'), '1');
  });
});
