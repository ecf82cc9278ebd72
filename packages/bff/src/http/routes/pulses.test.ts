import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BATCH_SIZE, type PulsesAnswer } from '@pulse-card/contract';
import { bareSource, fullPulse } from '@pulse-card/contract/examples';
import type { Hit, SourceSnapshot } from '../../pulses/pulses.ts';
import { cardWithPulse, hit, serveApp } from '../../testing/served-app.ts';

let app: Awaited<ReturnType<typeof serveApp>>;
before(async () => (app = await serveApp()));
after(() => app[Symbol.asyncDispose]());

async function ask(ids: readonly string[]) {
  const { text, ...answer } = await app.ask(`/v1/pulses?ids=${ids.join()}`);
  return { ...answer, json: JSON.parse(text) as PulsesAnswer };
}

/** Gives a source a pulse. `text`: its analysis. */
function put(id: string, facts: Partial<Hit<SourceSnapshot>> = {}, text = 'Text'): string {
  const pulse = { ...fullPulse, sourceId: id, aiSummaryLong: text };
  app.pulses.found.set(id, { ...hit({ ...cardWithPulse, sourceId: id, pulse }), ...facts });
  return id;
}

function outcomes({ pulses }: PulsesAnswer) {
  return pulses.map((row) => (row.ok ? row.sourceId : `${row.sourceId}: ${row.code}`));
}

describe('GET /v1/pulses', () => {
  it('returns one outcome per ID, in request order and without duplicates, and the time of the oldest', async () => {
    const { status, json } = await ask(['src_x', 'src_1', 'src_bare', 'src_1', 'a%2Fb']);
    assert.equal(status, 200);
    const expected = ['src_x: source_unknown', 'src_1', 'src_bare: pulse_not_found', 'a/b: invalid_source_id'];
    assert.deepEqual(outcomes(json), expected);
    assert.equal(json.meta.requestedAt, '2026-05-08T09:05:00.000Z');
    assert.equal(json.pulses[2]?.source?.name, bareSource.name);
    assert.equal(app.records.at(-1)?.missingId, 'src_x');
    assert.ok(app.pulses.viewers.every((viewer) => viewer === app.records.at(-1)?.client));
  });

  it('accepts up to 50 IDs', async () => {
    const ids = Array.from({ length: BATCH_SIZE + 1 }, (_, at) => `src_${at}`);
    assert.equal((await ask(ids.slice(0, BATCH_SIZE))).status, 200);
    assert.equal((await ask(ids)).status, 400);
    assert.equal((await ask([])).status, 400);
  });

  for (const [code, isKept] of [
    ['source_unknown', true],
    ['pulse_not_found', true],
    ['upstream_unavailable', false],
    ['rate_limited', false],
    ['internal', false],
  ] as const)
    it(`${isKept ? 'may' : 'must not'} be kept by caches if one ID has ${code}`, async () => {
      app.pulses.found.set('src_failing', { ok: false, code });
      const { of } = await ask(['src_1', 'src_failing']);
      for (const name of ['cache-control', 'cdn-cache-control'])
        assert.match(of(name), isKept ? /^public, max-age/ : /^no-store$/, name);
    });

  it('is as old and as stale as its oldest pulse, and is kept no longer than any of its pulses', async () => {
    put('src_old', { ageMs: 40_000, isStale: true, staleForMs: 20_000, cache: 'stale' });
    const { of, json } = await ask(['src_1', 'src_old']);
    assert.equal(of('age'), '40');
    assert.equal(json.meta.stale, true);
    assert.equal(of('cache-status'), 'PulseCard; fwd=stale');
    assert.match(of('cache-control'), /stale-if-error=20$/);
  });

  it('is compressed and can be up to 2 MiB; what doesn’t fit is rate_limited', async () => {
    const text = 'x'.repeat(900_000);
    const ids = ['src_a', 'src_b', 'src_c'].map((id) => put(id, {}, text));
    const { json, of } = await ask([...ids, 'src_1']);
    assert.deepEqual(outcomes(json), ['src_a', 'src_b', 'src_c: rate_limited', 'src_1']);
    assert.match(of('content-encoding'), /^(?:br|gzip)$/);
  });
});
