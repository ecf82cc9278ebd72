import assert from 'node:assert/strict';
import { afterEach, describe, it, mock } from 'node:test';
import { ERROR_STATUS } from '@pulse-card/contract';
import { loadPulse } from '../data/batch-loader.ts';
import { BffClient } from '../data/client.ts';
import type { PulseErrorCode, Result } from '../data/result.ts';
import { FakeBff, pulseOf } from './index.ts';

function load(bff: FakeBff, id: string): Promise<Result> {
  mock.method(globalThis, 'fetch', bff.fetch);
  const client = new BffClient({ baseUrl: 'https://pulse.example.com' });
  return loadPulse(id, { getClient: () => client, revalidate: false, signal: new AbortController().signal });
}

describe('FakeBff', () => {
  afterEach(() => mock.restoreAll());

  it('gives a card the pulse of its source', async () => {
    const bff = new FakeBff({ pulses: [pulseOf('src_1', { aiSummaryShort: 'Up.' })] });
    const result = await load(bff, 'src_1');
    assert.equal(result.ok && result.data.aiSummaryShort, 'Up.');
    assert.deepEqual(bff.requests, ['https://pulse.example.com/v1/pulses?ids=src_1']);
  });

  it('gives a card the next pulse once that is delivered', async () => {
    const bff = new FakeBff({ pulses: [pulseOf('src_1')] });
    bff.deliver(pulseOf('src_1', { jobRunId: 'run_2' }));
    const result = await load(bff, 'src_1');
    assert.equal(result.ok && result.data.jobRunId, 'run_2');
  });

  it('has a board list the sources, by provider if asked', async () => {
    const source = { id: 'src_2', name: 'Orders', provider: 'SHOPIFY', status: 'ACTIVE' };
    const bff = new FakeBff({ sources: [source, { ...source, id: 'src_3', provider: 'GOOGLE' }] });
    const { sources } = (await (await bff.fetch('/v1/sources?provider=SHOPIFY')).json()) as { sources: unknown };
    assert.deepEqual(sources, [source]);
  });

  it('knows a source without a pulse from an unknown one', async () => {
    const bff = new FakeBff({ sources: [{ id: 'src_2', name: 'Orders', provider: 'SHOPIFY', status: 'PENDING' }] });
    const codes = await Promise.all(['src_2', 'src_3'].map((id) => load(bff, id)));
    assert.deepEqual(
      codes.map((result) => !result.ok && result.code),
      ['pulse_not_found', 'source_unknown'],
    );
  });

  const statuses = { ...ERROR_STATUS, network: 0, timeout: 0, invalid_answer: 200, signed_out: 401 };
  for (const [code, status] of Object.entries(statuses) as [PulseErrorCode, number][]) {
    it(`fails with ${code} (${status}) until it recovers`, async () => {
      const bff = new FakeBff({ pulses: [pulseOf('src_1')] });
      bff.fail(code);
      const failed = await load(bff, 'src_1');
      assert.deepEqual(!failed.ok && [failed.code, failed.status], [code, status]);
      bff.recover();
      assert.equal((await load(bff, 'src_1')).ok, true);
    });
  }

  it('fails for one source alone', async () => {
    const bff = new FakeBff({ pulses: [pulseOf('src_1'), pulseOf('src_2')] });
    bff.fail('upstream_unavailable', 'src_1');
    const results = await Promise.all(['src_1', 'src_2'].map((id) => load(bff, id)));
    assert.deepEqual(
      results.map((result) => (result.ok ? 'ok' : result.code)),
      ['upstream_unavailable', 'ok'],
    );
  });
});
