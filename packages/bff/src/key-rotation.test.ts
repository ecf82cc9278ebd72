import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pulseBody, sourcesBody } from '@pulse-card/contract/examples';
import { LocalCallBudget } from './budget/local-call-budget.ts';
import { PulseCache } from './cache/pulse-cache.ts';
import { SourceAllowlist } from './cache/source-allowlist.ts';
import { Upstream } from './upstream/upstream.ts';
import { systemClock } from './clock.ts';
import { RefreshPlanner } from './planner/refresh-planner.ts';
import { answersWith, startScriptedServer } from './testing/scripted-server.ts';
import { openKeyFile } from './upstream/key-file.ts';

const [FIRST, SECOND] = ['first_key_0123456789', 'second_key_0123456789'];
const REFUSAL = answersWith({ success: false, error: 'Invalid or expired API key' }, 401);

/** A reader who asks again and again, and notes every answer that was none. */
async function openRotation() {
  const valid = new Set([FIRST]);
  const server = await startScriptedServer((request, response) => {
    if (!valid.has(String(request.headers['x-api-key']))) return REFUSAL(request, response);
    answersWith(request.url === '/v1/sources' ? sourcesBody : pulseBody)(request, response);
  });
  const folder = mkdtempSync(join(tmpdir(), 'rotation-'));
  const path = join(folder, 'key');
  writeFileSync(path, FIRST);
  const clock = systemClock;
  const key = await openKeyFile(path, { clock, reloadMs: 20 });
  const budget = { limit: 100_000, reserve: 0, windowMs: 60_000 };
  const cache = new PulseCache({
    ids: new SourceAllowlist({ listed: true, ids: [] }),
    upstream: new Upstream(
      { baseUrl: server.baseUrl, upstreamTimeoutMs: 60_000 },
      {
        key,
        callBudget: new LocalCallBudget({ clock, ...budget, callMs: 60_000, startedAt: clock.now() - 600_000 }),
        clock,
      },
    ),
    keyRing: key,
    planner: new RefreshPlanner({ windowMs: 60_000, minAgeMs: 1 }),
    freshnessPolicy: { freshForMs: 1, staleForMs: 0, authStaleForMs: 0 },
    clock,
    warn: () => {},
    onFault: (fault) => assert.fail(String(fault)),
  });
  await cache.start();

  /** Reads until `times` calls have left with `value`; whatever is older than a moment is of no use to these readers. */
  async function readUntilUsed(value: string, times: number): Promise<string[]> {
    const failures: string[] = [];
    const used = () => server.requests.filter(({ headers }) => headers['x-api-key'] === value).length;
    for (const target = used() + times; used() < target;) {
      const lookup = await cache.getOrFetch('src_1');
      if (!lookup.ok) failures.push(lookup.code);
      await new Promise((resolve) => void setTimeout(resolve, 2));
    }
    return failures;
  }

  return {
    valid,
    cache,
    readUntilUsed,
    // In one step, as `install` and `mv` do: a file that is being written is empty for a moment.
    writeKey: (value: string) => {
      writeFileSync(`${path}.new`, value);
      renameSync(`${path}.new`, path);
    },
    async [Symbol.asyncDispose]() {
      key.close();
      await cache.close();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

describe('a key that is replaced in its file', () => {
  it('fails no reader, though answers are kept for no moment: both keys work for a while', async () => {
    await using rotation = await openRotation();
    assert.deepEqual(await rotation.readUntilUsed(FIRST, 20), []);
    rotation.valid.add(SECOND);
    rotation.writeKey(`${SECOND}\n`);
    assert.deepEqual(await rotation.readUntilUsed(SECOND, 20), []);
    rotation.valid.delete(FIRST);
    assert.deepEqual(await rotation.readUntilUsed(SECOND, 20), []);
  });

  it('fails no reader where the old key ends in the moment the new one is written', async () => {
    await using rotation = await openRotation();
    assert.deepEqual(await rotation.readUntilUsed(FIRST, 20), []);
    rotation.valid.clear();
    rotation.valid.add(SECOND);
    rotation.writeKey(SECOND);
    assert.deepEqual(await rotation.readUntilUsed(SECOND, 20), []);
  });

  it('fails no reader where the new key is not active yet', async () => {
    await using rotation = await openRotation();
    assert.deepEqual(await rotation.readUntilUsed(FIRST, 20), []);
    rotation.writeKey(SECOND);
    assert.deepEqual(await rotation.readUntilUsed(SECOND, 1), []);
    assert.deepEqual(await rotation.readUntilUsed(FIRST, 20), []);
    assert.equal(rotation.cache.status().key.state, 'accepted');
  });
});
