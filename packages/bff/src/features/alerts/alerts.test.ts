import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyFileReport } from '../key-file/key-file-report.ts';
import { problemsOf } from '../status/operator-problems.ts';
import type { BffState } from '../status/bff-state.ts';
import { downHost, freshSource, joinedRedis, wellState } from '../../testing/bff-state.ts';
import { createVirtualClock, type VirtualClock } from '../../testing/virtual-clock.ts';
import { keyEndsProblem } from './key-expiry.ts';
import { memoryText } from '../../lib/kept-text.ts';
import { type AlertStore, alertStore } from './alert-store.ts';
import { Alerts, type AlertsOptions } from './alerts.ts';
import type { SendOutcome } from './webhook.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const KEY_REFUSED = { key: { state: 'refused' } } as const;
const SERVICE_DOWN = { hosts: [downHost] };
const broken = (name: string) => ({ sources: [{ ...freshSource, name, status: 'BROKEN' as const }] });

const REFUSED: SendOutcome = { ok: false, failure: 'it returned 500' };

/** A store that outlives the alerts. */
const lastingStore = (): AlertStore => ({ ...alertStore(memoryText()), isLasting: true });

function failingStore(): AlertStore {
  const fail = () => Promise.reject(new Error('no store'));
  return { isLasting: true, claim: fail, load: fail, save: fail };
}

interface Circumstances extends Partial<AlertsOptions> {
  readonly clock?: VirtualClock;
  /** The webhook's answer. */
  readonly outcome?: SendOutcome;
}

/** Alerts on a clock that the test advances, and the messages that they sent. */
async function watch({ outcome = { ok: true }, clock = createVirtualClock(), ...options }: Circumstances = {}) {
  const watched = {
    messages: [] as string[],
    warnings: [] as string[],
    attempts: 0,
    state: wellState,
    keyName: 'key 1',
    outcome,
  };
  const alerts: Alerts = new Alerts({
    store: alertStore(memoryText()),
    keyName: () => watched.keyName,
    problems: () => [...problemsOf(watched.state), ...keyEndsProblem(alerts.keyExpiry())],
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
  return Object.assign(watched, {
    alerts,
    /** Lets minutes pass while the BFF is in this state. */
    minutes: (count: number, facts: Partial<BffState> = {}) => {
      watched.state = { ...wellState, ...facts };
      return clock.advance(count * MINUTE_MS);
    },
    /** Moves the wall clock by days, and lets the alerts check it. */
    days: (count: number) => {
      clock.shiftWall(count * DAY_MS);
      return clock.advance(2 * MINUTE_MS);
    },
  });
}

describe('Alerts', () => {
  describe('while the key is about to expire', () => {
    it('sends one message 15 days before, and another when the key is replaced', async () => {
      const watched = await watch({ store: lastingStore() });
      await watched.days(74);
      assert.deepEqual(watched.messages, []);
      await watched.days(1);
      assert.match(watched.messages.join(), /in 15 days \(a guess/);
      watched.keyName = 'key 2';
      await watched.minutes(2);
      assert.equal(watched.messages.length, 2);
      assert.match(watched.messages[1] ?? '', /Over: The API key expires/);
      assert.equal(watched.alerts.keyExpiry()?.inDays, 90);
    });

    it('sends one message each at 15, 7, and 1 days before the expiry', async () => {
      const watched = await watch({ statedDay: '2026-06-01' });
      for (let day = 0; day < 40; day += 1) await watched.days(1);
      const days = watched.messages.map((message) => /(?:in (\d+) days?|today)/.exec(message)?.[1]);
      assert.deepEqual(days, ['15', '7', '1']);
    });

    it('has no expiry date if no date is set and there is no storage', async () =>
      assert.equal((await watch()).alerts.keyExpiry(), undefined));

    it('applies the configured date only to the key that is in use at startup', async () => {
      const watched = await watch({ store: lastingStore(), statedDay: '2026-05-20' });
      assert.equal(watched.alerts.keyExpiry()?.isGuess, false);
      watched.keyName = 'key 2';
      await watched.minutes(1);
      assert.deepEqual(watched.alerts.keyExpiry(), { day: '2026-08-06', inDays: 90, isGuess: true });
    });

    it('remembers after a restart when the key was first seen and which messages were sent', async () => {
      const [clock, store] = [createVirtualClock(), lastingStore()];
      const before = await watch({ clock, store });
      await before.days(76);
      assert.equal(before.messages.length, 1);
      before.alerts.close();
      const after = await watch({ clock, store });
      assert.equal(after.alerts.keyExpiry()?.inDays, 14);
      await after.days(1);
      assert.deepEqual(after.messages, []);
    });
  });

  it('combines problems that begin within 60 s into one message', async () => {
    const watched = await watch();
    await watched.minutes(0.6, KEY_REFUSED);
    await watched.minutes(5, { ...KEY_REFUSED, ...broken('Q2') });
    assert.equal(watched.messages.length, 1);
  });

  it('reports a new key that is rejected', async () => {
    const { problems } = keyFileReport(() => ({ state: 'refused', takenOver: 0 }));
    const watched = await watch(problems && { problems });
    await watched.minutes(5);
    assert.equal(watched.messages.length, 1);
  });

  it('reports when a source becomes overdue, and once when it no longer is', async () => {
    const advice = 'Look at it in the dashboard.';
    const found = [
      { code: 'source_overdue', level: 'notice', headline: '"Q2" is overdue.', advice, sourceId: 'src_1' } as const,
    ];
    const watched = await watch({ problems: () => found });
    await watched.minutes(20);
    found.pop();
    await watched.minutes(20);
    assert.deepEqual(
      watched.messages.map((message) => /Over: /.test(message)),
      [false, true],
    );
  });

  it('skips problems that don’t belong in a chat', async () => {
    const watched = await watch();
    await watched.minutes(20, { redis: { ...joinedRedis, state: 'lost' } });
    assert.deepEqual(watched.messages, []);
  });

  it('T-70 removes mentions, links, and markup from a source’s name', async () => {
    const watched = await watch();
    await watched.minutes(5, broken('<!channel> @here [a](https://evil.test)'));
    assert.equal(watched.messages.length, 1);
    assert.match(watched.messages[0]?.split('•')[1] ?? assert.fail(), /^(?!.*@[a-z])(?!.*\]\()(?!.*:\/\/)[^<>]*$/);
  });

  it('does not report a problem that ends within 60 s', async () => {
    const watched = await watch();
    await watched.minutes(0.6, KEY_REFUSED);
    await watched.minutes(5);
    assert.deepEqual(watched.messages, []);
  });

  it('doesn’t report that a problem has ended if it still exists after a restart', async () => {
    const store = lastingStore();
    const before = await watch({ store });
    await before.minutes(12, SERVICE_DOWN);
    before.alerts.close();
    const after = await watch({ store });
    await after.minutes(5, SERVICE_DOWN);
    await after.minutes(3, { ...SERVICE_DOWN, ...KEY_REFUSED });
    await after.minutes(5, SERVICE_DOWN);
    assert.deepEqual(
      after.messages.map((message) => message.match(/• .*?\./g)),
      [['• The service refuses the API key.'], ['• Over: The service refuses the API key.']],
    );
  });

  it('reports an outage of the service after ten minutes, and its end', async () => {
    const watched = await watch();
    await watched.minutes(10, SERVICE_DOWN);
    assert.deepEqual(watched.messages, []);
    await watched.minutes(2, SERVICE_DOWN);
    assert.match(watched.messages[0] ?? '', /has not answered/);
    await watched.minutes(5);
    assert.match(watched.messages[1] ?? '', /Over: The service has not answered/);
    assert.equal(watched.messages.length, 2);
  });

  describe('with a webhook that doesn’t answer', () => {
    it('tries again after a minute', async () => {
      const watched = await watch({ outcome: REFUSED });
      await watched.minutes(10, KEY_REFUSED);
      assert.equal(watched.attempts, 9);
    });

    it('shows the failure in the status and logs one line', async () => {
      const watched = await watch({ outcome: REFUSED });
      await watched.minutes(30, KEY_REFUSED);
      assert.deepEqual(watched.alerts.status(), { host: 'hooks.example.com', sent: 0, failure: 'it returned 500' });
      assert.equal(watched.warnings.length, 1);
    });

    it('sends only the problems that still exist once the webhook answers again', async () => {
      const watched = await watch({ outcome: REFUSED });
      await watched.minutes(5, { ...KEY_REFUSED, ...SERVICE_DOWN });
      watched.outcome = { ok: true };
      await watched.minutes(60, KEY_REFUSED);
      assert.equal(watched.messages.length, 1);
      assert.doesNotMatch(watched.messages[0] ?? '', /has not answered/);
      assert.equal(watched.alerts.status().failure, null);
    });
  });

  it('continues to send while its storage fails, and logs the failure once', async () => {
    const watched = await watch({ store: failingStore() });
    await watched.minutes(10, KEY_REFUSED);
    assert.deepEqual([watched.messages.length, watched.warnings.length], [1, 1]);
  });

  it('doesn’t report failed storage if there is no webhook', async () => {
    const watched = await watch({ store: failingStore(), webhook: undefined });
    await watched.minutes(1);
    assert.deepEqual(watched.warnings, []);
  });

  it('sends nothing while another instance sends the alerts', async () => {
    const watched = await watch({ store: { ...alertStore(memoryText()), claim: async () => false } });
    await watched.minutes(10, KEY_REFUSED);
    assert.deepEqual(watched.messages, []);
  });
});
