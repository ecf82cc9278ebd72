import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { publicPulseSchema, type PublicPulse } from '@pulse-card/contract';
import { barePulse, brokenPulseBodies, fullPulse, unreadablePulseFields } from '@pulse-card/contract/examples';
import { bffCodeOf, parseBatch, parseEntry, parseOrFail, parsePulse } from './parse-pulse.ts';
import { failureOf } from './result.ts';
import { isId } from './sanitize.ts';

const entry = {
  sourceId: 'src_1',
  ok: true,
  meta: { stale: false },
  pulse: fullPulse,
  source: { status: 'ACTIVE', provider: 'X', name: 'Q2' },
};

describe('parsePulse()', () => {
  it('returns a full pulse and a minimal pulse unchanged', () => {
    for (const pulse of [fullPulse, barePulse]) assert.deepEqual(parsePulse(pulse), pulse);
  });

  it('returns a pulse that matches the type and the schema in the contract', () => {
    const pulse: PublicPulse | null = parsePulse(fullPulse);
    const { organizationId, ...rest } = pulse ?? {};
    assert.ok(organizationId && publicPulseSchema.safeParse({ organizationId, ...rest }).success);
  });

  it('treats a missing field as null', () => {
    const { aiSummaryLong: _, ...rest } = fullPulse;
    assert.equal(parsePulse(rest)?.aiSummaryLong, null);
  });

  for (const [what, body] of Object.entries(brokenPulseBodies)) {
    it(`rejects ${what}`, () => {
      const pulse = (body as { pulse?: unknown } | null)?.pulse ?? body;
      assert.equal(parseOrFail(() => parseEntry({ pulse })).ok, false);
    });
  }

  for (const field of ['sourceName', 'completedAt', 'aiSummaryShort', 'aiSummaryLong'])
    it(`treats an unreadable ${field} as null and keeps the rest`, () => {
      for (const value of unreadablePulseFields[field] ?? [])
        assert.deepEqual(parsePulse({ ...fullPulse, [field]: value }), { ...fullPulse, [field]: null });
    });

  it('reads times without seconds and in any time zone', () => {
    for (const [text, utc] of [
      ['2026-05-08T09:00Z', '2026-05-08T09:00:00.000Z'],
      ['2026-05-08T11:00:12+02:00', '2026-05-08T09:00:12.000Z'],
      ['2026-05-08T11:00+0200', '2026-05-08T09:00:00.000Z'],
    ])
      assert.equal(parsePulse({ ...fullPulse, completedAt: text })?.completedAt, utc);
  });

  it('keeps a pulse whose source has unreadable fields', () => {
    const source = {
      status: 3,
      provider: null,
      name: ['Q2'],
      link: { toString: 1 },
      rhythm: { overdueSince: 'May 2020' },
    };
    const result = parseEntry({ ...entry, source });
    const unknown = {
      status: null,
      name: null,
      provider: null,
      link: null,
      rhythm: { usual: null, overdueSince: null },
    };
    assert.deepEqual([result?.ok, result?.source], [true, unknown]);
  });

  it('keeps a link that is longer than a name can be', () => {
    const link = `https://dashboard.test/${'a'.repeat(1_500)}`;
    assert.equal(parseEntry({ ...entry, source: { ...entry.source, link } })?.source?.link, link);
  });

  it('never mistakes arbitrary text for a time', () => {
    const result = parseEntry({ ...entry, meta: { stale: false, requestedAt: 'May 2020' } });
    assert.equal(result?.ok && result.stale, false);
  });

  it('truncates very long text', () => {
    const text = 'n'.repeat(99_999);
    const pulse = parsePulse({ ...fullPulse, sourceName: text, aiSummaryShort: text, aiSummaryLong: text });
    const lengths = [pulse?.sourceName, pulse?.aiSummaryShort, pulse?.aiSummaryLong].map((cut) => cut?.length);
    assert.deepEqual(lengths, [1_000, 4_000, 60_000]);
  });

  it('T-36: drops an image URL that a browser shouldn’t load', () => {
    for (const imageUrl of [
      'http://cdn.test/a.png',
      'javascript:alert(1)',
      'data:image/png;base64,AAAA',
      '//cdn.test/a',
    ])
      assert.equal(parsePulse({ ...fullPulse, imageUrl })?.imageUrl, null);
  });

  it('returns null for the finding and the analysis if they are withheld', () => {
    const pulse = parsePulse({ ...fullPulse, withheld: true });
    assert.deepEqual([pulse?.aiSummaryShort, pulse?.aiSummaryLong, pulse?.withheld], [null, null, true]);
    assert.equal(parsePulse({ ...fullPulse, withheld: false })?.aiSummaryShort, fullPulse.aiSummaryShort);
  });

  it('treats invisible text as null', () =>
    assert.equal(parsePulse({ ...fullPulse, sourceName: ' \u200b ' })?.sourceName, null));
});

describe('parseBatch() (T-41)', () => {
  it('finds a source’s entry among the others', () => {
    const result = parseBatch({ pulses: [{ sourceId: 'other', ok: false }, entry] }, 'src_1');
    assert.deepEqual([result.ok, result.source?.name], [true, 'Q2']);
  });

  it('marks a response as stale only after two days', () => {
    const at = (agoMs: number): string => new Date(Date.now() - agoMs).toISOString();
    const isStale = (requestedAt: unknown): unknown => {
      const result = parseBatch({ pulses: [{ ...entry, meta: { stale: false, requestedAt } }] }, 'src_1');
      return result.ok && result.stale;
    };
    assert.deepEqual([at(0), at(90_000_000), at(180_000_000), at(-90_000_000)].map(isStale), [
      false,
      false,
      true,
      false,
    ]);
    for (const nothing of [undefined, null, '', 'yesterday', {}, []]) assert.equal(isStale(nothing), false);
  });

  it('keeps the name and status of a source without a pulse', () => {
    const empty = { ...entry, ok: false, code: 'pulse_not_found', pulse: undefined, meta: undefined };
    assert.deepEqual(parseBatch({ pulses: [empty] }, 'src_1'), {
      ...failureOf('pulse_not_found'),
      source: { status: 'ACTIVE', name: 'Q2', provider: 'X', link: null, rhythm: { usual: null, overdueSince: null } },
      advice: null,
    });
  });

  const since = '2026-05-08T09:00:12.000Z';
  for (const [rhythm, read] of [
    [{ usual: 'weekdays', overdueSince: since }, ['weekdays', since]],
    [{ usual: 'daily', overdueSince: null }, ['daily', null]],
    [{ usual: 'fortnightly', overdueSince: since }, [null, since]],
    [{ usual: 'toString', overdueSince: 'yesterday' }, [null, null]],
    [{ usual: {}, overdueSince: {} }, [null, null]],
    [null, [null, null]],
    ['daily', [null, null]],
  ] as const)
    it(`reads the usual interval ${JSON.stringify(rhythm)} and ignores unknown values`, () => {
      const { source } = parseBatch({ pulses: [{ ...entry, source: { ...entry.source, rhythm } }] }, 'src_1');
      assert.deepEqual([source?.rhythm?.usual, source?.rhythm?.overdueSince], read);
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
    { pulses: [{ ...entry, sourceId: 'x' }] },
    { pulses: [{ ...entry, pulse: 7 }] },
  ]) {
    it(`returns invalid_answer for ${JSON.stringify(body)?.slice(0, 40)}`, () => {
      assert.equal((parseBatch(body, 'src_1') as { code?: string }).code, 'invalid_answer');
    });
  }
});

describe('failureOf()', () => {
  const codes = {
    invalid_source_id: 400,
    signed_out: 401,
    token_missing: 401,
    token_invalid: 401,
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
    it(`returns the status of ${code} and whether a retry can help`, () => {
      const failure = failureOf(code);
      assert.deepEqual([failure.status, failure.retriable], [status, status === 429 || status >= 500]);
    });
  }

  it('allows a retry after another server’s response, unless the reader has to sign in', () => {
    assert.deepEqual(
      [failureOf('invalid_answer', 404), failureOf('network', 0), failureOf('signed_out', 401)].map((f) => f.retriable),
      [true, true, false],
    );
  });
});

describe('bffCodeOf()', () => {
  it('returns the code of a BFF error', () =>
    assert.equal(bffCodeOf({ success: false, error: 'No', code: 'rate_limited' }), 'rate_limited'));

  for (const body of [undefined, null, {}, 'x', { code: 7 }, { code: '' }, { code: '<b>' }, { error: 'Not Found' }])
    it(`finds no code in ${JSON.stringify(body)}`, () => assert.equal(bffCodeOf(body), undefined));
});

describe('isId()', () => {
  it('accepts IDs that don’t need escaping in a URL', () =>
    assert.ok(['src_1', 'a.b', '~x-', 'A'.repeat(128)].every(isId)));
  for (const id of ['', '.a', '../x', 'a,b', 'a b', 'a%2f', 'ä', 'a'.repeat(129), 7, null, ['a']]) {
    it(`rejects ${JSON.stringify(id)}`.slice(0, 40), () => assert.equal(isId(id), false));
  }
});
