import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../config.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { stubStore } from '../testing/stub-store.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { testLog } from '../testing/test-log.ts';
import { startTestUpstream } from '../testing/test-upstream.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { LocalCallBudget } from '../upstream/call-budget.ts';
import { LIST } from '../upstream/target.ts';
import { openAnswers, type OpenStoreParts } from './shared-in-process.ts';
import type { SharedStore } from './shared-store.ts';

const log = { warn: () => true, fault: assert.fail, info: () => {} } as unknown as Log;

const PULSE_KEY_RELOAD_MS = '3600000';

/** A clock that counts how many key files are being watched. */
function watchingClock() {
  let watchers = 0;
  const schedule: Clock['schedule'] = (afterMs, run) => {
    const cancel = systemClock.schedule(afterMs, run);
    if (afterMs !== Number(PULSE_KEY_RELOAD_MS)) return cancel;
    watchers += 1;
    return () => {
      watchers -= 1;
      cancel();
    };
  };
  return { clock: { ...systemClock, schedule }, watchers: () => watchers };
}

describe('openAnswers()', () => {
  it('lets two copies of the module that use the same key share calls and responses until the last one is closed', async () => {
    await using service = await startTestUpstream();
    const { log, messages } = testLog();
    const config = readConfig(service.variables);
    const options = { log, clock: systemClock };
    // A copy of the module, as created by a bundler or hot reload.
    const copied: string = './shared-in-process.ts?copy';
    const copy = (await import(copied)) as { openAnswers: typeof openAnswers };
    const first = await openAnswers(config, options);
    const others = await Promise.all([copy.openAnswers(config, options), copy.openAnswers(config, options)]);
    for (const { answers } of [first, ...others]) assert.equal(answers, first.answers);
    await Promise.all([first, ...others].map(({ answers }) => answers.fetch('src_1')));
    assert.equal(service.requests.filter((path) => path.includes('src_1')).length, 1);
    assert.deepEqual(
      messages().map((line) => line.includes('they share calls')),
      [true],
    );

    await first.close();
    await others[0]?.close();
    assert.equal(await first.answers.fetch(LIST, { isForced: true }), undefined);
    await others[1]?.close();
    assert.equal((await first.answers.fetch(LIST, { isForced: true }))?.code, 'stopping');
    const again = await openAnswers(config, options);
    assert.notEqual(again.answers, first.answers);
    await again.close();
  });

  it('lets a new router share an existing router’s responses once both use the rotated key, and watches the file once', async () => {
    await using service = await startTestUpstream();
    using folder = temporaryFolder();
    const path = folder.file('key', 'the-first-key');
    const { PULSE_API_KEY: _key, ...variables } = service.variables;
    const { clock, watchers } = watchingClock();
    const config = readConfig({ ...variables, PULSE_API_KEY_FILE: path, PULSE_KEY_RELOAD_MS });
    const open = () => openAnswers(config, { log, clock });
    const before = await open();
    folder.file('key', 'the-second-key');
    const after = await open();
    assert.equal(after.answers, before.answers);
    assert.equal(watchers(), 1);
    await Promise.all([before.close(), after.close()]);
    assert.equal(watchers(), 0);
  });

  it('shares nothing between different keys, URLs, or limits', async () => {
    await using service = await startTestUpstream();
    const log = { warn: () => true, fault: assert.fail, info: assert.fail } as unknown as Log;
    const others = [
      { PULSE_API_KEY: 'another-key-1' },
      { PULSE_RATE_LIMIT: '50' },
      { PULSE_RATE_WINDOW_MS: '70000' },
      { PULSE_ALT_BASE_URL: service.url },
    ];
    const opened = await Promise.all(
      [{}, ...others].map((more) =>
        openAnswers(readConfig({ ...service.variables, ...more }), { log, clock: systemClock }),
      ),
    );
    assert.equal(new Set(opened.map(({ answers }) => answers)).size, 5);
    await Promise.all(opened.map((each) => each.close()));
  });

  it('counts the calls and respects the key rejection that an earlier process recorded in PULSE_STATE_DIR', async () => {
    await using service = await startTestUpstream({ sources: ['src_1'] });
    using folder = temporaryFolder();
    // The test's calls must still be in the window when the test ends.
    const config = readConfig({ ...service.variables, PULSE_STATE_DIR: folder.path, PULSE_RATE_WINDOW_MS: '60000' });
    const first = await openAnswers(config, { log, clock: systemClock });
    await first.answers.fetch('src_1');
    service.fail('key_refused');
    await first.answers.fetch(LIST, { isForced: true });
    const { used } = first.answers.upstream.status().budget;
    await first.close();

    const kept = folder.texts().join();
    assert.match(kept, /Revenue rose/);
    assert.doesNotMatch(kept, /organizationName|dashboard\.example/);

    service.fail('hanging');
    const second = await openAnswers(config, { log, clock: systemClock });
    const { budget } = second.answers.upstream.status();
    await second.close();
    assert.ok(used >= 2 && budget.used >= used, `${budget.used} of ${used}`);
    assert.equal(budget.starting, false);
    assert.ok(second.answers.key.refusedForMs('pulse') !== undefined);

    const variables = { ...service.variables, PULSE_STATE_DIR: folder.path, PULSE_API_KEY: 'another-key-1' };
    const replaced = await openAnswers(readConfig(variables), { log, clock: systemClock });
    await replaced.close();
    assert.equal(replaced.answers.key.refusedForMs('pulse'), undefined);
  });

  it('takes its limits from the variables; with Redis, the shared budget decides which calls to allow', async () => {
    await using service = await startTestUpstream();
    const limits = {
      PULSE_RATE_LIMIT: '50',
      PULSE_RATE_RESERVE: '7',
      PULSE_RATE_WINDOW_MS: '60000',
      PULSE_UPSTREAM_TIMEOUT_MS: '30000',
    };
    const config = readConfig({ ...service.variables, ...limits });
    const clock = createVirtualClock();
    const own = await openAnswers(config, { log, clock });
    const { limit, reserve, windowMs } = own.answers.upstream.status().budget;
    assert.deepEqual([limit, reserve, windowMs], [50, 7, 60_000]);
    // The first call waits for a third of the longest call, however old the process is.
    assert.equal(own.answers.upstream.whyNoCall('src_1')?.retryInMs, 10_000);
    await own.close();
    await clock.advance(30_000);
    assert.equal(clock.pending(), 0);

    let settings: unknown;
    let isClosed = false;
    const sharedBudget = new LocalCallBudget({ limit: 1, windowMs: 1, reserve: 0, callMs: 1 }, { startedAt: 0 });
    const openStore = async ({ budget }: OpenStoreParts): Promise<SharedStore> => {
      settings = budget;
      return stubStore({ budget: sharedBudget, close: () => (isClosed = true) });
    };
    const shared = await openAnswers(config, { log, clock: systemClock, openStore });
    assert.deepEqual(settings, { limit: 50, windowMs: 60_000, reserve: 7, callMs: 30_000 });
    assert.equal(shared.answers.upstream.status().budget.limit, 1);
    await shared.close();
    assert.deepEqual([isClosed, service.requests], [true, []]);
  });

  it('stops reading the key file if the shared storage can’t be opened', async () => {
    using folder = temporaryFolder();
    const path = folder.file('key', 'a-key-of-the-test');
    const { clock, watchers } = watchingClock();
    const config = readConfig({ PULSE_BASE_URL: 'http://127.0.0.1:2', PULSE_API_KEY_FILE: path, PULSE_KEY_RELOAD_MS });
    const openStore = () => Promise.reject(new Error('no Redis'));
    await assert.rejects(openAnswers(config, { log, clock, openStore }), /no Redis/);
    assert.equal(watchers(), 0);
    await (await openAnswers(config, { log, clock })).close();
  });
});
