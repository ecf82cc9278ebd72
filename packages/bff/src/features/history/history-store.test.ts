import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { HistoryStore } from './history-store.ts';
import { historyIn } from './source-history.ts';

const DAY_MS = 24 * 60 * 60_000;
const clock = createVirtualClock();

/** A store that keeps 30 runs of each source, and the texts that it saves outside the process. */
function openStore({ isLasting = true, texts = new Map<string, string>() } = {}) {
  const account = { name: 'acc_1' };
  const store = new HistoryStore({
    clock,
    maxRuns: 30,
    accountName: () => account.name,
    keptText: (name) => ({
      isLasting,
      claim: async () => true,
      load: async () => texts.get(name),
      save: async (text) => void texts.set(name, text),
    }),
    warn: assert.fail,
  });
  return { store, account, texts };
}

/** The service's answer after a run that was completed `day` days after the first. */
function answerOf(day: number, { sourceId = 'src_1', text = 'Up' } = {}) {
  const completedAt = new Date(clock.wallNow() - (60 - day) * DAY_MS).toISOString();
  const pulse = { ...fullPulse, sourceId, jobRunId: `run_${day}`, completedAt, aiSummaryShort: text };
  return { sourceId, pulse, source: null, requestedAtMs: clock.wallNow() };
}

const absence = { sourceId: 'src_1', pulse: null, source: null, requestedAtMs: clock.wallNow() };

describe('HistoryStore', () => {
  it('keeps at most 64 MiB of runs in total, but the times of all sources', async () => {
    const { store, texts } = openStore();
    const text = 'a'.repeat(60 * 1024);
    const ids = Array.from({ length: 1_200 }, (_, index) => `src_${index}`);
    for (const sourceId of ids) store.add(answerOf(1, { sourceId, text }));
    await store.settled();
    const kept = [...texts.values()];
    const bytes = kept.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
    assert.ok(bytes > 60 * 1024 * 1024 && bytes < 65 * 1024 * 1024, String(bytes));
    assert.ok(kept.every((each) => historyIn(each)?.times.length === 1));
    assert.deepEqual([store.get('src_0'), store.get('src_1199')?.runs.length], [undefined, 1]);
  });

  it('forgets a source without a pulse, even while its history is being loaded', async () => {
    const { texts, store: earlier } = openStore();
    earlier.add(answerOf(1));
    await earlier.settled();
    const { store } = openStore({ texts });
    store.add(answerOf(2));
    store.add(absence);
    await store.settled();
    assert.deepEqual([store.get('src_1'), [...texts.values()]], [undefined, ['']]);
    store.add(answerOf(3));
    await store.settled();
    assert.deepEqual(
      store.get('src_1')?.runs.map(({ jobRunId }) => jobRunId),
      ['run_3'],
    );
  });

  it('adds a run after an answer without a pulse, even without storage', async () => {
    const { store } = openStore({ isLasting: false });
    store.add(absence);
    store.add(answerOf(1));
    await store.settled();
    assert.equal(store.get('src_1')?.runs.length, 1);
  });

  it('keeps nothing from a previous account, even if the key changes while a history loads', async () => {
    const { store, account, texts } = openStore();
    store.add(answerOf(1));
    account.name = 'acc_2';
    store.clear();
    await store.settled();
    assert.deepEqual([store.get('src_1'), texts.size], [undefined, 0]);
    store.add(answerOf(2));
    await store.settled();
    account.name = 'acc_1';
    assert.equal(store.get('src_1'), undefined);
  });

  it('changes its revision when a source becomes overdue, even without a usual interval', async () => {
    const { texts, store: earlier } = openStore();
    for (const day of [1, 2, 9, 10, 20]) earlier.add(answerOf(day));
    await earlier.settled();
    const { store } = openStore({ texts });
    const before = store.revision;
    store.add(answerOf(20));
    await store.loaded();
    const { usual, overdueSince } = store.rhythmOf('src_1');
    assert.deepEqual([usual, overdueSince === null, store.revision === before], [null, false, false]);
  });
});
