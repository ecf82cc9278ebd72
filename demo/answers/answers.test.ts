import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codedErrorBodySchema, ERROR_STATUS, pulsesAnswerSchema, type PulsesAnswer } from '@pulse-card/contract';
import { answerFor, isAnswerName, ODD_ANSWERS, type AnswerName } from './answers.ts';

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
        aiSummaryLong: null,
      },
    },
  ],
};

const answer = (name: AnswerName) => answerFor(name, ['src_1'], async () => REAL);
const pulsesOf = async (name: AnswerName) => pulsesAnswerSchema.parse(JSON.parse((await answer(name)).body));

describe('isAnswerName()', () => {
  it('knows every error of a BFF and the oddities', () => {
    assert.deepEqual(
      [...Object.keys(ERROR_STATUS), ...ODD_ANSWERS].filter((name) => !isAnswerName(name)),
      [],
    );
  });

  it('knows nothing else', () => {
    for (const name of ['', 'ready', '../stale', 'constructor', 'toString'])
      assert.equal(isAnswerName(name), false, name);
  });
});

describe('answerFor()', () => {
  for (const [code, status] of Object.entries(ERROR_STATUS)) {
    it(`answers ${code} as a BFF does`, async () => {
      const { status: answered, headers, body } = await answer(code as AnswerName);
      if (answered === 200) {
        const [outcome] = pulsesAnswerSchema.parse(JSON.parse(body)).pulses;
        assert.ok(outcome && !outcome.ok && outcome.code === code);
        return;
      }
      assert.equal(answered, status);
      assert.equal(codedErrorBodySchema.parse(JSON.parse(body)).code, code);
      assert.equal(headers?.['Retry-After'] !== undefined, status >= 429);
    });
  }

  it('marks what a sound BFF said as stale', async () => {
    const { meta, pulses } = await pulsesOf('stale');
    assert.deepEqual([meta.stale, pulses[0]?.ok && pulses[0].meta.stale], [true, true]);
  });

  it('sends the chart astray and leaves the rest', async () => {
    const [outcome] = (await pulsesOf('broken-image')).pulses;
    assert.ok(outcome?.ok);
    assert.deepEqual({ ...outcome.pulse, imageUrl: '' }, { ...(REAL.pulses[0] as typeof outcome).pulse, imageUrl: '' });
    assert.match(outcome.pulse.imageUrl ?? '', /\.invalid\//);
  });

  it('gives the source a status that no one knows', async () => {
    const [outcome] = (await pulsesOf('unknown-status')).pulses;
    assert.ok(outcome?.ok && outcome.source.status === 'PAUSED');
  });

  it('breaks off in the middle of JSON', async () => {
    const { body } = await answer('bad-json');
    assert.throws(() => JSON.parse(body), SyntaxError);
  });

  it('sends JSON that is no answer', async () => {
    const { body } = await answer('wrong-shape');
    assert.equal(pulsesAnswerSchema.safeParse(JSON.parse(body)).success, false);
  });
});
