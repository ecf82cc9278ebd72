import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIST_ID } from '../planner/refresh-planner.ts';
import { ApiKeyStatus, backoffMs, type Failure, Gate, type GateOptions, Hosts } from './gate.ts';

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const FAILED: Failure = {
  ok: false,
  code: 'upstream_unavailable',
  detail: 'upstream-error',
  attempted: true,
  retryInMs: 5_000,
};

/** The same failure, as the reason not to make a call. */
const REFUSED = { ...FAILED, attempted: false };

/** A gate whose every wait is the longest. */
function openGate(options: Pick<GateOptions, 'planner'> = {}): Gate {
  return new Gate({ hasAlt: false, callMs: 5_000, random: () => 1, ...options });
}

describe('Gate', () => {
  it('shares a failure until its backoff is over, and remembers it until a success', () => {
    const gate = openGate();
    assert.equal(gate.recordFailure('src_1', FAILED, 0), 2_000);
    assert.deepEqual(gate.refusal('src_1', 500), { ...REFUSED, retryInMs: 1_500 });
    assert.equal(gate.refusal('src_2', 500), undefined);
    assert.equal(gate.refusal('src_1', 2_000), undefined);
    assert.deepEqual(gate.lastFailure('src_1', 2_000), { ...REFUSED, retryInMs: 0 });
    gate.recordSuccess('src_1');
    assert.equal(gate.lastFailure('src_1', 2_000), undefined);
  });

  it('counts how long a subject has failed, from the first failure in a row', () => {
    const gate = openGate();
    gate.recordFailure('src_1', FAILED, 1_000);
    gate.recordFailure('src_1', FAILED, 61_000);
    assert.deepEqual([gate.failingForMs('src_1', 301_000), gate.failingForMs('src_2', 301_000)], [300_000, 0]);
    gate.recordSuccess('src_1');
    assert.equal(gate.failingForMs('src_1', 301_000), 0);
  });

  it("begins anew after a success, and counts a failure that is not the source's own for none", () => {
    const gate = openGate();
    gate.recordFailure('src_1', FAILED, 0);
    fail(gate.hosts, 'main', 0);
    assert.equal(gate.recordFailure('src_1', FAILED, 0), 5_000);
    assert.equal(gate.recordFailure('src_1', FAILED, 19_000), 4_000);
    gate.recordSuccess('src_1');
    assert.equal(gate.recordFailure('src_1', FAILED, 19_000), 2_000);
  });

  it('holds a failing source while it is not its turn', () => {
    const gate = openGate({ planner: { isRetryHeld: () => true } });
    assert.deepEqual(gate.refusal('src_1', 0), { ...REFUSED, retryInMs: 5_000 });
  });

  it('names a refused key before an outage, and an outage before the failure of a source', () => {
    const gate = openGate();
    gate.recordFailure('src_1', FAILED, 0);
    fail(gate.hosts, 'main', 0);
    assert.equal(gate.refusal('src_1', 0)?.retryInMs, 15_000);
    gate.key.recordRefusal('pulse', 403, 0);
    assert.equal(gate.refusal('src_1', 0)?.code, 'upstream_auth');
    assert.equal(gate.refusal(LIST_ID, 0)?.code, 'upstream_unavailable');
  });

  it('tries at once what failed in an outage that is over, or with a key that was replaced', () => {
    const gate = openGate();
    gate.recordFailure('src_1', FAILED, 0);
    gate.recordFailure('src_2', { ...FAILED, code: 'upstream_auth', detail: 'auth' }, 0);
    fail(gate.hosts, 'main', 0);
    gate.recordHostAnswer('main', 0);
    assert.deepEqual([gate.refusal('src_1', 0)?.code, gate.refusal('src_2', 0)?.code], [undefined, 'upstream_auth']);
    gate.keyReplaced();
    assert.equal(gate.refusal('src_2', 0), undefined);
  });
});

describe('backoffMs()', () => {
  it('is a draw from the upper half under a ceiling that doubles from two seconds to thirty', () => {
    const highest = [1, 2, 3, 4, 5, 6, 7].map((consecutive) => backoffMs(consecutive, () => 1));
    assert.deepEqual(highest, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    assert.equal(
      backoffMs(5, () => 0),
      15_000,
    );
  });

  it('is a second at the least and 30 s at the most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), chance, (consecutive, drawn) => {
        const ms = backoffMs(consecutive, () => drawn);
        assert.ok(ms >= 1_000 && ms <= 30_000);
      }),
    );
  });
});

describe('ApiKeyStatus', () => {
  it('is well again after one answer of any kind to a 401, and of the same kind to a 403', () => {
    const unknown = new ApiKeyStatus();
    unknown.recordRefusal('pulse', 401, 0);
    unknown.recordAccepted('sources');
    assert.deepEqual(unknown.status(1), { state: 'accepted' });
    const narrow = new ApiKeyStatus();
    narrow.recordRefusal('pulse', 403, 0);
    narrow.recordAccepted('sources');
    assert.equal(narrow.refusedForMs('pulse', 0), 0);
    narrow.recordAccepted('pulse');
    assert.deepEqual(narrow.status(1), { state: 'accepted' });
  });
});

const READER = { isUserFacing: true };
const PLAN = { isUserFacing: false };

function openHosts(hasAlt: boolean): Hosts {
  return new Hosts({ hasAlt, callMs: 5_000 });
}

function fail(hosts: Hosts, host: 'main' | 'alt', at: number, times = 3): void {
  for (let failure = 0; failure < times; failure += 1) hosts.recordFailure(host, at);
}

describe('Hosts', () => {
  describe('with one host', () => {
    it('opens its circuit for 15 s after three failures in a row', () => {
      const hosts = openHosts(false);
      fail(hosts, 'main', 0, 2);
      assert.equal(hosts.openForMs(0), 0);
      fail(hosts, 'main', 0, 1);
      assert.equal(hosts.openForMs(0), 15_000);
      assert.deepEqual(hosts.order(14_999, READER), []);
    });

    it('counts failures from the last answer on', () => {
      const hosts = openHosts(false);
      for (let round = 0; round < 9; round += 1) {
        fail(hosts, 'main', round, 2);
        hosts.recordSuccess('main', round);
      }
      assert.equal(hosts.openForMs(9), 0);
    });

    it('lets one trial call through at a time, and opens again after a failed one', () => {
      const hosts = openHosts(false);
      fail(hosts, 'main', 0);
      assert.deepEqual(hosts.order(15_000, READER), ['main']);
      hosts.recordAttempt('main', 15_000);
      assert.deepEqual(hosts.order(15_000, READER), []);
      hosts.recordFailure('main', 16_000);
      assert.equal(hosts.openForMs(16_000), 15_000);
    });

    it('closes after one answer, and says that an outage has ended', () => {
      const hosts = openHosts(false);
      fail(hosts, 'main', 0);
      assert.equal(hosts.recordSuccess('main', 15_000), true);
      assert.equal(hosts.status(15_000)[0]?.state, 'closed');
      assert.equal(hosts.recordSuccess('main', 16_000), false);
    });
  });

  describe('with two hosts', () => {
    it('leaves the main host after one failure while the other has none', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      assert.deepEqual(hosts.order(0, READER), ['alt']);
      assert.deepEqual(
        hosts.status(0).map(({ preferred }) => preferred),
        [false, true],
      );
    });

    it('tries a half-open host with calls that nobody waits for, and with readers last', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      assert.deepEqual(hosts.order(15_000, PLAN), ['main', 'alt']);
      assert.deepEqual(hosts.order(15_000, READER), ['alt', 'main']);
    });
  });
});
