import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ERROR_STATUS, pulsesAnswerSchema, runsAnswerSchema, type PulsesAnswer, safeUrl } from '@pulse-card/contract';
import { STAGE_STATES } from './stage-states.ts';
import { FAILURES, isStandInState, noPictureUrl, NULL_FIELDS, standInAnswer, standInRuns } from './stand-in.ts';

const META = { requestedAt: '2026-05-08T09:05:00.000Z', stale: false };
const REAL: PulsesAnswer = {
  meta: META,
  pulses: [
    {
      sourceId: 'src_1',
      ok: true,
      meta: META,
      source: { status: 'ACTIVE', provider: 'GOOGLE', name: 'Q2 revenue' },
      pulse: {
        jobRunId: 'run_1',
        sourceId: 'src_1',
        sourceName: 'Q2 revenue',
        status: 'SUCCESS',
        completedAt: '2026-05-08T09:00:12.000Z',
        imageUrl: 'https://cdn.acme.test/run_1.png',
        aiSummaryShort: 'Up 4%.',
        aiSummaryLong: 'More.',
      },
    },
  ],
};

const answer = (state: string) => standInAnswer(state, ['src_1'], async () => REAL);
const outcomeOf = async (state: string) => pulsesAnswerSchema.parse(JSON.parse((await answer(state)).body)).pulses[0]!;

describe('standInRuns()', () => {
  it('lists the current run and earlier runs with different numbers', () => {
    const { runs } = runsAnswerSchema.parse(JSON.parse(standInRuns(REAL).body));
    assert.deepEqual(
      runs.map(({ aiSummaryShort }) => aiSummaryShort),
      ['Up 4%.', 'Up 3%.', 'Up 2%.', 'Up 1%.', 'Up 1%.'],
    );
    assert.deepEqual([runs[0]?.jobRunId, runs[1]?.completedAt], ['run_1', '2026-05-07T09:00:12.000Z']);
  });
});

describe('standInAnswer()', () => {
  for (const [code, status] of Object.entries(FAILURES)) {
    it(`returns ${code} like a BFF`, async () => {
      const { status: answered, headers, body } = await answer(code);
      if (answered === 200) {
        const outcome = await outcomeOf(code);
        assert.ok(!outcome.ok && outcome.code === code);
        return;
      }
      assert.equal(answered, status);
      assert.equal((JSON.parse(body) as { code: string }).code, code);
      if (code !== 'signed_out') assert.equal(status, ERROR_STATUS[code as keyof typeof ERROR_STATUS]);
      assert.equal(headers['Retry-After'] !== undefined, status >= 429);
    });
  }

  it('returns the name of a source without a chart, but no name for an unknown source', async () => {
    assert.deepEqual((await outcomeOf('pulse_not_found')).source?.name, 'Q2 revenue');
    assert.equal((await outcomeOf('source_unknown')).source, undefined);
  });

  it('marks stale content as stale, as the BFF does', async () => {
    const outcome = await outcomeOf('stale');
    assert.ok(outcome.ok && outcome.meta.stale);
  });

  for (const [state, status] of [
    ['delayed', 'DEGRADED'],
    ['paused', 'BROKEN'],
  ] as const) {
    it(`sets the source’s status to ${status}: ${state}`, async () => {
      const outcome = await outcomeOf(state);
      assert.ok(outcome.ok && outcome.source.status === status);
    });
  }

  for (const field of NULL_FIELDS) {
    it(`removes only ${field} from the pulse`, async () => {
      const outcome = await outcomeOf(`null-${field}`);
      assert.ok(outcome.ok && outcome.pulse[field] === null);
      assert.equal(outcome.pulse.jobRunId, 'run_1');
    });
  }
});

describe('noPictureUrl()', () => {
  for (const script of [
    'https://studio.acme.test/studio/assets/a.js',
    'http://localhost:4021/a.js',
    'http://127.0.0.1:4021/a.js',
  ]) {
    it(`returns a URL that the stand-in serves for the script ${script}`, () =>
      assert.ok(noPictureUrl(script).startsWith(`${script}#`)));
  }

  for (const script of [
    'https://studio.acme.test/a.js',
    'http://localhost:4021/a.js',
    'http://10.0.0.5:4021/a.js',
    'http://studio.localhost:4021/a.js',
  ]) {
    it(`returns a URL that cards request for the script ${script}`, () => {
      const url = noPictureUrl(script);
      assert.equal(safeUrl(url), url);
    });
  }
});

describe('STAGE_STATES', () => {
  it('are all known to the stand-in', () =>
    assert.deepEqual(
      STAGE_STATES.filter(({ value }) => !isStandInState(value)),
      [],
    ));
});
