import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualClock, type VirtualClock } from '../testing/virtual-clock.ts';
import { type AlertStore, localAlertStore } from './alert-store.ts';
import { expiryWords } from './key-expiry.ts';
import type { Problem } from '../observability/problems.ts';
import { Alerts, type AlertsOptions } from './alerts.ts';
import type { SendOutcome } from './webhook.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const KEY_REFUSED: Problem = {
  code: 'upstream_auth',
  level: 'down',
  headline: 'The service refuses the API key.',
  advice: 'Make a new key.',
};
const SERVICE_DOWN: Problem = {
  code: 'upstream_unavailable',
  level: 'down',
  headline: 'The service has not answered.',
  advice: '',
};

function broken(sourceId: string, name = sourceId): Problem {
  return { code: 'source_broken', level: 'notice', headline: `The source "${name}" is BROKEN.`, advice: '', sourceId };
}

function failingStore(): AlertStore {
  const fail = async (): Promise<never> => {
    throw new Error('no store');
  };
  return { isLasting: true, claim: fail, load: fail, save: fail };
}

interface Watched extends AsyncDisposable {
  readonly alerts: Alerts;
  readonly clock: VirtualClock;
  readonly messages: string[];
  readonly warnings: string[];
  problems: readonly Problem[];
  keyName: string;
  /** What the webhook answers. */
  outcome: SendOutcome;
  attempts: number;
}

async function watch(options: Partial<AlertsOptions> & { clock?: VirtualClock } = {}): Promise<Watched> {
  const clock = options.clock ?? createVirtualClock();
  const watched: Omit<Watched, 'alerts'> = {
    clock,
    messages: [],
    warnings: [],
    problems: [],
    keyName: 'key 1',
    outcome: { ok: true },
    attempts: 0,
    async [Symbol.asyncDispose]() {
      alerts.close();
    },
  };
  const alerts = new Alerts({
    store: localAlertStore(),
    keyName: () => watched.keyName,
    problems: () => [...watched.problems, ...keyEnds(alerts)],
    webhook: {
      host: 'hooks.example.com',
      send: async (text) => {
        watched.attempts += 1;
        if (watched.outcome.ok) watched.messages.push(text);
        return watched.outcome;
      },
    },
    origin: 'https://pulse.example.com',
    statedDay: undefined,
    warn: (message) => watched.warnings.push(message),
    ...options,
    clock,
  });
  await alerts.start();
  return Object.assign(watched, { alerts });
}

function keyEnds(alerts: Alerts): Problem[] {
  const expiry = alerts.keyExpiry();
  if (expiry === undefined || expiry.inDays > 15) return [];
  return [
    {
      code: 'key_ends',
      level: 'degraded',
      headline: `The API key ends ${expiryWords(expiry)}.`,
      advice: 'Make a new key.',
    },
  ];
}

/** A store that outlives what is watched. */
function lastingStore(): AlertStore {
  return { ...localAlertStore(), isLasting: true };
}

/** Lets days go by on the wall clock, and the alerts look at it. */
async function pass({ clock }: Watched, days: number): Promise<void> {
  clock.shiftWall(days * DAY_MS);
  await clock.advance(2 * MINUTE_MS);
}

describe('Alerts', () => {
  describe('while the key runs out', () => {
    it('sends nothing on day 74 of 90, one message on day 75, and one when the key is replaced', async () => {
      await using watched = await watch({ store: lastingStore() });
      await pass(watched, 74);
      assert.deepEqual(watched.messages, []);
      await pass(watched, 1);
      assert.equal(watched.messages.length, 1);
      assert.match(watched.messages[0] ?? '', /in 15 days \(a guess/);
      watched.keyName = 'key 2';
      await watched.clock.advance(2 * MINUTE_MS);
      assert.equal(watched.messages.length, 2);
      assert.match(watched.messages[1] ?? '', /Over: The API key ends/);
      assert.equal(watched.alerts.keyExpiry()?.inDays, 90);
    });

    it('sends one message at 15, 7 and 1 days', async () => {
      await using watched = await watch({ statedDay: '2026-06-01' });
      for (let day = 0; day < 40; day += 1) await pass(watched, 1);
      const days = watched.messages.map((message) => /(?:in (\d+) days?|today)/.exec(message)?.[1]);
      assert.deepEqual(days, ['15', '7', '1']);
    });

    it('knows no end where nothing outlives the process and no day is stated', async () => {
      await using watched = await watch();
      assert.equal(watched.alerts.keyExpiry(), undefined);
    });

    it('takes the stated day for the key that was there at the start, and no other', async () => {
      await using watched = await watch({ store: lastingStore(), statedDay: '2026-05-20' });
      assert.equal(watched.alerts.keyExpiry()?.isGuess, false);
      watched.keyName = 'key 2';
      await watched.clock.advance(10_000);
      assert.deepEqual(watched.alerts.keyExpiry(), { day: '2026-08-06', inDays: 90, isGuess: true });
    });

    it('remembers over a restart when the key was first seen, and what was sent', async () => {
      const [clock, store] = [createVirtualClock(), lastingStore()];
      await using before = await watch({ clock, store });
      await pass(before, 76);
      assert.equal(before.messages.length, 1);
      before.alerts.close();
      await using after = await watch({ clock, store });
      assert.equal(after.alerts.keyExpiry()?.inDays, 14);
      await pass(after, 1);
      assert.deepEqual(after.messages, []);
    });
  });

  it('makes one message of problems that begin within 60 s', async () => {
    await using watched = await watch();
    watched.problems = [KEY_REFUSED];
    await watched.clock.advance(40_000);
    watched.problems = [KEY_REFUSED, broken('src_1')];
    await watched.clock.advance(5 * MINUTE_MS);
    assert.equal(watched.messages.length, 1);
  });

  it('tells of a new key that is refused, and not of problems that concern nobody in a chat', async () => {
    await using watched = await watch();
    watched.problems = [{ ...KEY_REFUSED, code: 'redis_lost' }];
    await watched.clock.advance(20 * MINUTE_MS);
    assert.deepEqual(watched.messages, []);
    watched.problems = [{ ...KEY_REFUSED, code: 'key_file_refused' }];
    await watched.clock.advance(5 * MINUTE_MS);
    assert.equal(watched.messages.length, 1);
  });

  it('T-70 leaves no mention, link or markup in the name of a source', async () => {
    await using watched = await watch();
    watched.problems = [broken('src_1', '<!channel> @here [a](https://evil.test)')];
    await watched.clock.advance(5 * MINUTE_MS);
    assert.match(watched.messages[0]?.split('•')[1] ?? '', /^(?!.*@[a-z])(?!.*\]\()(?!.*:\/\/)[^<>]*$/);
  });

  it('says nothing of what is over within 60 s', async () => {
    await using watched = await watch();
    watched.problems = [KEY_REFUSED];
    await watched.clock.advance(40_000);
    watched.problems = [];
    await watched.clock.advance(5 * MINUTE_MS);
    assert.deepEqual(watched.messages, []);
  });

  it('says after ten minutes that the service is down, and once it is over', async () => {
    await using watched = await watch();
    watched.problems = [SERVICE_DOWN];
    await watched.clock.advance(10 * MINUTE_MS);
    assert.deepEqual(watched.messages, []);
    await watched.clock.advance(2 * MINUTE_MS);
    assert.match(watched.messages[0] ?? '', /has not answered/);
    watched.problems = [];
    await watched.clock.advance(2 * MINUTE_MS);
    assert.match(watched.messages[1] ?? '', /Over: The service has not answered/);
    assert.equal(watched.messages.length, 2);
  });

  describe('with a webhook that does not answer', () => {
    it('tries again after a minute', async () => {
      await using watched = await watch();
      watched.outcome = { ok: false, failure: 'it answered 500' };
      watched.problems = [KEY_REFUSED];
      await watched.clock.advance(10 * MINUTE_MS);
      assert.equal(watched.attempts, 9);
    });

    it('shows the failure in the status and in one line of the log', async () => {
      await using watched = await watch();
      watched.outcome = { ok: false, failure: 'it answered 500' };
      watched.problems = [KEY_REFUSED];
      await watched.clock.advance(30 * MINUTE_MS);
      const { host, failure } = watched.alerts.status();
      assert.deepEqual([host, failure], ['hooks.example.com', 'it answered 500']);
      assert.equal(watched.warnings.length, 1);
    });

    it('sends what is still true once it answers again', async () => {
      await using watched = await watch();
      watched.outcome = { ok: false, failure: 'it answered 500' };
      watched.problems = [KEY_REFUSED, SERVICE_DOWN];
      await watched.clock.advance(5 * MINUTE_MS);
      watched.problems = [KEY_REFUSED];
      watched.outcome = { ok: true };
      await watched.clock.advance(60 * MINUTE_MS);
      assert.equal(watched.messages.length, 1);
      assert.doesNotMatch(watched.messages[0] ?? '', /has not answered/);
      assert.equal(watched.alerts.status().failure, null);
    });
  });

  it('goes on sending while its store fails', async () => {
    await using watched = await watch({ store: failingStore() });
    watched.problems = [KEY_REFUSED];
    await watched.clock.advance(10 * MINUTE_MS);
    assert.equal(watched.messages.length, 1);
    assert.equal(watched.warnings.length, 1);
  });

  it('says nothing of a store that fails where there is no webhook', async () => {
    await using watched = await watch({ store: failingStore(), webhook: undefined });
    await watched.clock.advance(MINUTE_MS);
    assert.deepEqual(watched.warnings, []);
  });

  it('sends nothing while another instance does', async () => {
    const store = { ...localAlertStore(), claim: async () => false };
    await using watched = await watch({ store });
    watched.problems = [KEY_REFUSED];
    await watched.clock.advance(10 * MINUTE_MS);
    assert.deepEqual(watched.messages, []);
  });
});
