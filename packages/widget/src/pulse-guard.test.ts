import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { publicPulseSchema, type PublicPulse } from '@pulse-card/contract';
import { barePulse, brokenPulseBodies, fullPulse } from '@pulse-card/contract/examples';
import { codeOf, failureOf, isId, readOutcome, readPulse } from './pulse-guard.ts';

const row = {
  sourceId: 'src_1',
  ok: true,
  meta: { stale: false },
  pulse: fullPulse,
  source: { status: 'ACTIVE', provider: 'X', name: 'Q2' },
};

describe('readPulse()', () => {
  it('takes a full pulse and a bare one as they are', () => {
    for (const pulse of [fullPulse, barePulse]) assert.deepEqual(readPulse(pulse), pulse);
  });

  it('gives back what the contract calls a pulse', () => {
    const pulse: PublicPulse | null = readPulse(fullPulse);
    const { organizationId, ...rest } = pulse ?? {};
    assert.ok(organizationId && publicPulseSchema.safeParse({ organizationId, ...rest }).success);
  });

  it('takes a field that is missing for one that is null', () => {
    const { aiSummaryLong: _, ...rest } = fullPulse;
    assert.equal(readPulse(rest)?.aiSummaryLong, null);
  });

  const { 'no summary at all': _, ...broken } = brokenPulseBodies;
  for (const [what, body] of Object.entries(broken)) {
    it(`refuses ${what}`, () => assert.equal(readPulse((body as { pulse?: unknown } | null)?.pulse ?? body), null));
  }

  it('cuts what is longer than anyone writes', () => {
    const pulse = readPulse({ ...fullPulse, sourceName: 'n'.repeat(9_999), aiSummaryLong: 'l'.repeat(99_999) });
    assert.deepEqual([pulse?.sourceName?.length, pulse?.aiSummaryLong?.length], [1_000, 60_000]);
  });

  it('T-36: shows no image from where a browser should not be sent', () => {
    for (const imageUrl of [
      'http://cdn.test/a.png',
      'javascript:alert(1)',
      'data:image/png;base64,AAAA',
      '//cdn.test/a',
    ])
      assert.equal(readPulse({ ...fullPulse, imageUrl })?.imageUrl, null);
  });

  it('shows nothing instead of blanks', () =>
    assert.equal(readPulse({ ...fullPulse, sourceName: ' \u200b ' })?.sourceName, null));
});

describe('readOutcome() (T-41)', () => {
  it('finds its row among others', () => {
    const outcome = readOutcome({ pulses: [{ sourceId: 'other', ok: false }, row] }, 'src_1');
    assert.deepEqual([outcome.ok, outcome.source?.name], [true, 'Q2']);
  });

  it('calls an answer that was fetched more than a day ago an earlier version, whatever it says', () => {
    const at = (agoMs: number): string => new Date(Date.now() - agoMs).toISOString();
    const isStale = (requestedAt: unknown): unknown => {
      const outcome = readOutcome({ pulses: [{ ...row, meta: { stale: false, requestedAt } }] }, 'src_1');
      return outcome.ok && outcome.stale;
    };
    assert.deepEqual([at(0), at(80_000_000), at(90_000_000), at(-90_000_000)].map(isStale), [
      false,
      false,
      true,
      false,
    ]);
    for (const nothing of [undefined, null, '', 'yesterday', {}, []]) assert.equal(isStale(nothing), false);
  });

  it('keeps what is known of a source without a pulse', () => {
    const outcome = readOutcome(
      { pulses: [{ ...row, ok: false, code: 'pulse_not_found', pulse: undefined, meta: undefined }] },
      'src_1',
    );
    assert.deepEqual(outcome, {
      ...failureOf('pulse_not_found'),
      source: { status: 'ACTIVE', name: 'Q2', oldSince: false },
    });
  });

  for (const body of [
    null,
    1,
    'x',
    [],
    {},
    { pulses: 1 },
    { pulses: [] },
    { pulses: [null] },
    { pulses: [{ ...row, sourceId: 'x' }] },
    { pulses: [{ ...row, pulse: 7 }] },
    { pulses: [{ ...row, source: { name: 7 } }] },
  ]) {
    it(`calls ${JSON.stringify(body)?.slice(0, 40)} an answer that can’t be read`, () => {
      assert.equal((readOutcome(body, 'src_1') as { code?: string }).code, 'invalid_answer');
    });
  }
});

describe('failureOf()', () => {
  const codes = {
    invalid_source_id: 400,
    token_forbidden: 403,
    source_unknown: 404,
    pulse_not_found: 404,
    rate_limited: 429,
    internal: 500,
    upstream_invalid: 502,
    upstream_auth: 503,
    upstream_rate_limited: 503,
    upstream_unavailable: 503,
  };
  for (const [code, status] of Object.entries(codes)) {
    it(`knows the status of ${code}, and whether asking again helps`, () => {
      const failure = failureOf(code);
      assert.deepEqual([failure.status, failure.retriable], [status, status === 429 || status >= 500]);
    });
  }
});

describe('codeOf()', () => {
  it('reads the code of an error', () =>
    assert.equal(codeOf({ success: false, error: 'No', code: 'rate_limited' }), 'rate_limited'));
  it('takes an error without one for an unreachable upstream', () => {
    for (const body of [null, {}, 'x']) assert.equal(codeOf(body), 'upstream_unavailable');
  });
});

describe('isId()', () => {
  it('takes what needs no escaping', () => assert.ok(['src_1', 'a.b', '~x-', 'A'.repeat(128)].every(isId)));
  for (const id of ['', '.a', '../x', 'a,b', 'a b', 'a%2f', 'ä', 'a'.repeat(129), 7, null, ['a']]) {
    it(`refuses ${JSON.stringify(id)}`.slice(0, 40), () => assert.equal(isId(id), false));
  }
});
