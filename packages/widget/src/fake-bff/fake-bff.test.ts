import assert from 'node:assert/strict';
import { afterEach, describe, it, mock } from 'node:test';
import { ERROR_STATUS, type RunsAnswer } from '@pulse-card/contract';
import { loadPulse } from '../data/batch-loader.ts';
import { ReaderSession } from '../data/reader-session.ts';
import type { PulseErrorCode, Result } from '../data/result.ts';
import { FakeBff, fakeToken, pulseOf } from './index.ts';

function load(bff: FakeBff, id: string, token?: string): Promise<Result> {
  mock.method(globalThis, 'fetch', bff.fetch);
  const session = new ReaderSession({
    baseUrl: 'https://pulse.example.com',
    ...(token && { tokenProvider: () => token }),
  });
  return loadPulse(id, { getSession: () => session, revalidate: false, signal: new AbortController().signal });
}

describe('FakeBff', () => {
  afterEach(() => mock.restoreAll());

  for (const name of ['Response', 'Headers', 'fetch'] as const)
    it(`reports that the test’s environment has no ${name}, like jsdom in Jest`, (test) => {
      const original = globalThis[name];
      test.after(() => void Object.assign(globalThis, { [name]: original }));
      Object.assign(globalThis, { [name]: undefined });
      if (name === 'fetch') return assert.doesNotThrow(() => new FakeBff());
      assert.throws(() => new FakeBff(), { message: new RegExp(`no ${name}\\b.*jest-fixed-jsdom`) });
    });

  it('sends a card its source’s pulse', async () => {
    const bff = new FakeBff({ pulses: [pulseOf('src_1', { aiSummaryShort: 'Up.' })] });
    const result = await load(bff, 'src_1');
    assert.equal(result.ok && result.data.aiSummaryShort, 'Up.');
    assert.deepEqual(bff.requests, ['https://pulse.example.com/v1/pulses?ids=src_1']);
  });

  it('sends a card the pulse that was passed to deliver()', async () => {
    const bff = new FakeBff({ pulses: [pulseOf('src_1')] });
    bff.deliver(pulseOf('src_1', { jobRunId: 'run_2' }));
    const result = await load(bff, 'src_1');
    assert.equal(result.ok && result.data.jobRunId, 'run_2');
  });

  it('lists the source of a pulse that was passed to deliver()', async () => {
    const bff = new FakeBff();
    bff.deliver(pulseOf('src_1'));
    const { sources } = (await (await bff.fetch('/v1/sources')).json()) as { sources: { id: string }[] };
    assert.deepEqual(
      sources.map(({ id }) => id),
      ['src_1'],
    );
  });

  it('drops duplicate IDs in a batch, like the BFF', async () => {
    const answer = await new FakeBff().fetch('/v1/pulses?ids=src_1,src_2,src_1');
    const { pulses } = (await answer.json()) as { pulses: { sourceId: string }[] };
    assert.deepEqual(
      pulses.map(({ sourceId }) => sourceId),
      ['src_1', 'src_2'],
    );
  });

  it('sends a pulse to code that requests one directly, without a card', async () => {
    const bff = new FakeBff({
      pulses: [pulseOf('src_1')],
      sources: [{ id: 'src_2', name: null, provider: 'HUBSPOT', status: 'ACTIVE' }],
    });
    const answer = async (id: string) => {
      const response = await bff.fetch(`https://pulse.example.com/v1/sources/${id}/pulse`);
      const { pulse, code } = (await response.json()) as { pulse?: { jobRunId: string }; code?: string };
      return [response.status, pulse?.jobRunId ?? code];
    };
    assert.deepEqual(await answer('src_1'), [200, 'run_1']);
    assert.deepEqual(await answer('src_2'), [404, 'pulse_not_found']);
    assert.deepEqual(await answer('none'), [404, 'source_unknown']);
    bff.fail('upstream_unavailable', 'src_1');
    assert.deepEqual(await answer('src_1'), [503, 'upstream_unavailable']);
  });

  it('sends a card its source’s usual interval, but no withheld text', async () => {
    const rhythm = { usual: 'daily', overdueSince: '2026-05-10T09:00:12.000Z' } as const;
    const bff = new FakeBff({ pulses: [pulseOf('src_1', { withheld: true })], rhythms: { src_1: rhythm } });
    const result = await load(bff, 'src_1');
    assert.deepEqual(result.ok && [result.source?.rhythm, result.data.aiSummaryShort], [rhythm, null]);
  });

  it('lists a source’s runs, newest first, if it has earlier ones', async () => {
    const { aiSummaryLong: _, ...earlier } = pulseOf('src_1', { jobRunId: 'run_0', completedAt: null, withheld: true });
    const bff = new FakeBff({ pulses: [pulseOf('src_1'), pulseOf('src_2')], runs: { src_1: [earlier] } });
    const { meta, runs } = (await (await bff.fetch('/v1/sources/src_1/runs')).json()) as RunsAnswer;
    assert.equal(meta.complete, false);
    assert.deepEqual(
      runs.map(({ jobRunId, aiSummaryShort, withheld }) => [jobRunId, aiSummaryShort, withheld]),
      [
        ['run_1', pulseOf('src_1').aiSummaryShort, undefined],
        ['run_0', null, true],
      ],
    );
    assert.equal((await bff.fetch('/v1/sources/src_2/runs')).status, 404);
  });

  it('lists all sources for a board, or only one provider’s sources', async () => {
    const source = { id: 'src_2', name: 'Orders', provider: 'SHOPIFY', status: 'ACTIVE' };
    const bff = new FakeBff({ sources: [source, { ...source, id: 'src_3', provider: 'GOOGLE' }] });
    const { sources } = (await (await bff.fetch('/v1/sources?provider=SHOPIFY')).json()) as { sources: unknown };
    assert.deepEqual(sources, [source]);
  });

  it('distinguishes a source without a pulse from an unknown source', async () => {
    const bff = new FakeBff({ sources: [{ id: 'src_2', name: 'Orders', provider: 'SHOPIFY', status: 'PENDING' }] });
    const codes = await Promise.all(['src_2', 'src_3'].map((id) => load(bff, id)));
    assert.deepEqual(
      codes.map((result) => !result.ok && result.code),
      ['pulse_not_found', 'source_unknown'],
    );
  });

  it('responds the same way as the BFF to a reader who isn’t signed in', async () => {
    const bff = new FakeBff({ pulses: [pulseOf('src_1')] });
    bff.fail('signed_out');
    for (const path of ['/v1/sources', '/v1/pulses?ids=src_1', '/v1/sources/src_1/pulse']) {
      const response = await bff.fetch(path);
      const { code } = (await response.json()) as { code: string };
      assert.deepEqual([response.status, code, response.headers.get('Cache-Control')], [401, 'signed_out', 'no-store']);
    }
  });

  it('identifies a token’s reader in Pulse-Reader', async () => {
    const readers = { 'Zoë 1': { pulses: [pulseOf('src_1')] } };
    const headers = { Authorization: `Bearer ${fakeToken({ sub: 'Zoë 1' })}` };
    const { headers: sent } = await new FakeBff({ readers }).fetch('/v1/pulses?ids=src_1', { headers });
    assert.equal(sent.get('Pulse-Reader'), encodeURIComponent('Zoë 1'));
    const open = await new FakeBff({ pulses: [pulseOf('src_1')] }).fetch('/v1/pulses?ids=src_1');
    assert.equal(open.headers.get('Pulse-Reader'), null);
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

  it('can fail for only one source', async () => {
    const bff = new FakeBff({ pulses: [pulseOf('src_1'), pulseOf('src_2')] });
    bff.fail('upstream_unavailable', 'src_1');
    const results = await Promise.all(['src_1', 'src_2'].map((id) => load(bff, id)));
    assert.deepEqual(
      results.map((result) => (result.ok ? 'ok' : result.code)),
      ['upstream_unavailable', 'ok'],
    );
  });

  it('serves all pulses, or one source’s pulse, as stale until it recovers', async () => {
    const bff = new FakeBff({ pulses: [pulseOf('src_1'), pulseOf('src_2')] });
    const staleIds = async () => {
      const results = await Promise.all(['src_1', 'src_2'].map((id) => load(bff, id)));
      return results.map((result) => result.ok && result.stale);
    };
    bff.goStale('src_1');
    assert.deepEqual(await staleIds(), [true, false]);
    bff.goStale();
    assert.deepEqual(await staleIds(), [true, true]);
    bff.recover();
    assert.deepEqual(await staleIds(), [false, false]);
  });
});

describe('a FakeBff with readers', () => {
  afterEach(() => mock.restoreAll());
  const bffOf = () =>
    new FakeBff({
      readers: {
        ada: { pulses: [pulseOf('src_1', { aiSummaryShort: 'For Ada.' }), pulseOf('src_2')] },
        bob: { pulses: [pulseOf('src_1', { aiSummaryShort: 'For Bob.' })] },
      },
    });
  const summaryFor = async (bff: FakeBff, token?: string, id = 'src_1') => {
    const result = await load(bff, id, token);
    return result.ok ? result.data.aiSummaryShort : result.code;
  };

  it('sends each reader their own pulse', async () => {
    const bff = bffOf();
    assert.equal(await summaryFor(bff, fakeToken({ sub: 'ada' })), 'For Ada.');
    assert.equal(await summaryFor(bff, fakeToken({ sub: 'bob' })), 'For Bob.');
  });

  it('rejects a source that the reader isn’t allowed to see', async () => {
    assert.equal(await summaryFor(bffOf(), fakeToken({ sub: 'bob' }), 'src_2'), 'token_forbidden');
  });

  it('rejects requests with a token that is missing, has expired, or belongs to an unknown reader', async () => {
    const bff = bffOf();
    assert.equal(await summaryFor(bff), 'token_missing');
    for (const token of [fakeToken({ sub: 'ada', expiresInSeconds: -1 }), fakeToken({ sub: 'eve' }), 'no-token'])
      assert.equal((await fetchPulse(bff, token)).code, 'token_invalid');
  });

  it('lists the reader’s sources', async () => {
    const response = await bffOf().fetch('/v1/sources', { headers: headersFor(fakeToken({ sub: 'bob' })) });
    const { sources } = (await response.json()) as { sources: { id: string }[] };
    assert.deepEqual(
      sources.map(({ id }) => id),
      ['src_1'],
    );
  });

  it('sends responses that shared caches aren’t allowed to store', async () => {
    const response = await bffOf().fetch('/v1/sources', { headers: headersFor(fakeToken({ sub: 'bob' })) });
    assert.match(response.headers.get('Cache-Control') ?? '', /private/);
  });

  it('can deliver a pulse to a single reader', async () => {
    const bff = bffOf();
    bff.deliver(pulseOf('src_1', { aiSummaryShort: 'New.' }), 'ada');
    assert.equal(await summaryFor(bff, fakeToken({ sub: 'ada' })), 'New.');
    assert.equal(await summaryFor(bff, fakeToken({ sub: 'bob' })), 'For Bob.');
    assert.throws(() => bff.deliver(pulseOf('src_1'), 'eve'), /no such reader/);
  });
});

describe('fakeToken()', () => {
  it('contains the reader, other claims, and an expiration time, and supports names like Zoë', () => {
    const [, payload = ''] = fakeToken({ sub: 'Zoë', aud: 'https://pulse.example.com' }).split('.');
    const { sub, aud, iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    assert.deepEqual([sub, aud, exp - iat], ['Zoë', 'https://pulse.example.com', 300]);
  });
});

const headersFor = (token: string) => ({ Authorization: `Bearer ${token}` });

async function fetchPulse(bff: FakeBff, token: string): Promise<{ code?: string }> {
  const response = await bff.fetch('/v1/pulses?ids=src_1', { headers: headersFor(token) });
  return (await response.json()) as { code?: string };
}
