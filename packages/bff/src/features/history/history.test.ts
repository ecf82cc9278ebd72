import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import { memoryText, type StoredText } from '../../lib/stored-text.ts';
import type { Answers } from '../../pulses/answers.ts';
import { cardWithPulse } from '../../testing/served-app.ts';
import { History } from './history.ts';
import { emptyHistory } from './source-history.ts';

const NOW_MS = Date.parse('2026-05-08T12:00:00.000Z');
const { sourceId } = cardWithPulse;

/** A history, and the current key's account, which a test can change. */
function open({ text = memoryText(), maxRuns = 30 } = {}) {
  const events: Answers['events'] = new EventEmitter();
  const answers = { accountName: 'account_a', storedText: (_name: string) => text, events };
  const warnings: string[] = [];
  const log = { warn: (line: string) => warnings.push(line) > 0 };
  const history = new History({ clock: { wallNow: () => NOW_MS }, maxRuns, answers, log });
  return { history, answers, warnings, purge: () => events.emit('purged') };
}

/** Text that outlives the process. */
function lastingText(content?: string): StoredText {
  let text = content;
  const save = async (changed: string) => void (text = changed);
  return { isLasting: true, claim: async () => true, load: async () => text, save };
}

const oldRun = {
  jobRunId: 'run_old',
  completedAt: '2026-05-01T09:00:00.000Z',
  firstSeenAt: '2026-05-01T09:00:00.000Z',
  aiSummaryShort: 'Older',
  imageUrl: null,
};

/** What an earlier process stored. */
function storedFor(account: string): StoredText {
  return lastingText(JSON.stringify({ ...emptyHistory(account), runs: [oldRun] }));
}

function runsOf(history: History): readonly string[] {
  return (history.get(sourceId)?.runs ?? []).map(({ jobRunId }) => jobRunId);
}

describe('History', () => {
  it('stores only runs from the key’s own account', () => {
    const { history, answers } = open();
    history.add(cardWithPulse);
    assert.deepEqual(runsOf(history), ['run_1']);
    answers.accountName = 'account_b';
    assert.equal(history.get(sourceId), undefined);
    assert.equal(history.pulseOfRun(cardWithPulse, 'run_1'), undefined);
  });

  for (const [account, runs] of [
    ['account_a', ['run_1', 'run_old']],
    ['account_b', ['run_1']],
  ] as const)
    it(`adds ${runs.join(' and ')} to what was stored for ${account}`, async () => {
      const { history } = open({ text: storedFor(account) });
      history.add(cardWithPulse);
      await history.saved();
      assert.deepEqual(runsOf(history), runs);
    });

  it('saves each run for the next process, together with those of other instances', async () => {
    const text = lastingText();
    const add = async ({ history }: ReturnType<typeof open>, jobRunId: string, completedAt: string) => {
      history.add({ ...cardWithPulse, pulse: { ...fullPulse, jobRunId, completedAt } });
      await history.saved();
    };
    const [first, second] = [open({ text }), open({ text })];
    for (const instance of [first, second]) await add(instance, 'run_1', '2026-05-08T07:00:00.000Z');
    await add(first, 'run_2', '2026-05-08T08:00:00.000Z');
    await add(second, 'run_3', '2026-05-08T09:00:00.000Z');
    const next = open({ text });
    await add(next, 'run_4', '2026-05-08T10:00:00.000Z');
    assert.deepEqual(runsOf(next.history), ['run_4', 'run_3', 'run_2', 'run_1']);
  });

  it('knows which sources are overdue', () => {
    const { history } = open();
    for (const [id, lateDays] of [
      ['src_late', 3],
      ['src_well', 1],
    ] as const)
      for (let day = 9; day >= 0; day -= 1) {
        const atMs = NOW_MS - day * 86_400_000;
        const pulse = { ...fullPulse, jobRunId: `run_${day}`, completedAt: new Date(atMs).toISOString() };
        history.add({ ...cardWithPulse, sourceId: id, pulse, requestedAtMs: atMs + lateDays * 86_400_000 });
      }
    assert.deepEqual(history.overdue(), ['src_late']);
    assert.equal(history.rhythmOf('src_well').usual, 'daily');
  });

  it('deletes a source without a pulse, both in memory and in storage', async () => {
    const text = storedFor('account_a');
    const { history } = open({ text });
    history.add(cardWithPulse);
    await history.saved();
    history.add({ ...cardWithPulse, pulse: null });
    assert.deepEqual(runsOf(history), []);
    await history.saved();
    assert.equal(await text.load(), '');
  });

  it('deletes everything when the key belongs to another account, even while it is being loaded', async () => {
    const text = storedFor('account_a');
    const { history, purge } = open({ text });
    history.add(cardWithPulse);
    purge();
    await history.saved();
    assert.deepEqual([runsOf(history), await text.load()], [[], '']);
    history.add(cardWithPulse);
    await history.saved();
    assert.deepEqual(runsOf(history), ['run_1']);
    purge();
    await history.saved();
    assert.deepEqual([runsOf(history), await text.load()], [[], '']);
    history.add(cardWithPulse);
    await history.close();
    purge();
    await history.saved();
    assert.deepEqual(runsOf(history), ['run_1'], 'not after it is closed');
  });

  it('keeps up to 64 MiB, and only the completion times of sources that no longer fit', async () => {
    const { history, answers, purge } = open();
    const texts = new Map<string, StoredText>();
    answers.storedText = (name) => texts.get(name) ?? texts.set(name, lastingText()).get(name) ?? memoryText();
    const pulse = { ...fullPulse, aiSummaryShort: 'x'.repeat(60_000) };
    // The second ID differs from the first one only in case.
    const ids = Array.from({ length: 1_120 }, (_, at) => (at === 1 ? 'SRC_0' : `src_${at}`));
    for (const id of ids) history.add({ ...cardWithPulse, sourceId: id, pulse });
    await history.saved();
    const isKept = ids.map((id) => history.get(id) !== undefined);
    assert.deepEqual([isKept[0], isKept.at(-1)], [false, true]);
    const keptBytes = 60_000 * isKept.filter(Boolean).length;
    assert.ok(keptBytes > 60 * 1024 * 1024 && keptBytes < 64 * 1024 * 1024, String(keptBytes));
    assert.equal(texts.size, ids.length);
    const [first] = texts.values();
    const { runs, times } = JSON.parse((await first?.load()) ?? '') as { runs: []; times: [] };
    assert.deepEqual([runs.length, times.length], [0, 1]);
    purge();
    await history.saved();
    assert.equal(await first?.load(), '');
  });

  it('serves no runs if PULSE_HISTORY is 0', () => {
    const { history } = open({ maxRuns: 0 });
    history.add(cardWithPulse);
    assert.equal(history.pulseOfRun(cardWithPulse, 'run_1'), undefined);
  });

  it('tells the operator if a history can’t be saved, continues, and saves only changes', async () => {
    const text = { ...lastingText(), save: () => Promise.reject(new Error('full')) };
    const { history, warnings } = open({ text });
    for (let times = 0; times < 2; times += 1) {
      history.add(cardWithPulse);
      await history.saved();
    }
    assert.deepEqual([runsOf(history), warnings.length], [['run_1'], 1]);
  });
});
