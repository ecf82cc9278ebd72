import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { failureOf } from './pulse-guard.ts';
import type { Pulse, Success } from './pulse-outcome.ts';
import { answered, asked, IDLE, isTold, MAX_RETRIES, nextAskInMs, type PulseModel } from './pulse-state.ts';

const pulse: Pulse = {
  jobRunId: 'r',
  sourceId: 's',
  sourceName: 'n',
  status: 'SUCCESS',
  completedAt: null,
  imageUrl: null,
  aiSummaryShort: null,
  aiSummaryLong: null,
};
const fresh: Success = { ok: true, pulse, stale: false, source: null };
const late: Success = { ...fresh, stale: true };
const down = { ...failureOf('upstream_unavailable'), jitter: 0.5 };

function afterFailures(count: number, model: PulseModel = asked(IDLE)): PulseModel {
  return Array.from({ length: count }).reduce<PulseModel>((now) => answered(now, down), model);
}

describe('asked()', () => {
  it('loads where there is nothing to show', () => assert.equal(asked(IDLE).state, 'loading'));
  it('keeps showing what is there', () => assert.equal(asked(answered(asked(IDLE), fresh)).state, 'ready'));
});

describe('answered()', () => {
  it('is ready with a fresh pulse', () => assert.equal(answered(asked(IDLE), fresh).state, 'ready'));
  it('is stale with an earlier one', () => assert.equal(answered(asked(IDLE), late).state, 'stale'));
  it('is empty without one, and keeps what is known of the source', () => {
    const source = { status: 'BROKEN', name: 'Sales' };
    const model = answered(asked(IDLE), { ...failureOf('pulse_not_found'), source });
    assert.deepEqual([model.state, model.source], ['empty', source]);
  });
  it('goes on loading through the first failure, says so after the second', () => {
    assert.deepEqual(
      [1, 2, 3, 4].map((count) => afterFailures(count).state),
      ['loading', 'error', 'error', 'error'],
    );
  });
  it('gives up at once where asking again is no use', () => {
    assert.equal(answered(asked(IDLE), failureOf('source_unknown')).state, 'error');
  });
  it('gives up at once after a try that was asked for', () => {
    assert.equal(answered(asked(IDLE, true), down).state, 'error');
  });
  it('tells a reader who would have to wait long', () => {
    assert.equal(answered(asked(IDLE), { ...down, retryAfterMs: 60_000 }).state, 'error');
  });
  it('keeps the last good pulse through a failure', () => {
    const model = answered(answered(asked(IDLE), fresh), down);
    assert.deepEqual([model.state, model.pulse], ['stale', pulse]);
  });
  it('takes a pulse away that may no longer be shown', () => {
    const model = answered(answered(asked(IDLE), fresh), failureOf('token_forbidden'));
    assert.deepEqual([model.state, model.pulse], ['error', null]);
  });
  it('begins to count anew with a fresh pulse', () => assert.equal(answered(afterFailures(2), fresh).tries, 0));
});

describe('isTold()', () => {
  it('is true of an error, and while a try that was asked for is on its way', () => {
    const error = afterFailures(4);
    assert.deepEqual([isTold(error), isTold(asked(error, true))], [true, true]);
  });
  it('is false while the card asks again by itself for the first time', () =>
    assert.equal(isTold(afterFailures(1)), false));
});

describe('nextAskInMs()', () => {
  it('doubles from one retry to the next', () => {
    assert.deepEqual(
      [1, 2, 3, 4].map((count) => nextAskInMs(afterFailures(count))),
      [2_000, 3_500, 6_500, undefined],
    );
  });
  it('never comes before Retry-After, and little after it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.double({ min: 0, max: 1, noNaN: true }), (seconds, jitter) => {
        const wait = nextAskInMs(answered(asked(IDLE), { ...down, jitter, retryAfterMs: seconds * 1_000 })) ?? 0;
        assert.ok(wait >= seconds * 1_000 && wait <= seconds * 1_000 + 1_000);
      }),
    );
  });
  it('is calm while an earlier version is shown: half a minute, then less and less often', () => {
    const waits = [1, 2, 3, 4, 5, 9].map((tries) =>
      nextAskInMs({ ...IDLE, state: 'stale', failure: { ...down, jitter: 0 }, tries }),
    );
    assert.deepEqual(waits, [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  });
  it('asks for nothing that is ready, empty or refused', () => {
    for (const outcome of [fresh, failureOf('pulse_not_found'), failureOf('token_forbidden')]) {
      assert.equal(nextAskInMs(answered(asked(IDLE), outcome)), undefined);
    }
  });
  it('is at most three times a matter of the card alone', () => {
    const outcomes = fc.array(fc.constantFrom(down, failureOf('internal'), failureOf('invalid_answer', 200)), {
      minLength: 4,
      maxLength: 9,
    });
    fc.assert(
      fc.property(outcomes, (failures) => {
        const model = failures.reduce<PulseModel>((now, failure) => answered(now, failure), asked(IDLE));
        assert.ok(model.tries > MAX_RETRIES && nextAskInMs(model) === undefined);
      }),
    );
  });
});
