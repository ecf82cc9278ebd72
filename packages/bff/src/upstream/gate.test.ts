import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIST_ID } from '../planner/refresh-planner.ts';
import { ApiKeyStatus, backoffMs, Gate, type GateOptions, Hosts, notAttempted } from './gate.ts';

const FAILED = notAttempted('upstream_unavailable', 'upstream-error', 5_000);

/** A gate whose every wait is the longest. */
function openGate(options: Pick<GateOptions, 'planner'> = {}): Gate {
  return new Gate({ hasAlt: false, callMs: 5_000, random: () => 1, ...options });
}

describe('Gate', () => {
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
    assert.deepEqual(gate.refusal('src_1', 0), FAILED);
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
  });

  describe('with two hosts', () => {
    it('tries a half-open host with calls that no one waits for, and with readers last', () => {
      const hosts = openHosts(true);
      fail(hosts, 'main', 0, 1);
      assert.deepEqual(hosts.order(15_000, PLAN), ['main', 'alt']);
      assert.deepEqual(hosts.order(15_000, READER), ['alt', 'main']);
    });
  });
});
