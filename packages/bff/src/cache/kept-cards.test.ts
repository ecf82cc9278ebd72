import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pulseOf, rowOf } from '../testing/fake-upstream.ts';
import { KeptCards } from './kept-cards.ts';

function answerOf(jobRunId: string, fence = 1) {
  return { pulse: pulseOf('src_1', jobRunId), askedAt: 0, requestedAtMs: 1, fence };
}

describe('KeptCards', () => {
  it('says whether the pulse is another than before', () => {
    const cards = new KeptCards();
    const changes = ['run_1', 'run_1', 'run_2'].map((run, fence) => cards.keep('src_1', answerOf(run, fence), 'known'));
    assert.deepEqual(changes, [true, false, true]);
  });

  it('makes a new card with each answer, for its age is another, but keeps a pulse that is the same', () => {
    const cards = new KeptCards();
    cards.keep('src_1', answerOf('run_1', 1), 'known');
    const before = cards.get('src_1')?.card;
    cards.keep('src_1', answerOf('run_1', 2), 'known');
    const after = cards.get('src_1')?.card;
    assert.notEqual(after, before);
    assert.equal(after?.pulse, before?.pulse);
  });

  it('keeps no answer over one that was asked for later', () => {
    const cards = new KeptCards();
    cards.keep('src_1', answerOf('run_2', 2), 'known');
    assert.equal(cards.keep('src_1', answerOf('run_1', 1), 'known'), false);
    assert.equal(cards.get('src_1')?.card.pulse?.jobRunId, 'run_2');
  });

  it('shows the row of the list, also for cards that were there before it', () => {
    const cards = new KeptCards();
    cards.keep('src_1', answerOf('run_1'), 'known');
    cards.showRows(new Map([['src_1', rowOf('src_1')]]));
    assert.deepEqual(cards.get('src_1')?.card.source, rowOf('src_1'));
    cards.showRows(new Map());
    assert.equal(cards.get('src_1')?.card.source, null);
  });

  it('lets no stranger crowd out what is known, and not too many of them stay', () => {
    const cards = new KeptCards();
    cards.keep('src_1', answerOf('run_1'), 'known');
    for (let stranger = 0; stranger < 5_000; stranger += 1)
      cards.keep(`stranger_${stranger}`, { ...answerOf('run_1'), pulse: null }, 'stranger');
    assert.ok(cards.get('src_1'));
    assert.equal(cards.get('stranger_0'), undefined);
    assert.ok(cards.get('stranger_4999'));
  });

  it('is bounded by the bytes of what it keeps', () => {
    const cards = new KeptCards();
    const long = { aiSummaryLong: 'x'.repeat(60_000) };
    for (let source = 0; source < 1_000; source += 1)
      cards.keep(`src_${source}`, { ...answerOf('run_1'), pulse: pulseOf(`src_${source}`, 'run_1', long) }, 'known');
    assert.equal(cards.get('src_0'), undefined);
    assert.ok(cards.get('src_999'));
  });
});
